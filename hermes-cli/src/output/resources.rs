//! Resources as lists and as they are read: text for people, lines for pipes, JSON.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mcp_types::{RawJson, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;

use super::Target;
use super::json::Server;
use super::text::{count, cut, first_sentence, one_line};

/// The widest column of addresses; a longer one pushes its description to the right.
const URI_WIDTH_MAX: usize = 48;

/// What one server gives to read.
pub(crate) struct Lists {
    pub(crate) server: String,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
}

/// The lists of all servers, for programs.
#[derive(Serialize)]
pub(crate) struct Resources<'a> {
    servers: Vec<Server<'a>>,
    resources: Vec<One<'a>>,
    templates: Vec<Template<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct One<'a> {
    server: &'a str,
    uri: &'a str,
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    mime_type: Option<&'a str>,
    size: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Template<'a> {
    server: &'a str,
    uri_template: &'a str,
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    mime_type: Option<&'a str>,
}

impl<'a> Resources<'a> {
    pub(crate) fn new(servers: Vec<Server<'a>>, lists: &'a [Lists]) -> Self {
        let one = |server: &'a str, resource: &'a Resource| One {
            server,
            uri: &resource.uri,
            name: &resource.name,
            title: resource.title.as_deref(),
            description: resource.description.as_deref(),
            mime_type: resource.mime_type.as_deref(),
            size: resource.size,
        };
        let template = |server: &'a str, template: &'a ResourceTemplate| Template {
            server,
            uri_template: &template.uri_template,
            name: &template.name,
            title: template.title.as_deref(),
            description: template.description.as_deref(),
            mime_type: template.mime_type.as_deref(),
        };
        let resources = lists
            .iter()
            .flat_map(|list| list.resources.iter().map(|item| one(&list.server, item)));
        let templates = lists.iter().flat_map(|list| {
            list.templates
                .iter()
                .map(|item| template(&list.server, item))
        });
        Self {
            servers,
            resources: resources.collect(),
            templates: templates.collect(),
        }
    }
}

impl Lists {
    /// All lists, below the names of their servers, or a line for each resource on a pipe.
    pub(crate) fn text(lists: &[Self], target: Target) -> String {
        let mut out = String::new();
        for list in lists {
            match target {
                Target::Pipe => list.push_lines(&mut out),
                Target::Terminal { width } => list.push_account(&mut out, width),
            }
        }
        if target != Target::Pipe {
            let resources = lists.iter().map(|list| list.resources.len()).sum();
            let templates: usize = lists.iter().map(|list| list.templates.len()).sum();
            let templates = match templates {
                0 => String::new(),
                number => format!(" and {}", count(number, "template")),
            };
            let resources = count(resources, "resource");
            let servers = count(lists.len(), "server");
            let _ = writeln!(out, "{resources}{templates} of {servers}");
        }
        out
    }

    /// Addresses with what stands behind them, templates last.
    fn rows(&self) -> impl Iterator<Item = (&'static str, &str, String)> {
        let about = |title: Option<&str>, description: Option<&str>, name: &str| {
            first_sentence(description.or(title).unwrap_or(name))
        };
        let resources = self.resources.iter().map(move |one| {
            let about = about(one.title.as_deref(), one.description.as_deref(), &one.name);
            ("resource", one.uri.as_str(), about)
        });
        let templates = self.templates.iter().map(move |one| {
            let about = about(one.title.as_deref(), one.description.as_deref(), &one.name);
            ("template", one.uri_template.as_str(), about)
        });
        resources.chain(templates)
    }

    fn push_lines(&self, out: &mut String) {
        for (kind, uri, about) in self.rows() {
            let [server, uri] = [self.server.as_str(), uri].map(one_line);
            let _ = writeln!(out, "{server}\t{kind}\t{uri}\t{about}");
        }
    }

    fn push_account(&self, out: &mut String, width: usize) {
        let _ = writeln!(out, "{}", one_line(&self.server));
        let rows: Vec<_> = self.rows().collect();
        let longest = rows.iter().map(|(_, uri, _)| uri.chars().count()).max();
        let column = longest.unwrap_or_default().min(URI_WIDTH_MAX);
        for (_, uri, about) in rows {
            let start = format!("  {:column$}  ", one_line(uri));
            let room = width.saturating_sub(start.chars().count());
            let line = format!("{start}{}", cut(&about, room.max(1)));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out.push('\n');
    }
}

/// A resource as it was read, for programs.
#[derive(Serialize)]
pub(crate) struct Read<'a> {
    pub(crate) server: &'a str,
    pub(crate) uri: &'a str,
    pub(crate) result: &'a RawJson,
    pub(crate) file: Option<&'a str>,
    pub(crate) diagnostics: Vec<String>,
}

/// The bytes of a part of a resource.
///
/// # Errors
///
/// What is wrong with its base64, or that it is of an unknown kind.
pub(crate) fn bytes(contents: &ResourceContents) -> Result<Vec<u8>, String> {
    match contents {
        ResourceContents::Text(text) => Ok(text.text.clone().into_bytes()),
        ResourceContents::Blob(blob) => {
            // Interop: servers leave out the padding, and break lines.
            let padding = DecodePaddingMode::Indifferent;
            let config = GeneralPurposeConfig::new().with_decode_padding_mode(padding);
            let digits = blob.blob.bytes().filter(|byte| !byte.is_ascii_whitespace());
            let digits: Vec<u8> = digits.collect();
            let decoded = GeneralPurpose::new(&STANDARD, config).decode(digits);
            decoded.map_err(|error| format!("it is no base64: {error}"))
        }
        _ => Err("it is neither text nor bytes".to_owned()),
    }
}

/// What stands on a screen in the place of bytes.
pub(crate) fn marker(contents: &ResourceContents) -> String {
    let (uri, kind, len) = match contents {
        ResourceContents::Blob(blob) => {
            let kind = blob.mime_type.as_deref().unwrap_or("bytes");
            (blob.uri.as_str(), kind, bytes(contents).ok())
        }
        other => (other.uri().unwrap_or("a part"), "an unknown kind", None),
    };
    let len = len.map_or_else(String::new, |bytes| {
        format!(", {}", count(bytes.len(), "byte"))
    });
    let marker = one_line(&format!("{uri}: {kind}{len}"));
    format!("[{marker}; --output FILE writes it]\n")
}

#[cfg(test)]
mod tests {
    use mcp_types::Decode as _;

    use super::*;

    #[test]
    fn bytes_are_read_from_base64_as_servers_write_it() {
        for (json, expected) in [
            (r#"{"uri":"a:b","text":"hé"}"#, Ok("hé".as_bytes().to_vec())),
            (r#"{"uri":"a:b","blob":"AAEC/w=="}"#, Ok(vec![0, 1, 2, 255])),
            (r#"{"uri":"a:b","blob":"AAEC\n/w"}"#, Ok(vec![0, 1, 2, 255])),
            (r#"{"uri":"a:b","blob":""}"#, Ok(Vec::new())),
        ] {
            let contents = ResourceContents::decode(json).unwrap().value;
            assert_eq!(bytes(&contents), expected, "{json}");
        }
        let odd = ResourceContents::decode(r#"{"uri":"a:b","blob":"*"}"#).unwrap();
        assert!(
            bytes(&odd.value)
                .unwrap_err()
                .starts_with("it is no base64: ")
        );
    }

    #[test]
    fn a_screen_shows_what_the_bytes_are() {
        let json = r#"{"uri":"a:b","mimeType":"image/png","blob":"AAEC"}"#;
        let contents = ResourceContents::decode(json).unwrap().value;
        let expected = "[a:b: image/png, 3 bytes; --output FILE writes it]\n";
        assert_eq!(marker(&contents), expected);
    }
}
