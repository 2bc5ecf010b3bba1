//! The tools of servers as they were told last, as a text that is kept between runs.
//!
//! What stands there of a server counts only as long as the server is reached in the same way, and
//! until the server tells its tools itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_client::Era;
use mcp_transport::redact::Redactor;
use mcp_types::{
    Decode as _, Implementation, ListToolsResult, RawJson, ServerCapabilities, Version,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::catalog::{Ready, Told};
use crate::config::{Endpoint, ServerConfig};
use crate::json::quoted;
use crate::open::suspicions;
use crate::utility;

/// The version of the text that is written, and the only one that is read.
const VERSION: u64 = 1;

/// What servers told last.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownServers {
    servers: BTreeMap<String, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    /// How the server was reached.
    fingerprint: String,
    told: Arc<Told>,
}

#[derive(Deserialize)]
struct File {
    version: u64,
    servers: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    fingerprint: String,
    revision: String,
    server: Option<Box<RawValue>>,
    instructions: Option<String>,
    capabilities: Box<RawValue>,
    tools: Box<RawValue>,
}

impl KnownServers {
    /// Reads what [`KnownServers::to_json`] wrote. A server of which something cannot be read is
    /// not known.
    ///
    /// # Errors
    ///
    /// What is wrong with the text as a whole.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.version != VERSION {
            return Err(format!("its version is {}, not {VERSION}", file.version));
        }
        let servers = file.servers.into_iter();
        let servers = servers.filter_map(|(name, entry)| Some((name, read(entry)?)));
        Ok(Self {
            servers: servers.collect(),
        })
    }

    /// Writes all of it, with a line for each server.
    pub(crate) fn to_json(&self) -> String {
        let servers = self.servers.iter();
        let servers: Vec<String> = servers.map(|(name, known)| write(name, known)).collect();
        let servers = servers.join(",");
        format!("{{\"version\":{VERSION},\"servers\":{{{servers}\n}}}}\n")
    }

    /// What a server told last, if it is reached as it was then.
    pub(crate) fn of(&self, server: &ServerConfig, redactor: &Redactor) -> Option<Told> {
        let known = self.servers.get(server.name().as_str())?;
        if known.fingerprint != fingerprint(server) {
            return None;
        }
        let mut told = (*known.told).clone();
        let ready = &told.ready;
        // The configuration may let others through by now, and a file can be changed by anyone.
        told.suspicions = suspicions(told.tools.iter().map(|told| &*told.tool), redactor);
        let utilities = utility::offered(server, &ready.capabilities, &ready.version, told.names());
        told.utilities = utilities
            .into_iter()
            .map(|(kind, tool)| (kind, tool.into()))
            .collect();
        Some(told)
    }

    /// A server told its tools.
    pub(crate) fn put(&mut self, server: &ServerConfig, told: Arc<Told>) {
        let fingerprint = fingerprint(server);
        let known = Known { fingerprint, told };
        self.servers
            .insert(server.name().as_str().to_owned(), known);
    }

    /// Forgets servers that are not among these.
    // Bound: names that were used once must not stay for ever.
    pub(crate) fn keep<'s>(&mut self, servers: impl Iterator<Item = &'s ServerConfig> + Clone) {
        self.servers
            .retain(|name, _| servers.clone().any(|server| server.name().as_str() == name));
    }
}

fn read(entry: Entry) -> Option<Known> {
    let tools = format!("{{\"tools\":{}}}", entry.tools.get());
    let tools = ListToolsResult::decode(&tools).ok()?.value.tools;
    let capabilities = ServerCapabilities::decode(entry.capabilities.get()).ok()?;
    let server = entry
        .server
        .and_then(|server| Implementation::decode(server.get()).ok());
    let version = Version::from(entry.revision.as_str());
    let mut told = Told::new(tools);
    told.ready = Arc::new(Ready {
        era: match version.is_modern() {
            true => Era::Modern,
            false => Era::Legacy,
        },
        version,
        server: server.map(|server| server.value),
        instructions: entry.instructions,
        capabilities: capabilities.value,
        tools_listed: told.tools.len(),
        ledger: Vec::new(),
    });
    Some(Known {
        fingerprint: entry.fingerprint,
        told: Arc::new(told),
    })
}

fn write(name: &str, known: &Known) -> String {
    let ready = &known.told.ready;
    let raw = |json: Result<RawJson, _>| -> Option<RawJson> {
        let json: Result<RawJson, mcp_types::DecodeError> = json;
        json.ok()
    };
    let tools = known.told.tools.iter();
    let tools: Vec<String> = tools
        .filter_map(|told| raw(RawJson::from_value(&*told.tool)))
        .map(|tool| tool.as_str().to_owned())
        .collect();
    let server = ready.server.as_ref();
    let server = server.and_then(|server| raw(RawJson::from_value(server)));
    let capabilities = raw(RawJson::from_value(&ready.capabilities));
    let instructions = ready.instructions.as_deref().map(quoted);
    format!(
        "\n{}:{{\"fingerprint\":{},\"revision\":{},\"server\":{},\"instructions\":{},\
         \"capabilities\":{},\"tools\":[{}]}}",
        quoted(name),
        quoted(&known.fingerprint),
        quoted(ready.version.as_str()),
        server.as_ref().map_or("null", RawJson::as_str),
        instructions.as_deref().unwrap_or("null"),
        capabilities.as_ref().map_or("{}", RawJson::as_str),
        tools.join(","),
    )
}

/// The first 16 hexadecimal digits of a hash of how a server is reached. Its environment does not
/// count, since credentials change there and tools do not.
fn fingerprint(server: &ServerConfig) -> String {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update(bytes);
        // No part has this byte: they are texts for a system that ends them there, or addresses.
        hash.update([0]);
    };
    match server.endpoint() {
        Endpoint::Stdio(line) => {
            part(b"stdio");
            part(line.program().as_bytes());
            line.args().iter().for_each(|arg| part(arg.as_bytes()));
        }
        Endpoint::Http(endpoint) => {
            part(b"http");
            part(endpoint.url().as_bytes());
        }
        Endpoint::Undefined => {}
    }
    let hash = hash.finalize();
    let hex = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let hex = hex.filter_map(|digit| char::from_digit(u32::from(digit), 16));
    hex.take(16).collect()
}
