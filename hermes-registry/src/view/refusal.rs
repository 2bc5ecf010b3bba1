//! Why a policy keeps something out.

use std::error::Error;
use std::fmt;

use crate::name::ServerName;

/// Why a policy keeps something out.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The prompt is not for this agent.
    Prompt {
        /// The server.
        server: ServerName,
        /// The prompt, by the name the server uses.
        prompt: String,
    },
    /// The resource is not for this agent.
    Resource {
        /// The server.
        server: ServerName,
        /// Its address.
        uri: String,
    },
    /// Nothing of the server is for this agent.
    Server {
        /// The server.
        server: ServerName,
    },
    /// The tool is not for this agent.
    Tool {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
    },
    /// The agent may only read, and the tool does not say that it only reads.
    Write {
        /// The server.
        server: ServerName,
        /// The tool, by the name the server uses.
        tool: String,
    },
}

impl Refusal {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Prompt { .. } => "prompt_not_permitted",
            Self::Resource { .. } => "resource_not_permitted",
            Self::Server { .. } => "server_not_permitted",
            Self::Tool { .. } => "tool_not_permitted",
            Self::Write { .. } => "write_not_permitted",
        }
    }

    /// The server that it is about.
    #[must_use]
    pub fn server(&self) -> &ServerName {
        match self {
            Self::Prompt { server, .. }
            | Self::Resource { server, .. }
            | Self::Server { server }
            | Self::Tool { server, .. }
            | Self::Write { server, .. } => server,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt { server, prompt } => write!(
                f,
                "this agent may not use the prompt `{prompt}` of server `{server}`"
            ),
            Self::Resource { server, uri } => write!(
                f,
                "this agent may not read the resource `{uri}` of server `{server}`"
            ),
            Self::Server { server } => write!(f, "this agent may not use server `{server}`"),
            Self::Tool { server, tool } => write!(
                f,
                "this agent may not use the tool `{tool}` of server `{server}`"
            ),
            Self::Write { server, tool } => write!(
                f,
                "this agent may only read, and the tool `{tool}` of server `{server}` does not say \
                 that it changes nothing"
            ),
        }
    }
}

impl Error for Refusal {}
