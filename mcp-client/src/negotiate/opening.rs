//! Opening a session: asks what `probe` wants asked.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Timeouts;
use mcp_transport::{Labels, Step as LinkStep};
use mcp_types::{
    ClientCapabilities, DiscoverResult, Implementation, InitializeParams, InitializeResult, Meta,
    ResultObject, ServerCapabilities, Version, meta, method,
};
use serde::Serialize;

use super::probe::{
    Handshake, Probe, ProbeAnswer, Step, decide_initialized, decide_not_initialized,
};
use crate::call::{Call, Reply, Request, read_typed};
use crate::driver::Shared;
use crate::error::{ExchangeFailureKind, Incompatible};
use crate::ledger::Ledger;
use crate::session::{Era, Session};
use crate::{EraHint, Error};

/// How many times the server is asked anything before a session has to be open.
// Bound: a server that answers every question by another one must not be asked for ever.
const STEPS_MAX: usize = 6;
/// The step that opens the stream of an HTTP+SSE server, as the ledger names it.
pub(crate) const STREAM_STEP: &str = "GET";

/// Who we are and what we can do.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) client: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) hint: EraHint,
    pub(crate) way: Way,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) probe_timeout: Duration,
    pub(crate) timeouts: Timeouts,
}

/// What stands between us and the server, as far as opening a session depends on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// HTTP, with statuses that say what a server is not.
    Http,
    /// A stream of frames, which ends when a server cannot stand the probe.
    Pipe,
    /// HTTP+SSE: posts, and one stream for all that the server says.
    Sse,
}

impl Opening {
    /// A step, as the ledger names it.
    fn step(&self, method: &str, version: &Version) -> String {
        let post = match self.way {
            Way::Http | Way::Sse => "POST ",
            Way::Pipe => "",
        };
        format!("{post}{method} ({version})")
    }

    fn begin(&self, method: &str, version: &Version) {
        self.ledger.begin(self.step(method, version));
    }
}

/// Why no session was opened.
pub(crate) enum OpenFailure {
    /// For good.
    Failed(Error),
    /// What is there may speak the older HTTP+SSE.
    OtherTransport(Error),
    /// The probe made the server go away; started again, it should be opened as a legacy one.
    Respawn(Error),
}

impl OpenFailure {
    pub(crate) fn into_error(self) -> Error {
        let (Self::Failed(error) | Self::OtherTransport(error) | Self::Respawn(error)) = self;
        error
    }
}

impl From<Error> for OpenFailure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Opens a session.
pub(crate) async fn open(shared: &Arc<Shared>, opening: &Opening) -> Result<Session, OpenFailure> {
    let mut probe = Probe::new();
    let mut step = match opening.hint {
        EraHint::Legacy => Step::Initialize(Version::LATEST_LEGACY),
        EraHint::Modern | EraHint::Unknown => Step::Ask(Version::LATEST),
    };
    for _ in 0..STEPS_MAX {
        step = match step {
            Step::Ask(version) => {
                let (answer, error) = discover(shared, opening, &version).await?;
                match probe.decide(&version, answer) {
                    Step::Respawn => return Err(respawn(opening, error)),
                    Step::Initialize(_) if opening.hint == EraHint::Modern => {
                        return Err(not_modern(error).into());
                    }
                    step => step,
                }
            }
            Step::Modern(version, discovered) => {
                return Ok(modern_session(shared, opening, version, *discovered));
            }
            Step::Initialize(version) => match initialize(shared, opening, &version).await {
                Ok(Initialized::Open(session)) => return Ok(*session),
                Ok(Initialized::Next(step)) => step,
                Err(error) if opening.way == Way::Http && is_other_transport(&error) => {
                    return Err(OpenFailure::OtherTransport(error));
                }
                Err(error) => return Err(error.into()),
            },
            Step::Fail(incompatible) => return Err(Error::PeerIncompatible(incompatible).into()),
            Step::Respawn => break,
        };
    }
    let why = "it answers every opening with another demand".to_owned();
    Err(Error::PeerIncompatible(Box::new(Incompatible::NotMcp(why))).into())
}

fn respawn(opening: &Opening, error: Option<Error>) -> OpenFailure {
    let error = error.unwrap_or_else(|| {
        Error::PeerIncompatible(Box::new(Incompatible::NotMcp("it went away".to_owned())))
    });
    match (opening.hint, opening.way) {
        (EraHint::Modern, _) | (_, Way::Http | Way::Sse) => OpenFailure::Failed(error),
        _ => OpenFailure::Respawn(error),
    }
}

fn not_modern(error: Option<Error>) -> Error {
    error.unwrap_or_else(|| {
        Error::PeerIncompatible(Box::new(Incompatible::Version {
            ours: vec![Version::LATEST],
            theirs: Vec::new(),
        }))
    })
}

async fn discover(
    shared: &Arc<Shared>,
    opening: &Opening,
    version: &Version,
) -> Result<(ProbeAnswer, Option<Error>), Error> {
    let request = Request {
        meta: Some(request_meta(opening, version).into()),
        is_cancellable: false,
        labels: Some(Box::new(Labels::default().with_version(version.as_str()))),
        ..Request::new(method::SERVER_DISCOVER, Vec::new())
    };
    // The short time is there for the fallback; where there is none, a slow start is no verdict.
    let timeouts = match (opening.hint, opening.way) {
        (EraHint::Modern, _) | (_, Way::Http | Way::Sse) => opening.timeouts,
        _ => Timeouts::new(opening.probe_timeout, opening.probe_timeout),
    };
    opening.begin(method::SERVER_DISCOVER, version);
    let asked = ask::<DiscoverResult>(shared, timeouts, request).await;
    let verdict = match &asked {
        Ok(reply) => {
            let versions = reply.value.supported_versions.iter();
            let versions: Vec<_> = versions.map(Version::as_str).collect();
            format!("it speaks {}", versions.join(", "))
        }
        Err(error) => error.to_string(),
    };
    note(shared, opening, method::SERVER_DISCOVER, version, verdict);
    let error = match asked {
        Ok(reply) => return Ok((ProbeAnswer::Discovered(Box::new(reply.value)), None)),
        Err(error) => error,
    };
    let answer = match (&error, opening.way) {
        (Error::Answered(error), _) => ProbeAnswer::Refused((**error).clone()),
        (Error::PeerMisbehaved(_), _) => ProbeAnswer::OtherShape,
        (Error::TimedOut(_), Way::Pipe) => ProbeAnswer::Silence,
        (_, Way::Pipe) => ProbeAnswer::Gone,
        // Spec: section 2.3. Outages and missing credentials say nothing about the era.
        (error, _) if is_no_endpoint(error) => ProbeAnswer::OtherShape,
        (_, Way::Http | Way::Sse) => return Err(error),
    };
    Ok((answer, Some(error)))
}

/// Whether an exchange shows that what answered does not know what it was asked.
pub(crate) fn is_no_endpoint(error: &Error) -> bool {
    let Error::Exchange(exchange) = error else {
        return false;
    };
    match exchange.kind {
        ExchangeFailureKind::Status(status) => {
            (400..500).contains(&status) && !matches!(status, 401 | 403 | 407 | 408 | 429)
                || status == 501
        }
        ExchangeFailureKind::Media
        | ExchangeFailureKind::NoAnswer
        | ExchangeFailureKind::NoEndpoint
        | ExchangeFailureKind::OtherTransport => true,
        _ => false,
    }
}

/// Whether what refused `initialize` may speak the older transport.
fn is_other_transport(error: &Error) -> bool {
    is_no_endpoint(error)
        && !matches!(
            error,
            Error::Exchange(exchange)
                if matches!(exchange.kind, ExchangeFailureKind::NoAnswer | ExchangeFailureKind::Media)
        )
}

pub(super) enum Initialized {
    Open(Box<Session>),
    Next(Step),
}

pub(super) async fn initialize(
    shared: &Arc<Shared>,
    opening: &Opening,
    version: &Version,
) -> Result<Initialized, Error> {
    let params = InitializeParams::new(
        version.clone(),
        opening.capabilities.for_version(version),
        opening.client.for_version(version),
    );
    let request = Request {
        is_cancellable: false,
        labels: Some(Box::new(Labels::default().with_step(LinkStep::Opening))),
        ..Request::new(method::INITIALIZE, members_of(&params))
    };
    opening.begin(method::INITIALIZE, version);
    let asked = ask::<InitializeResult>(shared, opening.timeouts, request).await;
    let verdict = match &asked {
        Ok(reply) => format!("it opens {}", reply.value.protocol_version),
        Err(error) => error.to_string(),
    };
    note(shared, opening, method::INITIALIZE, version, verdict);
    let decided = match asked {
        Ok(reply) => match decide_initialized(&reply.value) {
            Handshake::Open(version) => {
                let session = legacy_session(shared, opening, version, reply.value).await?;
                return Ok(Initialized::Open(Box::new(session)));
            }
            other => other,
        },
        Err(Error::Answered(error)) => match decide_not_initialized(&error, version) {
            Some(decided) => decided,
            None => return Err(Error::Answered(error)),
        },
        Err(error) => return Err(error),
    };
    Ok(Initialized::Next(match decided {
        Handshake::Probe(version) => Step::Ask(version),
        Handshake::Again(version) | Handshake::Open(version) => Step::Initialize(version),
        Handshake::Fail(incompatible) => Step::Fail(incompatible),
    }))
}

/// Writes a step into the ledger.
fn note(shared: &Shared, opening: &Opening, method: &str, version: &Version, verdict: String) {
    let head = shared.take_head();
    if opening.way == Way::Sse {
        if !shared.is_ready() {
            // Nothing has been posted.
            return opening.ledger.note(STREAM_STEP, None, verdict);
        }
        let verdict = "it tells where to post".to_owned();
        opening.ledger.note_once(STREAM_STEP, verdict);
    }
    let step = opening.step(method, version);
    opening.ledger.note(step, head.as_ref(), verdict);
}

async fn ask<T: mcp_types::Decode + ResultObject>(
    shared: &Arc<Shared>,
    timeouts: Timeouts,
    request: Request,
) -> Result<Reply<T>, Error> {
    Call::new(Arc::clone(shared), timeouts, request, read_typed::<T>)
        .without_recovery()
        .await
}

async fn legacy_session(
    shared: &Arc<Shared>,
    opening: &Opening,
    version: Version,
    result: InitializeResult,
) -> Result<Session, Error> {
    shared.set_session(Era::Legacy, &version)?;
    if opening.way != Way::Pipe {
        opening.begin(method::NOTIFICATIONS_INITIALIZED, &version);
        shared.confirmed().await?;
    }
    if opening.way == Way::Http && may_speak_first(&result.capabilities, &opening.capabilities) {
        shared.listen();
    }
    Ok(Session {
        era: Era::Legacy,
        version,
        capabilities: result.capabilities,
        server: Some(result.server_info),
        instructions: result.instructions,
        request_meta: None,
        version_label: None,
    })
}

/// Whether a server has anything to say that belongs to no call; if not, a stream for it would
/// only keep a connection open.
fn may_speak_first(theirs: &ServerCapabilities, ours: &ClientCapabilities) -> bool {
    let changes = [
        theirs.tools.as_ref().and_then(|tools| tools.list_changed),
        theirs
            .prompts
            .as_ref()
            .and_then(|prompts| prompts.list_changed),
        theirs
            .resources
            .as_ref()
            .and_then(|resources| resources.list_changed),
        theirs
            .resources
            .as_ref()
            .and_then(|resources| resources.subscribe),
    ];
    let may_ask = ours.sampling.is_some() || ours.elicitation.is_some() || ours.roots.is_some();
    changes.contains(&Some(true)) || theirs.logging.is_some() || theirs.tasks.is_some() || may_ask
}

fn modern_session(
    shared: &Arc<Shared>,
    opening: &Opening,
    version: Version,
    discovered: DiscoverResult,
) -> Session {
    // A connection that is gone tells so by its first call.
    let _: Result<(), Error> = shared.set_session(Era::Modern, &version);
    Session {
        era: Era::Modern,
        request_meta: Some(request_meta(opening, &version).into()),
        version_label: Some(version.as_str().into()),
        version,
        server: discovered.server_info(),
        capabilities: discovered.capabilities,
        instructions: discovered.instructions,
    }
}

/// What every modern request says about itself in `_meta` (LIFE-11, LIFE-12), as members.
fn request_meta(opening: &Opening, version: &Version) -> String {
    let meta = Meta::new()
        .with(meta::PROTOCOL_VERSION, version.as_str())
        .with(meta::CLIENT_INFO, &opening.client)
        .with(
            meta::CLIENT_CAPABILITIES,
            &opening.capabilities.for_version(version),
        );
    String::from_utf8(members_of(&meta)).unwrap_or_default()
}

/// The members of an object, without its braces.
pub(crate) fn members_of<T: Serialize>(params: &T) -> Vec<u8> {
    let json = serde_json::to_vec(params).unwrap_or_default();
    let inner = json
        .strip_prefix(b"{")
        .and_then(|json| json.strip_suffix(b"}"));
    inner.unwrap_or_default().to_vec()
}
