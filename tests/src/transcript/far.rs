//! What the client of a transcript talks to: a process, or a server behind a URL.

use mcp_client::{Client, Error, HttpServer};
use mcp_transport::stdio;

use super::options::Options;
use crate::http::ScriptedHttp;
use crate::record::Record;
use crate::stage::Stage;

/// The other side.
#[derive(Clone, Copy, Debug)]
pub(super) enum Far<'a> {
    Http(&'a ScriptedHttp),
    Process(&'a Stage),
}

impl Far<'_> {
    pub(super) async fn connect(self, options: &Options) -> Result<Client, Error> {
        let (builder, limits) = (options.builder(), options.limits());
        match self {
            Self::Http(server) => {
                let target = options.target(server);
                let server = HttpServer::new(server.backend(), target).with_limits(limits);
                builder.connect_http(server).await
            }
            Self::Process(stage) => {
                let command = stage.command().grace(options.grace());
                let start = || stdio::spawn(command.clone(), limits).map_err(Error::from);
                builder.connect_with(start).await
            }
        }
    }

    pub(super) fn is_finished(self) -> bool {
        match self {
            Self::Http(_) => true,
            Self::Process(stage) => stage.record().is_finished(),
        }
    }

    pub(super) fn processes(self) -> Vec<String> {
        match self {
            Self::Http(_) => Vec::new(),
            Self::Process(stage) => stage.processes(),
        }
    }

    pub(super) fn record(self) -> Record {
        match self {
            Self::Http(server) => server.record(),
            Self::Process(stage) => stage.record(),
        }
    }

    pub(super) fn seen(self, kind: &str) -> usize {
        match self {
            Self::Http(server) => server.count(kind),
            Self::Process(stage) => stage.record().of(kind).len(),
        }
    }
}
