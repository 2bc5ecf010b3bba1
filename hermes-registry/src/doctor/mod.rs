//! Why a tool is not there: what is known of a configuration and its servers, put in order as
//! findings, each with what to do about it.
//!
//! ```text
//!   problems, configuration, catalog, lives ── Case ── all, server, tool ──> findings
//! ```
//!
//! | module | job |
//! |---|---|
//! | `server` | one server, step by step, from its entry to the tools that it offers |
//! | `names` | public names, and why a tool has another one than people expect |
//! | `tool` | one tool that somebody misses |
//! | [`advice`] | what to do when a server cannot be reached |
//!
//! Nothing is asked of anybody here: whoever wants to know how a server is connects it first.
//! Texts of servers are in findings as they came, but for credentials: whoever shows them at a
//! terminal makes control characters harmless.

mod advice;
mod names;
mod server;
mod tool;

#[cfg(test)]
mod tests;

pub use self::advice::advice;
use crate::catalog::Catalog;
use crate::config::{Config, Problem};
use crate::life::LifeStatus;
use crate::name::{Naming, ServerName};

/// Names that are listed in one finding.
// Bound: a server may have thousands of tools, and a person reads a line.
const NAMES_MAX: usize = 8;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Severity {
    /// A step that went well.
    Fine,
    /// Worth knowing, and probably meant so.
    Note,
    /// Probably not meant so, or not to be trusted.
    Warning,
    /// It keeps tools from being offered.
    Error,
}

impl Severity {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a finding is about, in the order in which a server is gone through.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Topic {
    /// What stands in the file.
    Configuration,
    /// Whether the server is used.
    Enabled,
    /// The command, its folder and what it needs to be started.
    Command,
    /// Whether the server answers.
    Connection,
    /// What the server tells of its tools.
    Tools,
    /// Tools that could not be read.
    Dropped,
    /// `tools.include`, `tools.exclude` and other patterns under `tools`.
    Filter,
    /// Whether tools are as they were approved.
    Trust,
    /// Public names.
    Name,
    /// Texts that may be meant to steer a model.
    Suspicion,
    /// What is offered in the end.
    Offer,
}

impl Topic {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Enabled => "enabled",
            Self::Command => "command",
            Self::Connection => "connection",
            Self::Tools => "tools",
            Self::Dropped => "dropped",
            Self::Filter => "filter",
            Self::Trust => "trust",
            Self::Name => "name",
            Self::Suspicion => "suspicion",
            Self::Offer => "offer",
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub topic: Topic,
    /// The server, by its name in the configuration.
    pub server: Option<String>,
    /// The tool, by the name that its server uses.
    pub tool: Option<String>,
    /// What was found, without a full stop.
    pub what: String,
    /// What to do about it, where there is something to be done.
    pub way_out: Option<String>,
    /// Evidence, line by line.
    pub details: Vec<String>,
}

impl Finding {
    fn new(severity: Severity, topic: Topic, what: impl Into<String>) -> Self {
        Self {
            severity,
            topic,
            server: None,
            tool: None,
            what: what.into(),
            way_out: None,
            details: Vec::new(),
        }
    }

    fn way_out(mut self, way_out: impl Into<String>) -> Self {
        self.way_out = Some(way_out.into());
        self
    }

    fn of_server(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    fn of_tool(mut self, tool: &str) -> Self {
        self.tool = Some(tool.to_owned());
        self
    }
}

/// Everything that a diagnosis is made from.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    config: &'a Config,
    problems: &'a [Problem],
    catalog: &'a Catalog,
    lives: &'a [(ServerName, LifeStatus)],
    naming: Naming,
}

impl<'a> Case<'a> {
    /// What is known of these servers.
    #[must_use]
    pub fn new(
        config: &'a Config,
        catalog: &'a Catalog,
        lives: &'a [(ServerName, LifeStatus)],
    ) -> Self {
        Self {
            config,
            problems: &[],
            catalog,
            lives,
            naming: Naming::default(),
        }
    }

    /// The same case, with what is wrong with the configuration.
    #[must_use]
    pub fn with_problems(mut self, problems: &'a [Problem]) -> Self {
        self.problems = problems;
        self
    }

    /// The same case, with public names that are put together in this way.
    #[must_use]
    pub fn with_naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }

    /// The whole configuration: what belongs to no server, then each server step by step.
    #[must_use]
    pub fn all(&self) -> Vec<Finding> {
        let of_no_server = self.problems.iter().filter(|one| one.server().is_none());
        let mut findings: Vec<Finding> = of_no_server.map(server::of_problem).collect();
        let servers: Vec<&str> = self.servers().collect();
        if servers.is_empty() {
            let what = "no server is configured";
            let finding = Finding::new(Severity::Warning, Topic::Configuration, what);
            findings.push(finding.way_out("add one below `mcp_servers`"));
        }
        findings.extend(servers.into_iter().flat_map(|name| self.server(name)));
        findings
    }

    /// One server, step by step; an error with the nearest names if there is none.
    #[must_use]
    pub fn server(&self, name: &str) -> Vec<Finding> {
        match self.config.server(name) {
            Some(server) => server::examine(self, server),
            None if self.is_faulty(name) => server::of_problems(self, name).collect(),
            None => vec![tool::unknown_server(self, name)],
        }
    }

    /// Why a tool is offered, or is not. It is named by its public name, as `server/tool`, or by the
    /// name that its server uses.
    #[must_use]
    pub fn tool(&self, name: &str) -> Vec<Finding> {
        tool::examine(self, name)
    }

    /// Whether the configuration names this server, sound or not.
    #[must_use]
    pub fn has_server(&self, name: &str) -> bool {
        self.config.server(name).is_some() || self.is_faulty(name)
    }

    /// The servers in the order of the file, then those that faults keep from being used.
    fn servers(&self) -> impl Iterator<Item = &'a str> {
        let sound = self.config.servers().iter();
        sound
            .map(|server| server.name().as_str())
            .chain(self.faulty())
    }

    /// The servers that faults keep from being used, each once.
    fn faulty(&self) -> impl Iterator<Item = &'a str> {
        let mut names: Vec<&str> = Vec::new();
        for problem in self.problems.iter().filter(|problem| problem.is_error()) {
            if let Some(name) = problem.server()
                && self.config.server(name).is_none()
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names.into_iter()
    }

    fn is_faulty(&self, name: &str) -> bool {
        self.faulty().any(|faulty| faulty == name)
    }

    fn life(&self, name: &ServerName) -> Option<&'a LifeStatus> {
        let found = self.lives.iter().find(|(server, _)| server == name);
        found.map(|(_, life)| life)
    }
}

/// Some names, in backticks.
fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let more = quoted.len().saturating_sub(NAMES_MAX);
    let shown: Vec<&str> = quoted.iter().take(NAMES_MAX).map(String::as_str).collect();
    match (more, shown.split_last()) {
        (1.., _) => format!("{} and {more} more", shown.join(", ")),
        (0, Some((last, first))) if !first.is_empty() => {
            format!("{} and {last}", first.join(", "))
        }
        _ => shown.join(", "),
    }
}

/// A number and its noun.
fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
