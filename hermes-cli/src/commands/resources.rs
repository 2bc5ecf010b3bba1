//! `hermes mcp resources [SERVER]`: lists what servers give to read.

use hermes_registry::{Registry, RegistryError, ServerState};
use mcp_client::{Error, Listing};
use mcp_jsonrpc::ErrorCode;
use mcp_types::{Diagnostic, Resource, ResourceTemplate};

use super::list::no_servers;
use crate::failure::Failure;
use crate::output::json::{self, Server};
use crate::output::resources::{Lists, Resources};
use crate::output::{Report, Target, text};
use crate::session::{Session, ask_each};

/// What one server gives to read.
type Answer = (Listing<Resource>, Listing<ResourceTemplate>);

pub(crate) async fn run(
    session: &Session,
    server: Option<&str>,
    target: Target,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let reached = session.reach(server).await?;
    let having = reached
        .ready()
        .filter(|(_, capabilities)| capabilities.resources.is_some());
    let names: Vec<String> = having.map(|(name, _)| name.to_owned()).collect();
    let mut failures = reached.failures.clone();
    let mut notes = Vec::new();
    if let (Some(name), [], true) = (server, names.as_slice(), failures.is_empty()) {
        notes.push(format!(
            "server `{name}` does not say that it has resources"
        ));
    }
    let mut lists = Vec::new();
    let spinner = session.spinner("listing resources");
    for (server, answer) in ask_each(&session.registry, names, ask).await {
        match answer {
            Ok((resources, templates)) => {
                notes.extend(told(&server, &resources.diagnostics));
                notes.extend(told(&server, &templates.diagnostics));
                lists.push(Lists {
                    server,
                    resources: resources.items,
                    templates: templates.items,
                });
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
        let shape = Resources::new(servers.collect(), &lists);
        json::object(&shape, &settings.problems)
    } else {
        Lists::text(&lists, target)
    });
    if reached.wanted.is_empty() && !settings.json {
        report.notes.extend(no_servers(settings));
    }
    report.notes.extend(notes);
    Ok(failures.into_iter().fold(report, Report::with_failure))
}

async fn ask(registry: Registry, server: String) -> Result<Answer, RegistryError> {
    let resources = registry.resources(&server).await?;
    let templates = match registry.resource_templates(&server).await {
        // Interop: many servers have resources and know of no templates.
        Err(error) if is_unknown_method(&error) => Listing::default(),
        answer => answer?,
    };
    Ok((resources, templates))
}

fn is_unknown_method(error: &RegistryError) -> bool {
    let RegistryError::CallFailed { cause, .. } = error else {
        return false;
    };
    let cause = cause.downcast_ref::<Error>();
    matches!(cause, Some(Error::Answered(error)) if error.code == Some(ErrorCode::METHOD_NOT_FOUND))
}

/// What is odd about a list of a server.
pub(super) fn told(server: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
    let note = |diagnostic: &Diagnostic| {
        let diagnostic = text::one_line(&diagnostic.to_string());
        format!("server `{server}`: {diagnostic}")
    };
    diagnostics.iter().map(note).collect()
}

/// The one server that lists a resource with this URI, of all that are connected.
///
/// # Errors
///
/// If there is none, or more than one.
pub(crate) async fn owner(registry: &Registry, uri: &str) -> Result<String, Failure> {
    let catalog = registry.catalog();
    let having = catalog.servers().iter().filter(|status| {
        matches!(&status.state, ServerState::Ready(ready) if ready.capabilities.resources.is_some())
    });
    let names = having.map(|status| status.name.to_string()).collect();
    let list =
        |registry: Registry, server: String| async move { registry.resources(&server).await };
    let lists = ask_each(registry, names, list).await.into_iter();
    let lists = lists.filter(|(_, list)| {
        let list = list.as_ref();
        list.is_ok_and(|list| list.items.iter().any(|resource| resource.uri == uri))
    });
    let owners: Vec<String> = lists.map(|(server, _)| server).collect();
    let message = match owners.as_slice() {
        [owner] => return Ok(owner.clone()),
        [] => format!("no server lists a resource `{uri}`"),
        several => {
            let quoted: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
            format!("servers {} list a resource `{uri}`", quoted.join(" and "))
        }
    };
    let suggestion = "name the server before it; `hermes mcp resources` lists what each has";
    Err(Failure::usage("which_server", message, suggestion))
}
