//! All tools of the host, by their names.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::admission::{Admission, AdmissionError};
use super::availability::Availability;
use super::tool::{Check, HostTool};
use crate::catalog::Rendering;
use crate::name::{PublicName, ServerName};

/// All tools of the host.
#[derive(Debug, Default)]
pub(crate) struct HostTools {
    admission: Admission,
    // Bound: the host's own tools, each registered by its code.
    tools: BTreeMap<PublicName, Entry>,
}

/// A tool of the host, and what is known of it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) tool: HostTool,
    pub(crate) rendering: Arc<Rendering>,
    availability: Availability,
}

impl Entry {
    /// Whether the tool is offered.
    pub(crate) fn is_available(&self) -> bool {
        self.tool.check.is_none() || self.availability.is_available()
    }
}

impl HostTools {
    pub(crate) fn new(admission: Admission) -> Self {
        Self {
            admission,
            tools: BTreeMap::new(),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.tools.get(name)
    }

    /// All of them, in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.tools.values()
    }

    /// Takes a tool on, in the place of one of the same toolset if it has the name; `server` is the
    /// toolset of a server of which a tool has it.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::Taken`] if another toolset has the name.
    pub(crate) fn register(
        &mut self,
        tool: HostTool,
        server: Option<String>,
    ) -> Result<(), AdmissionError> {
        match self.owner(&tool, server) {
            Some(owner) if owner != tool.toolset() => Err(AdmissionError::Taken {
                name: tool.name,
                owner,
            }),
            _ => {
                self.insert(tool);
                Ok(())
            }
        }
    }

    /// Takes a tool on, in the place of whichever has the name.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::NotAllowed`] if the rules do not let its toolset do that.
    pub(crate) fn override_with(
        &mut self,
        tool: HostTool,
        server: Option<String>,
    ) -> Result<(), AdmissionError> {
        match self.owner(&tool, server) {
            Some(owner) if !self.admission.lets(tool.toolset(), &owner) => {
                Err(AdmissionError::NotAllowed {
                    name: tool.name,
                    owner,
                    toolset: tool.toolset,
                })
            }
            _ => {
                self.insert(tool);
                Ok(())
            }
        }
    }

    /// Removes a tool; `false` if there is none of this name.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::NotAllowed`] if it is another toolset's and the rules do not let this one
    /// remove it.
    pub(crate) fn deregister(
        &mut self,
        toolset: &ServerName,
        name: &str,
    ) -> Result<bool, AdmissionError> {
        let Some(entry) = self.tools.get(name) else {
            return Ok(false);
        };
        let owner = entry.tool.toolset();
        if !self.admission.lets(toolset.as_str(), owner) {
            return Err(AdmissionError::NotAllowed {
                name: entry.tool.name.clone(),
                owner: owner.to_owned(),
                toolset: toolset.clone(),
            });
        }
        Ok(self.tools.remove(name).is_some())
    }

    fn owner(&self, tool: &HostTool, server: Option<String>) -> Option<String> {
        let own = self.tools.get(tool.name());
        own.map_or(server, |entry| Some(entry.tool.toolset().to_owned()))
    }

    fn insert(&mut self, tool: HostTool) {
        let entry = Entry {
            rendering: Arc::default(),
            availability: Availability::default(),
            tool,
        };
        self.tools.insert(entry.tool.name.clone(), entry);
    }

    /// The checks that are due, to be made by whoever does not hold up others meanwhile.
    pub(crate) fn due(&self, now: Instant) -> Vec<(PublicName, Arc<Check>)> {
        let entries = self.tools.values();
        let due = entries.filter(|entry| entry.availability.due().is_none_or(|due| due <= now));
        due.filter_map(|entry| Some((entry.tool.name.clone(), entry.tool.check.clone()?)))
            .collect()
    }

    /// Takes what a check has said; returns whether another tool is offered now than before.
    pub(crate) fn record(&mut self, now: Instant, name: &PublicName, answer: bool) -> bool {
        let Some(entry) = self.tools.get_mut(name) else {
            return false;
        };
        let before = entry.is_available();
        entry.availability.record(now, answer);
        before != entry.is_available()
    }
}
