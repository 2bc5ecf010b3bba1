//! `hermes mcp remove NAME…`: takes servers out of the configuration, all of them or none.

use hermes_registry::config::edit::Change;

use crate::args::Remove;
use crate::ask;
use crate::failure::Failure;
use crate::output::changes::Removed;
use crate::output::{Report, json};
use crate::session::Session;

pub(crate) async fn run(session: &Session, args: &Remove) -> Result<Report, Failure> {
    let settings = &session.settings;
    let mut names: Vec<String> = Vec::new();
    for name in &args.names {
        session.configured(name)?;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let quoted = quoted.join(", ");
    let file = settings.file.as_deref();
    if !settings.yes {
        if !ask::is_possible(settings) {
            let message = format!("nobody can be asked whether to remove {quoted}");
            return Err(Failure::usage(
                "needs_yes",
                message,
                "give `--yes` to do so unasked",
            ));
        }
        let question = format!("Remove {quoted} from {}?", file.unwrap_or_default());
        if !ask::confirm(&question).await? {
            return Ok(Report::new("nothing was changed\n".to_owned()));
        }
    }
    let change = |server: &String| Change::Remove {
        server: server.clone(),
    };
    let changes: Vec<Change> = names.iter().map(change).collect();
    let after = settings.change(&changes)?;
    let text = if settings.json {
        let servers = &names;
        json::object(&Removed { servers, file }, &after.problems)
    } else {
        format!("removed {quoted} from {}\n", file.unwrap_or_default())
    };
    Ok(Report::of_change(text, &after))
}
