//! Sends one request of a link: the headers it needs, redirects, credentials.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, header,
};

use super::redirect::{Redirect, follow};
use super::session::Session;
use super::{Authorizer, Backend, Body, Failure, FailureKind, Target};
use crate::redact::Redactor;
use crate::{Labels, Step};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_OR_STREAM: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Headers that nearly every request has, besides those of the target: three of ours, the host,
/// and the length and the content codings, which are written below.
const HEADERS: usize = 6;
/// Headers that a stateless message has besides.
const HEADERS_STATELESS: usize = 2;

/// Redirects followed for one request.
// Bound: two suffice for `/mcp` to `/mcp/` behind a change of host name; more are a loop.
const REDIRECTS_MAX: usize = 5;
/// Times that one request is sent anew with other credentials.
// Bound: a login and a step up in scope, and one to spare.
const LOGINS_MAX: usize = 3;

/// Why a request brought no response that can be read.
#[derive(Debug)]
pub(super) enum SendFailure {
    /// The backend could not do it.
    Backend(Failure),
    /// There are no credentials that the server takes.
    Denied { status: u16, reason: String },
}

impl From<Failure> for SendFailure {
    fn from(failure: Failure) -> Self {
        Self::Backend(failure)
    }
}

/// What a request is for.
#[derive(Clone, Copy)]
enum Sort<'a> {
    Delete,
    Get {
        step: Step,
        last_event_id: Option<&'a str>,
    },
    Post(&'a Labels),
    /// The stream of the older transport, which its posts follow.
    Stream,
}

impl Sort<'_> {
    fn method(self) -> Method {
        match self {
            Self::Delete => Method::DELETE,
            Self::Get { .. } | Self::Stream => Method::GET,
            Self::Post(_) => Method::POST,
        }
    }

    /// Whether other requests follow where this one is redirected. A server may have its streams
    /// elsewhere than where it takes messages.
    fn leads(self) -> bool {
        matches!(self, Self::Post(_) | Self::Stream)
    }
}

/// What all requests of a link share.
#[derive(Debug)]
pub(super) struct Sender {
    backend: Arc<dyn Backend>,
    target: Target,
    session: Mutex<Session>,
}

impl Sender {
    pub(super) fn new(backend: Arc<dyn Backend>, target: Target) -> Self {
        Self {
            backend,
            target,
            session: Mutex::default(),
        }
    }

    /// Invariant: the lock is never held across an await.
    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Posts a message.
    pub(super) fn post<'a>(
        &'a self,
        labels: &'a Labels,
        body: Bytes,
    ) -> impl Future<Output = Result<Response<Body>, SendFailure>> + Send + 'a {
        self.send(Sort::Post(labels), body)
    }

    /// Opens a stream of events, from where another one ended that belonged to a request of this
    /// step.
    pub(super) fn get<'a>(
        &'a self,
        step: Step,
        last_event_id: Option<&'a str>,
    ) -> impl Future<Output = Result<Response<Body>, SendFailure>> + Send + 'a {
        let sort = Sort::Get {
            step,
            last_event_id,
        };
        self.send(sort, Bytes::new())
    }

    /// Opens the stream of the older transport.
    pub(super) fn stream(
        &self,
    ) -> impl Future<Output = Result<Response<Body>, SendFailure>> + Send {
        self.send(Sort::Stream, Bytes::new())
    }

    /// Ends the session.
    pub(super) fn delete(
        &self,
    ) -> impl Future<Output = Result<Response<Body>, SendFailure>> + Send {
        self.send(Sort::Delete, Bytes::new())
    }

    async fn send(&self, sort: Sort<'_>, body: Bytes) -> Result<Response<Body>, SendFailure> {
        let mut logins = 0;
        loop {
            let response = self.send_following(sort, &body).await?;
            let status = response.status();
            let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
            let Some(authorizer) = self.target.authorizer.as_ref().filter(|_| is_refused) else {
                return Ok(response);
            };
            logins += 1;
            let verdict = authorizer.refused(status, response.headers()).await;
            match verdict {
                Ok(()) if logins < LOGINS_MAX => {}
                Ok(()) => return Ok(response),
                Err(denied) => {
                    return Err(SendFailure::Denied {
                        status: status.as_u16(),
                        reason: denied.0,
                    });
                }
            }
        }
    }

    /// Sends a request where the server wants it, as long as that is on the same origin.
    async fn send_following(
        &self,
        sort: Sort<'_>,
        body: &Bytes,
    ) -> Result<Response<Body>, SendFailure> {
        let mut url = self.url();
        for _ in 0..=REDIRECTS_MAX {
            let mut request = self.request(sort, &url, body);
            if let Some(authorizer) = self.target.authorizer.as_deref() {
                // Boxed, since most servers want no login, and each exchange has room for this.
                request = Box::pin(authorized(authorizer, request)).await?;
            }
            let response = self.backend.send(request).await?;
            match follow(&url, response.status(), response.headers()) {
                Redirect::None => return Ok(response),
                Redirect::Refused(why) => {
                    // Spec: RFC 9110, section 15.4.4. This one follows upon having done it.
                    let is_done = response.status() == StatusCode::SEE_OTHER;
                    let mut failure = Failure::unsent(FailureKind::Redirect, why);
                    failure.may_have_arrived = is_done;
                    return Err(failure.into());
                }
                Redirect::To(next) => {
                    url = next;
                    if sort.leads() {
                        self.move_to(url.clone());
                    }
                }
            }
        }
        let why = format!("the server redirects more than {REDIRECTS_MAX} times");
        Err(Failure::unsent(FailureKind::Redirect, why).into())
    }

    fn request(&self, sort: Sort<'_>, url: &Uri, body: &Bytes) -> Request<Bytes> {
        let mut request = Request::new(body.clone());
        *request.method_mut() = sort.method();
        *request.uri_mut() = url.clone();
        self.write_headers(sort, request.headers_mut());
        request
    }

    /// Writes the headers of a request, in place: once for nearly every message, since few are
    /// sent twice.
    fn write_headers(&self, sort: Sort<'_>, headers: &mut HeaderMap) {
        let more = match sort {
            Sort::Post(labels) if labels.version.is_some() => {
                HEADERS_STATELESS + labels.params.len()
            }
            _ => usize::from(self.session().id().is_some()),
        };
        headers.reserve(self.target.headers.len() + HEADERS + more);
        if let Some(host) = &self.target.host {
            headers.insert(header::HOST, host.clone());
        }
        for (name, value) in &self.target.headers {
            headers.append(name, value.clone());
        }
        match sort {
            Sort::Post(labels) => {
                headers.insert(header::CONTENT_TYPE, JSON);
                headers.insert(header::ACCEPT, JSON_OR_STREAM);
                self.session().write_headers(labels, headers);
            }
            Sort::Get {
                step,
                last_event_id,
            } => {
                write_stream_headers(headers);
                let id = last_event_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
                if let Some(id) = id {
                    headers.insert(LAST_EVENT_ID, id);
                }
                self.session().write_stateful(step, headers);
            }
            // There is no session before it.
            Sort::Stream => write_stream_headers(headers),
            Sort::Delete => self.session().write_stateful(Step::Ordinary, headers),
        }
    }

    /// Sends what follows here.
    pub(super) fn move_to(&self, url: Uri) {
        self.session().moved_to = Some(url);
    }

    /// What hides credentials in what the server says.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.target.redactor
    }

    /// Where the next request is sent.
    pub(super) fn url(&self) -> Uri {
        let moved_to = self.session().moved_to.clone();
        moved_to.unwrap_or_else(|| self.target.url.clone())
    }
}

/// The request with the credentials that the server wants.
async fn authorized(
    authorizer: &dyn Authorizer,
    mut request: Request<Bytes>,
) -> Result<Request<Bytes>, SendFailure> {
    let (method, url) = (request.method().clone(), request.uri().clone());
    let authorized = authorizer
        .authorize(&method, &url, request.headers_mut())
        .await;
    match authorized {
        Ok(()) => Ok(request),
        Err(denied) => Err(SendFailure::Denied {
            status: StatusCode::UNAUTHORIZED.as_u16(),
            reason: denied.0,
        }),
    }
}

fn write_stream_headers(headers: &mut HeaderMap) {
    headers.insert(header::ACCEPT, STREAM);
    headers.insert(header::CACHE_CONTROL, NO_CACHE);
}
