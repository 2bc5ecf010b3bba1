//! The key `tools`: which tools are offered, and how long each may take.

use std::time::Duration;

use super::keys;
use super::kind::ProblemKind;
use super::range::Seconds;
use super::read::{KeyPath, Named, Reader};
use super::server::{ServerConfig, TIMEOUT_MAX};
use super::tree::{Node, Value};
use super::values::switch;
use crate::filter::{Pattern, ToolFilter};

pub(super) const TIMEOUT: Seconds = Seconds::up_to(TIMEOUT_MAX);

/// All settings of this module.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Tools {
    pub(super) filter: ToolFilter,
    timeouts: Vec<(Pattern, Duration)>,
    has_resources: bool,
    has_prompts: bool,
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            filter: ToolFilter::all(),
            timeouts: Vec::new(),
            has_resources: true,
            has_prompts: true,
        }
    }
}

impl ServerConfig {
    /// How long a call of the tool that the server calls `tool` may go without an answer or a sign
    /// of progress.
    ///
    /// The entry of exactly that name decides, else the first glob that matches it, in the order
    /// of the file, else [`ServerConfig::timeout`].
    #[must_use]
    pub fn timeout_of(&self, tool: &str) -> Duration {
        let timeouts = &self.tools.timeouts;
        let exact = timeouts.iter().find(|(name, _)| name.as_str() == tool);
        let found = exact.or_else(|| timeouts.iter().find(|(name, _)| name.matches(tool)));
        found.map_or(self.timeout, |(_, timeout)| *timeout)
    }

    /// The times of single tools, in the order of the file.
    pub fn tool_timeouts(&self) -> impl Iterator<Item = (&Pattern, Duration)> {
        let timeouts = self.tools.timeouts.iter();
        timeouts.map(|(pattern, timeout)| (pattern, *timeout))
    }

    /// Whether tools that list and read its resources are offered, where it has resources; true by
    /// default.
    #[must_use]
    pub fn offers_resources(&self) -> bool {
        self.tools.has_resources
    }

    /// Whether tools that list and fill its prompts are offered, where it has prompts; true by
    /// default.
    #[must_use]
    pub fn offers_prompts(&self) -> bool {
        self.tools.has_prompts
    }

    /// The same server, with this time for a call of these tools to be idle.
    #[must_use]
    pub fn with_tool_timeout(mut self, tools: impl Into<Pattern>, timeout: Duration) -> Self {
        self.tools.timeouts.push((tools.into(), timeout));
        self
    }

    /// The same server, without tools for its resources.
    #[must_use]
    pub fn without_resources(mut self) -> Self {
        self.tools.has_resources = false;
        self
    }

    /// The same server, without tools for its prompts.
    #[must_use]
    pub fn without_prompts(mut self) -> Self {
        self.tools.has_prompts = false;
        self
    }
}

/// Reads `tools`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Tools {
    if !matches!(node.value, Value::Mapping(_)) {
        return read_names(reader, node, path);
    }
    let mut tools = Tools::default();
    let mut exclude_at = None;
    for entry in reader.known_entries(node, path, &keys::TOOLS) {
        let Named { path, value, .. } = &entry;
        match entry.key {
            "include" => {
                let patterns = reader.patterns(value, path).unwrap_or_default();
                tools.filter = tools.filter.with_include(patterns);
            }
            "exclude" => {
                exclude_at = Some((entry.position, path.clone()));
                let patterns = reader.patterns(value, path).unwrap_or_default();
                tools.filter = tools.filter.with_exclude(patterns);
            }
            "resources" => tools.has_resources = reader.switch(value, path).unwrap_or(true),
            "prompts" => tools.has_prompts = reader.switch(value, path).unwrap_or(true),
            _ => tools.timeouts = read_timeouts(reader, value, path),
        }
    }
    if let Some((position, path)) = exclude_at.filter(|_| tools.filter.include().is_some()) {
        reader.warn(position, &path, ProblemKind::IneffectiveExclude);
    }
    tools
}

/// Reads names of tools that stand where the mapping should, as other agents have them.
fn read_names(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Tools {
    let patterns = match node.as_scalar().map(|scalar| &*scalar.text) {
        // A number or a switch was meant for something else than the name of a tool.
        Some(word) if switch(word).is_some() || word.parse::<f64>().is_ok() => {
            reader.wrong(node, path, keys::TOOLS.allowed());
            None
        }
        Some(_) => {
            let text = reader.text(node, path, keys::TOOLS.allowed());
            text.map(|text| {
                let names = text.text.split([',', ' ', '\t', '\n']);
                let names = names.filter(|name| !name.is_empty());
                names.map(Pattern::from).collect()
            })
        }
        None if matches!(node.value, Value::List(_)) => reader.patterns(node, path),
        None => {
            reader.wrong_sort(node, path, keys::TOOLS.allowed());
            None
        }
    };
    let mut tools = Tools::default();
    if let Some(patterns) = patterns {
        let found = node.sort();
        reader.warn(node.position, path, ProblemKind::ToolsList { found });
        tools.filter = tools.filter.with_include(patterns);
    }
    tools
}

fn read_timeouts(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Vec<(Pattern, Duration)> {
    let allowed = "a mapping of tool names or globs to seconds";
    let mut timeouts = Vec::new();
    for entry in reader.entries(node, path, allowed).unwrap_or_default() {
        let timeout = reader.seconds(entry.value, &entry.path, &TIMEOUT);
        timeouts.extend(timeout.map(|timeout| (Pattern::from(entry.key), timeout)));
    }
    timeouts
}
