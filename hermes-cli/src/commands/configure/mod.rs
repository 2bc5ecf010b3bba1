//! `hermes mcp configure NAME`: which tools of a server are offered.
//!
//! | module | job |
//! |---|---|
//! | `offer` | what is offered, and how options change that |
//! | `checklist` | the same, chosen by a person from a list |

mod checklist;
mod offer;

use hermes_registry::config::edit::Change;
use hermes_registry::filter::ToolFilter;
use hermes_registry::{Config, RegistryError, ServerConfig};

use self::checklist::{Item, Typed};
use self::offer::{Covered, Offer};
use super::test::check;
use crate::args::Configure;
use crate::ask;
use crate::failure::Failure;
use crate::output::changes::Configured;
use crate::output::{Report, human, json};
use crate::session::{Session, unknown_server};
use crate::settings::Settings;

const PROMPT: &str = "Numbers switch tools (as in `1 3-5`), `all` and `none` switch them all; \
    Enter takes what is shown: ";

/// A server, and what its filter is to be.
#[derive(Debug)]
pub(crate) struct Plan {
    server: ServerConfig,
    before: Offer,
    /// What the options ask for; without any, a person is asked.
    after: Option<Offer>,
}

/// What the options ask for.
///
/// # Errors
///
/// If the server is not there, if options contradict what is configured, or if nobody can be asked.
pub(crate) fn plan(args: &Configure, settings: &Settings) -> Result<Plan, Failure> {
    let Some(server) = settings.config.server(&args.name) else {
        return Err(match settings.is_faulty(&args.name) {
            true => Failure::faulty_server(&args.name),
            false => unknown_server(settings, &args.name),
        });
    };
    let before = Offer::from(server.filter());
    let after = wanted(args, &before).map_err(|Covered { tool, pattern }| {
        let message = format!("`{tool}` is covered by the pattern `{pattern}`, as others may be");
        Failure::usage("covered", message, "say what is offered with `--include`")
    })?;
    let replaces = args.all || args.none || !args.include.is_empty() || !args.exclude.is_empty();
    if !replaces && settings.existing()?.has_marks(&args.name, "tools") {
        let message = format!("what tools `{}` offers depends on variables", args.name);
        let suggestion = "change the file by hand, or replace that with `--include` or `--exclude`";
        return Err(Failure::usage("depends_on_variables", message, suggestion));
    }
    if after.is_none() && !ask::is_possible(settings) {
        let suggestion =
            "give `--include`, `--exclude`, `--enable`, `--disable`, `--all` or `--none`";
        let message = "nobody can be asked which tools are to be offered";
        return Err(Failure::usage("needs_options", message, suggestion));
    }
    if after.is_none() && !server.is_enabled() {
        let server = server.name().clone();
        return Err(RegistryError::ServerDisabled { server }.into());
    }
    Ok(Plan {
        server: server.clone(),
        before,
        after,
    })
}

/// What is offered with these options, or `None` if there are none.
fn wanted(args: &Configure, before: &Offer) -> Result<Option<Offer>, Covered> {
    let mut offer = match (args.include.as_slice(), args.exclude.as_slice()) {
        ([], []) if args.all => Offer::all_but(&[]),
        ([], []) if args.none => Offer::only(&[]),
        ([], []) if args.enable.is_empty() && args.disable.is_empty() => return Ok(None),
        ([], []) => before.clone(),
        ([], exclude) => Offer::all_but(exclude),
        (include, _) => Offer::only(include),
    };
    for tool in &args.enable {
        offer.enable(tool)?;
    }
    for tool in &args.disable {
        offer.disable(tool)?;
    }
    Ok(Some(offer))
}

impl Plan {
    /// The configuration in which all tools of the server are listed.
    pub(crate) fn config(&self) -> Config {
        Config::new().with_server(self.server.clone().with_filter(ToolFilter::all()))
    }
}

pub(crate) async fn run(session: &Session, plan: &Plan) -> Result<Report, Failure> {
    let settings = &session.settings;
    let name = plan.server.name().as_str();
    let offer = match &plan.after {
        Some(offer) => offer.clone(),
        None => match choose(session, plan).await? {
            Some(offer) => offer,
            None => return Ok(Report::new("nothing was changed\n".to_owned())),
        },
    };
    let after = settings.change(&[Change::Offer {
        server: name.to_owned(),
        include: offer.include.clone(),
        exclude: offer.exclude.clone(),
    }])?;
    let file = after.file.as_deref();
    let text = if settings.json {
        let shape = Configured {
            server: name,
            file,
            include: offer.include.as_deref(),
            exclude: &offer.exclude,
            changed: offer != plan.before,
        };
        json::object(&shape, &after.problems)
    } else {
        let offered = after.config.server(name).map(human::filter);
        let (offered, file) = (offered.unwrap_or_default(), file.unwrap_or_default());
        format!("tools of `{name}` that are offered: {offered} (in {file})\n")
    };
    Ok(Report::of_change(text, &after))
}

/// Lets a person choose from the tools that the server has; `None` at the end of the input.
async fn choose(session: &Session, plan: &Plan) -> Result<Option<Offer>, Failure> {
    let filter = plan.server.filter();
    let checked = check(session, plan.server.name().as_str()).await?;
    let item = |tool: &hermes_registry::CatalogTool| Item {
        name: tool.route.tool.to_string(),
        about: tool.tool.description.clone().unwrap_or_default(),
        is_on: filter.allows(&tool.route.tool),
    };
    let mut items: Vec<Item> = checked.tools().into_iter().map(item).collect();
    let mut said = String::new();
    loop {
        let prompt = format!("{said}{}{PROMPT}", checklist::text(&items));
        let Some(line) = ask::line(&prompt).await? else {
            return Ok(None);
        };
        said = match checklist::apply(&mut items, &line) {
            Typed::Changed => String::new(),
            Typed::Done => break,
            Typed::Wrong(why) => format!("{why}\n"),
        };
    }
    if items
        .iter()
        .all(|item| item.is_on == filter.allows(&item.name))
    {
        return Ok(Some(plan.before.clone()));
    }
    if items.iter().all(|item| item.is_on) {
        return Ok(Some(Offer::all_but(&[])));
    }
    // What a server calls a tool is no reference to a variable.
    let chosen = items.iter().filter(|item| item.is_on);
    let chosen: Vec<String> = chosen.map(|item| item.name.replace("${", "$${")).collect();
    Ok(Some(Offer::only(&chosen)))
}
