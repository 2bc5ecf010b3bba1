//! `hermes mcp add NAME …`: writes a new server, once it has answered.
//!
//! ```text
//!   options ──> entry ──> read as a configuration ──> connected ──> written
//! ```

use hermes_registry::config::edit::Change;
use hermes_registry::config::{Context, ProblemKind, ServerEntry};
use hermes_registry::{Config, ServerConfig};

use super::install;
use super::test::{Checked, check};
use crate::args::{Add, Writing};
use crate::ask;
use crate::failure::Failure;
use crate::output::changes::Added;
use crate::output::{Report, json};
use crate::session::Session;
use crate::settings::Settings;

/// A new entry, and what is to be done before it is written.
#[derive(Debug)]
pub(crate) struct Plan {
    entry: ServerEntry,
    /// The server that it is, if the variables that it names are set.
    server: Result<ServerConfig, Failure>,
    is_new: bool,
    /// What people should know of it.
    pub(super) hints: Vec<String>,
    checks: bool,
}

/// The entry that the options ask for.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn plan(args: &Add, settings: &Settings) -> Result<Plan, Failure> {
    let entry = entry(args)?;
    let plan = plan_entry(entry, args.writing, settings)?;
    if !args.disabled {
        return Ok(plan);
    }
    // What is wrong with a disabled server counts for little, so it was read as one that is used.
    Ok(Plan {
        entry: plan.entry.with_switch("enabled", false),
        checks: false,
        ..plan
    })
}

/// What is to be done with an entry.
///
/// # Errors
///
/// What is wrong with it, or that its name is taken.
pub(super) fn plan_entry(
    entry: ServerEntry,
    writing: Writing,
    settings: &Settings,
) -> Result<Plan, Failure> {
    let is_new = check_name(entry.name(), writing, settings)?;
    let server = read(&entry)?;
    let secrets = entry.plain_secrets();
    Ok(Plan {
        server,
        is_new,
        hints: secrets.iter().map(ToString::to_string).collect(),
        entry,
        checks: !writing.no_check,
    })
}

/// Whether a name is new.
///
/// # Errors
///
/// If it is taken, and not to be replaced.
pub(super) fn check_name(
    name: &str,
    writing: Writing,
    settings: &Settings,
) -> Result<bool, Failure> {
    let is_new = !settings.has(name);
    if is_new || writing.replace {
        return Ok(is_new);
    }
    let message = format!("a server is called `{name}` already");
    let suggestion = "choose another name, or give `--replace` to put the new entry in its place";
    Err(Failure::usage("server_exists", message, suggestion))
}

impl Plan {
    /// The configuration in which it is checked.
    pub(crate) fn config(&self) -> Config {
        match &self.server {
            Ok(server) => Config::new().with_server(server.clone()),
            Err(_not_usable) => Config::new(),
        }
    }
}

pub(crate) async fn run(session: &Session, plan: &Plan) -> Result<Report, Failure> {
    let name = plan.entry.name();
    let checked = match (&plan.server, plan.checks) {
        (_, false) => Ok(None),
        (Ok(_), true) => check(session, name).await.map(Some),
        (Err(failure), true) => Err(failure.clone()),
    };
    if let Err(failure) = &checked
        && !session.settings.yes
        && !is_wanted(session, name, failure).await?
    {
        let suggestion = format!("{}; --yes writes it all the same", failure.suggestion);
        return Err(Failure {
            suggestion: suggestion.into(),
            ..failure.clone()
        });
    }
    let change = match plan.is_new {
        true => Change::Add(plan.entry.clone()),
        false => Change::Put(plan.entry.clone()),
    };
    let after = session.settings.change(&[change])?;
    Ok(report(plan, checked, &after))
}

/// Asks whether a server is to be written that does not answer.
async fn is_wanted(session: &Session, name: &str, failure: &Failure) -> Result<bool, Failure> {
    if !ask::is_possible(&session.settings) {
        return Ok(false);
    }
    let question = format!("{}\nWrite `{name}` all the same?", failure.sentence());
    ask::confirm(&question).await
}

fn report(plan: &Plan, checked: Result<Option<Checked>, Failure>, after: &Settings) -> Report {
    let name = plan.entry.name();
    let mut hints = plan.hints.clone();
    let file = after.file.as_deref().unwrap_or_default();
    if !plan.entry.plain_secrets().is_empty() && after.is_open_to_others() {
        hints.push(format!(
            "others can read {file}; `chmod 600 {file}` keeps them out"
        ));
    }
    let action = if plan.is_new { "added" } else { "replaced" };
    let (checked, failure) = match checked {
        Ok(checked) => (checked, None),
        Err(failure) => (None, Some(failure)),
    };
    let text = if after.json {
        let shape = Added {
            server: name,
            file: after.file.as_deref(),
            action,
            check: checked.as_ref().map(Checked::json),
            error: failure.as_ref(),
            hints: &hints,
        };
        json::object(&shape, &after.problems)
    } else {
        let told = checked.map(|checked| checked.text(after.verbose));
        format!("{action} `{name}` in {file}\n{}", told.unwrap_or_default())
    };
    let mut report = Report::of_change(text, after);
    report.notes.extend(hints);
    match failure {
        Some(failure) => report.with_failure(failure),
        None => report,
    }
}

/// The entry that the options spell out.
fn entry(args: &Add) -> Result<ServerEntry, Failure> {
    let env = pairs("env", &args.env, '=')?;
    let (mut entry, env) = match &args.preset {
        Some(preset) => install::preset(&args.name, preset, env)?,
        None => (ServerEntry::new(&args.name), env),
    };
    for (key, text) in [
        ("command", &args.command),
        ("url", &args.url),
        ("transport", &args.transport),
    ] {
        if let Some(text) = text {
            entry = entry.with_text(key, text);
        }
    }
    let arguments = args.args.iter().chain(&args.more_args).cloned();
    entry = entry
        .with_texts("args", arguments)
        .with_pairs("env", env)
        .with_texts("env_passthrough", args.env_passthrough.clone())
        .with_pairs("headers", pairs("header", &args.headers, ':')?);
    for (key, number) in [
        ("timeout", &args.timeout),
        ("connect_timeout", &args.connect_timeout),
    ] {
        if let Some(number) = number {
            entry = entry.with_number(key, number);
        }
    }
    if args.lazy {
        entry = entry.with_switch("lazy", true);
    }
    Ok(entry
        .with_texts("tools.include", args.include.clone())
        .with_texts("tools.exclude", args.exclude.clone()))
}

/// Names and values of an option that may be given again.
///
/// # Errors
///
/// If there is nothing between name and value; the text is not quoted, as it may be a secret.
pub(super) fn pairs(
    option: &str,
    given: &[String],
    between: char,
) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| {
        let (name, value) = text.split_once(between)?;
        // White space belongs to a value of the environment, and not to a header.
        let value = if between == ':' { value.trim() } else { value };
        Some((name.trim().to_owned(), value.to_owned()))
    };
    let pairs: Option<Vec<(String, String)>> = given.iter().map(pair).collect();
    pairs.ok_or_else(|| {
        let message = format!("a value of `--{option}` has no `{between}` behind its name");
        let example = match between {
            ':' => "write it as 'Authorization: Bearer ${NAME}'",
            _ => "write it as NAME=VALUE, or use `--env-passthrough NAME`",
        };
        Failure::usage("usage", message, example)
    })
}

/// What reading makes of an entry, or which variables it lacks for now.
///
/// Warnings are told once it stands in the file, with their lines.
fn read(entry: &ServerEntry) -> Result<Result<ServerConfig, Failure>, Failure> {
    let vars = |name: &str| std::env::var(name).ok();
    let mut context = Context::new(&vars);
    if let Ok(folder) = std::env::current_dir() {
        context = context.with_workspace_folder(folder.to_string_lossy());
    }
    let faulty = |message: String| {
        Failure::usage(
            "config",
            message,
            "nothing was written; correct what was given",
        )
    };
    let loaded = entry
        .read_in(&context)
        .map_err(|error| faulty(error.to_string()))?;
    let told = |is_missing: bool| -> Vec<String> {
        let problems = loaded.problems.iter().filter(|problem| {
            let kind = problem.kind();
            problem.is_error() && matches!(kind, ProblemKind::UnsetVariable { .. }) == is_missing
        });
        let told = problems.map(|problem| format!("{}: {}", problem.path(), problem.kind()));
        told.collect()
    };
    let faults = told(false);
    if !faults.is_empty() {
        return Err(faulty(faults.join("; ")));
    }
    let server = loaded.config.servers().first().cloned();
    Ok(server.ok_or_else(|| {
        let message = told(true).join("; ");
        Failure::usage("config", message, "set it before the server is used")
    }))
}
