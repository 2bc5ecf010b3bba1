//! From the configuration of a server to the policy of its life.

use std::time::Duration;

use crate::config::ServerConfig;
use crate::life::{BreakerPolicy, LifePolicy, ReconnectPolicy};

/// How much longer than connecting itself an attempt may be out: what was started has to be ended
/// before a failure is told.
const CLEARING_UP: Duration = Duration::from_secs(30);

impl LifePolicy {
    /// The policy that the configuration of a server asks for.
    #[must_use]
    pub fn of(server: &ServerConfig) -> Self {
        let configured = server.reconnect();
        let breaker = server.breaker();
        Self {
            reconnect: ReconnectPolicy {
                initial_retries: configured.initial_retries,
                retries: configured.retries,
                backoff_first: configured.backoff_first,
                backoff_max: configured.backoff_max,
                // What is switched off comes after the longest time that there is.
                park_probe_interval: configured.park_probe_interval.unwrap_or(Duration::MAX),
                ..ReconnectPolicy::default()
            },
            breaker: BreakerPolicy {
                threshold: breaker.failures,
                cooldown: breaker.cooldown,
                ..BreakerPolicy::default()
            },
            keepalive_interval: server.keepalive_interval().unwrap_or(Duration::MAX),
            connect_max: server.connect_timeout().saturating_add(CLEARING_UP),
            idle_timeout: server.idle_timeout(),
            max_lifetime: server.max_lifetime(),
            lazy: server.is_lazy(),
            parallel_calls_max: usize::try_from(server.max_parallel_calls()).unwrap_or(usize::MAX),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn policy(more: &str) -> LifePolicy {
        let text = format!("mcp_servers:\n  s:\n    command: s\n{more}");
        let loaded = Config::parse(&text, "config.yaml", &|_name| None).expect("it is YAML");
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        LifePolicy::of(&loaded.config.servers()[0])
    }

    #[test]
    fn a_server_without_settings_has_the_default_policy() {
        assert_eq!(policy(""), LifePolicy::default());
    }

    #[test]
    fn each_setting_arrives() {
        let given = policy(
            "    connect_timeout: 10\n    keepalive_interval: 20\n    idle_timeout_seconds: 30\n    \
             max_lifetime_seconds: 40\n    supports_parallel_tool_calls: true\n    \
             max_parallel_calls: 5\n    reconnect:\n      initial_retries: 6\n      retries: 7\n      \
             backoff_first: 8\n      backoff_max: 9\n      park_probe_interval: 11\n    breaker:\n      \
             failures: 12\n      cooldown: 13\n",
        );
        let seconds = Duration::from_secs;
        let expected = LifePolicy {
            reconnect: ReconnectPolicy {
                initial_retries: 6,
                retries: 7,
                backoff_first: seconds(8),
                backoff_max: seconds(9),
                park_probe_interval: seconds(11),
                ..ReconnectPolicy::default()
            },
            breaker: BreakerPolicy {
                threshold: 12,
                cooldown: seconds(13),
                ..BreakerPolicy::default()
            },
            keepalive_interval: seconds(20),
            connect_max: seconds(40),
            idle_timeout: Some(seconds(30)),
            max_lifetime: Some(seconds(40)),
            parallel_calls_max: 5,
            ..LifePolicy::default()
        };
        assert_eq!(given, expected);
    }
}
