//! What the registry says of one server from its end until it is back, held against its policy.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use hermes_registry::life::{LifePolicy, LifeStatus, ReconnectPolicy, State, Why};
use hermes_registry::{Catalog, Event, Events, Registry, ServerState};
use tokio::time::{Instant, timeout};

use super::{PATIENCE, life, offered};

/// How much later than it is due something may be done on a machine that is busy, with the end of
/// what was there before.
const LAG: Duration = Duration::from_secs(3);

/// A state that the server came into.
#[derive(Debug)]
struct Step {
    state: State,
    why: Why,
    began: Instant,
}

/// Looks at a server whenever there is something new.
///
/// Invariant: whatever it is in, the server's tools are offered, since a call brings it back.
pub(super) struct Watch<'a> {
    registry: &'a Registry,
    server: &'a str,
    policy: LifePolicy,
    tools: Vec<String>,
    before: LifeStatus,
    /// Since when it has been connected.
    connected: Instant,
    seen: Arc<Catalog>,
    events: Events,
    steps: Vec<Step>,
}

/// How a server came back.
#[derive(Clone, Debug)]
pub(super) struct Return {
    /// Attempts to connect.
    pub(super) attempts: usize,
    /// The waits before those that were not made at once.
    pub(super) waits: Vec<Duration>,
    /// When it was connected.
    pub(super) at: Instant,
}

impl<'a> Watch<'a> {
    /// Begins with a server that is connected.
    pub(super) fn new(registry: &'a Registry, server: &'a str) -> Self {
        let seen = registry.catalog();
        let before = life(registry, server);
        assert_eq!(before.state, State::Ready, "{server}: {before:?}");
        let config = registry.config();
        Self {
            registry,
            server,
            policy: LifePolicy::of(config.server(server).unwrap()),
            tools: offered(&seen, server),
            connected: Instant::now() - before.state_for,
            before,
            seen,
            events: registry.events(),
            steps: Vec::new(),
        }
    }

    /// Holds the catalog against the truth, and takes what has happened.
    fn look(&mut self) -> LifeStatus {
        self.seen = self.registry.catalog();
        let told = self.seen.server(self.server).unwrap();
        assert!(told.life.is_callable(), "{told:?}");
        assert!(matches!(told.state, ServerState::Ready(_)), "{told:?}");
        let tools = offered(&self.seen, self.server);
        assert_eq!(tools, self.tools, "{} is {}", self.server, told.life);
        let status = life(self.registry, self.server);
        while let Some(event) = self.events.next().now_or_never() {
            let event = event.unwrap();
            assert!(!matches!(event, Event::Missed(_)), "{event:?}");
            if let Event::State { server, state, why } = event
                && server.as_str() == self.server
            {
                let is_now = state == status.state && why == status.why;
                let for_so_long = is_now.then_some(status.state_for);
                let began = Instant::now() - for_so_long.unwrap_or_default();
                self.steps.push(Step { state, why, began });
            }
        }
        status
    }

    /// Waits until the server is as wanted.
    pub(super) async fn until(&mut self, what: &str, is_so: impl Fn(&LifeStatus) -> bool) {
        loop {
            let status = self.look();
            if is_so(&status) {
                return;
            }
            let changed = timeout(PATIENCE, self.registry.changed(&self.seen)).await;
            assert!(changed.is_ok(), "{} is not {what}: {status:?}", self.server);
        }
    }

    /// Waits until the server is connected once more, and holds its way there against its policy.
    pub(super) async fn until_back(&mut self) -> Return {
        let restarts = self.before.restarts + 1;
        self.until("back", |status| {
            status.state == State::Ready && status.restarts == restarts
        })
        .await;
        let told = self.seen.server(self.server).unwrap();
        assert_eq!(told.life, State::Ready, "what is published is what is so");
        self.judge()
    }

    fn judge(&self) -> Return {
        let steps = &self.steps;
        let mut returned = Return {
            attempts: 0,
            waits: Vec::new(),
            at: steps.last().unwrap().began,
        };
        for pair in steps.windows(2) {
            let [step, next] = pair else { continue };
            let took = next.began - step.began;
            match (step.state, next.state) {
                (State::Waiting, State::Connecting) => {
                    returned.attempts += 1;
                    returned.waits.extend(self.has_waited(took, &next.why));
                }
                (State::Connecting, State::Ready | State::Waiting) => {
                    assert!(took <= self.policy.connect_max, "{steps:?}");
                }
                (State::Ready | State::Suspect | State::Draining, _) => {}
                _ => panic!("{}: {steps:?}", self.server),
            }
        }
        assert_eq!(steps.last().unwrap().why, Why::Connected, "{steps:?}");
        returned
    }

    /// The wait before an attempt is what the policy says of its number. Only the first is made at
    /// once: after the loss of a server that has proven itself, and did not just begin.
    fn has_waited(&self, took: Duration, why: &Why) -> Option<Duration> {
        let steps = &self.steps;
        let whys = steps.iter().filter(|step| step.state == State::Connecting);
        let number = 1 + whys.take_while(|step| step.why != *why).count();
        let lost = steps.iter().find(|step| step.state == State::Waiting);
        let lived = lost.unwrap().began - self.connected;
        let at_once = self.before.is_proven && lived >= self.policy.reconnect.backoff_first;
        let retry = u32::try_from(number - usize::from(at_once)).unwrap();
        let (expected, waits) = match retry {
            0 => (Why::Closed, Duration::ZERO..=Duration::ZERO),
            _ => (Why::Retried(retry), waits(&self.policy.reconnect, retry)),
        };
        assert_eq!(*why, expected, "{} lived {lived:?}: {steps:?}", self.server);
        let is_right = *waits.start() <= took && took <= *waits.end() + LAG;
        assert!(is_right, "{} for {waits:?}: {steps:?}", self.server);
        (retry > 0).then_some(took)
    }
}

/// How long the wait before a retry may be, of which the first is number 1.
fn waits(policy: &ReconnectPolicy, retry: u32) -> RangeInclusive<Duration> {
    let wait = policy.backoff_first * (1 << (retry - 1));
    let wait = wait.min(policy.backoff_max);
    let share = |percent: u32| (wait * percent / 100).min(policy.backoff_max);
    share(100 - policy.jitter_percent)..=share(100 + policy.jitter_percent)
}
