//! Calls that are made while their server is killed, and how they ended.

use std::time::Duration;

use hermes_registry::life::State;
use hermes_registry::{Called, Registry, RegistryError};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::{PATIENCE, life};

/// How long after its server was killed a call that ran may end: one whose stream has an id is
/// taken up again for ten seconds, in case the server is only being restarted.
const ENDED_MAX: Duration = Duration::from_secs(20);

/// Whether a server says of its tool that a second call changes nothing more, in which case a call
/// that was lost with the server is made once more.
///
/// No server here is configured to be distrusted, so what they say counts.
pub(super) fn may_run_twice(registry: &Registry, server: &str, tool: &str) -> bool {
    let catalog = registry.catalog();
    let tools = catalog.tools().iter();
    let mut found = tools.filter(|one| one.route.server.as_str() == server);
    let found = found.find(|one| &*one.route.tool == tool).unwrap();
    let hints = found.tool.annotations.as_ref();
    hints.is_some_and(|hints| [hints.read_only_hint, hints.idempotent_hint].contains(&Some(true)))
}

/// A harmless call of a server.
pub(super) struct Harmless<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    /// What the result holds.
    pub(super) holds: &'a str,
    pub(super) is_error: bool,
}

/// How many calls ended in which way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Ends {
    pub(super) answered: usize,
    /// By an error that says that the tool may have run.
    pub(super) lost: usize,
    /// By an error that says that the tool has not run.
    pub(super) unsent: usize,
    /// When the last of those ended that were not answered.
    pub(super) failed_at: Option<Instant>,
}

impl Ends {
    pub(super) fn all(ends: impl IntoIterator<Item = Self>) -> Self {
        ends.into_iter().fold(Self::default(), |sum, end| Self {
            answered: sum.answered + end.answered,
            lost: sum.lost + end.lost,
            unsent: sum.unsent + end.unsent,
            failed_at: sum.failed_at.max(end.failed_at),
        })
    }

    /// How long after its server was killed the call that ran ended, unless it was answered.
    pub(super) fn failed_after(&self, killed: Instant) -> Option<Duration> {
        let after = self.failed_at? - killed;
        assert!(after <= ENDED_MAX, "{after:?}: {self:?}");
        Some(after)
    }
}

impl Harmless<'_> {
    pub(super) fn may_run_twice(&self, registry: &Registry) -> bool {
        may_run_twice(registry, self.server, self.tool)
    }

    /// One call, which must end as a call may.
    pub(super) async fn call(&self, registry: &Registry) -> Ends {
        let restarts = life(registry, self.server).restarts;
        let name = format!("{}/{}", self.server, self.tool);
        let arguments = self.arguments.to_string();
        let call = timeout(PATIENCE, registry.call(&name, &arguments, None, None));
        match call.await.unwrap_or_else(|_| panic!("{name} does not end")) {
            Ok(called) => self.answered(registry, &called),
            Err(error) => failed(registry, self.server, &error, restarts),
        }
    }

    fn answered(&self, registry: &Registry, called: &Called) -> Ends {
        let shown = registry.outcome(called);
        assert_eq!(
            shown.is_error, self.is_error,
            "{}: {}",
            self.server, shown.json
        );
        assert!(
            shown.json.contains(self.holds),
            "{}: {}",
            self.server,
            shown.json
        );
        Ends {
            answered: 1,
            ..Ends::default()
        }
    }
}

/// A call that is lost with its server says whether it may have run, and by then the server does
/// not count as connected.
pub(super) fn failed(
    registry: &Registry,
    server: &str,
    error: &RegistryError,
    restarts: u64,
) -> Ends {
    let status = life(registry, server);
    assert!(
        status.state != State::Ready || status.restarts > restarts,
        "{error} of {server}, which counts as connected: {status:?}"
    );
    let is_lost = matches!(
        error,
        RegistryError::ServerUnavailable { .. } | RegistryError::CallFailed { .. }
    );
    assert!(is_lost, "{server}: {error}");
    let may_have_run = error.is_outcome_uncertain();
    assert_ne!(may_have_run, error.is_retryable(), "{server}: {error}");
    Ends {
        lost: usize::from(may_have_run),
        unsent: usize::from(!may_have_run),
        failed_at: Some(Instant::now()),
        ..Ends::default()
    }
}
