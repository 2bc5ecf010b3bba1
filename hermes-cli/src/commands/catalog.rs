//! `hermes mcp catalog [QUERY]`: known servers that can be installed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hermes_registry::config::Context;
use hermes_registry::known::{self, KnownServer, Need};
use serde::Serialize;

use crate::output::{Report, Target, json};

/// A known server, for programs.
#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    homepage: &'a str,
    transport: &'static str,
    needs: Vec<ToldNeed<'a>>,
    include: Option<Vec<String>>,
    exclude: Vec<String>,
}

#[derive(Serialize)]
struct ToldNeed<'a> {
    name: &'a str,
    about: &'a str,
    from: Option<&'a str>,
}

#[derive(Serialize)]
struct Catalog<'a> {
    servers: Vec<Told<'a>>,
}

pub(crate) fn run(query: Option<&str>, is_json: bool, target: Target) -> Report {
    let mut found = known::all();
    if let Some(query) = query {
        let query = query.to_lowercase();
        found.retain(|known| {
            let texts = [known.name, &known.title, &known.description];
            texts
                .iter()
                .any(|text| text.to_lowercase().contains(&query))
        });
    }
    if is_json {
        let servers = found.iter().map(told).collect();
        return Report::new(json::object(&Catalog { servers }, &[]));
    }
    let text: String = found.iter().map(|known| line(known, target)).collect();
    let mut report = Report::new(text);
    if found.is_empty() {
        let query = query.unwrap_or_default();
        report.notes.push(format!(
            "no known server is about `{query}`; without a word, `hermes mcp catalog` lists them all"
        ));
    }
    report
}

fn line(known: &KnownServer, target: Target) -> String {
    let KnownServer {
        name,
        description,
        homepage,
        needs,
        ..
    } = known;
    if target == Target::Pipe {
        return format!("{name}\t{description}\n");
    }
    let mut out = format!("{name}\n  {description}\n");
    for need in needs {
        let _ = writeln!(out, "  needs {}", about(need));
    }
    let _ = writeln!(out, "  {homepage}");
    out
}

/// A value that a server needs, in words.
pub(super) fn about(need: &Need) -> String {
    let Need {
        name, about, from, ..
    } = need;
    match from {
        Some(from) => format!("{name}: {about} ({from})"),
        None => format!("{name}: {about}"),
    }
}

fn told(known: &KnownServer) -> Told<'_> {
    // Every value is there, so that the entry can be read whatever it needs.
    let vars = |_: &str| Some("x".to_owned());
    let read = known.entry(&BTreeMap::new()).read_in(&Context::new(&vars));
    let server = read
        .ok()
        .and_then(|read| read.config.server(known.name).cloned());
    let filter = server.as_ref().map(|server| server.filter());
    let texts = |patterns: &[hermes_registry::filter::Pattern]| {
        let texts = patterns.iter().map(|pattern| pattern.as_str().to_owned());
        texts.collect::<Vec<String>>()
    };
    Told {
        name: known.name,
        title: &known.title,
        description: &known.description,
        homepage: &known.homepage,
        transport: match server.as_ref().and_then(|server| server.command()) {
            Some(_) => "stdio",
            None => "http",
        },
        needs: known.needs.iter().map(ToldNeed::from).collect(),
        include: filter.and_then(|filter| filter.include()).map(texts),
        exclude: filter
            .map(|filter| texts(filter.exclude()))
            .unwrap_or_default(),
    }
}

impl<'a> From<&'a Need> for ToldNeed<'a> {
    fn from(need: &'a Need) -> Self {
        Self {
            name: &need.name,
            about: &need.about,
            from: need.from.as_deref(),
        }
    }
}
