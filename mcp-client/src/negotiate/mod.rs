//! Which era and which revision a server speaks, found out once per connection.
//!
//! `probe` decides and does nothing else; `opening` asks and obeys.

mod opening;
mod probe;

pub(crate) use self::opening::{OpenFailure, Opening, members_of, open};
