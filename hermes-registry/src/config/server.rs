//! One configured server, checked.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::calls::Calls;
use super::command::CommandLine;
use super::http::HttpEndpoint;
use super::life::Life;
use super::problem::Position;
use super::tools::Tools;
use crate::filter::ToolFilter;
use crate::name::{InvalidServerName, ServerName};

/// How long a call may be idle: 120 seconds.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(120);

/// How long connecting may take: 60 seconds, as package runners download on a first start.
pub const CONNECT_TIMEOUT_DEFAULT: Duration = Duration::from_secs(60);

/// The longest time that a configuration can give: one day.
pub const TIMEOUT_MAX: Duration = Duration::from_secs(86_400);

/// Values shorter than this are not looked for when secrets are hidden: such a short text occurs
/// by chance, and hiding it would make errors unreadable.
const SECRET_LEN_MIN: usize = 8;

/// Parts of the names of variables that hold secrets, in upper case.
const SECRET_NAMES: [&str; 10] = [
    "TOKEN",
    "KEY",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "AUTH",
    "CREDENTIAL",
    "COOKIE",
    "PAT",
];

/// A configured server.
///
/// `Debug` never shows values of `env`, nor arguments.
#[derive(Clone, Eq, PartialEq)]
pub struct ServerConfig {
    pub(super) name: ServerName,
    pub(super) endpoint: Endpoint,
    pub(super) timeout: Duration,
    pub(super) connect_timeout: Duration,
    pub(super) enabled: bool,
    pub(super) protocol: Protocol,
    pub(super) tools: Tools,
    pub(super) life: Life,
    pub(super) calls: Calls,
    pub(super) substituted: BTreeSet<String>,
    pub(super) source: Option<Source>,
}

/// How a server is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Endpoint {
    /// A server behind a URL.
    Http(Box<HttpEndpoint>),
    /// A child process, by its standard input and output.
    Stdio(CommandLine),
    /// Not at all: only a disabled server whose configuration has faults is like this.
    Undefined,
}

/// Which eras of the protocol may be spoken with a server.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Protocol {
    /// The newest that the server understands; written `auto`.
    #[default]
    Auto,
    /// Those that begin with a handshake, only; written `legacy` or `handshake`.
    Legacy,
    /// Those without a handshake, only; written `modern`, `stateless` or `2026-07-28`.
    Modern,
}

/// Where in a file a server is configured.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) file: Arc<str>,
    pub(super) position: Position,
}

/// Where a server stands does not matter for what it is: moving it in the file changes nothing.
impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Source {}

impl ServerConfig {
    /// A server that is started as a child process, with defaults for everything else.
    ///
    /// # Errors
    ///
    /// [`InvalidServerName`] if the name has no characters, more than 64, or control characters.
    pub fn stdio(name: &str, command: CommandLine) -> Result<Self, InvalidServerName> {
        Ok(Self::new(ServerName::new(name)?, Endpoint::Stdio(command)))
    }

    /// A server behind a URL, with defaults for everything else.
    ///
    /// # Errors
    ///
    /// [`InvalidServerName`] if the name has no characters, more than 64, or control characters.
    pub fn behind(name: &str, endpoint: HttpEndpoint) -> Result<Self, InvalidServerName> {
        Ok(Self::new(
            ServerName::new(name)?,
            Endpoint::Http(Box::new(endpoint)),
        ))
    }

    pub(super) fn new(name: ServerName, endpoint: Endpoint) -> Self {
        Self {
            name,
            endpoint,
            timeout: TIMEOUT_DEFAULT,
            connect_timeout: CONNECT_TIMEOUT_DEFAULT,
            enabled: true,
            protocol: Protocol::Auto,
            tools: Tools::default(),
            life: Life::default(),
            calls: Calls::default(),
            substituted: BTreeSet::new(),
            source: None,
        }
    }

    /// The same server, with this time for a call to be idle.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same server, with this time to connect.
    #[must_use]
    pub fn with_connect_timeout(mut self, connect_timeout: Duration) -> Self {
        self.connect_timeout = connect_timeout;
        self
    }

    /// The same server, never started.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.enabled = false;
        self
    }

    /// The same server, offering only the tools that this filter allows.
    #[must_use]
    pub fn with_filter(mut self, filter: ToolFilter) -> Self {
        self.tools.filter = filter;
        self
    }

    /// The same server, spoken to in these eras of the protocol.
    #[must_use]
    pub fn with_protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.name
    }

    /// How it is reached.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The command that starts it, if it is a child process.
    #[must_use]
    pub fn command(&self) -> Option<&CommandLine> {
        match &self.endpoint {
            Endpoint::Stdio(command) => Some(command),
            Endpoint::Http(_) | Endpoint::Undefined => None,
        }
    }

    /// The address of the server, if it is behind a URL.
    #[must_use]
    pub fn http(&self) -> Option<&HttpEndpoint> {
        match &self.endpoint {
            Endpoint::Http(http) => Some(http),
            _ => None,
        }
    }

    /// How long a call may go without an answer or a sign of progress; 120 seconds by default.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// How long starting it, shaking hands and listing its tools may take together; 60 seconds by
    /// default.
    #[must_use]
    pub fn connect_timeout(&self) -> Duration {
        self.connect_timeout
    }

    /// Whether it is used at all; true by default.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Which of its tools are offered; all by default.
    #[must_use]
    pub fn filter(&self) -> &ToolFilter {
        &self.tools.filter
    }

    /// Which eras of the protocol are spoken with it; the newest it understands by default.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The file and the place in it where the server is configured, if it comes from one.
    #[must_use]
    pub fn source(&self) -> Option<(&str, Position)> {
        self.source
            .as_ref()
            .map(|source| (&*source.file, source.position))
    }

    /// Texts that must not appear in an error, a log or a status, sorted.
    ///
    /// These are the values of `env` whose variable is named like a secret, the values of headers,
    /// and what came from variables of our own environment, by `${…}` or by `env_passthrough`, when
    /// the configuration was read; each if it has 8 bytes or more.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets = self.substituted.clone();
        if let Some(command) = self.command() {
            let named = command.env.iter().filter(|(name, _)| is_secret_name(name));
            secrets.extend(named.map(|(_, value)| value.clone()));
        }
        if let Some(http) = self.http() {
            for (_, value) in http.headers() {
                secrets.insert(value.to_owned());
                // What comes back in an error may be the token without its scheme.
                secrets.extend(value.split_once(' ').map(|(_, token)| token.to_owned()));
            }
        }
        secrets
            .into_iter()
            .filter(|secret| secret.len() >= SECRET_LEN_MIN)
            .collect()
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("endpoint", &self.endpoint)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("enabled", &self.enabled)
            .field("protocol", &self.protocol)
            .field("tools", &self.tools)
            .field("life", &self.life)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

/// Whether a variable of this name probably holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // `PAT` and `PASS` are looked for as whole words, as `PATH` and `COMPASS` hold them too.
    SECRET_NAMES.iter().any(|part| match *part {
        "PASS" | "PAT" => name.split('_').any(|word| word == *part),
        part => name.contains(part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_value_and_secrets_are_told() {
        let command = CommandLine::new("npx")
            .with_args(["--password", "hunter2hunter2"])
            .with_env("GITHUB_TOKEN", "ghp_0123456789")
            .with_env("API_KEY", "short")
            .with_env("PATH", "/opt/bin:/usr/bin")
            .with_env("GITHUB_PAT", "old")
            .with_env("GITHUB_PAT", "pat_0123456789");
        let server = ServerConfig::stdio("github", command).expect("the name is valid");
        assert_eq!(server.secrets(), ["ghp_0123456789", "pat_0123456789"]);
        let shown = format!("{server:?}");
        for hidden in ["ghp_", "pat_", "short", "hunter2", "/opt/bin"] {
            assert!(!shown.contains(hidden), "{shown}");
        }
        assert!(shown.contains("GITHUB_TOKEN"), "{shown}");
    }

    #[test]
    fn names_of_secrets_are_told_from_others() {
        for (name, expected) in [
            ("GITHUB_PERSONAL_ACCESS_TOKEN", true),
            ("api_key", true),
            ("DB_PASSWORD", true),
            ("DB_PASS", true),
            ("AUTHORIZATION", true),
            ("PATH", false),
            ("COMPASS", false),
            ("LANG", false),
            ("DEBUG", false),
        ] {
            assert_eq!(is_secret_name(name), expected, "{name}");
        }
    }
}
