//! Which era and which revision a server speaks, found out once per connection.
//!
//! `probe` decides and does nothing else; `opening` asks and obeys.

mod opening;
mod probe;
mod reopen;

pub(crate) use self::opening::{
    OpenFailure, Opening, STREAM_STEP, Way, is_no_endpoint, members_of, open,
};
pub(crate) use self::reopen::Sessions;
