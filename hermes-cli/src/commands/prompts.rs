//! `hermes mcp prompts [SERVER]` and `hermes mcp prompt SERVER/NAME`: lists prompts, and fills one in.

use hermes_registry::nearest::nearest_few;
use hermes_registry::{Registry, RegistryError};
use mcp_types::{GetPromptParams, Prompt};

use super::list::no_servers;
use super::resources::told;
use crate::args::Fill;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::json::{self, Server};
use crate::output::prompts::{Filled, List, Prompts, messages};
use crate::output::{Report, Target};
use crate::session::{NEAREST_MAX, Session, ask_each, unknown_server};

/// Lists the prompts of servers.
pub(crate) async fn list(
    session: &Session,
    server: Option<&str>,
    target: Target,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let reached = session.reach(server).await?;
    let having = reached
        .ready()
        .filter(|(_, capabilities)| capabilities.prompts.is_some());
    let names: Vec<String> = having.map(|(name, _)| name.to_owned()).collect();
    let mut failures = reached.failures.clone();
    let mut notes = Vec::new();
    if let (Some(name), [], true) = (server, names.as_slice(), failures.is_empty()) {
        notes.push(format!("server `{name}` does not say that it has prompts"));
    }
    let mut lists = Vec::new();
    let ask = |registry: Registry, server: String| async move { registry.prompts(&server).await };
    let spinner = session.spinner("listing prompts");
    for (server, answer) in ask_each(&session.registry, names, ask).await {
        match answer {
            Ok(listing) => {
                notes.extend(told(&server, &listing.diagnostics));
                let prompts = listing.items;
                lists.push(List { server, prompts });
            }
            Err(error) => failures.push(Failure::of_request(error, "try again later")),
        }
    }
    drop(spinner);
    let mut report = Report::new(if settings.json {
        let statuses = reached.statuses();
        let servers = statuses
            .iter()
            .map(|status| Server::new(status, reached.failure(&status.name)));
        let shape = Prompts::new(servers.collect(), &lists);
        json::object(&shape, &settings.problems)
    } else {
        List::text(&lists, target)
    });
    if reached.wanted.is_empty() && !settings.json {
        report.notes.extend(no_servers(settings));
    }
    report.notes.extend(notes);
    Ok(failures.into_iter().fold(report, Report::with_failure))
}

/// Fills one prompt in.
pub(crate) async fn fill(
    session: &Session,
    args: &Fill,
    target: Target,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let (server, name) = split(session, &args.name)?;
    let server = session.server(server)?;
    let catalog = session.connect(&[server]).await;
    if let Some(failure) = session.failure(&catalog, server) {
        return Err(failure);
    }
    let server = server.name().as_str();
    let mut params = GetPromptParams::new(name);
    for (key, value) in &args.args {
        params = params.with_argument(key, value);
    }
    let spinner = session.spinner(&format!("asking for {name}"));
    let filled = session.registry.prompt(server, &params).await;
    let reply = match filled {
        Ok(reply) => reply,
        Err(error) => return Err(explained(session, server, name, args, error).await),
    };
    drop(spinner);
    let odd = reply.diagnostics.iter().map(ToString::to_string);
    if settings.json {
        let unreadable = |error: mcp_client::Error| {
            let message = format!("prompt `{name}` of server `{server}` cannot be read: {error}");
            Failure {
                exit: Exit::ToolFailed,
                ..Failure::usage("call_failed", message, "report it to its authors")
            }
        };
        let shape = Filled {
            server,
            name,
            result: &reply.raw.to_json().map_err(unreadable)?,
            diagnostics: odd.collect(),
        };
        return Ok(Report::new(json::object(&shape, &settings.problems)));
    }
    let mut report = Report::new(messages(&reply.value, target));
    let note = |diagnostic: String| format!("the prompt is not quite right: {diagnostic}");
    report.notes = odd.map(note).collect();
    Ok(report)
}

/// The server and the prompt of `SERVER/NAME`. Both may hold slashes.
fn split<'n>(session: &Session, asked: &'n str) -> Result<(&'n str, &'n str), Failure> {
    let settings = &session.settings;
    let mut first = None;
    for (slash, _) in asked.match_indices('/') {
        let (Some(server), Some(name)) = (asked.get(..slash), asked.get(slash + 1..)) else {
            continue;
        };
        if settings.has(server) {
            return Ok((server, name));
        }
        first = first.or(Some(server));
    }
    Err(match first {
        Some(server) => unknown_server(settings, server),
        None => {
            let message = format!("`{asked}` does not say whose prompt it is");
            let suggestion = "write it as SERVER/NAME; `hermes mcp prompts` lists them so";
            Failure::usage("usage", message, suggestion)
        }
    })
}

/// Why a prompt could not be had: it may be unknown, or want more than it was given.
async fn explained(
    session: &Session,
    server: &str,
    name: &str,
    args: &Fill,
    error: RegistryError,
) -> Failure {
    let is_refused = matches!(error, RegistryError::CallFailed { .. });
    let hint = format!("`hermes mcp prompts {server}` lists what it has");
    let failure = Failure::of_request(error, &hint);
    let known = match is_refused {
        true => session.registry.prompts(server).await.ok(),
        false => None,
    };
    let Some(known) = known else {
        return failure;
    };
    let Some(prompt) = known.items.iter().find(|prompt| prompt.name == name) else {
        let names = known.items.iter().map(|prompt| prompt.name.as_str());
        let near = nearest_few(name, names, NEAREST_MAX);
        let near: Vec<String> = near
            .iter()
            .map(|name| format!("`{server}/{name}`"))
            .collect();
        let suggestion = match near.is_empty() {
            true => hint,
            false => format!("did you mean {}?", near.join(" or ")),
        };
        let message = format!("server `{server}` has no prompt that it calls `{name}`");
        return Failure::usage("unknown_prompt", message, suggestion);
    };
    match missing(prompt, args).as_slice() {
        [] => failure,
        missing => {
            let options: Vec<String> = missing
                .iter()
                .map(|name| format!("--arg {name}=…"))
                .collect();
            let message = format!("prompt `{name}` of server `{server}` wants more arguments");
            let suggestion = format!("give {}", options.join(" "));
            Failure::usage("invalid_arguments", message, suggestion)
        }
    }
}

/// The arguments that a prompt must have and was not given.
fn missing<'p>(prompt: &'p Prompt, args: &Fill) -> Vec<&'p str> {
    let arguments = prompt.arguments.iter().flatten();
    let required = arguments.filter(|argument| argument.is_required());
    required
        .map(|argument| argument.name.as_str())
        .filter(|name| !args.args.iter().any(|(given, _)| given == name))
        .collect()
}
