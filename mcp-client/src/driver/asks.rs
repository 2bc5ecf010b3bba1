//! The server's questions: each runs its handler in a task that the driver owns.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::{CallId, ErrorCode, ErrorObject, Method, RequestId};
use mcp_types::{CreateMessageParams, Decode, ElicitParams, method};
use serde::Serialize;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::timeout;

use super::shared::Shared;
use crate::handler::Refusal;

/// How long a handler may take.
// Bound: the clocks of all calls that may wait for it stand still while the user is asked, so a
// handler that never answers would keep every call of the connection alive.
pub(crate) const ASK_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Tells questions apart that have the same id, one after the other: a server may use an id again
/// once it took its question back or a new session began, while a handler still ends.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct AskNumber(pub(super) u64);

/// A question of the server.
pub(super) struct Ask {
    pub(super) id: RequestId,
    pub(super) number: AskNumber,
    pub(super) method: Method,
    pub(super) params: Option<Bytes>,
    /// The call on whose reply stream it came; without one, any call may wait for the answer.
    pub(super) call: Option<CallId>,
}

/// The questions that handlers are working on.
///
/// Bound: the peer lets in no more than its limit of open requests, and those that have ended are
/// reaped before the next one starts.
pub(super) struct Asks {
    shared: Arc<Shared>,
    tasks: JoinSet<AskNumber>,
    open: HashMap<AskNumber, AbortHandle>,
}

impl Asks {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            tasks: JoinSet::new(),
            open: HashMap::new(),
        }
    }

    /// Starts the handler of a question, or refuses it if there is none (ROOT-06).
    pub(super) fn start(&mut self, ask: Ask) {
        let Ask {
            id,
            number,
            method,
            params,
            call,
        } = ask;
        // A flood of input must not keep what has ended from being reaped.
        while let Some(ended) = self.tasks.try_join_next() {
            self.reaped(ended);
        }
        let asker = self.shared.asker();
        let shared = Arc::clone(&self.shared);
        let handlers = &shared.host.handlers;
        let handle = match method.as_str() {
            method::ROOTS_LIST if handlers.roots.is_some() => {
                let Some(roots) = handlers.roots.clone() else {
                    return;
                };
                self.spawn(
                    &id,
                    number,
                    async move { encode(roots.list_roots(asker).await) },
                )
            }
            method::SAMPLING_CREATE_MESSAGE if handlers.sampling.is_some() => {
                let Some(sampling) = handlers.sampling.clone() else {
                    return;
                };
                self.spawn(&id, number, async move {
                    let params = read::<CreateMessageParams>(params.as_ref())?;
                    let _clocks_stand = shared.user_asked(call);
                    encode(sampling.create_message(asker, params).await)
                })
            }
            method::ELICITATION_CREATE if handlers.elicitation.is_some() => {
                let Some(elicitation) = handlers.elicitation.clone() else {
                    return;
                };
                self.spawn(&id, number, async move {
                    let params = read::<ElicitParams>(params.as_ref())?;
                    let _clocks_stand = shared.user_asked(call);
                    encode(elicitation.elicit(asker, params).await)
                })
            }
            unknown => {
                self.shared.lock().refuse_unknown(&id, number, unknown);
                return self.shared.wake.notify_one();
            }
        };
        self.open.insert(number, handle);
    }

    fn spawn(
        &mut self,
        id: &RequestId,
        number: AskNumber,
        answer: impl Future<Output = Result<Vec<u8>, ErrorObject>> + Send + 'static,
    ) -> AbortHandle {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        self.tasks.spawn(async move {
            // A handler that panics is still answered for: dropping this answers with an error.
            let mut unanswered = Unanswered {
                shared,
                id: Some(id),
                number,
            };
            let answer = timeout(ASK_MAX, answer).await;
            unanswered.answer(answer.unwrap_or_else(|_elapsed| Err(out_of_time())));
            number
        })
    }

    /// Stops working on a question that the server took back.
    pub(super) fn withdraw(&mut self, number: AskNumber) {
        if let Some(handle) = self.open.remove(&number) {
            handle.abort();
        }
    }

    /// Stops working on all questions up to `last`, since their session is no more.
    pub(super) fn withdraw_up_to(&mut self, last: AskNumber) {
        self.open.retain(|number, handle| {
            let stays = *number > last;
            if !stays {
                handle.abort();
            }
            stays
        });
    }

    /// Waits for the next handler to finish; never completes while none runs.
    pub(super) async fn finished(&mut self) {
        match self.tasks.join_next().await {
            Some(ended) => self.reaped(ended),
            None => std::future::pending().await,
        }
    }

    fn reaped(&mut self, ended: Result<AskNumber, JoinError>) {
        match ended {
            Ok(number) => {
                self.open.remove(&number);
            }
            // Aborted or panicked, so it cannot say which it was.
            Err(_ended) => self.open.retain(|_number, handle| !handle.is_finished()),
        }
    }

    /// Ends all handlers and waits until they are gone.
    pub(super) async fn end(&mut self) {
        self.tasks.shutdown().await;
    }
}

/// A question that must not be left without an answer.
struct Unanswered {
    shared: Arc<Shared>,
    id: Option<RequestId>,
    number: AskNumber,
}

impl Unanswered {
    fn answer(&mut self, answer: Result<Vec<u8>, ErrorObject>) {
        if let Some(id) = self.id.take() {
            self.shared.respond(&id, self.number, answer);
        }
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the request was given up");
        // A question that was taken back is no longer open, so nothing is sent for it.
        self.answer(Err(error));
    }
}

fn out_of_time() -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "nobody answered in time")
}

fn read<T: Decode>(params: Option<&Bytes>) -> Result<T, ErrorObject> {
    let text = params.map_or(Ok("{}"), |params| std::str::from_utf8(params));
    let decoded = text
        .map_err(|error| error.to_string())
        .and_then(|text| T::decode(text).map_err(|error| error.to_string()));
    match decoded {
        Ok(decoded) => Ok(decoded.value),
        Err(why) => Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, why)),
    }
}

fn encode<T: Serialize>(answer: Result<T, Refusal>) -> Result<Vec<u8>, ErrorObject> {
    let result = answer.map_err(|refusal| refusal.to_error())?;
    serde_json::to_vec(&result)
        .map_err(|error| ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string()))
}
