//! What a server tells without being asked, and whom it concerns.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use mcp_jsonrpc::{CallId, Id, Method, RequestId, params_of_notice};
use mcp_transport::link::{
    ExchangeFailure, ExchangeFailureKind, ExchangeId, Origin, Outbound, SendError,
};
use mcp_types::{
    CancelledParams, Decode, ProgressParams, SubscriptionsAcknowledgedParams, Token, method,
};

use super::core::Core;
use super::happening::{Cause, Happening, tied};
use crate::call::Hearers;

impl Core {
    /// Takes the progress of a call.
    pub(super) fn progressed(
        &mut self,
        now: Instant,
        progress: ProgressParams,
        happened: &mut Vec<Happening>,
    ) {
        // Spec: T-39. Progress for a call that has ended is dropped.
        let Some(call) = call_of(&progress.progress_token) else {
            return;
        };
        self.peer.touch(now, call);
        let waiter = self.peer.waiter(call);
        if let Some(hearers) = waiter.and_then(|waiter| waiter.hearers.clone()) {
            happened.push(Happening::Progressed { hearers, progress });
        }
    }

    /// Takes what came as a notice.
    pub(super) fn noticed(
        &mut self,
        now: Instant,
        (method, params): (Method, Option<Bytes>),
        origin: Option<Origin>,
        happened: &mut Vec<Happening>,
    ) {
        match method.as_str() {
            method::NOTIFICATIONS_PROGRESS => {
                if let Some(progress) = read::<ProgressParams>(params.as_ref()) {
                    self.progressed(now, progress, happened);
                }
            }
            method::NOTIFICATIONS_CANCELLED => {
                let Some(cancelled) = read::<CancelledParams>(params.as_ref()) else {
                    return;
                };
                let Some(id) = cancelled.request_id.and_then(request_id) else {
                    return;
                };
                self.end_subscription(now, &id, happened);
                let withdrawn = self.withdraw_ask(&id);
                happened.extend(withdrawn.map(|number| Happening::Withdrawn { number }));
            }
            method::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED => {
                happened.extend(self.acknowledged(params.as_ref(), origin));
            }
            method::NOTIFICATIONS_MESSAGE => {
                let hearers = self.hearers_of_logs(origin);
                happened.push(Happening::Noticed {
                    method,
                    params,
                    hearers,
                });
            }
            _ => happened.push(Happening::Noticed {
                method,
                params,
                hearers: None,
            }),
        }
    }

    /// Who made the subscription that a server acknowledges: it names it (SUB-03), and over streams
    /// it says so on that of the subscription.
    fn acknowledged(&self, params: Option<&Bytes>, origin: Option<Origin>) -> Option<Happening> {
        // One that cannot be read still says that the server tells from now on.
        let params = read::<SubscriptionsAcknowledgedParams>(params).unwrap_or_default();
        let named = params.meta.and_then(|meta| meta.subscription_id());
        let call = named.as_ref().and_then(call_of).or_else(|| tied(origin));
        let hearers = self.peer.waiter(call?)?.hearers.clone()?;
        Some(Happening::Acknowledged {
            hearers,
            granted: params.notifications,
        })
    }

    /// Who hears the log messages of the call on whose reply stream one came.
    fn hearers_of_logs(&self, origin: Option<Origin>) -> Option<Arc<Hearers>> {
        let waiter = self.peer.waiter(tied(origin)?)?;
        waiter.hearers.clone().filter(|hearers| hearers.hear_logs())
    }

    /// Ends the subscription that a modern server says is over.
    ///
    /// Spec: CANC-08, SUB-06. It may end nothing else in this way.
    fn end_subscription(&mut self, now: Instant, id: &RequestId, happened: &mut Vec<Happening>) {
        let Some(call) = Id::Given(id.clone()).as_call() else {
            return;
        };
        let method = self.peer.waiter(call).map(|waiter| &*waiter.method);
        if method == Some(method::SUBSCRIPTIONS_LISTEN) {
            self.peer.handle_lost(call);
            // Its stream may still be open; a link that is gone has none.
            let exchange = ExchangeId(call.number());
            let _: Result<(), SendError> = self.sender.push(Outbound::Abort { exchange });
            let reason = "the server ended the subscription";
            let kind = ExchangeFailureKind::NoAnswer;
            let failure = Some(ExchangeFailure::new(kind, reason, true));
            let cause = Cause {
                failure,
                ..Cause::default()
            };
            self.drain(now, &cause, happened);
        }
    }
}

/// Reads a progress notice in the form that most have, in one pass: a call may bring very many.
///
/// The whole reply to a call is left to the peer, since the call ends with it.
pub(super) fn plain_progress(origin: Origin, body: &[u8]) -> Option<ProgressParams> {
    if matches!(origin, Origin::Reply(_)) {
        return None;
    }
    let params = params_of_notice(body, method::NOTIFICATIONS_PROGRESS)?;
    let decoded = ProgressParams::decode(std::str::from_utf8(params).ok()?).ok()?;
    Some(decoded.value)
}

/// Reads the parameters of a notice; a broken one says nothing (CANC-05).
pub(super) fn read<T: Decode>(params: Option<&Bytes>) -> Option<T> {
    let text = std::str::from_utf8(params?).ok()?;
    T::decode(text).ok().map(|decoded| decoded.value)
}

/// The call that a server means by a token of ours, which are all numbers.
///
/// Interop: servers that make text of ids make text of tokens too (test
/// `progress_with_a_token_that_became_a_text_keeps_its_call_alive`).
fn call_of(token: &Token) -> Option<CallId> {
    let number = match token {
        Token::Number(number) => u64::try_from(*number).ok(),
        Token::Text(text) => text.parse().ok(),
        _ => None,
    };
    number.map(CallId::new)
}

fn request_id(token: Token) -> Option<RequestId> {
    match token {
        Token::Number(number) => Some(RequestId::Number(number)),
        Token::Text(text) => Some(RequestId::Text(text.into())),
        Token::Raw(raw) => Some(RequestId::Decimal(raw.as_str().into())),
        _ => None,
    }
}
