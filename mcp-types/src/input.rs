//! Input: what a server asks inside a result, and the answers that go with the next try. Since
//! 2026-07-28, for `tools/call`, `prompts/get` and `resources/read`.
//!
//! Running the rounds, and bounding them, is the client's job.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::decode::{Decode, DecodeError, Decoded, Effect};
use crate::elicitation::{ElicitParams, ElicitResult};
use crate::map::{Extra, OrderedMap};
use crate::meta::Meta;
use crate::method;
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::root::{ListRootsParams, ListRootsResult};
use crate::sampling::{CreateMessageParams, CreateMessageResult};
use crate::wire::{self, Failure, Salvage, Wire};

/// A result that asks for input. Since 2026-07-28.
///
/// One without both members is invalid (MRTR-08).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// What the server asks; absent if it only wants the request again.
    pub input_requests: Option<InputRequests>,
    /// To be sent back unchanged; if absent, none is sent (MRTR-02).
    pub request_state: Option<String>,
    /// [`ResultType::InputRequired`].
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl InputRequiredResult {
    /// What a server asks.
    #[must_use]
    pub fn new(input_requests: InputRequests) -> Self {
        Self {
            input_requests: Some(input_requests),
            result_type: Some(ResultType::InputRequired),
            ..Self::default()
        }
    }

    /// Sets what is to be sent back.
    #[must_use]
    pub fn with_request_state(mut self, request_state: impl Into<String>) -> Self {
        self.request_state = Some(request_state.into());
        self
    }
}

wire_object! {
    InputRequiredResult {
        Optional result_type = "resultType",
        Optional input_requests = "inputRequests",
        Optional request_state = "requestState",
        Optional meta = "_meta",
    }
}

/// The parameters of a request that can be tried again with answers. Since 2026-07-28.
pub trait TakesInput {
    /// Sets the answers to the last result, and the state that it gave. Those of an earlier try
    /// do not stay (T-41).
    fn set_input(&mut self, responses: Option<InputResponses>, request_state: Option<String>);
}

macro_rules! takes_input {
    ($($params:ty),+ $(,)?) => {
        $(impl TakesInput for $params {
            fn set_input(
                &mut self,
                responses: Option<InputResponses>,
                request_state: Option<String>,
            ) {
                self.input_responses = responses;
                self.request_state = request_state;
            }
        })+
    };
}

takes_input!(
    crate::tool::CallToolParams,
    crate::prompt::GetPromptParams,
    crate::resource::ReadResourceParams,
);

/// What a server asks, by names of its own.
pub type InputRequests = OrderedMap<InputRequest>;

/// The answers, by the names of the asks.
pub type InputResponses = OrderedMap<InputResponse>;

/// One thing that a server asks. Since 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InputRequest {
    /// What is asked.
    pub ask: InputAsk,
    /// Members besides `method` and `params`.
    pub extra: Extra,
}

/// What a server asks: a method and its parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputAsk {
    /// `sampling/createMessage`.
    CreateMessage(Box<CreateMessageParams>),
    /// `roots/list`.
    ListRoots(Option<ListRootsParams>),
    /// `elicitation/create`.
    Elicit(Box<ElicitParams>),
    /// Another method, or parameters that cannot be read.
    Unknown {
        /// The method.
        method: String,
        /// The parameters.
        params: Option<RawJson>,
    },
}

impl InputRequest {
    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        match &self.ask {
            InputAsk::CreateMessage(_) => method::SAMPLING_CREATE_MESSAGE,
            InputAsk::ListRoots(_) => method::ROOTS_LIST,
            InputAsk::Elicit(_) => method::ELICITATION_CREATE,
            InputAsk::Unknown { method, .. } => method,
        }
    }
}

impl From<InputAsk> for InputRequest {
    fn from(ask: InputAsk) -> Self {
        Self {
            ask,
            extra: Extra::new(),
        }
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        InputAsk::CreateMessage(Box::new(params)).into()
    }
}

impl From<ElicitParams> for InputRequest {
    fn from(params: ElicitParams) -> Self {
        InputAsk::Elicit(Box::new(params)).into()
    }
}

/// The members of an ask, before the parameters have a type.
struct Parts {
    method: String,
    params: Option<RawJson>,
    extra: Extra,
}

wire_object! {
    Parts {
        Required method = "method",
        Optional params = "params",
    }
}

impl Parts {
    fn ask(
        method: &str,
        params: Option<&RawJson>,
        salvage: &mut Salvage,
    ) -> Result<InputAsk, Failure> {
        let raw = params.map(RawJson::as_str);
        match (method, raw) {
            (method::SAMPLING_CREATE_MESSAGE, Some(raw)) => {
                let params = CreateMessageParams::recover(raw, salvage)?;
                Ok(InputAsk::CreateMessage(Box::new(params)))
            }
            (method::ELICITATION_CREATE, Some(raw)) => {
                let params = ElicitParams::recover(raw, salvage)?;
                Ok(InputAsk::Elicit(Box::new(params)))
            }
            (method::ROOTS_LIST, None) => Ok(InputAsk::ListRoots(None)),
            (method::ROOTS_LIST, Some(raw)) => Ok(InputAsk::ListRoots(Some(
                ListRootsParams::recover(raw, salvage)?,
            ))),
            (method::SAMPLING_CREATE_MESSAGE | method::ELICITATION_CREATE, None) => {
                Err(salvage.failure("missing", ""))
            }
            _ => Ok(InputAsk::Unknown {
                method: method.to_owned(),
                params: params.cloned(),
            }),
        }
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", self.method())?;
        match &self.ask {
            InputAsk::CreateMessage(params) => map.serialize_entry("params", params)?,
            InputAsk::Elicit(params) => map.serialize_entry("params", params)?,
            InputAsk::ListRoots(Some(params)) => map.serialize_entry("params", params)?,
            InputAsk::Unknown {
                params: Some(params),
                ..
            } => {
                map.serialize_entry("params", params)?;
            }
            InputAsk::ListRoots(None) | InputAsk::Unknown { params: None, .. } => {}
        }
        for (name, value) in self.extra.iter().filter(|(name, _)| !is_own(name)) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

fn is_own(name: &str) -> bool {
    matches!(name, "method" | "params")
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        wire::by_text(deserializer)
    }
}

impl Wire for InputRequest {
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        let Parts {
            method,
            params,
            extra,
        } = Parts::recover(raw, salvage)?;
        let ask = salvage
            .within_member("params", |salvage| {
                Parts::ask(&method, params.as_ref(), salvage)
            })
            .unwrap_or_else(|failure| {
                salvage.report(failure, Effect::KeptRaw);
                InputAsk::Unknown { method, params }
            });
        Ok(Self { ask, extra })
    }
}

/// One answer, which is a bare result (MRTR-07). Since 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// To `sampling/createMessage`.
    CreateMessage(Box<CreateMessageResult>),
    /// To `roots/list`.
    ListRoots(ListRootsResult),
    /// To `elicitation/create`.
    Elicit(ElicitResult),
    /// Something else.
    Unknown(RawJson),
}

impl From<CreateMessageResult> for InputResponse {
    fn from(result: CreateMessageResult) -> Self {
        Self::CreateMessage(Box::new(result))
    }
}

impl From<ListRootsResult> for InputResponse {
    fn from(result: ListRootsResult) -> Self {
        Self::ListRoots(result)
    }
}

impl From<ElicitResult> for InputResponse {
    fn from(result: ElicitResult) -> Self {
        Self::Elicit(result)
    }
}

impl Serialize for InputResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::CreateMessage(result) => result.serialize(serializer),
            Self::ListRoots(result) => result.serialize(serializer),
            Self::Elicit(result) => result.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        wire::by_text(deserializer)
    }
}

impl Wire for InputResponse {
    /// The answers have no tag, so they are told apart by the member that each has alone.
    fn salvage(raw: &str, salvage: &mut Salvage) -> Result<Self, Failure> {
        let entries = salvage.entries(raw)?;
        let has = |wanted: &str| entries.iter().any(|(name, _)| name == wanted);
        let decoded = if has("action") {
            ElicitResult::recover(raw, salvage).map(Self::Elicit)
        } else if has("roots") {
            ListRootsResult::recover(raw, salvage).map(Self::ListRoots)
        } else if has("model") || has("role") {
            CreateMessageResult::recover(raw, salvage).map(Self::from)
        } else {
            RawJson::assemble(raw.to_owned()).map(Self::Unknown)
        };
        decoded.or_else(|failure| {
            salvage.report(failure, Effect::KeptRaw);
            RawJson::assemble(raw.to_owned()).map(Self::Unknown)
        })
    }
}

macro_rules! decode_by_wire {
    ($($type:ty),+ $(,)?) => {
        $(impl Decode for $type {
            fn decode(json: &str) -> Result<Decoded<Self>, DecodeError> {
                wire::decode(json)
            }
        })+
    };
}

decode_by_wire!(InputRequest, InputResponse);
