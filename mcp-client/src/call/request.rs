//! What is to be sent, encoded before the id is known.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_jsonrpc::CallId;
use mcp_transport::Labels;
use mcp_types::{InputResponses, LoggingLevel, Meta, meta};
use serde::Serialize;

use crate::error::Misuse;
use crate::negotiate::members_of;
use crate::trace::TraceContext;

/// What `_meta` of one call holds.
#[derive(Clone, Debug)]
pub(crate) struct OwnMeta {
    /// The trace that the call belongs to, as members, or why it cannot be sent.
    trace: Result<String, Misuse>,
    /// The least severe log message that a modern server is to send during the call, as a member.
    log_level: String,
    /// What the caller wrote into `_meta` itself; nothing that is said elsewhere.
    given: Meta,
}

impl OwnMeta {
    /// What another request of the same call has of it: log messages belong to one alone.
    pub(super) fn for_another(&self) -> Self {
        Self {
            trace: self.trace.clone(),
            ..Self::default()
        }
    }
}

impl Default for OwnMeta {
    fn default() -> Self {
        Self {
            trace: Ok(String::new()),
            log_level: String::new(),
            given: Meta::new(),
        }
    }
}

/// One request.
pub(crate) struct Request {
    pub(crate) method: Cow<'static, str>,
    /// The parameters as JSON members without the braces, such as `"name":"x","arguments":{}`.
    pub(crate) members: Vec<u8>,
    /// What `_meta` holds besides the progress token, as members.
    pub(crate) meta: Option<Arc<str>>,
    /// What `_meta` holds of this call alone, as members; boxed, since most calls have nothing.
    pub(crate) own_meta: Option<Box<OwnMeta>>,
    /// Whether the call carries a progress token, so that progress can keep it alive.
    pub(crate) wants_progress: bool,
    pub(crate) is_cancellable: bool,
    /// Whether the server may answer with questions instead of a result.
    pub(crate) takes_input: bool,
    /// What transports repeat outside of the frame, but for the method; `None` if there is nothing
    /// or nobody looks at it.
    pub(crate) labels: Option<Box<Labels>>,
    /// How much of `members` belongs to the request itself, and not to a round of answers.
    pub(crate) own_len: usize,
}

impl Request {
    /// Whether it states its revision outside of the frame too.
    pub(super) fn is_labelled(&self) -> bool {
        self.labels
            .as_ref()
            .is_some_and(|labels| labels.version.is_some())
    }

    pub(crate) fn new(method: impl Into<Cow<'static, str>>, members: Vec<u8>) -> Self {
        Self {
            method: method.into(),
            own_len: members.len(),
            members,
            meta: None,
            own_meta: None,
            wants_progress: false,
            is_cancellable: true,
            takes_input: false,
            labels: None,
        }
    }

    /// What transports repeat outside of the frame.
    pub(super) fn labels(&self) -> Box<Labels> {
        let mut labels = self.labels.clone().unwrap_or_default();
        labels.method = Some(self.method.clone());
        labels
    }

    /// Sets the answers and the state of a round; those of an earlier round go (T-41).
    pub(super) fn set_input(&mut self, responses: Option<&InputResponses>, state: Option<&str>) {
        self.members.truncate(self.own_len);
        if let Some(responses) = responses {
            self.push_member("inputResponses", responses);
        }
        if let Some(state) = state {
            self.push_member("requestState", &state);
        }
    }

    pub(crate) fn push_member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        let separator = if self.members.is_empty() { "" } else { "," };
        self.members.extend_from_slice(separator.as_bytes());
        self.members.push(b'"');
        self.members.extend_from_slice(name.as_bytes());
        self.members.extend_from_slice(b"\":");
        // Values of ours are always JSON.
        let json = serde_json::to_vec(value).unwrap_or_else(|_impossible| b"null".to_vec());
        self.members.extend_from_slice(&json);
    }

    /// Sets the trace that the call belongs to, in place of another one.
    pub(crate) fn set_trace(&mut self, trace: &TraceContext) {
        let own = self.own_meta.get_or_insert_default();
        own.given.remove(meta::TRACEPARENT);
        own.given.remove(meta::TRACESTATE);
        // Baggage is no part of a trace, so what the caller wrote of it stays.
        if trace.has_baggage() {
            own.given.remove(meta::BAGGAGE);
        }
        own.trace = trace.members();
    }

    /// Asks for log messages, where the era asks for them in a request (LOG-02).
    pub(crate) fn set_log_level(&mut self, level: &LoggingLevel) {
        if self.meta.is_some() {
            let level = serde_json::Value::from(level.as_str());
            let own = self.own_meta.get_or_insert_default();
            own.given.remove(meta::LOG_LEVEL);
            own.log_level = format!("\"{}\":{level}", meta::LOG_LEVEL);
        }
    }

    /// Sets what the caller wrote into `_meta` itself.
    pub(super) fn set_given_meta(&mut self, given: Meta) {
        self.own_meta.get_or_insert_default().given = given;
    }

    /// Whether the caller wrote itself which trace the call belongs to.
    pub(crate) fn has_trace(&self) -> bool {
        let own = self.own_meta.as_ref();
        own.is_some_and(|own| own.given.get(meta::TRACEPARENT).is_some())
    }

    /// Why the request must not be sent, if it must not.
    pub(super) fn misuse(&self) -> Option<Misuse> {
        self.own_meta.as_ref()?.trace.as_ref().err().cloned()
    }

    /// Writes the parameters with their `_meta`, or nothing if there is nothing to say.
    pub(super) fn write_params(&self, call: CallId, out: &mut Vec<u8>) {
        let members = &self.members;
        let meta = self.meta.as_deref().unwrap_or_default();
        let own = self.own_meta.as_deref();
        let trace = own.map_or("", |own| own.trace.as_deref().unwrap_or_default());
        let log_level = own.map_or("", |own| &own.log_level);
        let given = own.map_or_else(Vec::new, |own| members_of(&own.given));
        let parts = [
            meta.as_bytes(),
            &given,
            trace.as_bytes(),
            log_level.as_bytes(),
        ];
        let has_meta = self.wants_progress || parts.iter().any(|part| !part.is_empty());
        if members.is_empty() && !has_meta {
            return;
        }
        out.push(b'{');
        out.extend_from_slice(members);
        if has_meta {
            if !members.is_empty() {
                out.push(b',');
            }
            out.extend_from_slice(b"\"_meta\":{");
            let start = out.len();
            if self.wants_progress {
                out.extend_from_slice(b"\"progressToken\":");
                call.write(out);
            }
            for part in parts {
                if !part.is_empty() {
                    if out.len() > start {
                        out.push(b',');
                    }
                    out.extend_from_slice(part);
                }
            }
            out.push(b'}');
        }
        out.push(b'}');
    }
}
