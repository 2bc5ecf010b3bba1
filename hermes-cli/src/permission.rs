//! Whether a call of a server that is not trusted may run: whoever sits at the terminal is asked
//! before anything is shown as under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hermes_registry::config::Trust;
use hermes_registry::policy::{Decision, Policy, Proposal};
use hermes_registry::{Catalog, CatalogTool, Config};
use mcp_types::ToolAnnotations;

use crate::ask;
use crate::failure::Failure;
use crate::output::text;
use crate::settings::Settings;

/// The most characters of arguments that a question shows.
// Bound: a question is read by a person.
const ARGUMENTS_LEN_MAX: usize = 500;

/// Lets calls run once somebody has said so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permission(Arc<AtomicBool>);

#[async_trait]
impl Policy for Permission {
    async fn decide(&self, _proposal: &Proposal) -> Decision {
        match self.0.load(Ordering::Relaxed) {
            true => Decision::Allow,
            false => Decision::Unasked,
        }
    }
}

impl Permission {
    /// Asks whether a call may run, if that has to be asked and somebody is there; `--yes` is an
    /// answer.
    ///
    /// # Errors
    ///
    /// If the answer is no, or the terminal fails.
    pub(crate) async fn ask(
        &self,
        settings: &Settings,
        catalog: &Catalog,
        name: &str,
        arguments: &str,
    ) -> Result<(), Failure> {
        let route = catalog.resolve(name, &settings.config).ok();
        let tool = route.and_then(|route| catalog.tool_at(&route));
        let Some(tool) = tool.filter(|tool| has_to_be_asked(&settings.config, tool)) else {
            return Ok(());
        };
        let is_allowed = settings.yes
            || match ask::is_possible(settings) {
                true => ask::confirm(&question(tool, arguments)).await?,
                false => return Ok(()),
            };
        if !is_allowed {
            let message = format!("`{}` was not called", tool.name);
            return Err(Failure::usage(
                "call_denied",
                message,
                "nothing has been done",
            ));
        }
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

fn has_to_be_asked(config: &Config, tool: &CatalogTool) -> bool {
    let server = config.server(tool.route.server.as_str());
    let hints = tool.tool.annotations.as_ref();
    server.is_some_and(|server| server.trust() == Trust::Untrusted)
        && !hints.is_some_and(ToolAnnotations::read_only)
}

fn question(tool: &CatalogTool, arguments: &str) -> String {
    let arguments = text::one_line(arguments);
    let shown: String = arguments.chars().take(ARGUMENTS_LEN_MAX).collect();
    let more = if shown.len() < arguments.len() {
        "…"
    } else {
        ""
    };
    format!(
        "Server `{}` is not trusted, and `{}` does not say that it changes nothing.\nCall it with {shown}{more}?",
        tool.route.server, tool.route.tool
    )
}
