//! Answers, as they came and as the method's type.

use bytes::Bytes;
use mcp_jsonrpc::Answer;
use mcp_types::{
    Decode, Diagnostic, InputRequiredResult, ListToolsResult, RawJson, ResultObject, ResultType,
};

use crate::Error;
use crate::error::{PeerFault, PeerMisbehaved};
use crate::param::exclude_invalid;

/// Why an answer could not be used.
pub(crate) enum Unreadable {
    /// It is not what the method gives.
    Fault(PeerFault),
    /// The server wants something answered first (MRTR-06).
    NeedsInput(Box<InputRequiredResult>),
}

/// A typed answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The result.
    pub value: T,
    /// What was wrong with parts of it that were left out or kept raw.
    pub diagnostics: Vec<Diagnostic>,
    /// The result as it came: key order, big integers and unknown members included.
    pub raw: RawReply,
}

/// An answer as it came.
///
/// Its bytes are a part of the buffer they were read into, and are looked at only when asked for.
#[derive(Clone, Debug)]
pub struct RawReply(Answer);

impl RawReply {
    /// The bytes of the result, as they came; nothing has checked yet that they are JSON.
    pub fn as_bytes(&self) -> Bytes {
        self.0.result()
    }

    /// The result as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::PeerMisbehaved`] if it is not JSON.
    pub fn to_json(&self) -> Result<RawJson, Error> {
        let json = |answer: &Answer| {
            RawJson::parse(String::from_utf8_lossy(&answer.result()).into_owned())
        };
        json(&self.0).or_else(|error| {
            let fault = match self.0.recheck() {
                Ok(answer) => match json(&answer) {
                    Ok(result) => return Ok(result),
                    Err(_again) => PeerFault::Result(error),
                },
                Err(malformed) => PeerFault::Frame(malformed),
            };
            // The caller's own redactor does the showing of raw results.
            let (method, excerpt) = (String::from("a request"), String::new());
            Err(Error::PeerMisbehaved(Box::new(PeerMisbehaved {
                method,
                fault,
                excerpt,
            })))
        })
    }
}

/// Hands an answer on as it came.
#[expect(
    clippy::unnecessary_wraps,
    reason = "readers of answers have one signature"
)]
pub(crate) fn read_raw(answer: &Answer) -> Result<RawReply, Unreadable> {
    Ok(RawReply(answer.clone()))
}

/// Reads a typed answer; the method that was called decides the type.
pub(crate) fn read_typed<T: Decode + ResultObject>(
    answer: &Answer,
) -> Result<Reply<T>, Unreadable> {
    let decoded = match decode(answer) {
        Ok(decoded) => decoded,
        Err(error) if answer.is_checked() => return Err(unreadable(answer, error)),
        // An answer known by its edges may hold more than its result; look again, with care.
        Err(_quick) => {
            let checked = answer
                .recheck()
                .map_err(|malformed| Unreadable::Fault(PeerFault::Frame(malformed)))?;
            decode(&checked).map_err(|error| unreadable(&checked, error))?
        }
    };
    match T::result_type(&decoded.value) {
        Some(ResultType::InputRequired) => Err(needs_input(answer)),
        None | Some(ResultType::Complete) => Ok(Reply {
            value: decoded.value,
            diagnostics: decoded.diagnostics,
            raw: RawReply(answer.clone()),
        }),
        Some(other) => Err(Unreadable::Fault(PeerFault::ResultType(
            other.as_str().to_owned(),
        ))),
    }
}

/// Hands an answer on as it came, unless it asks for input.
pub(crate) fn read_input_or_raw(answer: &Answer) -> Result<RawReply, Unreadable> {
    let result = answer.result();
    // The text is looked for first, since reading a large result costs more than the rest.
    if memchr::memmem::find(&result, b"\"input_required\"").is_some()
        && let Some(asked) = asked_input(answer)
    {
        return Err(Unreadable::NeedsInput(asked));
    }
    read_raw(answer)
}

/// Why a result is none of the method's: it may ask for input instead of having its members.
fn unreadable(answer: &Answer, error: PeerFault) -> Unreadable {
    asked_input(answer).map_or(Unreadable::Fault(error), Unreadable::NeedsInput)
}

/// What a result asks for, if it says that it asks for something.
fn asked_input(answer: &Answer) -> Option<Box<InputRequiredResult>> {
    let decoded = decode::<InputRequiredResult>(answer).ok()?;
    let asks = decoded.value.result_type == Some(ResultType::InputRequired);
    asks.then(|| Box::new(decoded.value))
}

/// Reads a page of tools, without those that no request could follow (HTTP-17).
pub(crate) fn read_callable_tools(answer: &Answer) -> Result<Reply<ListToolsResult>, Unreadable> {
    let mut reply = read_typed::<ListToolsResult>(answer)?;
    exclude_invalid(&mut reply.value.tools, &mut reply.diagnostics);
    Ok(reply)
}

/// What a result asks for that says it asks for something.
fn needs_input(answer: &Answer) -> Unreadable {
    match decode::<InputRequiredResult>(answer) {
        Ok(decoded) => Unreadable::NeedsInput(Box::new(decoded.value)),
        Err(fault) => Unreadable::Fault(fault),
    }
}

fn decode<T: Decode>(answer: &Answer) -> Result<mcp_types::Decoded<T>, PeerFault> {
    let result = answer.result();
    let decoded = match std::str::from_utf8(&result) {
        Ok(text) => T::decode(text),
        // Links repair frames; one of another kind may not, so each bad sequence is U+FFFD here.
        Err(_broken) => T::decode(&String::from_utf8_lossy(&result)),
    };
    decoded.map_err(PeerFault::Result)
}
