//! What a number may be: the least, the most, and whether it can be turned off.
//!
//! The reader, the published schema and the reference take their bounds from the same values.

use std::time::Duration;

/// What a time may be, written in seconds; fractions are allowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Seconds {
    /// Zero stands for anything above zero.
    pub(super) min: Duration,
    pub(super) max: Duration,
    /// Whether 0 and `off` are values too.
    pub(super) has_off: bool,
}

impl Seconds {
    /// Anything above zero, up to this.
    pub(super) const fn up_to(max: Duration) -> Self {
        Self::between(Duration::ZERO, max)
    }

    pub(super) const fn between(min: Duration, max: Duration) -> Self {
        Self {
            min,
            max,
            has_off: false,
        }
    }

    pub(super) const fn or_off(self) -> Self {
        Self {
            has_off: true,
            ..self
        }
    }

    /// Whether it may be this; zero is off.
    pub(super) fn takes(&self, time: Duration) -> bool {
        if time.is_zero() {
            self.has_off
        } else {
            (self.min..=self.max).contains(&time)
        }
    }

    /// What is allowed, for an error: it follows `must be`.
    pub(super) fn allowed(&self) -> String {
        let off = if self.has_off { "0 or off, or " } else { "" };
        let max = self.max.as_secs_f64();
        if self.min.is_zero() {
            format!("{off}a number of seconds above 0 and at most {max}")
        } else {
            let min = self.min.as_secs_f64();
            format!("{off}a number of seconds from {min} to {max}")
        }
    }
}

/// What a whole number may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Count {
    pub(super) min: u32,
    pub(super) max: u32,
}

impl Count {
    pub(super) const fn between(min: u32, max: u32) -> Self {
        Self { min, max }
    }

    pub(super) fn takes(&self, number: u32) -> bool {
        (self.min..=self.max).contains(&number)
    }

    /// What is allowed, for an error: it follows `must be`.
    pub(super) fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.min, self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_a_range_and_zero_is_off() {
        let secs = Duration::from_secs;
        let range = Seconds::between(secs(5), secs(60));
        for (time, expected) in [
            (secs(5), true),
            (secs(60), true),
            (Duration::from_millis(4_999), false),
            (Duration::from_millis(60_001), false),
            (Duration::ZERO, false),
        ] {
            assert_eq!(range.takes(time), expected, "{time:?}");
        }
        assert!(range.or_off().takes(Duration::ZERO));
        assert!(!Seconds::up_to(secs(60)).takes(Duration::ZERO));
        assert!(Seconds::up_to(secs(60)).takes(Duration::from_nanos(1)));
        let count = Count::between(1, 3);
        assert_eq!(
            [0, 1, 3, 4].map(|n| count.takes(n)),
            [false, true, true, false]
        );
    }
}
