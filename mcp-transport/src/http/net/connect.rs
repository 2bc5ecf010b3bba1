//! Opens one connection, as the pool asks for it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use tower_service::Service;

use super::HttpOptions;
use super::dial::dial;
use super::place::Place;
use super::stream::{Ready, Stream};
use crate::http::{Failure, FailureKind};

/// Opens connections as the options say.
#[derive(Clone, Debug)]
pub(super) struct Connector(Arc<Ways>);

#[derive(Debug)]
struct Ways {
    connect_timeout: Duration,
}

impl Connector {
    pub(super) fn new(options: &HttpOptions) -> Result<Self, Failure> {
        Ok(Self(Arc::new(Ways {
            connect_timeout: options.connect_timeout,
        })))
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
        Box::pin(async move { ways.connect(&uri).await.map(TokioIo::new) })
    }
}

impl Ways {
    async fn connect(&self, uri: &Uri) -> Result<Ready, Failure> {
        let Some(place) = Place::of(uri) else {
            let detail = "the url has to begin with http:// or https:// and name a host";
            return Err(Failure::unsent(FailureKind::Misused, detail));
        };
        let opened = timeout(self.connect_timeout, self.open(&place)).await;
        opened.unwrap_or_else(|_elapsed| {
            let detail = format!(
                "there was no connection to {place} within {:?}",
                self.connect_timeout
            );
            Err(Failure::unsent(FailureKind::ConnectTimeout, detail))
        })
    }

    async fn open(&self, place: &Place) -> Result<Ready, Failure> {
        if place.is_https {
            let detail = "https is not there yet";
            return Err(Failure::unsent(FailureKind::Misused, detail));
        }
        let socket = dial(place.host(), place.port).await?;
        Ok(Ready {
            stream: Stream::Plain(socket),
            is_proxied: false,
        })
    }
}
