//! Servers as the JSON files of Claude, Cursor, VS Code and Windsurf have them.

use std::collections::BTreeSet;

use super::draft::{Draft, wrong};
use super::format::{Format, find};
use super::source::{Source, below};
use crate::config::entry::Setting;
use crate::config::tree::{Node, Value};

/// Keys that are known and mean nothing here, with the reason.
const NOT_HERE: [(&str, &str); 17] = [
    ("alwaysAllow", APPROVAL),
    (
        "alwaysLoad",
        "the tools of every server are offered at once",
    ),
    ("auto_approve", APPROVAL),
    ("autoApprove", APPROVAL),
    ("dev", "a server is not started anew when its files change"),
    (
        "envFile",
        "no file of variables is read; name them under `env` or `env_passthrough`",
    ),
    ("gallery", "is for the editor that wrote it"),
    (
        "headersHelper",
        "no command is run for headers; write them under `headers`",
    ),
    ("icon", "is for the editor that wrote it"),
    ("id", "is for the editor that wrote it"),
    ("note", "comments are not carried over"),
    ("sandbox", SANDBOX),
    ("sandboxEnabled", SANDBOX),
    (
        "timeout",
        "it is not known in which unit it is; write `timeout` in seconds",
    ),
    (
        "trust",
        "who is trusted is to be decided anew; write `trust: untrusted` where it is not",
    ),
    ("version", "is for the editor that wrote it"),
    ("_comment", "comments are not carried over"),
];

const APPROVAL: &str = "which calls need approval is for the host to say";

const SANDBOX: &str = "a server is not confined; start it by a program that does that";

/// The questions that a file of VS Code asks: their ids and what they propose.
///
/// A secret is not proposed by a file that other people read.
pub(super) fn questions(root: &Node) -> Vec<(String, Option<String>)> {
    let places = [&["inputs"][..], &["mcp", "inputs"]];
    let lists = places.iter().filter_map(|place| find(root, place));
    let items = lists.flat_map(|list| match &list.value {
        Value::List(items) => items.as_slice(),
        _ => &[],
    });
    let text = |node: &Node, key: &str| {
        let scalar = find(node, &[key]).and_then(Node::as_scalar);
        scalar.map(|scalar| scalar.text.to_string())
    };
    items
        .filter_map(|item| {
            let is_secret = text(item, "password").as_deref() == Some("true");
            let default = text(item, "default").filter(|_| !is_secret);
            Some((text(item, "id")?, default))
        })
        .collect()
}

/// Reads one server.
///
/// # Errors
///
/// Why there is no way to reach it.
pub(super) fn read(draft: &mut Draft<'_>, format: Format, node: &Node) -> Result<(), String> {
    let mut transport = None;
    for source in below(node, "") {
        match &*source.key {
            "type" | "transport" | "transportType" => transport = Some(source),
            _ => read_key(draft, format, &source),
        }
    }
    match (draft.has("command"), draft.has("url")) {
        (false, false) => Err("has neither a command nor a URL".to_owned()),
        (true, true) => Err("has a command and a URL; one of them has to go".to_owned()),
        (_, has_url) => match transport {
            Some(source) => read_transport(draft, format, &source, has_url),
            None => Ok(()),
        },
    }
}

fn read_key(draft: &mut Draft<'_>, format: Format, source: &Source<'_>) {
    if source.node.is_null() {
        return draft.refuse(source, "is null, so nothing is set");
    }
    match &*source.key {
        "command" => draft.text(source, "command"),
        "args" => draft.texts(source, "args"),
        "env" => draft.map(source, "env"),
        "cwd" => draft.text(source, "cwd"),
        "url" | "serverUrl" | "httpUrl" => draft.text(source, "url"),
        "headers" => draft.map(source, "headers"),
        "description" => draft.text(source, "description"),
        "enabled" => draft.switch(source, "enabled", false),
        "disabled" => draft.switch(source, "enabled", true),
        "disabledTools" | "excludeTools" => draft.texts(source, "tools.exclude"),
        "enabledTools" | "includeTools" => draft.texts(source, "tools.include"),
        "timeout" if format == Format::ClaudeCode => draft.time(source, "timeout", 1_000.0),
        "oauth" | "auth" if matches!(source.node.value, Value::Mapping(_)) => {
            read_oauth(draft, source);
        }
        key => {
            let known = NOT_HERE.iter().find(|(known, _)| *known == key);
            let reason = known.map_or("means nothing here", |(_, reason)| reason);
            draft.refuse(source, reason);
        }
    }
}

/// Reads the settings of OAuth, which each agent calls by names of its own.
fn read_oauth(draft: &mut Draft<'_>, source: &Source<'_>) {
    let outer = format!("{}.", source.key);
    for source in source.below() {
        match source.key.strip_prefix(&outer).unwrap_or_default() {
            "clientId" | "CLIENT_ID" => draft.text(&source, "oauth.client_id"),
            "clientSecret" | "CLIENT_SECRET" => draft.text(&source, "oauth.client_secret"),
            "callbackPort" => {
                let port = draft.scalar(&source);
                match port.filter(|port| port.parse::<u16>().is_ok_and(|port| port > 0)) {
                    Some(port) => {
                        draft.set(
                            &source,
                            "oauth.redirect_port",
                            Setting::Plain(port),
                            BTreeSet::new(),
                        );
                    }
                    None => draft.refuse(&source, "is not the number of a port"),
                }
            }
            "scope" | "scopes" => read_scopes(draft, &source),
            _ => draft.refuse(&source, "means nothing here"),
        }
    }
}

/// Reads scopes, which are words in one text or a list of them.
pub(super) fn read_scopes(draft: &mut Draft<'_>, source: &Source<'_>) {
    match &source.node.value {
        Value::List(_) => {
            if let Some((scopes, notes)) = draft.list(source) {
                let scope = Setting::Text(scopes.join(" "));
                draft.set(source, "oauth.scope", scope, notes);
            }
        }
        Value::Scalar(_) => draft.text(source, "oauth.scope"),
        Value::Mapping(_) => draft.refuse(source, wrong(source.node, "a text or a list of texts")),
    }
}

/// Reads which transport is spoken; with a command there is one only.
fn read_transport(
    draft: &mut Draft<'_>,
    format: Format,
    source: &Source<'_>,
    has_url: bool,
) -> Result<(), String> {
    let word = draft.scalar(source).unwrap_or_default();
    let plain = word.replace(['-', '_'], "").to_ascii_lowercase();
    let to = match (&*plain, has_url) {
        // VS Code tries the older transport as well, as we do where none is named.
        ("http", true) if format == Format::VsCode => "auto",
        ("http" | "streamablehttp", true) => "http",
        ("sse", true) => "sse",
        ("stdio", false) => "stdio",
        ("stdio", true) => return Err("is of type stdio, but has a URL".to_owned()),
        ("http" | "streamablehttp" | "sse", false) => {
            return Err("is reached by a URL, but has none".to_owned());
        }
        _ => return Err("is reached in a way that is not spoken here".to_owned()),
    };
    draft.set(
        source,
        "transport",
        Setting::Text(to.to_owned()),
        BTreeSet::new(),
    );
    Ok(())
}
