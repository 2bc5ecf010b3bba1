//! `hermes mcp import [FILE]`: servers of other agents, written into our configuration.
//!
//! | module | job |
//! |---|---|
//! | `places` | where other agents keep their servers |
//! | `choice` | which of them are written |
//! | `told` | what is told of that |

mod choice;
mod places;
mod told;

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use hermes_registry::config::edit::Change;
use hermes_registry::import::{
    Existing, Format, IMPORT_LEN_MAX, ImportErrorKind, Imported, import,
};
use hermes_registry::nearest::nearest_few;

use self::choice::{Choice, Source, choose};
use self::told::{Told, ToldSource};
use crate::args::Import;
use crate::ask;
use crate::failure::Failure;
use crate::output::{Report, json, print, text};
use crate::session::Session;
use crate::settings::Settings;

/// Names that an error proposes instead of an unknown one.
const NEAREST_MAX: usize = 3;

/// Everything that was found, and what is to be done with it.
#[derive(Debug)]
pub(crate) struct Plan {
    sources: Vec<Source>,
    choice: Choice,
    /// What people should know of it.
    hints: Vec<String>,
}

/// Reads the file that is named, or every one that is known and there.
///
/// # Errors
///
/// If there is nothing to import.
pub(crate) fn plan(args: &Import, settings: &Settings) -> Result<Plan, Failure> {
    let existing = settings.existing()?;
    let format = args.from.as_deref().and_then(Format::parse);
    let (sources, mut hints) = match &args.file {
        Some(file) => (vec![read_named(file, format, &existing)?], Vec::new()),
        None => find(format, &existing)?,
    };
    check_names(&args.only, &sources)?;
    let choice = choose(&sources, &|name| is_wanted(args, name), args.replace);
    for change in &choice.changes {
        if let Change::Add(entry) | Change::Put(entry) = change {
            let secrets = entry.plain_secrets();
            let told = secrets
                .iter()
                .map(|secret| format!("{}: {secret}", entry.name()));
            hints.extend(told);
        }
    }
    Ok(Plan {
        sources,
        choice,
        hints,
    })
}

fn is_wanted(args: &Import, name: &str) -> bool {
    args.only.is_empty() || args.only.iter().any(|only| only == name)
}

pub(crate) async fn run(session: &Session, args: &Import, plan: &Plan) -> Result<Report, Failure> {
    let settings = &session.settings;
    let file = settings.file.as_deref().unwrap_or_default();
    let is_wanted = |name: &str| is_wanted(args, name);
    let found = told::text(&plan.sources, &plan.choice, &is_wanted);
    let number = text::count(plan.choice.changes.len(), "server");
    let report = |written: bool, after: &Settings, what: String| {
        let text = if settings.json {
            told_json(plan, args, written, after)
        } else {
            what
        };
        let mut report = Report::of_change(text, after);
        report.notes.splice(0..0, plan.hints.iter().cloned());
        report
    };
    if plan.choice.changes.is_empty() {
        return Ok(report(
            false,
            settings,
            format!("{found}nothing is to be written\n"),
        ));
    }
    if args.dry_run {
        let what = format!("{found}{number} would be written to {file}\n");
        return Ok(report(false, settings, what));
    }
    let mut told = found;
    if !settings.yes {
        if !ask::is_possible(settings) {
            let message = format!("nobody can be asked whether to write {number}");
            let failure = Failure::usage("needs_yes", message, "give `--yes` to do so unasked");
            return Ok(report(false, settings, told).with_failure(failure));
        }
        // The question is about what has been told so far.
        let _: io::Result<()> = print(std::mem::take(&mut told).as_bytes());
        if !ask::confirm(&format!("Write {number} to {file}?")).await? {
            return Ok(Report::new("nothing was changed\n".to_owned()));
        }
    }
    let after = settings.change(&plan.choice.changes)?;
    Ok(report(
        true,
        &after,
        format!("{told}wrote {number} to {file}\n"),
    ))
}

fn told_json(plan: &Plan, args: &Import, written: bool, after: &Settings) -> String {
    let sources = plan.sources.iter().enumerate();
    let source =
        |(at, source)| ToldSource::new(at, source, &plan.choice, &|name| is_wanted(args, name));
    let told = Told {
        file: after.file.as_deref(),
        sources: sources.map(source).collect(),
        written,
        dry_run: args.dry_run,
        hints: &plan.hints,
    };
    json::object(&told, &after.problems)
}

/// The file that is named; whatever is wrong with it ends the command.
fn read_named(file: &Path, format: Option<Format>, existing: &Existing) -> Result<Source, Failure> {
    let shown = file.display().to_string();
    let text = read(file).map_err(|error| {
        let message = format!("{shown}: cannot be read: {error}");
        Failure::usage("unreadable", message, "name another file")
    })?;
    let imported = import(&text, &shown, format, existing).map_err(|error| {
        let suggestion = "name a file of another agent, and with `--from` whose it is";
        Failure::usage("import", error.to_string(), suggestion)
    })?;
    Ok(Source {
        file: shown,
        imported,
    })
}

/// Every known file that is there and has servers, and what keeps others from being read.
fn find(
    format: Option<Format>,
    existing: &Existing,
) -> Result<(Vec<Source>, Vec<String>), Failure> {
    let lookup = |name: &str| std::env::var(name).ok();
    let work = std::env::current_dir().ok();
    let mut places = places::places(&lookup, work.as_deref());
    places.retain(|(known, _)| format.is_none_or(|format| format == *known));
    let (mut sources, mut hints) = (Vec::new(), Vec::new());
    let mut seen: Vec<PathBuf> = Vec::new();
    for (format, path) in places {
        // The home folder may be the folder of work.
        if seen.contains(&path) {
            continue;
        }
        let file = path.display().to_string();
        match read(&path).map(|text| import(&text, &file, Some(format), existing)) {
            Ok(Ok(imported)) if has_anything(&imported) => sources.push(Source { file, imported }),
            Ok(Ok(_)) => {}
            Ok(Err(error)) if matches!(error.kind(), ImportErrorKind::NoServers { .. }) => {}
            Ok(Err(error)) => hints.push(error.to_string()),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => hints.push(format!("{file}: cannot be read: {error}")),
        }
        seen.push(path);
    }
    if sources.is_empty() {
        let agent = format.map_or_else(|| "other agents".to_owned(), |format| format.to_string());
        let why = hints.iter().map(|hint| format!("; {hint}"));
        let message = format!(
            "no servers of {agent} were found in the home folder or in this one{}",
            why.collect::<String>()
        );
        return Err(Failure::usage("nothing_found", message, "name a file"));
    }
    Ok((sources, hints))
}

fn has_anything(imported: &Imported) -> bool {
    !imported.servers.is_empty() || !imported.not_carried.is_empty()
}

fn read(path: &Path) -> io::Result<String> {
    let len_max = u64::try_from(IMPORT_LEN_MAX).unwrap_or(u64::MAX);
    let mut text = String::new();
    // One byte more than allowed tells a file that is too long from one that just fits.
    let file = File::open(path)?.take(len_max.saturating_add(1));
    io::BufReader::new(file).read_to_string(&mut text)?;
    Ok(text)
}

/// # Errors
///
/// If a server that is wanted is in no file.
fn check_names(only: &[String], sources: &[Source]) -> Result<(), Failure> {
    let servers = sources.iter().flat_map(|source| &source.imported.servers);
    let names: Vec<&str> = servers.map(|server| server.name()).collect();
    match only.iter().find(|only| !names.contains(&only.as_str())) {
        None => Ok(()),
        Some(missing) => {
            let nearest = nearest_few(missing, names, NEAREST_MAX);
            let nearest: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
            let suggestion = match nearest.as_slice() {
                [] => "leave `--only` out to see what there is".to_owned(),
                nearest => format!("did you mean {}?", nearest.join(" or ")),
            };
            let message = format!("no server is called `{missing}` in what was found");
            Err(Failure::usage("unknown_server", message, suggestion))
        }
    }
}
