//! The bounds of one peer, each with its default and its reason.

/// How much a peer may hold and how much misbehaviour it survives.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Calls in flight; one more is refused before it is sent. Default 1,024: memory.
    pub calls_in_flight_max: usize,
    /// Requests of the peer that wait for our answer; one more is answered with an error at once.
    /// Default 64: each may run a handler.
    pub asks_in_flight_max: usize,
    /// Arrays and objects inside each other in one frame. Default and highest value 128: the
    /// stack of whoever decodes the frame.
    pub depth_max: usize,
    /// Misbehaving frames in a row, with no good one between, after which the connection is not
    /// worth keeping. Default 1,000.
    pub misbehavior_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls_in_flight_max: 1_024,
            asks_in_flight_max: 64,
            depth_max: crate::scan::DEPTH_MAX,
            misbehavior_max: 1_000,
        }
    }
}
