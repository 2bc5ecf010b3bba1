//! Opening a session: asks what `probe` wants asked.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Timeouts;
use mcp_types::{
    ClientCapabilities, DiscoverResult, Implementation, InitializeParams, InitializeResult, Meta,
    ResultObject, Version, meta, method,
};
use serde::Serialize;

use super::probe::{
    Handshake, Probe, ProbeAnswer, Step, decide_initialized, decide_not_initialized,
};
use crate::call::{Call, Reply, Request, read_typed};
use crate::driver::Shared;
use crate::error::Incompatible;
use crate::session::{Era, Session};
use crate::{EraHint, Error};

/// How many times the server is asked anything before a session has to be open.
// Bound: a server that answers every question by another one must not be asked for ever.
const STEPS_MAX: usize = 6;

/// Who we are and what we can do.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) client: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) hint: EraHint,
    pub(crate) probe_timeout: Duration,
    pub(crate) timeouts: Timeouts,
}

/// Why no session was opened.
pub(crate) enum OpenFailure {
    /// For good.
    Failed(Error),
    /// The probe made the server go away; started again, it should be opened as a legacy one.
    Respawn(Error),
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
                let (answer, error) = discover(shared, opening, &version).await;
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
            Step::Initialize(version) => match initialize(shared, opening, &version).await? {
                Initialized::Open(session) => return Ok(*session),
                Initialized::Next(step) => step,
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
    match opening.hint {
        EraHint::Modern => OpenFailure::Failed(error),
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
) -> (ProbeAnswer, Option<Error>) {
    let request = Request {
        method: method::SERVER_DISCOVER.into(),
        members: Vec::new(),
        meta: request_meta(opening, version).into(),
        wants_progress: false,
        is_cancellable: false,
        name: None,
    };
    // The short time is there for the fallback; where there is none, a slow start is no verdict.
    let timeouts = match opening.hint {
        EraHint::Modern => opening.timeouts,
        _ => Timeouts::new(opening.probe_timeout, opening.probe_timeout),
    };
    match ask::<DiscoverResult>(shared, timeouts, request).await {
        Ok(reply) => (ProbeAnswer::Discovered(Box::new(reply.value)), None),
        Err(error) => {
            let answer = match &error {
                Error::Answered(error) => ProbeAnswer::Refused((**error).clone()),
                Error::TimedOut(_) => ProbeAnswer::Silence,
                Error::PeerMisbehaved(_) => ProbeAnswer::OtherShape,
                _ => ProbeAnswer::Gone,
            };
            (answer, Some(error))
        }
    }
}

enum Initialized {
    Open(Box<Session>),
    Next(Step),
}

async fn initialize(
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
        method: method::INITIALIZE.into(),
        members: members_of(&params),
        meta: "".into(),
        wants_progress: false,
        is_cancellable: false,
        name: None,
    };
    let decided = match ask::<InitializeResult>(shared, opening.timeouts, request).await {
        Ok(reply) => match decide_initialized(&reply.value) {
            Handshake::Open(version) => {
                let session = legacy_session(shared, version, reply.value)?;
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

async fn ask<T: mcp_types::Decode + ResultObject>(
    shared: &Arc<Shared>,
    timeouts: Timeouts,
    request: Request,
) -> Result<Reply<T>, Error> {
    Call::new(Arc::clone(shared), timeouts, request, read_typed::<T>).await
}

fn legacy_session(
    shared: &Arc<Shared>,
    version: Version,
    result: InitializeResult,
) -> Result<Session, Error> {
    shared.set_session(Era::Legacy, &version);
    // Spec: LIFE-03. It leaves in one write with the first request that follows.
    shared.notify(method::NOTIFICATIONS_INITIALIZED, |_no_params| ())?;
    Ok(Session {
        era: Era::Legacy,
        version,
        capabilities: result.capabilities,
        server: Some(result.server_info),
        instructions: result.instructions,
        request_meta: "".into(),
    })
}

fn modern_session(
    shared: &Arc<Shared>,
    opening: &Opening,
    version: Version,
    discovered: DiscoverResult,
) -> Session {
    shared.set_session(Era::Modern, &version);
    Session {
        era: Era::Modern,
        request_meta: request_meta(opening, &version).into(),
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
