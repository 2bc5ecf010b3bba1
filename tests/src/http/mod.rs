//! A server behind a URL, in memory: rules say what it answers, and it writes down what it hears.
//!
//! | module | job |
//! |---|---|
//! | `rule` | rules, read from lines of JSON |
//! | `heard` | the requests, as a test looks at them |
//! | `body` | the body of a reply, played piece by piece |
//! | `server` | which rule answers a request |
//!
//! There are no sockets, so a test that stops the clock plays hours in no time.

mod body;
mod heard;
mod rule;
mod server;

pub use self::heard::{Heard, Stream};
pub use self::rule::Rules;
pub use self::server::{ORIGIN, ScriptedHttp};
