//! MCP over HTTP.
//!
//! | module | job |
//! |---|---|
//! | `backend`, `failure` | the seam below which HTTP itself is done |
//! | `net` | the backend that ships, over hyper and rustls |
//! | `target`, `authorizer` | where the server is, and who has its credentials |
//! | `session`, `value` | what the protocol wants in headers |
//! | `redirect`, `resume` | decisions: where to go, when to try again |
//! | `sender`, `body`, `refusal` | one request out, one body in, what a refusal says |
//! | `exchange`, `listen`, `wire` | one exchange; the stream that belongs to none; what they share |
//! | `shell` | what a link has under way |
//! | `streamable` | Streamable HTTP as a [`crate::Link`] |
//! | `legacy` | the older HTTP+SSE as a [`crate::Link`] |

mod authorizer;
mod backend;
mod body;
mod exchange;
mod failure;
mod legacy;
mod listen;
mod net;
mod redirect;
mod refusal;
mod resume;
mod sender;
mod session;
mod shell;
mod streamable;
mod target;
mod value;
mod wire;

pub use self::authorizer::{Authorizer, Denied};
pub use self::backend::{Backend, Body};
pub use self::failure::{Failure, FailureKind};
pub use self::legacy::legacy_sse;
pub use self::net::{HttpOptions, HyperBackend, Proxy};
pub use self::streamable::streamable;
pub use self::target::{Target, TargetError};
pub use self::value::header_value;
