//! `hermes mcp enable NAME` and `hermes mcp disable NAME`: whether a server is used.

use hermes_registry::config::edit::Change;

use crate::failure::Failure;
use crate::output::changes::Switched;
use crate::output::{Report, json};
use crate::session::Session;

pub(crate) fn run(session: &Session, name: &str, enabled: bool) -> Result<Report, Failure> {
    let settings = &session.settings;
    session.configured(name)?;
    let known = settings.config.server(name);
    let changed = known.is_none_or(|server| server.is_enabled() != enabled);
    let after = settings.change(&[Change::Enable {
        server: name.to_owned(),
        enabled,
    }])?;
    let file = settings.file.as_deref();
    let text = if settings.json {
        let shape = Switched {
            server: name,
            file,
            enabled,
            changed,
        };
        json::object(&shape, &after.problems)
    } else {
        let word = if enabled { "enabled" } else { "disabled" };
        let already = if changed { "" } else { " already" };
        format!(
            "`{name}` is {word}{already} in {}\n",
            file.unwrap_or_default()
        )
    };
    Ok(Report::of_change(text, &after))
}
