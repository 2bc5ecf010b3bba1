//! Definitions of tools that somebody approved, and what a server changed since.
//!
//! A server can show a harmless tool, wait until it is in use, and then describe it otherwise to
//! the model.
//! So what was approved is kept, and each later definition is compared with it.
//!
//! ```text
//! tools ── compare ──> Drift ── verdict, by trust ──> Allowed | Blocked
//!              ^
//!            Pins <── approve ── tools
//!              └── parse, to_json ── text
//! ```
//!
//! A definition is the name of a tool, its title, its description, both schemas and its
//! annotations. The order of members and the way in which a text is written do not count.
//!
//! Nothing is read or written but texts: where the pins are kept, who approves, and what is told to
//! whom is decided above.

mod definition;
mod diff;
mod drift;
mod error;
mod file;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use mcp_types::Tool;

pub use definition::{DEFINITION_LEN_MAX, Field};
pub use diff::DIFF_LEN_MAX;
pub use drift::{Change, Drift, Unapproved, Verdict, verdict};
pub use error::PinsError;
pub use file::{PINS_LEN_MAX, PINS_VERSION};

use definition::Definition;

use crate::name::ServerName;

/// The approved definitions of the tools of all servers.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Pins {
    /// By server, then by the name that the server has for the tool.
    servers: BTreeMap<String, BTreeMap<String, Pin>>,
}

/// One approved definition.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Pin {
    digest: String,
    /// The definition, unless it is longer than [`DEFINITION_LEN_MAX`].
    text: Option<String>,
}

impl Pins {
    /// Nothing approved yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether anything of this server was ever approved.
    #[must_use]
    pub fn knows(&self, server: &ServerName) -> bool {
        self.servers.contains_key(server.as_str())
    }

    /// What is not as it was approved, in the tools that the server offers now.
    #[must_use]
    pub fn compare<'t>(
        &self,
        server: &ServerName,
        tools: impl IntoIterator<Item = &'t Tool>,
    ) -> Drift {
        Drift::new(self.servers.get(server.as_str()), tools)
    }

    /// Approves one tool of a server as it is.
    pub fn approve(&mut self, server: &ServerName, tool: &Tool) {
        let tools = self.servers.entry(server.as_str().to_owned()).or_default();
        tools.insert(tool.name.clone(), Pin::of(tool));
    }

    /// Approves the tools that the server offers now as they are, and no others any more.
    pub fn approve_all<'t>(
        &mut self,
        server: &ServerName,
        tools: impl IntoIterator<Item = &'t Tool>,
    ) {
        let pins = tools
            .into_iter()
            .map(|tool| (tool.name.clone(), Pin::of(tool)));
        self.servers
            .insert(server.as_str().to_owned(), pins.collect());
    }

    /// Forgets all that was approved of a server.
    pub fn forget(&mut self, server: &ServerName) {
        self.servers.remove(server.as_str());
    }
}

impl Pin {
    fn of(tool: &Tool) -> Self {
        let definition = Definition::of(tool);
        Self {
            digest: definition.digest(),
            text: (definition.text.len() <= DEFINITION_LEN_MAX).then_some(definition.text),
        }
    }
}
