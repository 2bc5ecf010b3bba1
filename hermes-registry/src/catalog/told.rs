//! What servers told, before it becomes part of a catalog.

use std::sync::Arc;

use mcp_client::{Cut, Era, Error};
use mcp_types::{Diagnostic, ServerCapabilities, Tool, Version};

use super::definitions::Rendering;
use super::status::Ready;
use crate::config::Trust;
use crate::life::State;
use crate::pins::{Drift, Verdict, verdict};
use crate::utility::Utility;

/// What a server told when it was asked for its tools.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) ready: Arc<Ready>,
    pub(crate) tools: Vec<ToldTool>,
    /// The tools that are made here of what else it offers.
    pub(crate) utilities: Vec<(Utility, ToldTool)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) cut: Option<Cut>,
    /// What looks suspicious in the texts of its tools, for people.
    pub(crate) suspicions: Vec<String>,
    /// What is not as it was approved; `None` if nobody keeps what was.
    pub(crate) drift: Option<Arc<Drift>>,
}

impl Told {
    /// These tools of a server of which nothing else is known.
    pub(crate) fn new(tools: impl IntoIterator<Item = Tool>) -> Self {
        let tools: Vec<ToldTool> = tools.into_iter().map(ToldTool::from).collect();
        Self {
            ready: Arc::new(Ready {
                era: Era::Legacy,
                version: Version::LATEST_LEGACY,
                server: None,
                instructions: None,
                capabilities: ServerCapabilities::new(),
                tools_listed: tools.len(),
                ledger: Vec::new(),
            }),
            tools,
            utilities: Vec::new(),
            diagnostics: Vec::new(),
            cut: None,
            suspicions: Vec::new(),
            drift: None,
        }
    }

    /// Whether a tool may be used, by how far its server is trusted.
    pub(crate) fn verdict(&self, trust: Trust, tool: &str) -> Verdict {
        match &self.drift {
            Some(drift) => verdict(trust, drift, tool),
            None => Verdict::Allowed,
        }
    }

    /// The tools, by the names that the server uses.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.tools.iter().map(|told| told.tool.name.as_str())
    }
}

/// A tool, and its definition for models once somebody wanted it.
#[derive(Clone, Debug)]
pub(crate) struct ToldTool {
    pub(crate) tool: Arc<Tool>,
    pub(crate) rendering: Arc<Rendering>,
}

impl From<Tool> for ToldTool {
    fn from(tool: Tool) -> Self {
        Self {
            tool: Arc::new(tool),
            rendering: Arc::default(),
        }
    }
}

/// What is known of a server, before it becomes part of a catalog.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    /// What it told last, if it was ever connected.
    pub(super) told: Option<Arc<Told>>,
    /// What was last wrong, unless it was connected since.
    pub(super) error: Option<Arc<Error>>,
}

impl Knowledge {
    /// The server told its tools.
    pub(crate) fn tell(&mut self, told: Arc<Told>) {
        self.told = Some(told);
        self.error = None;
    }

    /// What the server told last.
    pub(crate) fn told(&self) -> Option<&Arc<Told>> {
        self.told.as_ref()
    }

    /// The same tools are looked at otherwise.
    pub(crate) fn see(&mut self, told: Arc<Told>) {
        self.told = Some(told);
    }

    /// The server is gone, which may have been told with more to it already.
    pub(crate) fn fail_unless_told(&mut self, error: impl FnOnce() -> Error) {
        if self.error.is_none() {
            self.fail(error());
        }
    }

    /// The server could not be reached, or is gone.
    pub(crate) fn fail(&mut self, error: Error) {
        self.error = Some(Arc::new(error));
    }
}

/// One server, as its part of a catalog is made.
pub(crate) struct Seen<'a> {
    pub(crate) known: &'a Knowledge,
    pub(crate) life: State,
}

#[cfg(test)]
impl Told {
    /// What a server with these tools tells.
    pub(crate) fn of(names: &[&str]) -> Self {
        let tool = |name: &&str| Tool::new(*name, mcp_types::RawJson::empty_object());
        Self::new(names.iter().map(tool))
    }
}
