//! The list of tools.

use std::collections::HashSet;

use crate::cache::CacheScope;
use crate::decode::{Diagnostic, Effect};
use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;
use crate::tool::Tool;

/// The result of `tools/list`. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ListToolsResult {
    /// The tools of this page.
    pub tools: Vec<Tool>,
    /// Where the next page begins; an empty one is valid, absent means the end (PAGE-02).
    pub next_cursor: Option<String>,
    /// How long it is fresh, in milliseconds. Since 2026-07-28.
    pub ttl_ms: Option<i64>,
    /// Who may share it. Since 2026-07-28.
    pub cache_scope: Option<CacheScope>,
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ListToolsResult {
    /// The only page.
    #[must_use]
    pub fn new(tools: Vec<Tool>) -> Self {
        Self {
            tools,
            ..Self::default()
        }
    }

    /// Drops tools whose name came before, and says which.
    pub fn normalise(&mut self) -> Vec<Diagnostic> {
        let mut seen = HashSet::with_capacity(self.tools.len());
        let mut dropped = Vec::new();
        let fresh: Vec<bool> = self
            .tools
            .iter()
            .map(|tool| seen.insert(tool.name.as_str()))
            .collect();
        let mut places = fresh.iter().enumerate();
        self.tools.retain(|tool| {
            let Some((index, false)) = places.next().map(|(index, fresh)| (index, *fresh)) else {
                return true;
            };
            if dropped.len() < Diagnostic::MAX {
                let path = format!("tools[{index}].name");
                dropped.push(Diagnostic::new(
                    Effect::Dropped,
                    &path,
                    "listed twice",
                    &tool.name,
                ));
            }
            false
        });
        dropped
    }
}

wire_object! {
    ListToolsResult {
        Optional result_type = "resultType",
        Required tools = "tools",
        Optional next_cursor = "nextCursor",
        Optional ttl_ms = "ttlMs",
        Optional cache_scope = "cacheScope",
        Optional meta = "_meta",
    }
}
