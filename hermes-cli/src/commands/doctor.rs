//! `hermes mcp doctor [NAME]`: why a tool is not there, and what to do about it.
//!
//! What is found is decided in `hermes_registry::doctor`; here the servers are connected for it.

use hermes_registry::ServerConfig;
use hermes_registry::doctor::Case;
use hermes_registry::name::Naming;

use crate::output::findings::{self, Findings};
use crate::output::{Report, Target, json};
use crate::session::Session;

pub(crate) async fn run(session: &Session, name: Option<&str>, target: Target) -> Report {
    let settings = &session.settings;
    let catalog = session.connect(&candidates(session, name)).await;
    // What comes next in their lives does not come, since they end with this command.
    let case = Case::new(&settings.config, &catalog, &[]).with_problems(&settings.found);
    let found = match name {
        None => case.all(),
        Some(name) if case.has_server(name) => case.server(name),
        Some(name) => case.tool(name),
    };
    let mut report = Report::new(if settings.json {
        json::object(&Findings::from(&*found), &settings.problems)
    } else {
        findings::text(&found, target)
    });
    report.exit = findings::exit(&found);
    report
}

/// The servers that can be meant by a name, or have a tool of that name.
fn candidates<'s>(session: &'s Session, name: Option<&str>) -> Vec<&'s ServerConfig> {
    let config = &session.settings.config;
    let all = || config.servers().iter();
    let Some(name) = name else {
        return all().collect();
    };
    let slashes = name.match_indices('/').map(|(at, _)| at);
    let mut names = slashes
        .chain([name.len()])
        .filter_map(|end| name.get(..end));
    if let Some(server) = names.find_map(|name| config.server(name)) {
        return vec![server];
    }
    let fits = |server: &&ServerConfig| Naming::default().may_belong(name, server.name().as_str());
    let fitting: Vec<&ServerConfig> = all().filter(fits).collect();
    match fitting.is_empty() {
        true => all().collect(),
        false => fitting,
    }
}
