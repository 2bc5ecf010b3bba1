//! One exchange: a message posted and everything that comes back for it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use tokio::sync::watch::error::RecvError;
use tokio::time::{sleep, timeout};

use super::Body;
use super::backend::Via;
use super::body::{Events, Stop, Whole, read_whole, repaired};
use super::refusal::{is_message, read_excerpt, read_refusal};
use super::resume::{Resume, Resumption};
use super::sender::SendFailure;
use super::shell::Posted;
use super::value::essence;
use super::wire::{Control, Listening, Wire};
use crate::link::{ExchangeFailure, ExchangeFailureKind as Kind, ExchangeId, Inbound, Origin};
use crate::{Labels, Step};

/// How long a stream may stay open after its answer before it is closed, which costs the
/// connection.
const LINGER: Duration = Duration::from_secs(1);

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// Posts a request and hands on what comes back, until the exchange has ended.
pub(super) async fn run(wire: Arc<Wire>, control: Arc<Control>, posted: Posted) -> ExchangeId {
    let Posted {
        exchange,
        labels,
        body,
    } = posted;
    if control.is_aborted() {
        return exchange;
    }
    let conversation = async {
        if let Err(failure) = converse(&wire, exchange, &labels, body, &control).await {
            wire.tell(Inbound::ExchangeFailed { exchange, failure })
                .await;
        }
    };
    // Cancel safety: an exchange that was given up needs no end; its streams close with it. One
    // that waits for more than its answer may have had that on another stream.
    tokio::select! {
        biased;
        () = conversation => {}
        () = control.over(LINGER * 2) => {}
    }
    exchange
}

/// What most replies do not need is boxed: many exchanges are under way at once, and each has room
/// for the longest of its ways.
async fn converse(
    wire: &Wire,
    exchange: ExchangeId,
    labels: &Labels,
    body: Bytes,
    control: &Control,
) -> Result<(), ExchangeFailure> {
    let mut session = session_of(wire, labels);
    let response = wire.sender.post(labels, body).await?;
    let status = response.status();
    let media = Media::of(&response);
    if labels.step == Step::Opening && status.is_success() {
        wire.sender.session().opened(response.headers());
        session = session_of(wire, labels);
    }
    let is_in_session = session.is_some() && labels.step == Step::Ordinary;
    if !status.is_success() || !wire.sender.session().is_open() {
        wire.tell(Inbound::Head {
            exchange,
            status: status.as_u16(),
            media: media.as_str().to_owned(),
            is_in_session,
        })
        .await;
    }
    if status == StatusCode::NOT_FOUND && is_in_session {
        let said = wire.shown(&Box::pin(read_excerpt(response)).await);
        let reason = format!("the server does not know the session any more{said}");
        return Err(ExchangeFailure::new(Kind::SessionLost, reason, false));
    }
    if !status.is_success() {
        return Box::pin(refused(wire, exchange, response)).await;
    }
    match media.as_str() {
        STREAM => {
            let place = Place {
                exchange,
                labels,
                session,
            };
            Box::pin(stream(wire, &place, response, control)).await
        }
        JSON | "" => whole(wire, exchange, labels, status, response.into_body()).await,
        _ if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) => {
            Box::pin(accepted(wire, labels, status)).await
        }
        media => {
            let reason = format!("the server answered with {media} instead of JSON");
            let said = wire.shown(&Box::pin(read_excerpt(response)).await);
            Err(ExchangeFailure::new(Kind::Media, reason + &said, true))
        }
    }
}

/// The id of the session that a message belongs to, if there is one.
fn session_of(wire: &Wire, labels: &Labels) -> Option<HeaderValue> {
    let session = wire.sender.session();
    let is_stateful = labels.version.is_none();
    session.id_for(labels.step).filter(|_| is_stateful).cloned()
}

/// What a reply says it is.
enum Media {
    Json,
    Stream,
    Other(String),
}

impl Media {
    /// Nearly every reply says it in the very words that are looked for first.
    fn of(response: &Response<Body>) -> Self {
        let content_type = response.headers().get(header::CONTENT_TYPE);
        let written = content_type.map(HeaderValue::as_bytes).unwrap_or_default();
        if written == JSON.as_bytes() {
            return Self::Json;
        }
        if written == STREAM.as_bytes() {
            return Self::Stream;
        }
        match essence(content_type) {
            essence if essence == JSON => Self::Json,
            essence if essence == STREAM => Self::Stream,
            essence => Self::Other(essence),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Json => JSON,
            Self::Stream => STREAM,
            Self::Other(essence) => essence,
        }
    }
}

/// Takes a refusal: a message in its body is handed on, and anything else is shown.
pub(super) async fn refused(
    wire: &Wire,
    exchange: ExchangeId,
    response: Response<Body>,
) -> Result<(), ExchangeFailure> {
    let status = response.status();
    let via = response.extensions().get::<Via>();
    let via = via.map_or_else(String::new, |Via(proxy)| {
        format!(" through the proxy {proxy}")
    });
    let body = read_refusal(response, wire.limits.frame_len_max).await;
    if is_message(&body) {
        let origin = Origin::Reply(exchange);
        let (body, is_repaired) = repaired(body);
        wire.tell(Inbound::Frame {
            origin,
            body,
            is_repaired,
        })
        .await;
        return Ok(());
    }
    let reason = format!("the server answered {status}{via}{}", wire.shown(&body));
    let kind = Kind::Status(status.as_u16());
    Err(ExchangeFailure::new(kind, reason, may_have_run(status)))
}

/// Whether a request may have run that was answered with this status and no message.
fn may_have_run(status: StatusCode) -> bool {
    // These say that the message was not even looked at.
    !matches!(
        status.as_u16(),
        401 | 403 | 404 | 405 | 406 | 411 | 413 | 414 | 415 | 417 | 421 | 426 | 429 | 431
    )
}

/// Takes a reply that is one frame.
async fn whole(
    wire: &Wire,
    exchange: ExchangeId,
    labels: &Labels,
    status: StatusCode,
    body: Body,
) -> Result<(), ExchangeFailure> {
    let origin = Origin::Reply(exchange);
    let len_max = wire.limits.frame_len_max;
    let inbound = match read_whole(body, len_max, &wire.shelf).await {
        Ok(Whole::Read { body, .. }) if body.trim_ascii().is_empty() => {
            return Box::pin(accepted(wire, labels, status)).await;
        }
        Ok(Whole::Read { body, is_repaired }) => Inbound::Frame {
            origin,
            body,
            is_repaired,
        },
        Ok(Whole::TooLong { head, len }) => Inbound::TooLong {
            origin,
            head,
            tail: Bytes::new(),
            len,
            len_max,
        },
        Err(failure) => return Err(broken(&failure.to_string())),
    };
    wire.tell(inbound).await;
    Ok(())
}

/// Takes a reply without a body. Spec: T-23. The answer can only come on the shared stream then, so
/// it is waited for as long as there is one or one is coming; who has it ends the exchange.
async fn accepted(wire: &Wire, labels: &Labels, status: StatusCode) -> Result<(), ExchangeFailure> {
    let mut listening = wire.listening.subscribe();
    let may_come = *listening.borrow() != Listening::Over;
    let mut reason = format!("the server answered {status} and nothing else");
    if may_come && labels.version.is_none() {
        // The wire outlives its exchanges, so what is waited for comes.
        let _: Result<_, RecvError> = listening.wait_for(|now| *now == Listening::Over).await;
        reason.push_str(", and the stream is gone on which its answer could have come");
    }
    Err(ExchangeFailure::new(Kind::NoAnswer, reason, true))
}

/// Where a stream has got to, across the times it is taken up again.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    pub(super) last_event_id: Option<String>,
    pub(super) retry: Option<Duration>,
}

impl Cursor {
    /// Takes over what a stream said about where it is; says whether it got further.
    pub(super) fn advance(&mut self, events: &Events<'_>) -> bool {
        let decoder = events.decoder();
        if let Some(retry) = decoder.retry() {
            self.retry = Some(retry);
        }
        let Some(id) = decoder.last_event_id() else {
            return false;
        };
        let is_new = Some(id) != self.last_event_id.as_deref();
        // An id that cannot be sent back stands for none: to go on from the one before it would
        // repeat what has been handed on.
        let can_be_sent = HeaderValue::from_bytes(id.as_bytes()).is_ok();
        self.last_event_id = can_be_sent.then(|| id.to_owned());
        is_new && can_be_sent
    }
}

/// Where a reply belongs.
struct Place<'a> {
    exchange: ExchangeId,
    labels: &'a Labels,
    /// The id of the session that its request was sent in.
    session: Option<HeaderValue>,
}

/// Hands on the events of a reply, taking its stream up again where the session allows that.
async fn stream(
    wire: &Wire,
    place: &Place<'_>,
    response: Response<Body>,
    control: &Control,
) -> Result<(), ExchangeFailure> {
    let mut cursor = Cursor::default();
    let mut resume = Resume::default();
    let mut next = Ok(response);
    loop {
        let failure = match next {
            Err(failure) => failure,
            Ok(response) => {
                let mut events =
                    Events::new(response.into_body(), wire.limits.frame_len_max, &wire.shelf);
                let (stop, has_delivered) = hand_on(wire, place, &mut events, control).await?;
                if cursor.advance(&events) || has_delivered {
                    resume.progressed();
                }
                // Spec: T-16. After the answer, a stream that has ended is done.
                let Some(stop) = stop.filter(|_| !control.is_settled()) else {
                    return Ok(());
                };
                match stop {
                    Stop::Broken(failure) => broken(&failure.to_string()),
                    Stop::Invalid(error) => return Err(broken(&error.to_string())),
                    Stop::Ended => no_answer(),
                }
            }
        };
        // Spec: HTTP-21, HTTP-22, T-19. Without a session nothing is taken up again.
        let may_resume = place.labels.version.is_none() && cursor.last_event_id.is_some();
        let Resumption::After(pause) = resume.ended(may_resume, cursor.retry) else {
            return Err(failure);
        };
        // The answer may also come to be known meanwhile.
        if timeout(pause, control.settled()).await.is_ok() {
            return Ok(());
        }
        // The ids of its events mean nothing in the session that has taken the place of its own.
        if session_of(wire, place.labels) != place.session {
            return Err(session_lost());
        }
        next = Box::pin(reopen(wire, place.labels.step, &cursor)).await?;
    }
}

/// Hands on events until the stream stops, or `None` once it has lingered after its answer.
async fn hand_on(
    wire: &Wire,
    place: &Place<'_>,
    events: &mut Events<'_>,
    control: &Control,
) -> Result<(Option<Stop>, bool), ExchangeFailure> {
    let mut has_delivered = false;
    let linger = async {
        control.settled().await;
        sleep(LINGER).await;
    };
    tokio::pin!(linger);
    loop {
        let event = tokio::select! {
            biased;
            event = events.next() => event,
            () = &mut linger => return Ok((None, has_delivered)),
        };
        let event = match event {
            Ok(event) => event,
            Err(stop) => return Ok((Some(stop), has_delivered)),
        };
        // Spec: T-14. Other kinds of events are none of ours, but this one tells who is there.
        if event.name() == "endpoint" {
            let reason = "the server speaks the older transport, HTTP+SSE".to_owned();
            // Whoever takes the opening for a question for its stream has read nothing.
            let may_have_run = has_delivered || place.labels.step != Step::Opening;
            let kind = Kind::OtherTransport;
            return Err(ExchangeFailure::new(kind, reason, may_have_run));
        }
        if event.name() == "message" {
            has_delivered = true;
            let origin = Origin::Stream(place.exchange);
            wire.tell(Inbound::Frame {
                origin,
                body: event.data,
                is_repaired: event.is_repaired,
            })
            .await;
        }
    }
}

/// Takes a stream up again; the inner error is one that may pass.
async fn reopen(
    wire: &Wire,
    step: Step,
    cursor: &Cursor,
) -> Result<Result<Response<Body>, ExchangeFailure>, ExchangeFailure> {
    let response = match wire.sender.get(step, cursor.last_event_id.as_deref()).await {
        Ok(response) => response,
        Err(SendFailure::Backend(failure)) => return Ok(Err(not_resumed(&failure.to_string()))),
        Err(SendFailure::Denied { reason, .. }) => return Err(not_resumed(&reason)),
    };
    let status = response.status();
    if status == StatusCode::NOT_FOUND {
        return Err(session_lost());
    }
    let media = essence(response.headers().get(header::CONTENT_TYPE));
    if status.is_success() && media == STREAM {
        return Ok(Ok(response));
    }
    let failure = not_resumed(format!("{status} {media}").trim_end());
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        Ok(Err(failure))
    } else {
        Err(failure)
    }
}

fn session_lost() -> ExchangeFailure {
    let reason = "the session was lost before the answer came".to_owned();
    ExchangeFailure::new(Kind::SessionLost, reason, true)
}

fn not_resumed(why: &str) -> ExchangeFailure {
    let reason = format!("the reply ended, and taking it up again was refused: {why}");
    ExchangeFailure::new(Kind::Broken, reason, true)
}

fn no_answer() -> ExchangeFailure {
    let reason = "the server ended its reply without an answer".to_owned();
    ExchangeFailure::new(Kind::NoAnswer, reason, true)
}

fn broken(why: &str) -> ExchangeFailure {
    let reason = format!("the reply of the server broke off: {why}");
    ExchangeFailure::new(Kind::Broken, reason, true)
}
