//! The configuration: `config.yaml` and its key `mcp_servers`.
//!
//! ```text
//! text ── yaml ──> tree ── validate (read, expand, keys) ──> Config + problems
//! ```
//!
//! Reading goes on after a fault: a problem with one server costs that server, or nothing, and
//! names file, line, column and key.
//! Only a file that cannot be read as a whole gives a [`ConfigError`].
//!
//! What users may rely on:
//!
//! - The file is UTF-8, with or without a byte order mark, of at most 1 MiB, and one YAML document.
//!   Anchors, aliases and merge keys work.
//!   An empty file, and one without `mcp_servers`, has no servers.
//! - Other top-level keys belong to other programs and are not looked at.
//! - The keys of a server, with type, default and meaning, are in one table (`keys`), which
//!   `docs/configuration.md` repeats.
//!   Keys of features that are still to come are checked and give a warning, as do keys of other
//!   agents that have no place here; all others are errors.
//! - `args` and values of `env` keep the text of the file: `1.0` stays `1.0`, `true` stays `true`.
//!   A variable without a value is set to the empty text, with a warning.
//! - `${…}` is replaced in values, never in keys; see [`Expander`].
//!   A leading `~` of `command` and `cwd` is the home folder.
//! - Two servers of one name are an error, and neither is used: to pick one would be a guess about
//!   which command the author wants to run.
//! - A disabled server is kept, and what is wrong with it is a warning.

mod calls;
mod command;
mod context;
pub mod edit;
pub(crate) mod entry;
mod expand;
mod failure;
mod http;
mod keys;
mod kind;
mod life;
mod problem;
mod range;
mod read;
mod remote;
mod roots;
mod schema;
mod server;
mod stdio;
mod tools;
pub(crate) mod tree;
mod validate;
mod values;
mod yaml;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use calls::{MAX_PARALLEL_CALLS_DEFAULT, OutputConfig, Trust};
pub use command::CommandLine;
pub use context::Context;
pub use entry::{PlainSecret, ServerEntry};
pub(crate) use expand::is_variable;
pub use expand::{ExpandError, Expanded, Expander};
pub use failure::{ConfigError, ConfigErrorKind};
pub use http::{HttpEndpoint, ProxyConfig, TlsConfig};
pub use kind::ProblemKind;
pub use life::{BreakerConfig, KEEPALIVE_INTERVAL_DEFAULT, LIFETIME_MAX, ReconnectConfig};
pub use problem::{Position, Problem, Severity};
pub(crate) use server::is_secret_name;
pub use server::{
    CONNECT_TIMEOUT_DEFAULT, Endpoint, Protocol, ServerConfig, TIMEOUT_DEFAULT, TIMEOUT_MAX,
};

use crate::nearest::nearest;
use read::{KeyPath, Named, Reader};
use tree::{Node, Value};

/// The longest file that is read, in bytes.
///
/// Bound: memory and time; 200 servers take less than 100 KiB.
pub const FILE_LEN_MAX: u64 = 1 << 20;

/// The key that holds the servers.
pub(crate) const SERVERS: &str = "mcp_servers";

/// Configured servers, in the order of the file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Config {
    servers: Vec<ServerConfig>,
}

/// A configuration with what is wrong with it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The servers that can be used.
    pub config: Config,
    /// Everything that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
}

impl Loaded {
    /// Whether anything is wrong that costs a server.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }
}

impl Config {
    /// A configuration without servers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same configuration with this server, in place of one of that name.
    #[must_use]
    pub fn with_server(mut self, server: ServerConfig) -> Self {
        self.servers.retain(|known| known.name() != server.name());
        self.servers.push(server);
        self
    }

    /// The servers in the order of the file, disabled ones included.
    #[must_use]
    pub fn servers(&self) -> &[ServerConfig] {
        &self.servers
    }

    /// The server of this name.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&ServerConfig> {
        self.servers
            .iter()
            .find(|server| server.name().as_str() == name)
    }

    /// The JSON Schema (draft 2020-12) of a configuration, for editors; a JSON text of several
    /// lines.
    ///
    /// It says less than reading does: what variables hold and how keys fit together is not in it.
    #[must_use]
    pub fn json_schema() -> String {
        format!("{:#}\n", schema::document())
    }

    /// Where the configuration is by default: `$HERMES_HOME/config.yaml`, else
    /// `~/.hermes/config.yaml`; `None` if there is no home folder either.
    ///
    /// `lookup` is asked for environment variables; an empty one counts as not set.
    pub fn default_path(lookup: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
        let set = |name: &str| {
            lookup(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let home = || set("HOME").or_else(|| set("USERPROFILE"));
        let folder = set("HERMES_HOME").or_else(|| home().map(|home| home.join(".hermes")))?;
        Some(folder.join("config.yaml"))
    }

    /// Reads this file, with the variables of this process and the current folder as the folder of
    /// work.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the file cannot be read as a whole; see [`Config::parse`].
    pub fn load(path: &Path) -> Result<Loaded, ConfigError> {
        let vars = |name: &str| std::env::var(name).ok();
        let context = Context::new(&vars);
        match std::env::current_dir() {
            Ok(folder) => Self::load_in(
                path,
                &context.with_workspace_folder(folder.to_string_lossy()),
            ),
            Err(_gone) => Self::load_in(path, &context),
        }
    }

    /// Reads this file in this context.
    ///
    /// # Errors
    ///
    /// As [`Config::load`].
    pub fn load_in(path: &Path, context: &Context<'_>) -> Result<Loaded, ConfigError> {
        let file_name = path.display().to_string();
        let fail = |kind| ConfigError {
            file: Arc::from(&*file_name),
            position: None,
            kind,
        };
        let file =
            std::fs::File::open(path).map_err(|error| fail(ConfigErrorKind::Unreadable(error)))?;
        let mut bytes = Vec::new();
        // One byte more than allowed tells a file that is too long from one that just fits.
        file.take(FILE_LEN_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| fail(ConfigErrorKind::Unreadable(error)))?;
        Self::bytes_in(&bytes, &file_name, context)
    }

    /// Reads bytes that should be UTF-8 text; otherwise as [`Config::parse`].
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the bytes are not UTF-8, and for what [`Config::parse`] refuses.
    pub fn parse_bytes(
        bytes: &[u8],
        file_name: &str,
        vars: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Loaded, ConfigError> {
        Self::bytes_in(bytes, file_name, &Context::new(vars))
    }

    fn bytes_in(
        bytes: &[u8],
        file_name: &str,
        context: &Context<'_>,
    ) -> Result<Loaded, ConfigError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse_in(text, file_name, context),
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let good = String::from_utf8_lossy(good);
                let last_line = good.rsplit('\n').next().unwrap_or_default();
                let line = good.matches('\n').count().saturating_add(1);
                let position = Position::new(line, last_line.chars().count().saturating_add(1));
                let (file, position) = (Arc::from(file_name), Some(position));
                Err(ConfigError {
                    file,
                    position,
                    kind: ConfigErrorKind::NotUtf8,
                })
            }
        }
    }

    /// Reads this text; `file_name` is how errors name it.
    ///
    /// `vars` is asked for environment variables; there is no folder of work.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the text is too long, is not one YAML document, goes beyond the limits of
    /// nesting and size, or if its top level or `mcp_servers` is not a mapping.
    /// Everything else is in [`Loaded::problems`].
    pub fn parse(
        text: &str,
        file_name: &str,
        vars: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Loaded, ConfigError> {
        Self::parse_in(text, file_name, &Context::new(vars))
    }

    /// Reads this text in this context.
    ///
    /// # Errors
    ///
    /// As [`Config::parse`].
    pub fn parse_in(
        text: &str,
        file_name: &str,
        context: &Context<'_>,
    ) -> Result<Loaded, ConfigError> {
        let file: Arc<str> = Arc::from(file_name);
        let fail = |(kind, position)| ConfigError {
            file: Arc::clone(&file),
            position: Some(position),
            kind,
        };
        let Some(root) = parse_tree(text, &file)? else {
            return Ok(Loaded::default());
        };
        let mut reader = Reader::new(Arc::clone(&file), Expander::new(context));
        let entries = top_entries(&mut reader, &root).map_err(fail)?;
        let mut servers = Vec::new();
        for entry in without_duplicates(&mut reader, entries) {
            reader.begin(entry.key);
            servers.extend(validate::server(&mut reader, &file, &entry));
        }
        let mut problems = reader.problems;
        problems.sort_by_key(Problem::position);
        Ok(Loaded {
            config: Self { servers },
            problems,
        })
    }
}

/// The tree of a file, or `None` if there is nothing in it.
pub(crate) fn parse_tree(text: &str, file: &Arc<str>) -> Result<Option<Node>, ConfigError> {
    let fail = |kind, position| ConfigError {
        file: Arc::clone(file),
        position,
        kind,
    };
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > FILE_LEN_MAX {
        let bytes_max = FILE_LEN_MAX;
        return Err(fail(ConfigErrorKind::TooLong { bytes_max }, None));
    }
    // Interop: editors on Windows begin UTF-8 files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    yaml::parse(text).map_err(|(kind, position)| fail(kind, Some(position)))
}

/// The entries of `mcp_servers`, those of a second such key included.
fn top_entries<'n>(
    reader: &mut Reader<'_>,
    root: &'n Node,
) -> Result<Vec<Named<'n>>, yaml::Failure> {
    let not_mapping = |key, node: &Node| {
        (
            ConfigErrorKind::NotMapping {
                key,
                found: node.sort(),
            },
            node.position,
        )
    };
    let keys = match &root.value {
        Value::Mapping(entries) => entries,
        _ if root.is_null() => return Ok(Vec::new()),
        _ => return Err(not_mapping(None, root)),
    };
    let path = KeyPath::root(SERVERS);
    let mut first = None;
    let mut named = Vec::new();
    for entry in keys
        .iter()
        .filter(|entry| entry.key.text.as_deref() == Some(SERVERS))
    {
        match first {
            None => first = Some(entry.key.position),
            Some(first) => {
                reader.error(
                    entry.key.position,
                    &path,
                    ProblemKind::DuplicateKey { first },
                );
            }
        }
        match &entry.value.value {
            Value::Mapping(servers) => {
                for server in servers {
                    let (position, value) = (server.key.position, &server.value);
                    match server.key.text.as_deref() {
                        Some(key) => {
                            named.push(Named {
                                key,
                                position,
                                path: path.key(key),
                                value,
                            });
                        }
                        None => reader.error(position, &path, ProblemKind::NotAKey),
                    }
                }
            }
            _ if entry.value.is_null() => {}
            _ => return Err(not_mapping(Some(SERVERS), &entry.value)),
        }
    }
    if first.is_none() {
        for key in keys.iter().map(|entry| &entry.key) {
            let text = key.text.as_deref().unwrap_or_default();
            if nearest(text, [SERVERS]).is_some() {
                reader.warn(
                    key.position,
                    &KeyPath::root(text),
                    ProblemKind::ProbablyServers,
                );
            }
        }
    }
    Ok(named)
}

/// Takes out the servers whose name stands more than once, and says so at each but the first.
fn without_duplicates<'n>(reader: &mut Reader<'_>, entries: Vec<Named<'n>>) -> Vec<Named<'n>> {
    let mut first: BTreeMap<&str, Position> = BTreeMap::new();
    let mut twice: BTreeSet<&str> = BTreeSet::new();
    for entry in &entries {
        if let Some(first) = first.get(entry.key).copied() {
            reader.begin(entry.key);
            reader.error(
                entry.position,
                &entry.path,
                ProblemKind::DuplicateServer { first },
            );
            twice.insert(entry.key);
        } else {
            first.insert(entry.key, entry.position);
        }
    }
    entries
        .into_iter()
        .filter(|entry| !twice.contains(entry.key))
        .collect()
}
