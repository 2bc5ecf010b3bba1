//! The calls of one server, together and for each of its tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_transport::redact::Redactor;

use super::tally::{Sample, Tally, ToolUsage, Usage};

/// Tools of a server that are counted one by one.
// Bound: memory, about a kilobyte each; a server may call its tools anything and change the names
// whenever it is asked.
const TOOLS_MAX: usize = 256;

/// The longest name of a tool that is counted by itself, and the most of one that is shown, in
/// bytes.
// Bound: a name is as long as its server wants it to be.
const TOOL_NAME_MAX: usize = 256;

/// Counts the calls of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    all: Tally,
    tools: BTreeMap<Arc<str>, Tally>,
    /// Tools that are not counted one by one.
    rest: Option<Tally>,
}

impl Meter {
    /// Counts a call of a tool.
    pub(crate) fn note(&mut self, tool: &Arc<str>, sample: &Sample) {
        self.all.note(sample);
        let is_known = self.tools.contains_key(tool);
        let has_room = self.tools.len() < TOOLS_MAX && tool.len() <= TOOL_NAME_MAX;
        let tally = match is_known || has_room {
            true => self.tools.entry(Arc::clone(tool)).or_default(),
            false => self.rest.get_or_insert_default(),
        };
        tally.note(sample);
    }

    /// All calls together.
    pub(crate) fn usage(&self) -> Usage {
        self.all.usage()
    }

    /// The calls of each tool that was called, in the order of their names, then the rest.
    pub(crate) fn tools(&self, redactor: &Redactor) -> Vec<ToolUsage> {
        let named = self.tools.iter().map(|(tool, tally)| ToolUsage {
            tool: Some(shown(tool, redactor)),
            usage: tally.usage(),
        });
        let rest = self.rest.iter().map(|tally| ToolUsage {
            tool: None,
            usage: tally.usage(),
        });
        named.chain(rest).collect()
    }
}

/// The name of a tool, which is its server's word, as it can be shown.
pub(crate) fn shown(name: &str, redactor: &Redactor) -> String {
    redactor.redact_bytes_lossy(name.as_bytes(), TOOL_NAME_MAX)
}
