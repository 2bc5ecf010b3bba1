//! The backend that ships: HTTP/1.1 and HTTP/2 over hyper, TLS over rustls.
//!
//! | module | job |
//! |---|---|
//! | `options` | what can be set, with its defaults |
//! | `connect` | one connection, from name to TLS |
//! | `dial`, `place` | names to addresses to sockets; how a host and a port are written |
//! | `stream` | what a connection runs over |
//! | `explain` | errors of the libraries as failures, by type |
//! | `tasks` | where the tasks of connections are started |
//!
//! It knows nothing of MCP; redirects, sessions and logins are decided above it.

mod connect;
mod dial;
mod explain;
mod options;
mod place;
mod stream;
mod tasks;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioTimer;

pub use self::options::{HttpOptions, Proxy};

use self::connect::Connector;
use self::place::Place;
use self::tasks::Tasks;
use super::{Backend, Body, Failure, FailureKind};

/// How often a peer that owes an answer over HTTP/2 is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// How long it may take to say so.
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends requests over pools of connections, one pool for each origin.
///
/// Cloning is cheap and shares the pools, so one value serves all servers of a process that want
/// the same [`HttpOptions`].
#[derive(Clone)]
pub struct HyperBackend {
    client: Client<Connector, Full<Bytes>>,
    options: Arc<HttpOptions>,
}

impl HyperBackend {
    /// A backend without connections yet; it opens them as requests need them.
    ///
    /// Reads the files that `options` names, which blocks for as long as that takes, and the
    /// environment if the proxy comes from there; neither is read again.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Misused`] if a file cannot be read or used, or the URL of the proxy cannot.
    pub fn new(options: HttpOptions) -> Result<Self, Failure> {
        let connector = Connector::new(&options)?;
        let mut builder = Client::builder(Tasks);
        builder
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(options.pool_idle_timeout)
            .pool_max_idle_per_host(options.idle_max)
            // What never left is sent again over another connection, and nothing else.
            .retry_canceled_requests(true)
            .http2_keep_alive_interval(PING_INTERVAL)
            .http2_keep_alive_timeout(PING_TIMEOUT);
        Ok(Self {
            client: builder.build(connector),
            options: Arc::new(options),
        })
    }
}

#[async_trait]
impl Backend for HyperBackend {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Body>, Failure> {
        let Some(place) = Place::of(request.uri()) else {
            let detail = "the url has to begin with http:// or https:// and name a host";
            return Err(Failure::unsent(FailureKind::Misused, detail));
        };
        match self.client.request(request.map(Full::new)).await {
            Ok(response) => Ok(response.map(|body| {
                let explain = move |error: hyper::Error| explain::broken_body(&error, &place);
                Body::new(body.map_err(explain))
            })),
            Err(error) => Err(explain::no_response(&error, &place)),
        }
    }
}

impl fmt::Debug for HyperBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperBackend")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
