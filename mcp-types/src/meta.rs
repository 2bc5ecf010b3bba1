//! `Meta`: the open object `_meta`, with getters for the names that the protocol gives meaning to.
//!
//! Values are kept raw and decoded when asked for, so that a malformed one harms nobody who does
//! not ask.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::capability::{ClientCapabilities, Implementation};
use crate::decode::{Decode, DecodeError, Decoded};
use crate::log::LoggingLevel;
use crate::map::OrderedMap;
use crate::raw::RawJson;
use crate::task::RelatedTaskMetadata;
use crate::token::Token;
use crate::version::Version;
use crate::wire::{self, Failure, Salvage, Wire};

/// The `_meta` of a request, a notification, a result or a part of one.
///
/// An open object in arrival order; 2024-11-05 has it on requests, notifications and results,
/// 2025-06-18 added it to tools, resources, prompts, roots and content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta(OrderedMap<RawJson>);

/// Member name: the token under which progress of a request is wanted.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// Member name, since 2026-07-28: the revision of a request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Member name, since 2026-07-28: who sends a request.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Member name, since 2026-07-28: what the sender of a request can do.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Member name, since 2026-07-28: the least severe log message wanted for a request.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Member name, since 2026-07-28: who sends a result.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Member name, since 2026-07-28: the subscription that a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Member name, 2025-11-25 only: the task that a message belongs to.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// Member name: the W3C trace context.
pub const TRACEPARENT: &str = "traceparent";
/// Member name: the vendors' part of the W3C trace context.
pub const TRACESTATE: &str = "tracestate";
/// Member name: W3C baggage.
pub const BAGGAGE: &str = "baggage";

impl Meta {
    /// An empty object.
    #[must_use]
    pub const fn new() -> Self {
        Self(OrderedMap::new())
    }

    /// The raw value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0.get(name)
    }

    /// The value of a name, if it has the wanted shape after what can be salvaged.
    #[must_use]
    pub fn decoded<T: Decode>(&self, name: &str) -> Option<T> {
        T::decode(self.get(name)?.as_str())
            .ok()
            .map(|decoded| decoded.value)
    }

    /// Sets the raw value of a name.
    pub fn insert(&mut self, name: impl Into<String>, value: RawJson) -> Option<RawJson> {
        self.0.insert(name, value)
    }

    /// Sets the value of a name; a value without a JSON form leaves it as it is.
    #[must_use]
    pub fn with<T: Serialize + ?Sized>(mut self, name: impl Into<String>, value: &T) -> Self {
        if let Ok(raw) = RawJson::from_value(value) {
            self.0.insert(name, raw);
        }
        self
    }

    /// Takes a name out.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        self.0.remove(name)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &RawJson)> {
        self.0.iter()
    }

    /// Whether there are no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The token under which progress is wanted.
    #[must_use]
    pub fn progress_token(&self) -> Option<Token> {
        self.decoded(PROGRESS_TOKEN)
    }

    /// The revision of the request.
    #[must_use]
    pub fn protocol_version(&self) -> Option<Version> {
        self.decoded(PROTOCOL_VERSION)
    }

    /// Who sends the request.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        self.decoded(CLIENT_INFO)
    }

    /// What the sender of the request can do.
    #[must_use]
    pub fn client_capabilities(&self) -> Option<ClientCapabilities> {
        self.decoded(CLIENT_CAPABILITIES)
    }

    /// The least severe log message wanted.
    #[must_use]
    pub fn log_level(&self) -> Option<LoggingLevel> {
        self.decoded(LOG_LEVEL)
    }

    /// Who sends the result.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.decoded(SERVER_INFO)
    }

    /// The subscription that the notification belongs to.
    #[must_use]
    pub fn subscription_id(&self) -> Option<Token> {
        self.decoded(SUBSCRIPTION_ID)
    }

    /// The task that the message belongs to.
    #[must_use]
    pub fn related_task(&self) -> Option<RelatedTaskMetadata> {
        self.decoded(RELATED_TASK)
    }

    /// The W3C trace context.
    #[must_use]
    pub fn traceparent(&self) -> Option<String> {
        self.decoded(TRACEPARENT)
    }

    /// The vendors' part of the W3C trace context.
    #[must_use]
    pub fn tracestate(&self) -> Option<String> {
        self.decoded(TRACESTATE)
    }

    /// W3C baggage.
    #[must_use]
    pub fn baggage(&self) -> Option<String> {
        self.decoded(BAGGAGE)
    }
}

impl<K: Into<String>> FromIterator<(K, RawJson)> for Meta {
    fn from_iter<I: IntoIterator<Item = (K, RawJson)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Serialize for Meta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Meta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OrderedMap::deserialize(deserializer).map(Self)
    }
}

impl Wire for Meta {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        OrderedMap::salvage(raw, salvage).map(Self)
    }
}

/// Writes `Decode` for types that have the wire impls already.
macro_rules! decode_by_wire {
    ($($type:ty),+ $(,)?) => {
        $(impl Decode for $type {
            fn decode(json: &str) -> Result<Decoded<Self>, DecodeError> {
                wire::decode(json)
            }
        })+
    };
}

decode_by_wire!(Meta, Token, Version, LoggingLevel, String, RawJson);
