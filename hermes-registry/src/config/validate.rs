//! From the tree to checked servers.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_client::HttpTransport;

use super::command::CommandLine;
use super::http::HttpDraft;
use super::keys::{self, Keys, Standing};
use super::kind::ProblemKind;
use super::problem::{Position, Severity};
use super::read::{KeyPath, Named, Reader};
use super::server::{Endpoint, Protocol, ServerConfig, Source};
use super::tree::{Node, Value};
use crate::filter::ToolFilter;
use crate::name::ServerName;

/// Spellings of transports, compared without case, `-` and `_`.
const TRANSPORTS: [(&str, Transport); 6] = [
    ("stdio", Transport::Stdio),
    ("auto", Transport::Http(HttpTransport::Auto)),
    ("remote", Transport::Http(HttpTransport::Auto)),
    ("http", Transport::Http(HttpTransport::Streamable)),
    ("streamablehttp", Transport::Http(HttpTransport::Streamable)),
    ("sse", Transport::Http(HttpTransport::Sse)),
];

const PROTOCOLS: [(&str, Protocol); 6] = [
    ("auto", Protocol::Auto),
    ("legacy", Protocol::Legacy),
    ("handshake", Protocol::Legacy),
    ("modern", Protocol::Modern),
    ("stateless", Protocol::Modern),
    ("2026-07-28", Protocol::Modern),
];

#[derive(Clone, Copy, PartialEq)]
enum Transport {
    Stdio,
    Http(HttpTransport),
}

/// Reads one server, or notes why it cannot be used.
///
/// A disabled server is kept whatever is wrong with it, and its faults are warnings: it may be
/// disabled just because something that it needs is missing.
pub(super) fn server(
    reader: &mut Reader<'_>,
    file: &Arc<str>,
    entry: &Named<'_>,
) -> Option<ServerConfig> {
    let problem_count = reader.problems.len();
    let name = ServerName::new(entry.key);
    if name.is_err() {
        reader.error(entry.position, &entry.path, ProblemKind::BadServerName);
    }
    let mut draft = Draft::default();
    let allowed = "a mapping of keys such as `command` and `args`";
    let entries = reader.entries(entry.value, &entry.path, allowed);
    for key in entries.unwrap_or_default() {
        draft.read(reader, &key);
    }
    // Without a mapping there is one fault to report, not two.
    let endpoint = matches!(entry.value.value, Value::Mapping(_))
        .then(|| draft.endpoint(reader, entry))
        .flatten();

    let disabled = draft.enabled == Some(false);
    let mut faults = reader
        .problems
        .iter_mut()
        .skip(problem_count)
        .filter(|one| one.is_error());
    let endpoint = if disabled {
        let is_faulty = faults
            .by_ref()
            .map(|fault| fault.severity = Severity::Warning)
            .count()
            > 0;
        endpoint
            .filter(|_| !is_faulty)
            .unwrap_or(Endpoint::Undefined)
    } else {
        endpoint.filter(|_| faults.next().is_none())?
    };
    let mut server = ServerConfig::new(name.ok()?, endpoint);
    server.enabled = !disabled;
    server.timeout = draft.timeout.unwrap_or(server.timeout);
    server.connect_timeout = draft.connect_timeout.unwrap_or(server.connect_timeout);
    server.protocol = draft.protocol.unwrap_or_default();
    server.filter = draft.filter;
    server.substituted = draft.substituted.into_iter().collect();
    server.source = Some(Source {
        file: Arc::clone(file),
        position: entry.position,
    });
    Some(server)
}

/// What was found of a server so far.
#[derive(Default)]
struct Draft {
    command: Option<(Position, Option<String>)>,
    http: HttpDraft,
    transport: Option<(Transport, Position, KeyPath)>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    cwd: Option<PathBuf>,
    timeout: Option<std::time::Duration>,
    connect_timeout: Option<std::time::Duration>,
    enabled: Option<bool>,
    protocol: Option<Protocol>,
    filter: ToolFilter,
    substituted: Vec<String>,
}

impl Draft {
    fn read(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let Named {
            key,
            position,
            path,
            value,
        } = entry;
        match *key {
            // A command of ours is never optional, so null is no way to leave it out.
            "command" => {
                let program = self.process_text(reader, value, path, "the name of a program");
                let program = program.map(|text| {
                    reader.warn_of_space(value, path, &text);
                    with_home(reader, text)
                });
                if program.as_deref() == Some("") {
                    reader.wrong_sort(value, path, "the name of a program");
                }
                self.command = Some((*position, program));
            }
            "url" => {
                let text = self.process_text(reader, value, path, "a URL");
                self.http.read_url(reader, *position, value, path, text);
            }
            _ if value.is_null() => read_null(reader, entry),
            "args" => self.args = self.read_args(reader, value, path),
            "env" => self.env = self.read_env(reader, value, path),
            "cwd" => {
                let cwd = self.process_text(reader, value, path, "the path of a folder");
                self.cwd = cwd.map(|text| {
                    reader.warn_of_space(value, path, &text);
                    PathBuf::from(with_home(reader, text))
                });
            }
            "timeout" => self.timeout = reader.seconds(value, path),
            "connect_timeout" => self.connect_timeout = reader.seconds(value, path),
            "enabled" => self.enabled = reader.switch(value, path),
            "protocol" => {
                let allowed = "auto, legacy (or handshake) or modern (or stateless, 2026-07-28)";
                self.protocol = reader.choice(value, path, allowed, &PROTOCOLS);
            }
            "transport" | "type" => {
                let found = read_transport(reader, value, path);
                self.transport = found.map(|found| (found, value.position, path.clone()));
            }
            "tools" => self.filter = read_tools(reader, value, path),
            "headers" | "ssl_verify" | "client_cert" | "client_key" | "proxy" => {
                let first = (*position, path.clone());
                self.http.first_key.get_or_insert(first);
                self.read_http(reader, entry);
            }
            key => read_unused(reader, &keys::SERVER, key, entry),
        }
    }

    fn read_http(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let Named {
            key, path, value, ..
        } = entry;
        match *key {
            "headers" => self.read_headers(reader, value, path),
            "ssl_verify" => self.http.read_ssl_verify(reader, value, path),
            "client_cert" => self.http.read_client_cert(reader, value, path),
            "client_key" => self.http.read_client_key(reader, value, path),
            _ => {
                let allowed = "none, environment, or the URL of a proxy";
                if let Some(text) = self.process_text(reader, value, path, allowed) {
                    self.http.read_proxy(reader, value, path, text);
                }
            }
        }
    }

    fn read_headers(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) {
        let allowed = "a mapping of names to values";
        for entry in reader.entries(node, path, allowed).unwrap_or_default() {
            let allowed = "a text or a number";
            let Some(value) = self.process_text(reader, entry.value, &entry.path, allowed) else {
                continue;
            };
            // Interop: a token read from a file often ends in a line break.
            let value = value.trim_matches([' ', '\t', '\r', '\n']).to_owned();
            let header = (entry.key.to_owned(), value);
            self.http
                .add_header(reader, entry.position, &entry.path, header);
        }
    }

    /// A text for a process, remembering what came from variables of ours.
    fn process_text(
        &mut self,
        reader: &mut Reader<'_>,
        node: &Node,
        path: &KeyPath,
        allowed: &'static str,
    ) -> Option<String> {
        let text = reader.process_text(node, path, allowed)?;
        self.substituted.extend(text.substituted);
        Some(text.text)
    }

    fn read_args(&mut self, reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Vec<String> {
        const ALLOWED: &str =
            "a list with one text for each argument, such as `[\"-y\", \"name\"]`";
        let Value::List(items) = &node.value else {
            // One word can only be one argument; more words would need a shell's rules.
            let words = node
                .as_scalar()
                .map(|scalar| scalar.text.split_whitespace().count());
            if words == Some(1) {
                reader.warn(node.position, path, ProblemKind::OneArgument);
                return self
                    .process_text(reader, node, path, ALLOWED)
                    .into_iter()
                    .collect();
            }
            reader.wrong_sort(node, path, ALLOWED);
            return Vec::new();
        };
        let mut args = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let allowed = "a text or a number";
            args.extend(self.process_text(reader, item, &path.item(index), allowed));
        }
        args
    }

    fn read_env(
        &mut self,
        reader: &mut Reader<'_>,
        node: &Node,
        path: &KeyPath,
    ) -> Vec<(String, String)> {
        let allowed = "a mapping of names to values";
        let mut env = Vec::new();
        for entry in reader.entries(node, path, allowed).unwrap_or_default() {
            if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
                reader.error(entry.position, &entry.path, ProblemKind::BadEnvName);
                continue;
            }
            let value = if entry.value.is_null() {
                let kind = ProblemKind::Valueless {
                    taken_for: "the empty text",
                };
                reader.warn(entry.position, &entry.path, kind);
                Some(String::new())
            } else {
                self.process_text(reader, entry.value, &entry.path, "a text or a number")
            };
            if let Some(value) = value {
                reader.warn_of_space(entry.value, &entry.path, &value);
                env.push((entry.key.to_owned(), value));
            }
        }
        env
    }

    /// How the server is reached, now that all of its keys are known.
    fn endpoint(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) -> Option<Endpoint> {
        let (position, path) = (entry.position, &entry.path);
        if let Some((transport, position, path)) = &self.transport {
            let needs = match transport {
                Transport::Stdio if self.command.is_none() => Some("command"),
                Transport::Http(_) if self.http.url.is_none() => Some("url"),
                _ => None,
            };
            if let Some(needs) = needs {
                reader.error(*position, path, ProblemKind::TransportMismatch { needs });
            }
        }
        let url = self.http.url.as_ref().map(|(position, _)| *position);
        if let (None, Some((position, path))) = (url, &self.http.first_key) {
            reader.warn(*position, path, ProblemKind::NeedsUrl);
        }
        match (self.command.take(), url) {
            (Some((command, _)), Some(url)) => {
                // The second of the two is the one that is too many.
                let (later, key) = if command < url {
                    (url, "url")
                } else {
                    (command, "command")
                };
                let kind = ProblemKind::CommandAndUrl { command, url };
                reader.error(later, &path.key(key), kind);
                None
            }
            (None, Some(_)) => {
                let transport = match &self.transport {
                    Some((Transport::Http(transport), ..)) => *transport,
                    _ => HttpTransport::Auto,
                };
                self.http
                    .endpoint(transport)
                    .map(|http| Endpoint::Http(Box::new(http)))
            }
            (None, None) => {
                reader.error(position, path, ProblemKind::NoCommand);
                None
            }
            (Some((_, program)), None) => Some(Endpoint::Stdio(CommandLine {
                program: program?,
                args: std::mem::take(&mut self.args),
                env: std::mem::take(&mut self.env),
                cwd: self.cwd.take(),
            })),
        }
    }
}

/// A key without a value is as if it were not there; the user is told.
fn read_null(reader: &mut Reader<'_>, entry: &Named<'_>) {
    if keys::SERVER.standing(entry.key) == Standing::Unknown {
        reader.error(entry.position, &entry.path, keys::SERVER.unknown(entry.key));
    } else {
        let taken_for = "if the key were not there";
        let kind = ProblemKind::Valueless { taken_for };
        reader.warn(entry.position, &entry.path, kind);
    }
}

fn read_tools(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> ToolFilter {
    let mut filter = ToolFilter::all();
    if matches!(node.value, Value::List(_)) {
        reader.warn(node.position, path, ProblemKind::ToolsList);
        return filter.with_include(reader.patterns(node, path).unwrap_or_default());
    }
    let allowed = "a mapping with `include` or `exclude`";
    let mut exclude_at = None;
    let mut has_include = false;
    for entry in reader.entries(node, path, allowed).unwrap_or_default() {
        match entry.key {
            "include" | "exclude" if entry.value.is_null() => {
                // An author who left the list empty may have meant either.
                let taken_for = "if the key were not there; write `[]` for an empty list";
                let kind = ProblemKind::Valueless { taken_for };
                reader.warn(entry.position, &entry.path, kind);
            }
            "include" => {
                has_include = true;
                let patterns = reader.patterns(entry.value, &entry.path);
                filter = filter.with_include(patterns.unwrap_or_default());
            }
            "exclude" => {
                exclude_at = Some((entry.position, entry.path.clone()));
                let patterns = reader.patterns(entry.value, &entry.path);
                filter = filter.with_exclude(patterns.unwrap_or_default());
            }
            key => read_unused(reader, &keys::TOOLS, key, &entry),
        }
    }
    if let (true, Some((position, path))) = (has_include, exclude_at) {
        reader.warn(position, &path, ProblemKind::IneffectiveExclude);
    }
    filter
}

fn read_transport(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Option<Transport> {
    const ALLOWED: &str = "stdio, auto, http (or streamable-http) or sse";
    let text = reader.text(node, path, ALLOWED)?;
    let word = text
        .text
        .trim()
        .replace(['-', '_'], "")
        .to_ascii_lowercase();
    let found = TRANSPORTS.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        reader.wrong(node, path, ALLOWED);
    }
    found.map(|(_, transport)| *transport)
}

/// A key that is unknown, or known but without effect yet.
fn read_unused(reader: &mut Reader<'_>, keys: &Keys, key: &str, entry: &Named<'_>) {
    match keys.standing(key) {
        Standing::Active => {}
        Standing::Later => {
            reader.warn(entry.position, &entry.path, ProblemKind::NotActive);
            match (key, &entry.value.value) {
                ("sampling", Value::Mapping(_)) => {
                    check_keys(reader, &keys::SAMPLING, entry);
                }
                ("elicitation", Value::Mapping(_)) => {
                    check_keys(reader, &keys::ELICITATION, entry);
                }
                _ => reader.check_references(entry.value, &entry.path),
            }
        }
        Standing::Unknown => reader.error(entry.position, &entry.path, keys.unknown(key)),
    }
}

/// Checks the keys of a mapping whose feature is still to come.
fn check_keys(reader: &mut Reader<'_>, keys: &Keys, entry: &Named<'_>) {
    for entry in reader
        .entries(entry.value, &entry.path, "a mapping")
        .unwrap_or_default()
    {
        match keys.standing(entry.key) {
            Standing::Unknown => {
                reader.error(entry.position, &entry.path, keys.unknown(entry.key));
            }
            _ => reader.check_references(entry.value, &entry.path),
        }
    }
}

/// The path with a leading `~` replaced by the home folder, if that is known.
pub(super) fn with_home(reader: &Reader<'_>, path: String) -> String {
    let rest = path
        .strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, reader.expander.home()) {
        (Some(rest), Some(home)) => format!("{home}{rest}"),
        _ => path,
    }
}
