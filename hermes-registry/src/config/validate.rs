//! From the tree to checked servers: which key is read by whom, and what only all keys together
//! tell.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::HttpTransport;

use super::calls::CallsDraft;
use super::keys;
use super::kind::ProblemKind;
use super::life::LifeDraft;
use super::problem::{Position, Severity};
use super::read::{KeyPath, Named, Reader};
use super::remote::HttpDraft;
use super::server::{Endpoint, Protocol, ServerConfig, Source};
use super::stdio::StdioDraft;
use super::tools::{self, Tools};
use super::tree::{Node, Value};
use crate::guard::suspicion;
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

/// Those spellings of [`TRANSPORTS`] that other programs use.
pub(super) const TRANSPORT_SPELLINGS: [&str; 8] = [
    "stdio",
    "auto",
    "remote",
    "http",
    "streamable-http",
    "streamable_http",
    "streamableHttp",
    "sse",
];

pub(super) const PROTOCOLS: [(&str, Protocol); 6] = [
    ("auto", Protocol::Auto),
    ("legacy", Protocol::Legacy),
    ("handshake", Protocol::Legacy),
    ("modern", Protocol::Modern),
    ("stateless", Protocol::Modern),
    ("2026-07-28", Protocol::Modern),
];

/// Ways in which a server knows us, and whether that is by OAuth.
pub(super) const AUTH: [(&str, bool); 3] = [("oauth", true), ("header", false), ("none", false)];

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
    for key in reader.known_entries(entry.value, &entry.path, &keys::SERVER) {
        draft.read(reader, &key);
    }
    // Without a mapping there is one fault to report, not two.
    let endpoint = matches!(entry.value.value, Value::Mapping(_))
        .then(|| draft.endpoint(reader, entry))
        .flatten();

    let calls = draft.calls.finish(reader);

    let disabled = draft.enabled == Some(false);
    let is_faulty = settle_faults(reader, problem_count, disabled);
    let endpoint = match endpoint.filter(|_| !is_faulty) {
        None if disabled => Endpoint::Undefined,
        endpoint => endpoint?,
    };
    let mut server = ServerConfig::new(name.ok()?, endpoint);
    server.enabled = !disabled;
    server.timeout = draft.timeout.unwrap_or(server.timeout);
    server.connect_timeout = draft.connect_timeout.unwrap_or(server.connect_timeout);
    server.protocol = draft.protocol.unwrap_or_default();
    server.tools = draft.tools;
    server.life = draft.life.life;
    server.calls = calls;
    server.substituted = std::mem::take(&mut reader.substituted);
    server.source = Some(Source {
        file: Arc::clone(file),
        position: entry.position,
    });
    Some(server)
}

/// Whether the server has faults, of which those of a disabled one become warnings.
fn settle_faults(reader: &mut Reader<'_>, problem_count: usize, disabled: bool) -> bool {
    let mut is_faulty = false;
    let own = reader.problems.iter_mut().skip(problem_count);
    for fault in own.filter(|one| one.is_error()) {
        is_faulty = true;
        if disabled {
            fault.severity = Severity::Warning;
        }
    }
    is_faulty
}

/// What was found of a server so far.
#[derive(Default)]
struct Draft {
    stdio: StdioDraft,
    http: HttpDraft,
    transport: Option<(Transport, Position, KeyPath)>,
    timeout: Option<Duration>,
    connect_timeout: Option<Duration>,
    enabled: Option<bool>,
    protocol: Option<Protocol>,
    tools: Tools,
    life: LifeDraft,
    calls: CallsDraft,
    /// Keys that have no effect without another one: that one, and where each of them stands.
    bound: Vec<(&'static str, Position, KeyPath)>,
}

impl Draft {
    fn read(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let (value, path) = (entry.value, &entry.path);
        if let Some(needs) = keys::SERVER.find(entry.key).and_then(|key| key.needs) {
            self.bound.push((needs, entry.position, path.clone()));
        }
        match entry.key {
            "command" | "args" | "env" | "env_passthrough" | "cwd" => {
                self.stdio.read(reader, entry);
            }
            "url" | "headers" | "ssl_verify" | "client_cert" | "client_key" | "proxy" => {
                self.http.read(reader, entry);
            }
            "transport" | "type" => {
                let found = read_transport(reader, value, path);
                self.transport = found.map(|found| (found, value.position, path.clone()));
            }
            "timeout" => self.timeout = reader.seconds(value, path, &tools::TIMEOUT),
            "connect_timeout" => {
                self.connect_timeout = reader.seconds(value, path, &tools::TIMEOUT);
            }
            "enabled" => self.enabled = reader.switch(value, path),
            "protocol" => {
                let allowed = "auto, legacy (or handshake) or modern (or stateless, 2026-07-28)";
                self.protocol = reader.choice(value, path, allowed, &PROTOCOLS);
            }
            "tools" => self.tools = tools::read(reader, value, path),
            "auth" => {
                let wants_oauth = reader.choice(value, path, "oauth, header or none", &AUTH);
                if wants_oauth == Some(true) {
                    reader.tell_of("oauth", entry);
                }
            }
            "keepalive_interval"
            | "idle_timeout_seconds"
            | "max_lifetime_seconds"
            | "lifecycle"
            | "lazy"
            | "reconnect"
            | "breaker" => self.life.read(reader, entry),
            _ => self.calls.read(reader, entry),
        }
    }

    /// How the server is reached, now that all of its keys are known.
    fn endpoint(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) -> Option<Endpoint> {
        let (position, path) = (entry.position, &entry.path);
        if let Some((transport, position, path)) = &self.transport {
            let needs = match transport {
                Transport::Stdio if self.stdio.command.is_none() => Some("command"),
                Transport::Http(_) if self.http.url.is_none() => Some("url"),
                _ => None,
            };
            if let Some(needs) = needs {
                reader.error(*position, path, ProblemKind::TransportMismatch { needs });
            }
        }
        let command = self.stdio.command.as_ref().map(|(position, _)| *position);
        let url = self.http.url.as_ref().map(|(position, _)| *position);
        if command.is_some() != url.is_some() {
            self.warn_of_bound(reader, if url.is_some() { "url" } else { "command" });
        }
        match (command, url) {
            (Some(command), Some(url)) => {
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
                    .finish(transport)
                    .map(|http| Endpoint::Http(Box::new(http)))
            }
            (None, None) => {
                reader.error(position, path, ProblemKind::NoCommand);
                None
            }
            (Some(command), None) => {
                let line = self.stdio.finish()?;
                match suspicion(&line) {
                    Some(suspicion) => {
                        let kind = ProblemKind::Suspicious(suspicion);
                        reader.error(command, &path.key("command"), kind);
                        None
                    }
                    None => Some(Endpoint::Stdio(line)),
                }
            }
        }
    }

    /// Notes the keys that have no effect on a server that has this key.
    fn warn_of_bound(&self, reader: &mut Reader<'_>, has: &str) {
        for (needs, position, path) in self.bound.iter().filter(|(needs, ..)| *needs != has) {
            reader.warn(*position, path, ProblemKind::NeedsKey { needs });
        }
    }
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
