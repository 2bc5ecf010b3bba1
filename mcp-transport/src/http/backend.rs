//! The seam below which HTTP itself is done: one request out, one response in.
//!
//! Everything that MCP says about HTTP stands above it, so tests script it without sockets, and an
//! application can bring a client of its own.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;

use super::Failure;

/// The body of a response, read piece by piece, content codings already undone.
pub type Body = UnsyncBoxBody<Bytes, Failure>;

/// Which proxy a response came through, among the extensions of one that is no success: the proxy
/// may be the one who refused.
#[derive(Clone, Debug)]
pub(super) struct Via(pub(super) String);

/// Sends HTTP requests.
///
/// Shared by all connections of a process, so that they share connection pools and TLS
/// configurations.
#[async_trait]
pub trait Backend: fmt::Debug + Send + Sync {
    /// Sends one request and waits for the head of its response, whatever its status.
    ///
    /// Redirects are not followed and nothing is sent twice, unless not one byte of it had left.
    /// There is no total timeout: a reply may stream for hours. Connecting is bounded.
    ///
    /// # Errors
    ///
    /// Why there is no response, and whether the request may have arrived.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future, or the body of the response, gives the exchange up: its connection is
    /// closed (HTTP/1.1) or its stream is reset (HTTP/2).
    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, Failure>;
}
