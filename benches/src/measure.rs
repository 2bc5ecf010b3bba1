//! What a single measurement is: how much of it, and what it costs.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub enum Amount {
    /// After a warm-up, for this long.
    Time(Duration),
    /// Exactly this many calls, the opening of the session included in the cost: for counting by
    /// differences.
    Calls(u64),
}

/// A loop that makes calls as long as it should.
#[derive(Debug)]
pub struct Meter {
    amount: Amount,
    calls: u64,
    warm: bool,
    started: Instant,
    cpu_started: Duration,
    calls_started: u64,
}

/// Long enough for a thousand connections to open.
const WARM_UP: Duration = Duration::from_millis(250);

impl Meter {
    pub fn start(amount: Amount) -> Self {
        let warm = matches!(amount, Amount::Calls(_));
        Self {
            amount,
            calls: 0,
            warm,
            started: Instant::now(),
            cpu_started: cpu(amount),
            calls_started: 0,
        }
    }

    /// Counts calls that were made; returns whether to go on.
    pub fn goes_on(&mut self, made: u64) -> bool {
        self.calls += made;
        match self.amount {
            Amount::Calls(calls) => self.calls < calls,
            // Looking at the clock costs little beside a call.
            Amount::Time(time) => {
                if !self.warm && self.started.elapsed() >= WARM_UP {
                    self.warm = true;
                    self.started = Instant::now();
                    self.cpu_started = cpu(self.amount);
                    self.calls_started = self.calls;
                }
                !self.warm || self.started.elapsed() < time
            }
        }
    }

    /// Prints what it cost as one line of JSON.
    pub fn report(&self) {
        let calls = (self.calls - self.calls_started).max(1) as f64;
        let cpu = (cpu(self.amount) - self.cpu_started).as_secs_f64() * 1e6 / calls;
        let wall = self.started.elapsed().as_secs_f64() * 1e6 / calls;
        println!("{{\"calls\":{calls},\"cpu_us\":{cpu:.4},\"wall_us\":{wall:.4}}}");
    }
}

/// The processor time of this process so far; nothing where instructions are counted, since
/// valgrind cannot run the clock's code.
fn cpu(amount: Amount) -> Duration {
    if matches!(amount, Amount::Calls(_)) {
        return Duration::ZERO;
    }
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
