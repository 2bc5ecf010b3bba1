//! Public names, and why a tool has another one than people expect.

use super::Case;
use crate::config::ServerConfig;
use crate::name::{PUBLIC_NAME_LEN_MAX, looks_hashed};

impl Case<'_> {
    /// The name that people expect a tool to have.
    pub(super) fn natural_name(&self, server: &ServerConfig, tool: &str) -> String {
        self.naming.natural_name(server.name().as_str(), tool)
    }

    /// Why a tool does not have the name that people expect.
    pub(super) fn why_renamed(&self, server: &ServerConfig, tool: &str) -> String {
        let natural = self.natural_name(server, tool);
        if natural.len() > PUBLIC_NAME_LEN_MAX {
            return format!("`{natural}` is longer than {PUBLIC_NAME_LEN_MAX} characters");
        }
        if let Some(twin) = self.twin(server, tool, &natural) {
            return format!("`{twin}` of the same server would be called `{natural}` too");
        }
        if looks_hashed(&natural) {
            return format!("`{natural}` ends as shortened names do");
        }
        match self.neighbour(server, &natural) {
            Some(other) => format!("`{natural}` could be a tool of server `{other}` too"),
            None => format!("`{natural}` would not be its name alone"),
        }
    }

    /// Another tool of this server that would have the same name.
    fn twin(&self, server: &ServerConfig, tool: &str, natural: &str) -> Option<String> {
        let told = self.catalog.server(server.name().as_str())?.told.as_ref()?;
        let mut others = told.names();
        let twin = others.find(|other| {
            *other != tool
                && server.filter().allows(other)
                && self.natural_name(server, other) == natural
        });
        twin.map(str::to_owned)
    }

    /// Another server whose tools have names that begin as this one does.
    fn neighbour(&self, server: &ServerConfig, natural: &str) -> Option<&str> {
        let own = self.naming.prefix(server.name().as_str()).len();
        let mut names = self.config.servers().iter().map(|other| other.name());
        let other = names.find(|other| {
            let prefix = self.naming.prefix(other.as_str());
            *other != server.name() && prefix.len() >= own && natural.starts_with(&prefix)
        });
        other.map(|other| other.as_str())
    }
}
