//! See the crate's README section; filled in by the first slice.

pub mod process;
pub mod redact;
