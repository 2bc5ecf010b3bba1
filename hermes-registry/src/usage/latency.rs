//! How long calls take: a histogram whose size does not depend on how many there were.
//!
//! A time is counted in microseconds. Below 8 µs each has a counter of its own; above, each doubling
//! is divided into 8 parts of the same width, and a part is told by its middle. So what is told is
//! off by a sixteenth at most, 6.25 percent.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Parts of each doubling, as a power of two.
const PART_BITS: u32 = 3;
const PARTS: u64 = 1 << PART_BITS;

/// The doubling in which a day lies, the longest time that a call can be given.
const DOUBLING_MAX: u32 = 36;

/// Counters of a histogram.
// Bound: memory; a kilobyte for each tool that is counted by itself.
const LEN: usize = 280;

/// A histogram of times.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    counters: Box<[u32; LEN]>,
    count: u64,
    max: Duration,
}

/// How long calls took.
///
/// The percentiles are off by 6.25 percent at most, and none is larger than `max`, which is exact.
/// As JSON each is a number of seconds.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Latency {
    /// How many calls were measured.
    pub count: u64,
    /// Half of them took no longer.
    #[serde(rename = "p50_seconds", serialize_with = "seconds")]
    pub p50: Duration,
    /// Nine of ten took no longer.
    #[serde(rename = "p90_seconds", serialize_with = "seconds")]
    pub p90: Duration,
    /// Ninety-nine of a hundred took no longer.
    #[serde(rename = "p99_seconds", serialize_with = "seconds")]
    pub p99: Duration,
    /// The longest.
    #[serde(rename = "max_seconds", serialize_with = "seconds")]
    pub max: Duration,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counters: Box::new([0; LEN]),
            count: 0,
            max: Duration::ZERO,
        }
    }
}

impl Histogram {
    pub(super) fn note(&mut self, time: Duration) {
        if let Some(counter) = self.counters.get_mut(place(time)) {
            *counter = counter.saturating_add(1);
        }
        self.count += 1;
        self.max = self.max.max(time);
    }

    /// What is known; `None` if nothing was measured.
    pub(super) fn summary(&self) -> Option<Latency> {
        (self.count > 0).then(|| Latency {
            count: self.count,
            p50: self.percentile(50),
            p90: self.percentile(90),
            p99: self.percentile(99),
            max: self.max,
        })
    }

    fn percentile(&self, percent: u64) -> Duration {
        let counted: u64 = self.counters.iter().copied().map(u64::from).sum();
        let rank = (counted.saturating_mul(percent)).div_ceil(100);
        let mut below = 0;
        for (place, counter) in self.counters.iter().enumerate() {
            below += u64::from(*counter);
            if below >= rank {
                return middle(place).min(self.max);
            }
        }
        self.max
    }
}

/// The counter of a time.
fn place(time: Duration) -> usize {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let place = match micros.checked_ilog2() {
        None | Some(..PART_BITS) => micros,
        Some(doubling) => {
            let shift = doubling - PART_BITS;
            let part = (micros >> shift) & (PARTS - 1);
            u64::from(shift + 1) * PARTS + part
        }
    };
    // What takes longer than a day is counted with what takes a day.
    usize::try_from(place).map_or(LEN - 1, |place| place.min(LEN - 1))
}

/// The middle of the times that a counter counts.
fn middle(place: usize) -> Duration {
    let place = u64::try_from(place).unwrap_or(u64::MAX);
    let micros = match (place / PARTS).checked_sub(1) {
        None => place,
        Some(shift) => {
            let shift = shift.min(u64::from(DOUBLING_MAX));
            let first = (PARTS + place % PARTS) << shift;
            return Duration::from_micros(first) + Duration::from_nanos(500 << shift);
        }
    };
    Duration::from_micros(micros)
}

/// A time as a number of seconds, to the microsecond.
pub(crate) fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(as_seconds(*time))
}

/// The number that is nearest to so many whole microseconds, so that no more digits are written.
pub(crate) fn as_seconds(time: Duration) -> f64 {
    // More than a hundred years are a hundred years.
    let whole = u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    (f64::from(whole) * 1e6 + f64::from(time.subsec_micros())) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_told_within_a_sixteenth() {
        let day = 86_400_000_000_u64;
        let steps = std::iter::successors(Some(1_u64), |micros| Some(micros + micros / 11 + 1));
        for micros in steps.take_while(|micros| *micros <= day).chain([day]) {
            let told = middle(place(Duration::from_micros(micros)));
            let told = u64::try_from(told.as_nanos()).unwrap();
            let off = told.abs_diff(micros * 1_000);
            assert!(off * 16 <= micros * 1_000, "{micros} µs as {told} ns");
        }
        assert!(place(Duration::from_micros(day)) < LEN);
        assert_eq!(place(Duration::MAX), LEN - 1);
    }

    #[test]
    fn a_place_never_gets_smaller_as_times_get_longer() {
        let places = (0..5_000).map(|micros| place(Duration::from_micros(micros)));
        let places: Vec<_> = places.collect();
        assert!(places.is_sorted());
        assert_eq!(places[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn percentiles_are_the_times_that_so_many_calls_stay_within() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.summary(), None);
        for millis in 1..=100 {
            histogram.note(Duration::from_millis(millis));
        }
        let told = histogram.summary().unwrap();
        for (told, millis) in [(told.p50, 50_u64), (told.p90, 90), (told.p99, 99)] {
            let off = u64::try_from(told.as_micros())
                .unwrap()
                .abs_diff(millis * 1_000);
            assert!(off <= millis * 1_000 / 16, "{told:?} for {millis} ms");
        }
        assert_eq!((told.count, told.max), (100, Duration::from_millis(100)));
    }

    #[test]
    fn no_percentile_is_longer_than_the_longest_call() {
        let mut histogram = Histogram::default();
        histogram.note(Duration::from_micros(1_024));
        let told = histogram.summary().unwrap();
        assert_eq!((told.p50, told.p99), (told.max, told.max));
    }
}
