//! See the crate's README section; filled in by the first slice.
