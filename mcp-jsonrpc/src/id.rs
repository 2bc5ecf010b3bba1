//! Identifiers of requests: ours and the peer's, kept apart by type.

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// The identifier of one of our own calls.
///
/// Ids count up from 1 and are never used twice on a connection (RPC-02).
/// Zero is skipped because peers written in languages where it is falsy lose it.
/// They stay far below 2^53, above which JavaScript peers lose digits (T-04).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CallId(u64);

impl CallId {
    /// The call with this number; for transports and tests that carry ids as plain numbers.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number as it stands on the wire.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Appends the number in decimal digits, as cheaply as a hot path wants it.
    pub fn write(self, out: &mut Vec<u8>) {
        crate::encode::write_number(out, self.0);
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The identifier of a request that the peer made, echoed with its own JSON type.
///
/// Spec: RPC-04. `1` and `"1"` are different ids.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RequestId {
    /// An integer.
    Number(i64),
    /// A string, without its quotes and escapes.
    Text(Box<str>),
    /// A number that is no 64-bit integer, such as `1.5`, kept as the peer wrote it.
    Decimal(Box<str>),
}

impl RequestId {
    /// Appends the id as JSON.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(number) => crate::encode::write_display(out, number),
            Self::Text(text) => crate::encode::write_string(out, text),
            Self::Decimal(text) => out.extend_from_slice(text.as_bytes()),
        }
    }
}

impl fmt::Display for RequestId {
    /// Text is shown in quotes, so that `92` and `"92"` look different in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Decimal(text) => text.fmt(f),
        }
    }
}

/// Hashes call ids by one multiplication: the keys are our own counters, so nobody can choose
/// them to collide.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallIdHasher(u64);

pub(crate) type BuildCallIdHasher = BuildHasherDefault<CallIdHasher>;

impl Hasher for CallIdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte) ^ self.0);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
