//! The backend that ships: HTTP/1.1 and HTTP/2 over hyper, TLS over rustls.
//!
//! | module | job |
//! |---|---|
//! | `options` | what can be set, with its defaults |
//! | `proxy`, `exempt` | decisions: which proxy, and for whom none |
//! | `connect` | one connection, from name to TLS |
//! | `dial`, `place` | names to addresses to sockets; how a host and a port are written |
//! | `tunnel` | the way through a proxy |
//! | `tls`, `trust` | files and configurations of TLS; which certificates are believed |
//! | `stream` | what a connection runs over |
//! | `coding` | undoes the content codings of replies |
//! | `explain` | errors of the libraries as failures, by type |
//! | `tasks` | where the tasks of connections are started |
//!
//! It knows nothing of MCP; redirects, sessions and logins are decided above it.

mod coding;
mod connect;
mod dial;
mod exempt;
mod explain;
mod options;
mod place;
mod proxy;
mod stream;
mod tasks;
mod tls;
mod trust;
mod tunnel;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{self, Entry};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioTimer;

pub use self::options::{HttpOptions, Proxy};

use self::connect::Connector;
use self::place::Place;
use self::tasks::Tasks;
use super::backend::Via;
use super::{Backend, Body, Failure};

/// How often a peer that owes an answer over HTTP/2 is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// How long it may take to say so.
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends requests over pools of connections, one pool for each origin.
///
/// Cloning is cheap and shares the pools, so one value serves all servers of a process that want
/// the same [`HttpOptions`]. A connection is driven on the runtime that it was opened on and ends
/// with it at the latest; idle ones end with the last clone.
#[derive(Clone)]
pub struct HyperBackend {
    client: Client<Connector, Full<Bytes>>,
    connector: Connector,
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
    /// [`super::FailureKind::Misused`] if a file cannot be read or used, or the URL of the proxy cannot.
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
            client: builder.build(connector.clone()),
            connector,
            options: Arc::new(options),
        })
    }
}

#[async_trait]
impl Backend for HyperBackend {
    async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Body>, Failure> {
        let Some(place) = Place::of(request.uri()) else {
            return Err(tls::misused(connect::NO_PLACE));
        };
        let hop = self.connector.takes_whole(&place)?;
        if let Some(login) = hop.and_then(|hop| hop.login.as_ref()) {
            let headers = request.headers_mut();
            headers.insert(header::PROXY_AUTHORIZATION, login.basic.clone());
        }
        if let Entry::Vacant(entry) = request.headers_mut().entry(header::ACCEPT_ENCODING) {
            entry.insert(coding::ACCEPTED);
        }
        match self.client.request(request.map(Full::new)).await {
            Ok(mut response) => match hop {
                Some(hop) if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                    Err(tunnel::login_wanted(hop))
                }
                Some(hop) if !response.status().is_success() => {
                    response.extensions_mut().insert(Via(hop.to_string()));
                    coding::undo(response, place)
                }
                _ => coding::undo(response, place),
            },
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
