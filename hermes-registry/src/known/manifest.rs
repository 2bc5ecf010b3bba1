//! How a manifest is read.

use std::sync::Arc;

use super::{KnownServer, Need};
use crate::config::entry::Setting;
use crate::config::is_secret_name;
use crate::config::tree::{Node, Value};
use crate::config::{ServerEntry, parse_tree};

/// Keys of an entry that a manifest may have.
const KEYS: [&str; 9] = [
    "args",
    "command",
    "connect_timeout",
    "env",
    "headers",
    "timeout",
    "tools.exclude",
    "tools.include",
    "url",
];

/// Reads the manifest of this server.
///
/// # Errors
///
/// What is wrong with it.
pub(super) fn parse(name: &'static str, text: &str) -> Result<KnownServer, String> {
    let root = parse_tree(text, &Arc::from(name)).map_err(|error| error.to_string())?;
    let root = root.ok_or("is empty")?;
    let mut texts = [None, None, None];
    let (mut entry, mut needs) = (None, Vec::new());
    for (key, value) in entries(&root)? {
        match key {
            "title" => texts[0] = Some(word(value)?),
            "description" => texts[1] = Some(word(value)?),
            "homepage" => texts[2] = Some(word(value)?),
            "server" => entry = Some(server(name, value)?),
            "needs" => needs = read_needs(value)?,
            other => return Err(format!("{name}: unknown key `{other}`")),
        }
    }
    let [Some(title), Some(description), Some(homepage)] = texts else {
        return Err(format!(
            "{name}: lacks a title, a description or a homepage"
        ));
    };
    Ok(KnownServer {
        name,
        title,
        description,
        homepage,
        needs,
        entry: entry.ok_or_else(|| format!("{name}: lacks a server"))?,
    })
}

fn server(name: &str, node: &Node) -> Result<ServerEntry, String> {
    let mut entry = ServerEntry::new(name);
    for (key, value) in entries(node)? {
        if key == "tools" {
            for (key, value) in entries(value)? {
                let setting = setting(value)?;
                entry
                    .settings
                    .push((known(&format!("tools.{key}"))?, setting));
            }
        } else {
            entry.settings.push((known(key)?, setting(value)?));
        }
    }
    Ok(entry)
}

fn known(key: &str) -> Result<&'static str, String> {
    let found = KEYS.into_iter().find(|known| *known == key);
    found.ok_or_else(|| format!("`{key}` has no place in a manifest"))
}

fn setting(node: &Node) -> Result<Setting, String> {
    match &node.value {
        Value::List(items) => {
            let items: Result<Vec<String>, String> = items.iter().map(word).collect();
            Ok(Setting::Texts(items?))
        }
        Value::Mapping(_) => {
            let pair = |(name, value): (&str, &Node)| Ok((name.to_owned(), word(value)?));
            let pairs: Result<Vec<(String, String)>, String> =
                entries(node)?.into_iter().map(pair).collect();
            Ok(Setting::Map(pairs?))
        }
        Value::Scalar(scalar) if !scalar.quoted && scalar.text.parse::<f64>().is_ok() => {
            Ok(Setting::Plain(scalar.text.to_string()))
        }
        Value::Scalar(_) => Ok(Setting::Text(word(node)?)),
    }
}

fn read_needs(node: &Node) -> Result<Vec<Need>, String> {
    let mut needs = Vec::new();
    for (name, value) in entries(node)? {
        let (mut about, mut from, mut is_secret) = (None, None, is_secret_name(name));
        for (key, value) in entries(value)? {
            match key {
                "about" => about = Some(word(value)?),
                "from" => from = Some(word(value)?),
                "secret" => is_secret = word(value)? == "true",
                other => return Err(format!("{name}: unknown key `{other}`")),
            }
        }
        needs.push(Need {
            name: name.to_owned(),
            about: about.ok_or_else(|| format!("{name}: nothing says what it is"))?,
            from,
            is_secret,
        });
    }
    Ok(needs)
}

fn entries(node: &Node) -> Result<Vec<(&str, &Node)>, String> {
    let Value::Mapping(entries) = &node.value else {
        return Err(format!("{} stands where a mapping should", node.sort()));
    };
    let mut pairs = Vec::new();
    for entry in entries {
        let key = entry.key.text.as_deref().ok_or("a key is no text")?;
        pairs.push((key, &entry.value));
    }
    Ok(pairs)
}

fn word(node: &Node) -> Result<String, String> {
    let scalar = node.as_scalar();
    let scalar = scalar.ok_or_else(|| format!("{} stands where a text should", node.sort()))?;
    Ok(scalar.text.to_string())
}
