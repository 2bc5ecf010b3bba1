//! What is looked at before a call is made: which tool is meant, who may use it, whether it was
//! approved, and whether the arguments fit.

use std::sync::Arc;

use mcp_types::{RawJson, Tool, ToolAnnotations};

use super::Registry;
use super::measure::Measure;
use super::slot::Server;
use super::slots::SlotId;
use super::utility::Errand;
use super::view::permits;
use crate::RegistryError;
use crate::arguments::Check;
use crate::catalog::{CatalogTool, Origin};
use crate::config::Trust;
use crate::host::HostTool;
use crate::name::Route;
use crate::pins::Verdict;
use crate::policy::{Decision, Proposal};
use crate::utility::{Request, Utility};
use crate::view::{self, ViewPolicy};

impl Registry {
    /// Asks whoever decides on calls of servers that are not trusted.
    pub(super) async fn ask_whether_it_may_run(
        &self,
        prepared: &AtServer,
    ) -> Result<(), RegistryError> {
        let AtServer { route, tool, .. } = prepared;
        let hints = tool.as_ref().and_then(|tool| tool.annotations.as_ref());
        let only_reads = hints.is_some_and(ToolAnnotations::read_only);
        let is_trusted = prepared.server.config.trust() == Trust::Full;
        if is_trusted || only_reads || prepared.errand.is_some() {
            return Ok(());
        }
        let proposal = Proposal {
            route: route.clone(),
            tool: tool.clone(),
            arguments: prepared.arguments.clone(),
        };
        match self.inner.setup().policy.decide(&proposal).await {
            Decision::Allow => Ok(()),
            decision => Err(RegistryError::NotAllowed {
                server: route.server.clone(),
                tool: route.tool.to_string(),
                decision,
            }),
        }
    }

    /// Finds out what is to be called, whether it may be, and whether the arguments fit, and begins
    /// to measure a call of a server's tool. A name that leads to no tool is no call of one.
    pub(super) fn prepare(
        &self,
        name: &str,
        arguments: &str,
        policy: Option<&ViewPolicy>,
    ) -> Result<Prepared, RegistryError> {
        let (catalog, config) = (self.catalog(), self.config());
        if self.inner.host_tool(name).is_some() {
            let (tool, arguments) = self.check_host_call(name, arguments)?;
            if let (Some(policy), Some(at)) = (policy, catalog.tool(name)) {
                permits(policy, &config, at).map_err(not_permitted)?;
            }
            return Ok(Prepared::Host { tool, arguments });
        }
        let route = catalog.resolve(name, &config)?;
        let Some((id, server)) = self.inner.named(route.server.as_str()) else {
            // It was configured a moment ago.
            return Err(RegistryError::UnknownServer {
                name: route.server.to_string(),
                nearest: Vec::new(),
            });
        };
        let at = catalog.tool_at(&route);
        let measure = Measure::new(self.inner.setup(), &server, &route.tool);
        let view = policy.and_then(ViewPolicy::name);
        let mut measure = measure.of(at.map(|at| &at.name), view);
        let permitted = match (policy, at) {
            (None, _) => Ok(()),
            (Some(policy), Some(at)) => permits(policy, &config, at),
            // Of what is not on offer nothing is known that could speak for it.
            (Some(policy), None) => policy.permits(&route.server, &route.tool, None),
        };
        let examined = permitted
            .map_err(not_permitted)
            .and_then(|()| self.examine((id, server), route, at, arguments, policy));
        match examined {
            Ok(call) => Ok(Prepared::Server {
                call: Box::new(call),
                measure,
            }),
            Err(error) => {
                measure.fail(&error);
                Err(error)
            }
        }
    }

    /// Finds out whether a tool that the caller may use can be called, and with these arguments.
    fn examine(
        &self,
        (id, server): (SlotId, Arc<Server>),
        route: Route,
        at: Option<&CatalogTool>,
        arguments: &str,
        policy: Option<&ViewPolicy>,
    ) -> Result<AtServer, RegistryError> {
        let arguments = read_arguments(arguments, &route)?;
        let trust = server.config.trust();
        let verdict = self.inner.with(id, |slot| {
            let told = slot.known().told()?;
            Some(told.verdict(trust, &route.tool))
        });
        if let Some(Some(Verdict::Blocked { why })) = verdict {
            return Err(RegistryError::NotApproved {
                server: route.server,
                tool: route.tool.to_string(),
                why,
            });
        }
        let utility = at.and_then(|at| match at.origin {
            Origin::Utility(utility) => Some(utility),
            Origin::Host | Origin::Server => None,
        });
        let tool = at.map(|at| Arc::clone(&at.tool));
        if let Some(tool) = tool
            .as_deref()
            .filter(|_| server.config.validates_arguments())
            && let Check::Differs(mismatches) = self
                .inner
                .setup()
                .checkers
                .check_arguments(tool, &arguments)
        {
            let text = mismatches.to_string();
            let text = server.redactor.redact(&text).into_owned();
            return Err(invalid(&route, text));
        }
        let errand = match utility {
            Some(utility) => Some(self.errand(utility, &server, &route, &arguments, policy)?),
            None => None,
        };
        Ok(AtServer {
            route,
            id,
            server,
            tool,
            arguments,
            errand,
        })
    }

    /// What a utility is to fetch, if the agent may have it.
    fn errand(
        &self,
        utility: Utility,
        server: &Server,
        route: &Route,
        arguments: &RawJson,
        policy: Option<&ViewPolicy>,
    ) -> Result<Errand, RegistryError> {
        let request = Request::read(utility, arguments).map_err(|why| invalid(route, why))?;
        if let Some(policy) = policy {
            request
                .is_permitted(policy, &route.server)
                .map_err(not_permitted)?;
        }
        let limits = server.config.output();
        let limits = limits.limits(self.inner.setup().outcome_limits);
        Ok(Errand {
            request,
            server: route.server.clone(),
            policy: policy.cloned(),
            len_max: limits.structured_len_max,
        })
    }
}

/// A call that only has to be made.
pub(super) enum Prepared {
    Host {
        tool: HostTool,
        arguments: RawJson,
    },
    Server {
        call: Box<AtServer>,
        measure: Measure,
    },
}

/// A call that only has to be let through to its server.
pub(super) struct AtServer {
    pub(super) route: Route,
    pub(super) id: SlotId,
    pub(super) server: Arc<Server>,
    /// What its server says about it, if it has told.
    pub(super) tool: Option<Arc<Tool>>,
    pub(super) arguments: RawJson,
    /// What is to be fetched, if it is a utility.
    pub(super) errand: Option<Errand>,
}

fn not_permitted(refusal: view::Refusal) -> RegistryError {
    RegistryError::NotPermitted {
        refusal: Box::new(refusal),
    }
}

fn invalid(route: &Route, why: String) -> RegistryError {
    RegistryError::InvalidArguments {
        server: route.server.clone(),
        tool: route.tool.to_string(),
        cause: why.into(),
    }
}

fn read_arguments(arguments: &str, route: &Route) -> Result<RawJson, RegistryError> {
    if arguments.trim().is_empty() {
        return Ok(RawJson::empty_object());
    }
    let json = RawJson::parse(arguments).map_err(|error| invalid(route, error.to_string()))?;
    if json.is_object() {
        Ok(json)
    } else {
        Err(invalid(route, "they must be a JSON object".to_owned()))
    }
}
