//! `hermes mcp approve SERVER [TOOL]…`: accepts the definitions of tools as they are now.

use std::fmt::Write as _;

use hermes_registry::pins::{Change, Drift};
use hermes_registry::{Catalog, ServerStatus};

use crate::args::Approve;
use crate::ask;
use crate::failure::Failure;
use crate::output::changes::{Approved, ChangedTool};
use crate::output::{Report, json, text};
use crate::session::Session;

pub(crate) async fn run(session: &Session, args: &Approve) -> Result<Report, Failure> {
    let settings = &session.settings;
    let server = session.server(&args.server)?;
    let catalog = session.connect(&[server]).await;
    if let Some(failure) = session.failure(&catalog, server) {
        return Err(failure);
    }
    let status = status(&catalog, &args.server)?;
    let Some(drift) = status.drift.as_deref() else {
        let message = "it is not kept anywhere which tools were approved";
        let way_out = "set HOME or HERMES_HOME, and see with `-v` whether the file can be read";
        return Err(Failure::usage("no_store", message, way_out));
    };
    let names: Vec<&str> = args.tools.iter().map(String::as_str).collect();
    let wanted = |tool: &str| names.is_empty() || names.contains(&tool);
    let shown = Shown::new(drift, wanted);
    let is_agreed = shown.is_empty() || settings.yes || agree(session, &shown).await?;
    if is_agreed {
        let some = (!names.is_empty()).then_some(&*names);
        session.registry.approve(&args.server, some)?;
    }
    let printed = if settings.json {
        let shape = Approved {
            server: &args.server,
            approved: is_agreed,
            added: &shown.added,
            changed: shown.changed.iter().map(|one| changed(one)).collect(),
            removed: &shown.removed,
        };
        json::object(&shape, &settings.problems)
    } else {
        shown.told(&args.server, is_agreed)
    };
    Ok(Report::new(printed))
}

fn status<'c>(catalog: &'c Catalog, server: &str) -> Result<&'c ServerStatus, Failure> {
    catalog.server(server).ok_or_else(|| {
        let message = format!("server `{server}` is not configured any more");
        Failure::usage("unknown_server", message, "try again")
    })
}

/// Shows what is new and asks; what nobody can be asked is refused.
async fn agree(session: &Session, shown: &Shown<'_>) -> Result<bool, Failure> {
    if !ask::is_possible(&session.settings) {
        let message = "nobody can be asked whether these definitions are approved";
        let way_out = "look at them with `hermes mcp doctor`, then give `--yes`";
        return Err(Failure::usage("approval_needed", message, way_out));
    }
    ask::confirm(&format!("{}Approve?", shown.list())).await
}

fn changed(change: &Change) -> ChangedTool<'_> {
    ChangedTool {
        tool: &change.tool,
        fields: change.fields.iter().map(|field| field.name()).collect(),
        diff: &change.diff,
    }
}

/// What is not approved yet, of the tools that are wanted.
struct Shown<'d> {
    added: Vec<&'d str>,
    changed: Vec<&'d Change>,
    removed: Vec<&'d str>,
}

impl<'d> Shown<'d> {
    fn new(drift: &'d Drift, wanted: impl Fn(&str) -> bool) -> Self {
        let of = |names: &'d [String]| -> Vec<&'d str> {
            let names = names.iter().map(String::as_str);
            names.filter(|name| wanted(name)).collect()
        };
        let changed = drift.changed.iter();
        Self {
            added: of(&drift.added),
            changed: changed.filter(|one| wanted(&one.tool)).collect(),
            removed: of(&drift.removed),
        }
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// A line for each tool, and the difference of each that changed.
    fn list(&self) -> String {
        let mut list = String::new();
        let mut line = |what: &str, tool: &str, more: &str| {
            // Writing to a text never fails.
            let _: std::fmt::Result = writeln!(list, "{what}  {}{more}", text::one_line(tool));
        };
        for tool in &self.added {
            line("new    ", tool, "");
        }
        for change in &self.changed {
            let fields: Vec<&str> = change.fields.iter().map(|field| field.name()).collect();
            let diff = change.diff.trim_end().replace('\n', "\n    ");
            let more = format!(" ({})\n    {diff}", fields.join(", "));
            line("changed", &change.tool, &more);
        }
        for tool in &self.removed {
            line("gone   ", tool, "");
        }
        list
    }

    fn told(&self, server: &str, is_agreed: bool) -> String {
        match (self.is_empty(), is_agreed) {
            (true, _) => format!("every tool of `{server}` is approved as it is\n"),
            (false, true) => format!("{}these are approved\n", self.list()),
            (false, false) => format!("nothing of `{server}` was approved\n"),
        }
    }
}
