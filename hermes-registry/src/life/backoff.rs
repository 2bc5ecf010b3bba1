//! From the number of a retry to the wait before it.
//!
//! Chance comes in as a seed, so that a life can be repeated.

use std::time::Duration;

use super::policy::ReconnectPolicy;

/// A source of chance, good enough to keep servers from coming back in step.
#[derive(Debug)]
pub(super) struct Jitter(u64);

impl Jitter {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The wait before a retry, of which the first is number 1.
    pub(super) fn wait(&mut self, policy: &ReconnectPolicy, retry: u32) -> Duration {
        let doublings = retry.saturating_sub(1).min(31);
        let factor = 1_u32 << doublings;
        let wait = policy
            .backoff_first
            .saturating_mul(factor)
            .min(policy.backoff_max);
        let shortest = wait / 100 * (100 - policy.jitter_percent);
        let longest = (wait / 100 * (100 + policy.jitter_percent)).min(policy.backoff_max);
        let spread = longest.saturating_sub(shortest);
        let spread = u64::try_from(spread.as_micros()).unwrap_or(u64::MAX - 1);
        shortest + Duration::from_micros(self.next() % (spread + 1))
    }

    /// One step of splitmix64.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_one() {
        let policy = ReconnectPolicy {
            jitter_percent: 0,
            ..ReconnectPolicy::default()
        };
        let mut jitter = Jitter::new(1);
        let waits: Vec<u64> = (1..=8)
            .map(|retry| jitter.wait(&policy, retry).as_secs())
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(jitter.wait(&policy, u32::MAX).as_secs(), 60);
    }

    #[test]
    fn a_wait_differs_by_a_fifth_at_most_and_is_never_over_the_longest_one() {
        let policy = ReconnectPolicy::default();
        let (mut shortest, mut longest) = (Duration::MAX, Duration::ZERO);
        for seed in 0..2_000 {
            let mut jitter = Jitter::new(seed);
            let wait = jitter.wait(&policy, 3);
            (shortest, longest) = (shortest.min(wait), longest.max(wait));
            let capped = jitter.wait(&policy, 20);
            assert!(capped >= Duration::from_secs(48), "{capped:?}");
            assert!(capped <= Duration::from_secs(60), "{capped:?}");
        }
        // All of the range is used, and nothing beside it.
        assert!(shortest >= Duration::from_millis(3_200), "{shortest:?}");
        assert!(shortest < Duration::from_millis(3_210), "{shortest:?}");
        assert!(longest <= Duration::from_millis(4_800), "{longest:?}");
        assert!(longest > Duration::from_millis(4_790), "{longest:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_waits() {
        let policy = ReconnectPolicy::default();
        let waits = |seed| {
            let mut jitter = Jitter::new(seed);
            [1, 2, 3].map(|retry| jitter.wait(&policy, retry))
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
    }
}
