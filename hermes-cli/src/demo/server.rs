//! The protocol of the demo server, without I/O: frames and the time in, frames out.
//!
//! Requests of the modern era speak for themselves by their `_meta`; all others belong to the
//! session that `initialize` opened.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_jsonrpc::{ErrorCode, ErrorObject, Event, Limits, Peer, RequestId};
use mcp_types::capability::{PromptsCapability, ResourcesCapability, ToolsCapability};
use mcp_types::error::UNSUPPORTED_PROTOCOL_VERSION;
use mcp_types::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION, SERVER_INFO};
use mcp_types::{
    CacheScope, CallToolParams, CallToolResult, CancelledParams, Decode, DiscoverResult,
    GetPromptParams, Implementation, InitializeParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, Meta, ProgressParams,
    RawJson, ReadResourceParams, RequestParams, ResultType, ServerCapabilities, Token,
    UnsupportedVersionData, Version, method,
};
use serde::Serialize;

use super::library;
use super::tools::{self, Called};

/// The time between two notices of progress.
const STEP: Duration = Duration::from_millis(250);

/// How long what we say about ourselves stays true, in milliseconds: this binary does not change.
const TTL_MS: i64 = 3_600_000;

const INSTRUCTIONS: &str = "A server to try things with. Its tools change nothing.";

/// A result that stays true, as the revision wants it.
macro_rules! lasting {
    ($result:expr, $version:expr) => {{
        let mut result = $result;
        if $version.is_modern() {
            result.result_type = Some(ResultType::Complete);
            (result.ttl_ms, result.cache_scope) = (Some(TTL_MS), Some(CacheScope::Public));
            result.meta = Some(signed($version));
        }
        json(&result)
    }};
}

/// The demo server.
#[derive(Debug)]
pub(super) struct Server {
    peer: Peer<Infallible>,
    /// The revision that `initialize` agreed on.
    session: Option<Version>,
    slow: Vec<Slow>,
}

/// A call that takes its time.
#[derive(Debug)]
struct Slow {
    id: RequestId,
    token: Option<Token>,
    version: Version,
    began: Instant,
    next: Instant,
    ends: Instant,
}

/// An answer now, or none yet.
type Answer = Result<Option<RawJson>, ErrorObject>;

impl Server {
    pub(super) fn new() -> Self {
        Self {
            peer: Peer::new(Limits::default()),
            session: None,
            slow: Vec::new(),
        }
    }

    /// Takes one frame.
    pub(super) fn take(&mut self, now: Instant, frame: Bytes) {
        self.peer.handle_frame(frame, mcp_jsonrpc::Tie::None);
        while let Some(event) = self.peer.poll_event() {
            match event {
                Event::Asked { id, method, params } => {
                    match self.answer(now, &id, method.as_str(), text(params.as_ref())) {
                        Ok(Some(result)) => self.respond(&id, &result),
                        Ok(None) => {}
                        Err(error) => {
                            self.peer.refuse(&id, &error);
                        }
                    }
                }
                Event::Noticed { method, params }
                    if method.as_str() == method::NOTIFICATIONS_CANCELLED =>
                {
                    self.cancel(text(params.as_ref()));
                }
                // What is no message cannot be answered, and we ask nothing ourselves.
                _ => {}
            }
        }
    }

    /// When [`Server::tick`] is next wanted.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.slow.iter().map(|slow| slow.next).min()
    }

    /// Goes on with the slow calls.
    pub(super) fn tick(&mut self, now: Instant) {
        for mut slow in std::mem::take(&mut self.slow) {
            if slow.next > now {
                self.slow.push(slow);
            } else if slow.next >= slow.ends {
                let seconds = (slow.ends - slow.began).as_secs_f64();
                let result = finished(
                    tools::text(format!("done after {seconds} s")),
                    &slow.version,
                );
                self.respond(&slow.id, &result);
            } else {
                if let Some(token) = &slow.token {
                    let passed = |until: Instant| (until - slow.began).as_secs_f64();
                    let progress = ProgressParams::new(token.clone(), passed(slow.next))
                        .with_total(passed(slow.ends));
                    self.peer.notify(method::NOTIFICATIONS_PROGRESS, |out| {
                        out.extend_from_slice(json(&progress).as_str().as_bytes());
                    });
                }
                slow.next = slow.ends.min(slow.next + STEP);
                self.slow.push(slow);
            }
        }
    }

    /// Appends what is to be sent.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) {
        while let Some(transmit) = self.peer.poll_transmit() {
            out.extend_from_slice(transmit.body);
            out.push(b'\n');
        }
    }

    fn respond(&mut self, id: &RequestId, result: &RawJson) {
        self.peer
            .respond(id, |out| out.extend_from_slice(result.as_str().as_bytes()));
    }

    fn cancel(&mut self, params: &str) {
        let cancelled = CancelledParams::decode(params).ok();
        let id = match cancelled.and_then(|cancelled| cancelled.value.request_id) {
            Some(Token::Number(number)) => RequestId::Number(number),
            Some(Token::Text(text)) => RequestId::Text(text.into()),
            _ => return,
        };
        // Spec: CANC-04. What was cancelled gets no answer.
        self.slow.retain(|slow| slow.id != id);
        self.peer.withdraw(&id);
    }

    fn answer(&mut self, now: Instant, id: &RequestId, name: &str, params: &str) -> Answer {
        let meta = read::<RequestParams>(params)?.meta.unwrap_or_default();
        let version = self.version(name, &meta)?;
        if !version.knows(name) {
            return Err(unknown_method(name));
        }
        match name {
            method::INITIALIZE => {
                let asked = read::<InitializeParams>(params)?.protocol_version;
                // Spec: LIFE-05. What we do not speak is answered with the newest that we do.
                let is_ours = asked.is_known() && !asked.is_modern();
                let version = if is_ours {
                    asked
                } else {
                    Version::LATEST_LEGACY
                };
                let mut result =
                    InitializeResult::new(version.clone(), capabilities(), ourselves(&version));
                result.instructions = Some(INSTRUCTIONS.to_owned());
                self.session = Some(version);
                Ok(Some(json(&result)))
            }
            method::SERVER_DISCOVER => {
                let mut result = DiscoverResult::new(Version::KNOWN.to_vec(), capabilities());
                result.instructions = Some(INSTRUCTIONS.to_owned());
                result.result_type = Some(ResultType::Complete);
                (result.ttl_ms, result.cache_scope) = (Some(TTL_MS), Some(CacheScope::Public));
                result.meta = Some(signed(&version));
                Ok(Some(json(&result)))
            }
            method::PING => Ok(Some(RawJson::empty_object())),
            method::TOOLS_LIST => {
                let result = ListToolsResult::new(tools::list(&version));
                Ok(Some(lasting!(result, &version)))
            }
            method::TOOLS_CALL => {
                let call = read::<CallToolParams>(params)?;
                let arguments = call.arguments.as_ref().map_or("{}", RawJson::as_str);
                match tools::call(&call.name, arguments, &version) {
                    Some(Called::Done(result)) => Ok(Some(finished(result, &version))),
                    Some(Called::Slow(time)) => {
                        let (token, ends) = (meta.progress_token(), now + time);
                        let (id, next) = (id.clone(), ends.min(now + STEP));
                        self.slow.push(Slow {
                            id,
                            token,
                            version,
                            began: now,
                            next,
                            ends,
                        });
                        Ok(None)
                    }
                    None => Err(invalid(format!("Unknown tool: {}", call.name))),
                }
            }
            name => of_library(name, params, &version).map(Some),
        }
    }

    /// The revision that a request belongs to.
    fn version(&self, name: &str, meta: &Meta) -> Result<Version, ErrorObject> {
        if meta.get(PROTOCOL_VERSION).is_none() {
            return match &self.session {
                Some(version) => Ok(version.clone()),
                None if [method::INITIALIZE, method::PING].contains(&name) => {
                    Ok(Version::LATEST_LEGACY)
                }
                None => Err(invalid(format!("`_meta` needs {PROTOCOL_VERSION}"))),
            };
        }
        let version = meta.protocol_version();
        let version =
            version.ok_or_else(|| invalid(format!("{PROTOCOL_VERSION} must be a string")))?;
        if !version.is_modern() {
            let data = UnsupportedVersionData::new(Version::KNOWN.to_vec(), version);
            let code = ErrorCode(UNSUPPORTED_PROTOCOL_VERSION);
            let error = ErrorObject::new(code, "Unsupported protocol version");
            return Err(match serde_json::value::to_raw_value(&data) {
                Ok(data) => error.with_data(data),
                Err(_no_json) => error,
            });
        }
        match meta.client_capabilities() {
            Some(_) => Ok(version),
            None => Err(invalid(format!("`_meta` needs {CLIENT_CAPABILITIES}"))),
        }
    }
}

/// Answers what asks for resources and prompts.
fn of_library(name: &str, params: &str, version: &Version) -> Result<RawJson, ErrorObject> {
    Ok(match name {
        method::RESOURCES_LIST => {
            lasting!(ListResourcesResult::new(library::resources()), version)
        }
        method::RESOURCES_TEMPLATES_LIST => {
            let result = ListResourceTemplatesResult::new(library::templates());
            lasting!(result, version)
        }
        method::RESOURCES_READ => {
            let uri = read::<ReadResourceParams>(params)?.uri;
            let unknown = || invalid(format!("Unknown resource: {uri}"));
            lasting!(library::read(&uri).ok_or_else(unknown)?, version)
        }
        method::PROMPTS_LIST => lasting!(ListPromptsResult::new(library::prompts()), version),
        method::PROMPTS_GET => {
            let params = read::<GetPromptParams>(params)?;
            let mut result = library::fill(&params).map_err(invalid)?;
            if version.is_modern() {
                result.result_type = Some(ResultType::Complete);
                result.meta = Some(signed(version));
            }
            json(&result)
        }
        name => return Err(unknown_method(name)),
    })
}

fn ourselves(version: &Version) -> Implementation {
    Implementation::new("hermes-demo", env!("CARGO_PKG_VERSION"))
        .with_title("Demo server of hermes")
        .for_version(version)
}

fn capabilities() -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::new();
    capabilities.tools = Some(ToolsCapability::default());
    capabilities.resources = Some(ResourcesCapability::default());
    capabilities.prompts = Some(PromptsCapability::default());
    capabilities
}

/// What modern results carry: who they are from.
fn signed(version: &Version) -> Meta {
    Meta::new().with(SERVER_INFO, &ourselves(version))
}

fn finished(mut result: CallToolResult, version: &Version) -> RawJson {
    if version.is_modern() {
        result.result_type = Some(ResultType::Complete);
        result.meta = Some(signed(version));
    }
    json(&result)
}

fn json(value: &impl Serialize) -> RawJson {
    RawJson::from_value(value).expect("what we answer is always JSON")
}

/// Parameters as text; frames are UTF-8 by the time they get here.
fn text(params: Option<&Bytes>) -> &str {
    params
        .and_then(|params| std::str::from_utf8(params).ok())
        .unwrap_or("{}")
}

fn read<T: Decode>(params: &str) -> Result<T, ErrorObject> {
    T::decode(params)
        .map(|decoded| decoded.value)
        .map_err(|error| invalid(error.to_string()))
}

fn invalid(why: String) -> ErrorObject {
    ErrorObject::new(ErrorCode::INVALID_PARAMS, why)
}

fn unknown_method(name: &str) -> ErrorObject {
    ErrorObject::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {name}"),
    )
}
