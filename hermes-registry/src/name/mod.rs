//! Names of servers, and the public names of their tools.
//!
//! A public name is `mcp_{server}_{tool}` in which every character outside `[A-Za-z0-9_]` is `_`,
//! and has at most 64 characters, as model APIs demand.
//! Many pairs of server and tool would share such a name; these rules keep them apart:
//!
//! - A pair has its *natural* name if that fits, does not look like a hashed one, belongs to no
//!   other server, and no other tool of this server would have it too.
//!   A name belongs to the configured server whose prefix is the longest that it begins with; when
//!   two servers have the same prefix (`a-b` and `a_b`), to neither.
//! - Every other pair has its *hashed* name: the natural one, cut to 55 characters, then `_` and
//!   the first 8 hexadecimal digits of SHA-256 over the server's name, a zero byte and the tool's
//!   name, both as they are. Should two such names be equal, all of these pairs take 16 digits.
//!
//! So names depend on the set of configured servers and on the tools of the same server, never on
//! an order, and never on which other servers happen to be reachable: a server that is away cannot
//! lose its tools' names to another one.
//! When a tool joins its own server and collides there (`a.b`, then `a_b`), the natural name is
//! given up by both; a call of the old name then finds nothing, rather than the wrong tool.
//!
//! Calls are routed by looking the name up; a public name is never taken apart.

mod part;
mod table;

#[cfg(test)]
mod tests;

pub use part::{
    InvalidServerName, PUBLIC_NAME_LEN_MAX, PublicName, SERVER_NAME_LEN_MAX, ServerName,
};
pub(crate) use table::looks_hashed;
pub use table::{NameTable, Naming, Route};
