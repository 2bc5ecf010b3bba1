//! Servers as the TOML file of Codex has them.

use std::collections::BTreeSet;

use super::draft::{Draft, Noted, wrong};
use super::editors::read_scopes;
use super::format::find;
use super::source::{Source, below};
use crate::config::entry::Setting;
use crate::config::is_variable;
use crate::config::tree::{Node, Value};

/// Keys that are known and mean nothing here, with the reason.
const NOT_HERE: [(&str, &str); 7] = [
    (
        "bearer_token",
        "Codex refuses a token in the file; put it into a variable and write \
         `headers: {Authorization: \"Bearer ${NAME}\"}`",
    ),
    ("default_tools_approval_mode", APPROVAL),
    ("environment_id", "servers are started on this machine"),
    (
        "experimental_environment",
        "servers are started on this machine",
    ),
    (
        "oauth_resource",
        "the address of the server is what tokens are asked for",
    ),
    ("required", "a server that is missing costs itself alone"),
    ("tools", APPROVAL),
];

const APPROVAL: &str = "which calls need approval is for the host to say";

/// What was found that only all keys together tell the meaning of.
#[derive(Default)]
struct Found<'n> {
    enabled_tools: Option<(Source<'n>, Vec<String>)>,
    disabled_tools: Option<(Source<'n>, Vec<String>)>,
    headers: Vec<Source<'n>>,
}

/// Reads one server.
///
/// # Errors
///
/// Why there is no way to reach it.
pub(super) fn read(draft: &mut Draft<'_>, node: &Node) -> Result<(), String> {
    let mut found = Found::default();
    for source in below(node, "") {
        match &*source.key {
            "enabled_tools" => {
                let texts = draft.list(&source).map(|(texts, _)| texts);
                found.enabled_tools = texts.map(|texts| (source, texts));
            }
            "disabled_tools" => {
                let texts = draft.list(&source).map(|(texts, _)| texts);
                found.disabled_tools = texts.map(|texts| (source, texts));
            }
            "http_headers" | "env_http_headers" | "bearer_token_env_var" => {
                found.headers.push(source);
            }
            _ => read_key(draft, &source),
        }
    }
    read_tools(draft, &mut found);
    read_headers(draft, &found.headers);
    match (draft.has("command"), draft.has("url")) {
        (false, false) => Err("has neither a command nor a URL".to_owned()),
        (true, true) => Err("has a command and a URL; one of them has to go".to_owned()),
        _ => Ok(()),
    }
}

fn read_key(draft: &mut Draft<'_>, source: &Source<'_>) {
    match &*source.key {
        "command" => draft.text(source, "command"),
        "args" => draft.texts(source, "args"),
        "env" => draft.map(source, "env"),
        "env_vars" => read_passthrough(draft, source),
        "cwd" => draft.text(source, "cwd"),
        "url" => draft.text(source, "url"),
        "startup_timeout_sec" => draft.time(source, "connect_timeout", 1.0),
        "startup_timeout_ms" => draft.time(source, "connect_timeout", 1_000.0),
        "tool_timeout_sec" => draft.time(source, "timeout", 1.0),
        "enabled" => draft.switch(source, "enabled", false),
        "supports_parallel_tool_calls" => {
            draft.switch(source, "supports_parallel_tool_calls", false);
        }
        "scopes" => read_scopes(draft, source),
        "oauth" if matches!(source.node.value, Value::Mapping(_)) => {
            for source in source.below() {
                if source.key == "oauth.client_id" {
                    draft.text(&source, "oauth.client_id");
                } else {
                    draft.refuse(&source, "means nothing here");
                }
            }
        }
        key => {
            let known = NOT_HERE.iter().find(|(known, _)| *known == key);
            let reason = known.map_or("means nothing here", |(_, reason)| reason);
            draft.refuse(source, reason);
        }
    }
}

/// Reads names of variables, each by itself or with where it comes from.
fn read_passthrough(draft: &mut Draft<'_>, source: &Source<'_>) {
    let Value::List(items) = &source.node.value else {
        return draft.refuse(source, wrong(source.node, "a list of names"));
    };
    let mut names = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let part = Source {
            key: format!("{}[{index}]", source.key),
            position: item.position,
            node: find(item, &["name"]).unwrap_or(item),
        };
        let is_ours = find(item, &["source"])
            .and_then(Node::as_scalar)
            .is_none_or(|place| &*place.text == "local");
        let name = part.node.as_scalar().map(|scalar| scalar.text.to_string());
        match name.filter(|name| is_variable(name)) {
            Some(name) if is_ours => names.push(name),
            Some(_) => draft.refuse(&part, "there is no other machine to take it from"),
            None => draft.refuse(&part, "is not the name of a variable"),
        }
    }
    draft.set(
        source,
        "env_passthrough",
        Setting::Texts(names),
        BTreeSet::new(),
    );
}

/// With Codex both lists count; here the first one wins, so that it is what is left of it.
fn read_tools(draft: &mut Draft<'_>, found: &mut Found<'_>) {
    match (found.enabled_tools.take(), found.disabled_tools.take()) {
        (Some((enabled, mut names)), Some((disabled, without))) => {
            let without: BTreeSet<String> = without.into_iter().collect();
            names.retain(|name| !without.contains(name));
            draft.set(
                &enabled,
                "tools.include",
                Setting::Texts(names),
                BTreeSet::new(),
            );
            let note = "what it names is left out of `tools.include`".to_owned();
            draft.carried(&disabled, "tools.include", BTreeSet::from([note]));
        }
        (Some((enabled, names)), None) => {
            draft.set(
                &enabled,
                "tools.include",
                Setting::Texts(names),
                BTreeSet::new(),
            );
        }
        (None, Some((disabled, names))) => {
            draft.set(
                &disabled,
                "tools.exclude",
                Setting::Texts(names),
                BTreeSet::new(),
            );
        }
        (None, None) => {}
    }
}

/// Reads headers: those that are written out, then those that variables hold.
fn read_headers(draft: &mut Draft<'_>, sources: &[Source<'_>]) {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for key in ["http_headers", "env_http_headers", "bearer_token_env_var"] {
        for source in sources.iter().filter(|source| source.key == key) {
            let found = match key {
                "http_headers" => draft.pairs(source),
                "env_http_headers" => draft
                    .pairs(source)
                    .map(|(pairs, _)| of_variables(draft, source, pairs, "")),
                _ => draft.scalar(source).map(|variable| {
                    let pair = ("Authorization".to_owned(), variable);
                    of_variables(draft, source, vec![pair], "Bearer ")
                }),
            };
            let Some((found, notes)) = found else {
                continue;
            };
            for header in found {
                if names.insert(header.0.to_ascii_lowercase()) {
                    headers.push(header);
                } else {
                    let reason = format!("the header `{}` is written out already", header.0);
                    draft.refuse(source, reason);
                }
            }
            draft.set(source, "headers", Setting::Map(headers.clone()), notes);
        }
    }
}

/// Headers whose values variables hold, behind this word.
fn of_variables(
    draft: &mut Draft<'_>,
    source: &Source<'_>,
    pairs: Vec<(String, String)>,
    word: &str,
) -> Noted<Vec<(String, String)>> {
    let mut headers = Vec::new();
    for (name, variable) in pairs {
        if is_variable(&variable) {
            headers.push((name, format!("{word}${{{variable}}}")));
        } else {
            draft.refuse(source, "is not the name of a variable");
        }
    }
    let note = "the variable has to be set here; Codex leaves the header out where it is not";
    (headers, BTreeSet::from([note.to_owned()]))
}
