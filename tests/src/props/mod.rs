//! Properties as plain functions of bytes: what proptest and fuzzers call.
//!
//! Each function panics if its property does not hold, and says why.

mod ends;
mod frames;
mod http;
mod peer_ops;
mod sse;

pub use ends::all_calls_end;
pub use frames::{config, decode, encode_decode, lines, typed};
pub use http::{header_values, http_head};
pub use peer_ops::peer_ops;
pub use sse::sse;

/// Bytes as a source of choices; zeros once they are used up.
#[derive(Debug)]
struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, bound: u8) -> u8 {
        self.byte() % bound
    }

    /// As many bytes as the next one says, or as there are.
    fn bytes(&mut self) -> &'a [u8] {
        let len = usize::from(self.byte()).min(self.0.len());
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}
