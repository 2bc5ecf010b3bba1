//! A registry as one agent sees it: the same connections, fewer tools.
//!
//! What a policy lets through is decided in [`crate::view`]; here it is asked, by the same function
//! for what is listed and for what is called.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_types::ProgressParams;

use super::{Called, Registry};
use crate::catalog::{Catalog, CatalogTool, Definitions, Origin};
use crate::config::{Config, Trust};
use crate::schema::Flavor;
use crate::view::{Refusal, ViewPolicy};
use crate::{Outcome, RegistryError};

/// What one agent sees and uses of a registry.
///
/// It holds the registry like a clone of it; any number of views share its connections.
#[derive(Clone, Debug)]
pub struct View {
    registry: Registry,
    policy: Arc<ViewPolicy>,
    /// The definitions that were asked for last, and what they were made of.
    defined: Arc<Mutex<Option<Defined>>>,
}

#[derive(Debug)]
struct Defined {
    catalog: Arc<Catalog>,
    flavor: Flavor,
    definitions: Arc<Definitions>,
}

impl Registry {
    /// The registry as an agent with this policy sees it.
    #[must_use]
    pub fn view(&self, policy: ViewPolicy) -> View {
        View {
            registry: self.clone(),
            policy: Arc::new(policy),
            defined: Arc::default(),
        }
    }
}

impl View {
    /// The tools of the newest catalog that the agent may use, in the order of their public names.
    #[must_use]
    pub fn tools(&self) -> Vec<CatalogTool> {
        self.tools_of(&self.registry.catalog())
    }

    fn tools_of(&self, catalog: &Catalog) -> Vec<CatalogTool> {
        let config = self.registry.config();
        let tools = catalog.tools().iter();
        tools
            .filter(|tool| permits(&self.policy, &config, tool).is_ok())
            .cloned()
            .collect()
    }

    /// The definitions of the tools that the agent may use, as interfaces of this flavor take them;
    /// put together once for each catalog, as long as the same flavor is asked for.
    #[must_use]
    pub fn definitions(&self, flavor: Flavor) -> Arc<Definitions> {
        let catalog = self.registry.catalog();
        let mut defined = self.defined.lock().unwrap_or_else(PoisonError::into_inner);
        match &*defined {
            Some(known) if known.flavor == flavor && Arc::ptr_eq(&known.catalog, &catalog) => {
                Arc::clone(&known.definitions)
            }
            _ => {
                let definitions =
                    Arc::new(Definitions::new(self.tools_of(&catalog).iter(), flavor));
                *defined = Some(Defined {
                    catalog,
                    flavor,
                    definitions: Arc::clone(&definitions),
                });
                definitions
            }
        }
    }

    /// As [`Registry::call`], for what the agent may use.
    ///
    /// # Errors
    ///
    /// As there, and [`RegistryError::NotPermitted`].
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn call(
        &self,
        name: &str,
        arguments: &str,
        timeout: Option<Duration>,
        progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
    ) -> Result<Called, RegistryError> {
        let policy = Some(&*self.policy);
        let prepared = self.registry.prepare(name, arguments, policy)?;
        self.registry.make(prepared, timeout, progress).await
    }

    /// As [`Registry::dispatch`], for what the agent may use.
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn dispatch(&self, name: &str, arguments: &str) -> String {
        let called = self.call(name, arguments, None, None).await;
        self.registry.shown(called).await
    }

    /// As [`Registry::outcome`].
    #[must_use]
    pub fn outcome(&self, called: &Called) -> Outcome {
        self.registry.outcome(called)
    }
}

/// Whether a policy lets a tool through. What a server says of its own tools counts only if the
/// server is believed.
pub(super) fn permits(
    policy: &ViewPolicy,
    config: &Config,
    tool: &CatalogTool,
) -> Result<(), Refusal> {
    let server = config.server(tool.route.server.as_str());
    // What is made here is known to change nothing, whatever its server is like.
    let is_ours = tool.origin != Origin::Server;
    let is_believed = is_ours || server.is_some_and(|server| server.trust() == Trust::Full);
    let annotations = tool.tool.annotations.as_ref().filter(|_| is_believed);
    policy.permits(&tool.route.server, &tool.route.tool, annotations)
}
