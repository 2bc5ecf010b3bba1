//! Who is asked before a call runs that its configuration does not let run by itself.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_types::{RawJson, Tool};

use crate::name::Route;

/// A call that is to be decided on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proposal {
    /// The server and the tool.
    pub route: Route,
    /// What the server says about the tool, if it has told; it is not trusted.
    pub tool: Option<Arc<Tool>>,
    /// The arguments.
    pub arguments: RawJson,
}

/// What was decided on a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// It may run.
    Allow,
    /// Whoever was asked wants no answer to be given.
    Cancel,
    /// It must not run.
    Deny,
    /// There is nobody who could be asked.
    Unasked,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "it was allowed",
            Self::Cancel => "the question was dismissed",
            Self::Deny => "it was denied",
            Self::Unasked => "there is nobody who could be asked",
        })
    }
}

/// Decides on the calls of servers with `trust: untrusted` whose tool does not say that it only
/// reads.
///
/// It is asked before anything is done for the call, so that a server that is asleep is not woken
/// by what is denied. The call's own time does not run meanwhile.
#[async_trait]
pub trait Policy: Send + Sync {
    /// Decides on a call. It may take as long as a person needs.
    async fn decide(&self, proposal: &Proposal) -> Decision;
}

/// Lets no call run that has to be asked for, since nobody can be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyToAsk(());

#[async_trait]
impl Policy for NobodyToAsk {
    async fn decide(&self, _proposal: &Proposal) -> Decision {
        Decision::Unasked
    }
}
