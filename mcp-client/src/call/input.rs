//! The answers to what a server asks inside a result, and the request that carries them.
//!
//! Spec: section "multi round-trip requests" of 2026-07-28, MRTR-01 to MRTR-10.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    InputAsk, InputRequest, InputRequiredResult, InputResponse, InputResponses, method,
};
use tokio::time::{sleep, timeout};

use super::Request;
use crate::driver::{ASK_MAX, Shared};
use crate::error::{InputError, PeerFault, PeerMisbehaved};
use crate::handler::Refusal;
use crate::{Error, Sent};

/// How long the application may take to tell its roots, which asks nobody.
const ROOTS_MAX: Duration = Duration::from_secs(60);

/// Before a request that only carries a state is sent again: such a round sheds load.
const PAUSE: Duration = Duration::from_millis(250);

/// Answers everything that was asked and makes the request of the next round.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    mut request: Request,
    asked: InputRequiredResult,
    round: u8,
) -> Result<Request, Error> {
    let responses = match asked.input_requests {
        Some(requests) => Some(answer_all(shared, &request, requests.iter()).await?),
        None => {
            sleep(PAUSE * u32::from(round)).await;
            None
        }
    };
    request.set_input(responses.as_ref(), asked.request_state.as_deref());
    Ok(request)
}

async fn answer_all<'a>(
    shared: &Arc<Shared>,
    request: &Request,
    asked: impl Iterator<Item = (&'a str, &'a InputRequest)>,
) -> Result<InputResponses, Error> {
    let mut responses = InputResponses::new();
    for (name, ask) in asked {
        let response = tokio::select! {
            response = timeout(limit(&ask.ask), answer_one(shared, &ask.ask)) => {
                response.unwrap_or_else(|_elapsed| Err(Unanswered::late()))
            }
            // The call cannot go on, so nobody is asked any longer.
            death = shared.gone() => return Err(death.error(Sent::Maybe)),
        };
        let response = response.map_err(|why| why.into_error(request, ask.method()))?;
        responses.insert(name.to_owned(), response);
    }
    Ok(responses)
}

/// How long an answer may take: a person may take hours, a program may not.
fn limit(ask: &InputAsk) -> Duration {
    match ask {
        InputAsk::ListRoots(_) => ROOTS_MAX,
        _ => ASK_MAX,
    }
}

/// Why a question has no answer.
enum Unanswered {
    /// We never said that we could answer it.
    NotOffered,
    /// The handler refused.
    Refused(Refusal),
}

impl Unanswered {
    fn late() -> Self {
        Self::Refused(Refusal::Failed("nobody answered in time".to_owned()))
    }

    /// Spec: MRTR-10. A question has no error to be answered with, so the call ends here.
    fn into_error(self, request: &Request, asked: &str) -> Error {
        match self {
            Self::NotOffered => Error::PeerMisbehaved(Box::new(PeerMisbehaved {
                method: request.method.to_string(),
                fault: PeerFault::NotOffered(asked.to_owned()),
                excerpt: String::new(),
            })),
            Self::Refused(refusal) => Error::Input(Box::new(InputError {
                method: request.method.to_string(),
                asked: asked.to_owned(),
                refusal,
            })),
        }
    }
}

/// Has a handler answer. No clock is stopped for it: the call that waits has no request in flight
/// meanwhile, and no other call waits for it.
async fn answer_one(shared: &Arc<Shared>, ask: &InputAsk) -> Result<InputResponse, Unanswered> {
    let (handlers, asker) = (&shared.host.handlers, shared.asker());
    let answer = match ask {
        InputAsk::ListRoots(_) => {
            let roots = handlers.roots.as_ref().ok_or(Unanswered::NotOffered)?;
            roots.list_roots(asker).await.map(InputResponse::ListRoots)
        }
        InputAsk::CreateMessage(params) => {
            let sampling = handlers.sampling.as_ref().ok_or(Unanswered::NotOffered)?;
            let result = sampling.create_message(asker, (**params).clone()).await;
            result.map(|result| InputResponse::CreateMessage(Box::new(result)))
        }
        InputAsk::Elicit(params) => {
            let elicitation = handlers.elicitation.as_ref();
            let elicitation = elicitation.ok_or(Unanswered::NotOffered)?;
            let result = elicitation.elicit(asker, (**params).clone()).await;
            result.map(InputResponse::Elicit)
        }
        InputAsk::Unknown { method, .. } if is_known(method) => {
            let why = format!("the parameters of {method} cannot be read");
            Err(Refusal::Invalid(why))
        }
        InputAsk::Unknown { .. } => return Err(Unanswered::NotOffered),
        _ => return Err(Unanswered::NotOffered),
    };
    answer.map_err(Unanswered::Refused)
}

fn is_known(method: &str) -> bool {
    matches!(
        method,
        method::SAMPLING_CREATE_MESSAGE | method::ELICITATION_CREATE | method::ROOTS_LIST
    )
}
