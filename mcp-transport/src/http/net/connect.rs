//! Opens one connection, as the pool asks for it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tower_service::Service;

use super::HttpOptions;
use super::dial::dial;
use super::explain::{self, MAYBE_PLAIN};
use super::place::{Place, bare};
use super::proxy::{Hop, Rules, Speaks};
use super::stream::{Ready, Stream};
use super::tls::{Tls, misused};
use super::tunnel;
use crate::http::{Failure, FailureKind};

/// What is said of a URL that leads nowhere.
pub(super) const NO_PLACE: &str = "the url has to begin with http:// or https:// and name a host";

/// As good as no limit, and not so long that the clock runs over.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Opens connections as the options say.
#[derive(Clone, Debug)]
pub(super) struct Connector(Arc<Ways>);

#[derive(Debug)]
struct Ways {
    rules: Rules,
    tls: Arc<Tls>,
    connect_timeout: Duration,
}

impl Connector {
    pub(super) fn new(options: &HttpOptions) -> Result<Self, Failure> {
        Ok(Self(Arc::new(Ways {
            rules: options.rules()?,
            tls: Tls::new(options)?,
            connect_timeout: options.connect_timeout,
        })))
    }

    /// The proxy that takes whole requests for a place, and so has to be told who we are in each.
    pub(super) fn takes_whole(&self, place: &Place) -> Result<Option<&Hop>, Failure> {
        if place.is_https {
            return Ok(None);
        }
        let hop = self.0.rules.hop(place)?;
        Ok(hop.filter(|hop| hop.takes_whole_requests()))
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Ready>;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failure>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let ways = Arc::clone(&self.0);
        Box::pin(async move {
            let place = Place::of(&uri).ok_or_else(|| misused(NO_PLACE))?;
            ways.open(&place).await.map(TokioIo::new)
        })
    }
}

impl Ways {
    async fn open(&self, place: &Place) -> Result<Ready, Failure> {
        let deadline = Deadline::start(self.connect_timeout);
        let hop = self.rules.hop(place)?;
        let stream = match hop {
            None => {
                let dialling = dial(place.host(), place.port);
                let missing = || format!("connection to {place}");
                let kind = FailureKind::ConnectTimeout;
                Stream::Plain(deadline.hold(kind, missing, dialling).await?)
            }
            Some(hop) => {
                let through = self.through(hop, place);
                let missing = || format!("way through the proxy {hop} to {place}");
                deadline.hold(FailureKind::Proxy, missing, through).await?
            }
        };
        let stream = if place.is_https {
            let shaking = async {
                let config = &self.tls.configs().await?.server;
                tls(stream, config, place.host(), place.port).await
            };
            let missing = || format!("handshake of TLS with {place}; {MAYBE_PLAIN}");
            let kind = FailureKind::ConnectTimeout;
            deadline.hold(kind, missing, shaking).await?
        } else {
            stream
        };
        let is_proxied = !place.is_https && hop.is_some_and(Hop::takes_whole_requests);
        Ok(Ready { stream, is_proxied })
    }

    /// A stream that leads to `place`, or to the proxy itself if it takes whole requests.
    async fn through(&self, hop: &Hop, place: &Place) -> Result<Stream, Failure> {
        let socket = dial(&hop.host, hop.port).await.map_err(|failure| {
            let detail = format!("the proxy {hop} cannot be reached: {failure}");
            Failure::unsent(FailureKind::Proxy, detail)
        })?;
        let mut stream = Stream::Plain(socket);
        if hop.speaks == Speaks::Https {
            let config = &self.tls.configs().await?.proxy;
            stream = tls(stream, config, &hop.host, hop.port).await?;
        }
        if place.is_https || !hop.takes_whole_requests() {
            tunnel::open(&mut stream, hop, place).await?;
        }
        Ok(stream)
    }
}

async fn tls(
    stream: Stream,
    config: &Arc<ClientConfig>,
    host: &str,
    port: u16,
) -> Result<Stream, Failure> {
    let name = ServerName::try_from(bare(host).to_owned())
        .map_err(|_invalid| misused(format!("{host} is no name that a certificate can be for")))?;
    let connector = TlsConnector::from(Arc::clone(config));
    match connector.connect(name, stream).await {
        Ok(stream) => Ok(Stream::Tls(Box::new(stream))),
        Err(error) => Err(explain::handshake(&error, host, port)),
    }
}

/// When a connection has to be open.
struct Deadline {
    at: Instant,
    within: Duration,
}

impl Deadline {
    fn start(within: Duration) -> Self {
        Self {
            at: Instant::now() + within.min(LONGEST),
            within,
        }
    }

    /// Gives a part of connecting up when the time for the whole is over.
    async fn hold<T>(
        &self,
        kind: FailureKind,
        missing: impl FnOnce() -> String,
        future: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        timeout_at(self.at, future)
            .await
            .unwrap_or_else(|_elapsed| {
                let detail = format!("within {:?} there was no {}", self.within, missing());
                Err(Failure::unsent(kind, detail))
            })
    }
}
