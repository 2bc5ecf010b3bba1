//! `hermes mcp read [SERVER] URI`: reads one resource.

use std::path::Path;

use mcp_types::ResourceContents;

use super::resources::owner;
use crate::args::Read;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::resources::{self, bytes, marker};
use crate::output::{Report, Target, json, text};
use crate::session::Session;

pub(crate) async fn run(session: &Session, args: &Read, target: Target) -> Result<Report, Failure> {
    let settings = &session.settings;
    let (server, uri) = match (args.first.as_str(), args.second.as_deref()) {
        (server, Some(uri)) => {
            let server = session.server(server)?;
            let catalog = session.connect(&[server]).await;
            if let Some(failure) = session.failure(&catalog, server) {
                return Err(failure);
            }
            (server.name().to_string(), uri)
        }
        (uri, None) => {
            let reached = session.reach(None).await?;
            let owner = owner(&session.registry, uri).await;
            // Whoever has it may be one that cannot be reached.
            let away = || reached.failures.into_iter().next();
            (owner.map_err(|none| away().unwrap_or(none))?, uri)
        }
    };
    let spinner = session.spinner(&format!("reading {uri}"));
    let read = session.registry.read_resource(&server, uri).await;
    drop(spinner);
    let reply = read.map_err(|error| {
        let hint = format!("`hermes mcp resources {server}` lists what it has");
        Failure::of_request(error, &hint)
    })?;
    let contents = &reply.value.contents;
    let mut report = Report::default();
    let odd = reply.diagnostics.iter().map(ToString::to_string).collect();
    if let Some(file) = &args.output {
        report.notes.push(write(file, uri, contents)?);
    }
    if settings.json {
        let unreadable = |error: mcp_client::Error| {
            let message = format!("`{uri}` of server `{server}` cannot be read: {error}");
            Failure {
                exit: Exit::ToolFailed,
                ..Failure::usage("call_failed", message, "report it to its authors")
            }
        };
        let file = args.output.as_deref().map(Path::to_string_lossy);
        let shape = resources::Read {
            server: &server,
            uri,
            result: &reply.raw.to_json().map_err(unreadable)?,
            file: file.as_deref(),
            diagnostics: odd,
        };
        report.text = json::object(&shape, &settings.problems);
        return Ok(report);
    }
    let note = |diagnostic: String| format!("the resource is not quite right: {diagnostic}");
    report.notes.extend(odd.into_iter().map(note));
    if args.output.is_none() {
        show(uri, contents, target, &mut report)?;
    }
    Ok(report)
}

/// Puts everything that was read on standard output: as it is on a pipe, as a screen can bear it
/// else.
fn show(
    uri: &str,
    contents: &[ResourceContents],
    target: Target,
    report: &mut Report,
) -> Result<(), Failure> {
    for part in contents {
        match (target, part) {
            (Target::Pipe, part) => {
                let part = bytes(part).map_err(|why| undecodable(uri, &why))?;
                report.bytes.extend(part);
            }
            (Target::Terminal { .. }, ResourceContents::Text(part)) => {
                report.text.push_str(&text::visible(&part.text));
                if !part.text.ends_with('\n') {
                    report.text.push('\n');
                }
            }
            (Target::Terminal { .. }, part) => report.text.push_str(&marker(part)),
        }
    }
    Ok(())
}

/// Writes the one part of a resource to a file, and tells so.
fn write(file: &Path, uri: &str, contents: &[ResourceContents]) -> Result<String, Failure> {
    let [part] = contents else {
        let message = format!("`{uri}` has {}", text::count(contents.len(), "part"));
        let suggestion = "leave out `--output`; `--json` shows them";
        return Err(Failure::usage("parts", message, suggestion));
    };
    let bytes = bytes(part).map_err(|why| undecodable(uri, &why))?;
    std::fs::write(file, &bytes).map_err(|error| {
        let message = format!("{}: cannot be written: {error}", file.display());
        Failure::usage("unwritable", message, "give another file with `--output`")
    })?;
    let number = text::count(bytes.len(), "byte");
    Ok(format!("wrote {number} to {}", file.display()))
}

fn undecodable(uri: &str, why: &str) -> Failure {
    let message = format!("`{uri}` cannot be used: {why}");
    Failure {
        exit: Exit::ToolFailed,
        ..Failure::usage("call_failed", message, "`--json` shows it as it came")
    }
}
