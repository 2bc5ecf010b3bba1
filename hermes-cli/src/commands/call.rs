//! `hermes mcp call NAME [JSON|-]`: calls one tool, starting only the servers that may have it.

use std::io::{self, IsTerminal as _, Read as _};
use std::sync::mpsc;
use std::time::Duration;

use hermes_registry::name::Naming;
use hermes_registry::{Called, Catalog, RegistryError, ServerConfig};
use mcp_types::{ProgressParams, RawJson};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Report, Target, human, json, say, text};
use crate::session::Session;
use crate::settings::Settings;

/// The longest arguments that are read from standard input.
///
/// Bound: as long as the longest frame that a server may send.
const ARGUMENTS_LEN_MAX: u64 = 32 << 20;

/// How long standard input may be silent before people are told what is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is to be called.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: String,
    pub(crate) timeout: Option<Duration>,
}

pub(crate) async fn run(
    session: &Session,
    request: &Request<'_>,
    target: Target,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let candidates = candidates(session, request.name)?;
    let catalog = session.connect(&candidates).await;
    if let Err(error) = catalog.resolve(request.name, &settings.config) {
        return Err(unresolved(
            session,
            &catalog,
            &candidates,
            request.name,
            error,
        ));
    }
    let arguments = &request.arguments;
    let permission = &session.permission;
    permission
        .ask(settings, &catalog, request.name, arguments)
        .await?;
    let spinner = session.spinner(&format!("calling {}", request.name));
    tracing::info!("calling {}", request.name);
    let set = spinner.setter();
    let name = request.name.to_owned();
    let progress = move |progress: ProgressParams| set(&progress_line(&name, &progress));
    let called = session
        .registry
        .call(
            request.name,
            &request.arguments,
            request.timeout,
            Some(Box::new(progress)),
        )
        .await;
    drop(spinner);
    report(settings, &catalog, &called?, target)
}

fn report(
    settings: &Settings,
    catalog: &Catalog,
    called: &Called,
    target: Target,
) -> Result<Report, Failure> {
    let Called {
        route,
        result,
        diagnostics,
        warnings,
        ..
    } = called;
    let server = route.server.as_str();
    let is_error = result.failed();
    let mut report = Report::default();
    let diagnostics = diagnostics.iter().map(ToString::to_string);
    let odd: Vec<String> = diagnostics.chain(warnings.iter().cloned()).collect();
    if settings.json {
        let unreadable = |error: mcp_client::Error| {
            let message = format!("the result of `{}` cannot be read: {error}", route.tool);
            let exit = Exit::ToolFailed;
            Failure {
                exit,
                ..Failure::usage("call_failed", message, "report it to its authors")
            }
        };
        let tool = catalog.tools().iter().find(|tool| tool.route == *route);
        let call = json::Call {
            server,
            tool: &route.tool,
            name: tool.map(|tool| tool.name.as_str()),
            is_error,
            result: &called.to_json().map_err(unreadable)?,
            diagnostics: odd,
        };
        report.text = json::object(&call, &settings.problems);
    } else {
        let shown = human::result(result, target);
        if is_error {
            let said = if shown.is_empty() {
                "nothing about the cause"
            } else {
                shown.trim_end()
            };
            let message = format!(
                "`{}` of server `{server}` failed and says: {said}",
                route.tool
            );
            report.notes.push(message);
        } else {
            report.text = shown;
        }
        let note = |diagnostic| format!("the result is not quite right: {diagnostic}");
        report.notes.extend(odd.iter().map(note));
    }
    report.exit = if is_error {
        Exit::ToolFailed
    } else {
        Exit::Done
    };
    Ok(report)
}

fn progress_line(name: &str, progress: &ProgressParams) -> String {
    let total = progress
        .total
        .map_or_else(String::new, |total| format!(" of {total}"));
    let message = progress
        .message
        .as_deref()
        .map_or_else(String::new, |text| format!(": {text}"));
    format!("calling {name}, {}{total}{message}", progress.progress)
}

/// The servers that can have a tool of this name; all of them if the name fits none.
fn candidates<'s>(session: &'s Session, name: &str) -> Result<Vec<&'s ServerConfig>, Failure> {
    let settings = &session.settings;
    let mut first = None;
    for (slash, _) in name.match_indices('/') {
        let server = name.get(..slash).unwrap_or_default();
        first = first.or(Some(server));
        if settings.config.server(server).is_some() || settings.is_faulty(server) {
            return Ok(vec![session.server(server)?]);
        }
    }
    // A public name has no slash, so this can only be a server that is not there.
    if let Some(server) = first {
        return Err(session
            .server(server)
            .err()
            .unwrap_or_else(|| Failure::unknown_server(server, &[])));
    }
    let servers: Vec<&ServerConfig> = settings.config.servers().iter().collect();
    let fitting: Vec<&ServerConfig> = servers
        .iter()
        .copied()
        .filter(|server| Naming::default().may_belong(name, server.name().as_str()))
        .collect();
    match fitting.as_slice() {
        [] => match settings
            .faulty()
            .find(|server| Naming::default().may_belong(name, server))
        {
            Some(server) => Err(Failure::faulty_server(server)),
            None => Ok(servers),
        },
        [server] => Ok(vec![session.server(server.name().as_str())?]),
        _ => Ok(fitting),
    }
}

/// Why there is no such tool: the server that would have it may be away.
fn unresolved(
    session: &Session,
    catalog: &Catalog,
    candidates: &[&ServerConfig],
    name: &str,
    error: RegistryError,
) -> Failure {
    let is_about_reaching = matches!(
        error,
        RegistryError::UnknownTool { .. } | RegistryError::ServerUnavailable { .. }
    );
    let fits = |server: &&&ServerConfig| {
        name.contains('/') || Naming::default().may_belong(name, server.name().as_str())
    };
    let mut fitting = candidates.iter().filter(fits);
    match fitting.find_map(|server| session.failure(catalog, server)) {
        Some(failure) if is_about_reaching => failure,
        _ => error.into(),
    }
}

/// The arguments as JSON text, from the command line or from standard input.
///
/// # Errors
///
/// If they are not one JSON object, with the place where reading stopped.
pub(crate) fn read_arguments(given: Option<&str>) -> Result<String, Failure> {
    let wrong = |why: String| {
        let suggestion = "give one JSON object, such as '{\"path\":\"notes.txt\"}'";
        Failure::usage(
            "invalid_arguments",
            format!("the arguments {why}"),
            suggestion,
        )
    };
    let text = match given {
        Some("-") => read_stdin(),
        None if !io::stdin().is_terminal() => read_stdin(),
        None => Ok(String::new()),
        Some(json) => Ok(json.to_owned()),
    };
    let text = text.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    checked(text).map_err(wrong)
}

fn checked(text: String) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok("{}".to_owned());
    }
    let json = RawJson::parse(text).map_err(|error| format!("are not JSON: {}", error.reason))?;
    if json.is_object() {
        Ok(json.as_str().to_owned())
    } else {
        Err(format!(
            "are not an object but {}",
            text::cut(json.as_str(), 40)
        ))
    }
}

/// Reads standard input to its end, and tells people what is waited for if that takes long.
fn read_stdin() -> io::Result<String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut text = String::new();
        // One byte more than allowed tells arguments that are too long from those that just fit.
        let read = io::stdin()
            .lock()
            .take(ARGUMENTS_LEN_MAX + 1)
            .read_to_string(&mut text);
        // The other side waits for this.
        let _: Result<(), _> = sender.send(read.map(|_len| text));
    });
    let gone = |_disconnected| io::Error::other("the reader ended");
    let text = match receiver.recv_timeout(PATIENCE) {
        Ok(read) => read,
        Err(_elapsed) => {
            say("waiting for the arguments on standard input; give {} behind the name for none");
            receiver.recv().map_err(gone)?
        }
    }?;
    if u64::try_from(text.len()).is_ok_and(|len| len <= ARGUMENTS_LEN_MAX) {
        Ok(text)
    } else {
        Err(io::Error::other(format!(
            "they are longer than {ARGUMENTS_LEN_MAX} bytes"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_one_object_or_nothing() {
        assert_eq!(checked(" \n".to_owned()).as_deref(), Ok("{}"));
        assert_eq!(
            checked(" {\"a\": 1.0}\n".to_owned()).as_deref(),
            Ok("{\"a\": 1.0}")
        );
        assert_eq!(
            checked("[1]".to_owned()),
            Err("are not an object but [1]".to_owned())
        );
        let broken = checked("{a:1}".to_owned()).unwrap_err();
        assert!(
            broken.starts_with("are not JSON: ") && broken.contains("column 2"),
            "{broken}"
        );
    }
}
