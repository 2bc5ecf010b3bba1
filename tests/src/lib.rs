//! The test kit: servers that do what a script says, and properties of the crates below.
//!
//! | module | what it is |
//! |---|---|
//! | [`step`], [`play`], [`record`] | scripts, the process `fake-server` that plays them, what it wrote down |
//! | [`stage`] | such a process, from a test's side |
//! | [`http`] | a server behind a URL, in memory, led by rules |
//! | [`transcript`] | script, actions and checks in one file |
//! | [`script`] | a server in memory, led by the test step by step |
//! | [`fault`] | faults between such a server and the client |
//! | [`props`] | properties as functions of bytes, for proptest and for fuzzers |
//! | [`conformance`] | the client that the official conformance suite judges |

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "the kit is used by the tests of this workspace alone"
)]
#![expect(
    clippy::missing_panics_doc,
    reason = "a panic is how the kit says that a test has failed"
)]

pub mod conformance;
pub mod fault;
pub mod http;
pub mod play;
pub mod props;
pub mod record;
pub mod script;
pub mod stage;
pub mod step;
pub mod transcript;
