//! The client: what an application holds of a connected server.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_jsonrpc::{Answer, Timeouts};
use mcp_transport::Labels;
use mcp_transport::process::Closed as ChildClosed;
use mcp_types::{
    CallToolResult, CompleteParams, CompleteResult, Decode, EmptyResult, GetPromptParams,
    GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, Prompt, RawJson, ReadResourceResult,
    Resource, ResourceTemplate, ResultObject, SubscriptionFilter, Tool, Version, method,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::builder::Builder;
use crate::cache::ListCache;
use crate::call::{
    Call, RawParams, RawReply, Reply, Request, Unreadable, misused, read_callable_tools,
    read_input_or_raw, read_raw, read_typed,
};
use crate::driver::{Ending, Shared};
use crate::error::Misuse;
use crate::ledger::{Ledger, LedgerEntry};
use crate::listening::{Acknowledged, Listening, filter_of, offered_changes};
use crate::negotiate::members_of;
use crate::notice::{Change, ChangeCounts, Changes};
use crate::page::{Listing, PageLimits};
use crate::session::{Era, Session};
use crate::subscription::Watchers;
use crate::{Error, Sent};

/// A connection, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    changes: Arc<ChangeCounts>,
    ending: watch::Receiver<Ending>,
    /// The driver's task; it ends by itself once the connection is to end.
    _task: JoinHandle<()>,
}

impl Connection {
    pub(crate) fn new(
        shared: Arc<Shared>,
        changes: Arc<ChangeCounts>,
        ending: watch::Receiver<Ending>,
        task: JoinHandle<()>,
    ) -> Self {
        Self {
            shared,
            changes,
            ending,
            _task: task,
        }
    }

    /// Ends the connection and waits until what stood behind it is gone.
    pub(crate) async fn close(&self, why: &str) -> Option<ChildClosed> {
        self.shared.request_close(why);
        let mut ending = self.ending.clone();
        // The other error is a driver that vanished with its runtime, with nothing to wait for.
        let ending = ending.wait_for(Option::is_some).await.ok()?;
        ending.as_ref()?.as_ref().ok()?.clone()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.request_close("the client was dropped");
    }
}

/// A connected server.
///
/// Clones share the connection; when the last one is dropped, it ends in the background.
/// [`Client::close`] ends it and waits.
#[derive(Clone, Debug)]
pub struct Client {
    connection: Arc<Connection>,
    session: Arc<Session>,
    ledger: Arc<Ledger>,
    lists: Arc<ListCache>,
    timeouts: Timeouts,
    page_limits: PageLimits,
}

impl Client {
    /// Begins to build a client that introduces itself as `client`.
    pub fn builder(client: Implementation) -> Builder {
        Builder::new(client)
    }

    pub(crate) fn new(
        connection: Connection,
        session: Session,
        ledger: Arc<Ledger>,
        timeouts: Timeouts,
        page_limits: PageLimits,
    ) -> Self {
        Self {
            connection: Arc::new(connection),
            session: Arc::new(session),
            ledger,
            lists: Arc::default(),
            timeouts,
            page_limits,
        }
    }

    pub(crate) fn page_limits(&self) -> PageLimits {
        self.page_limits
    }

    pub(crate) fn lists(&self) -> &ListCache {
        &self.lists
    }

    pub(crate) fn changes_of(&self, change: Change) -> u64 {
        self.connection.changes.count(change)
    }

    /// Forgets the lists that are kept because their server says that they are fresh, so that the
    /// next one is asked for.
    pub fn forget_lists(&self) {
        self.lists.clear();
    }

    /// What was negotiated.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The steps that were tried to open the session, and what came of each; at most 32.
    pub fn ledger(&self) -> Vec<LedgerEntry> {
        self.ledger.entries()
    }

    /// Whether the connection has ended, or is about to; and why, in words.
    pub fn closed(&self) -> Option<String> {
        self.connection
            .shared
            .death()
            .map(|death| death.reason.clone())
    }

    /// Waits until the connection has ended, whoever ends it.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn ended(&self) {
        let mut ending = self.connection.ending.clone();
        // A driver that vanished has ended too.
        let _: Result<watch::Ref<'_, Ending>, _> = ending.wait_for(Option::is_some).await;
    }

    /// Ends the connection: calls in flight fail, and the server's process, if there is one, is
    /// asked to go, then made to. Bounded by the graces of its command.
    ///
    /// Returns how the process ended; `None` if there was none.
    ///
    /// # Cancel safety
    ///
    /// The connection ends even if the future is dropped.
    pub async fn close(&self) -> Option<ChildClosed> {
        self.connection.close("the client was closed").await
    }

    /// The changes that the server tells of from now on.
    ///
    /// A modern server tells of none before it has acknowledged that somebody listens, nor while
    /// the subscription is down; so each list that is listened for counts as changed whenever the
    /// server acknowledges, the first time included, and is no longer taken from what is kept.
    pub fn changes(&self) -> Changes {
        let offered = offered_changes(&self.session.capabilities);
        // Spec: T-46. A modern server tells of changes only to those who listen.
        let listens = self.session.era == Era::Modern && !offered.is_empty();
        let counts = Arc::clone(&self.connection.changes);
        let listening = listens.then(|| {
            let (filter, counts) = (filter_of(&offered), Arc::clone(&counts));
            // What changed before was not told, so each list may be another one by now.
            let acknowledged = move || offered.iter().for_each(|change| counts.note(*change));
            self.listening(filter, Arc::new(acknowledged))
        });
        Changes::new(counts, listening)
    }

    pub(crate) fn listening(
        &self,
        filter: SubscriptionFilter,
        acknowledged: Acknowledged,
    ) -> Listening {
        let shared = Arc::clone(&self.connection.shared);
        Listening::new(shared, Arc::clone(&self.session), filter, acknowledged)
    }

    /// Has the driver ask a legacy server for what is wanted of it.
    pub(crate) fn pursue_intents(&self) {
        self.connection.shared.pursue_intents();
    }

    /// The error of whoever waits for something that a connection that is gone owed it.
    pub(crate) fn gone(&self) -> Error {
        match self.connection.shared.death() {
            Some(death) => death.error(Sent::Maybe),
            None => Error::not_started("the connection is gone".to_owned()),
        }
    }

    pub(crate) fn watchers(&self) -> &Watchers {
        &self.connection.shared.watchers
    }

    /// Completes an argument of a prompt or of a resource template.
    pub fn complete(&self, params: &CompleteParams) -> Call<Reply<CompleteResult>> {
        let session = &self.session;
        // Spec: COMP-01. The first revision had completions and no way to say so.
        let is_offered =
            session.capabilities.completions.is_some() || session.version == Version::V2024_11_05;
        if !is_offered {
            let (method, capability) = (method::COMPLETION_COMPLETE, "completions");
            let misuse = Misuse::NotOffered { method, capability };
            return self.failed(misused(misuse), read_typed::<CompleteResult>);
        }
        let request = self.request(method::COMPLETION_COMPLETE, members_of(params), None);
        self.call(request, read_typed::<CompleteResult>)
    }

    /// Calls a tool; `arguments` is a JSON object.
    ///
    /// A tool that fails gives a result with `isError`, not an error.
    pub fn call_tool(&self, name: &str, arguments: &RawJson) -> Call<Reply<CallToolResult>> {
        match self.tool_request(name, arguments) {
            Ok(request) => self.call(request, read_typed::<CallToolResult>),
            Err(error) => self.failed(error, read_typed::<CallToolResult>),
        }
    }

    /// Calls a tool and leaves its result as it came.
    pub fn call_tool_raw(&self, name: &str, arguments: &RawJson) -> Call<RawReply> {
        let read = match self.session.era {
            Era::Legacy => read_raw,
            Era::Modern => read_input_or_raw,
        };
        match self.tool_request(name, arguments) {
            Ok(request) => self.call(request, read),
            Err(error) => self.failed(error, read),
        }
    }

    fn tool_request(&self, name: &str, arguments: &RawJson) -> Result<Request, Error> {
        let mut members = Vec::with_capacity(40 + name.len() + arguments.as_str().len());
        members.extend_from_slice(b"\"name\":");
        write_string(&mut members, name);
        // Spec: T-49. `{}` is accepted by more servers than no arguments at all.
        members.extend_from_slice(b",\"arguments\":");
        members.extend_from_slice(arguments.as_str().as_bytes());
        let mut request = self.long_request(method::TOOLS_CALL, members, name);
        self.mirror(&mut request, name, arguments.as_str())?;
        Ok(request)
    }

    /// Repeats arguments of a tool outside of the frame, where somebody looks at that.
    fn mirror(&self, request: &mut Request, tool: &str, arguments: &str) -> Result<(), Error> {
        if let Some(labels) = &mut request.labels {
            let params = self.connection.shared.params.of_call(tool, arguments);
            labels.params = params.map_err(bad_params)?;
        }
        Ok(())
    }

    /// Whether arguments of tools may have to be repeated outside of the frame.
    fn mirrors_params(&self) -> bool {
        self.connection.shared.wants_labels() && self.session.era == Era::Modern
    }

    /// One page of the tools.
    pub fn list_tools_page(&self, cursor: Option<&str>) -> Call<Reply<ListToolsResult>> {
        let call = self.list(method::TOOLS_LIST, self.offers_tools(), "tools", cursor);
        if self.mirrors_params() {
            call.reading(read_callable_tools)
        } else {
            call
        }
    }

    /// All tools, page by page; a tool that could not be read is left out and told of.
    ///
    /// This and the other whole lists are kept for as long as a modern server says that they are
    /// fresh and tells of no change; see [`Client::forget_lists`].
    ///
    /// # Errors
    ///
    /// If a page could not be had.
    pub async fn list_tools(&self) -> Result<Listing<Tool>, Error> {
        let mut listing = self.collect(|cursor| self.list_tools_page(cursor)).await?;
        let mut all = ListToolsResult::new(std::mem::take(&mut listing.items));
        listing.diagnostics.extend(all.normalise());
        listing.items = all.tools;
        if self.mirrors_params() {
            self.connection.shared.params.replace(&listing.items);
        }
        Ok(listing)
    }

    /// One page of the resources.
    pub fn list_resources_page(&self, cursor: Option<&str>) -> Call<Reply<ListResourcesResult>> {
        let offered = self.session.capabilities.resources.is_some();
        self.list(method::RESOURCES_LIST, offered, "resources", cursor)
    }

    /// All resources.
    ///
    /// # Errors
    ///
    /// If a page could not be had.
    pub async fn list_resources(&self) -> Result<Listing<Resource>, Error> {
        self.collect(|cursor| self.list_resources_page(cursor))
            .await
    }

    /// One page of the resource templates.
    pub fn list_resource_templates_page(
        &self,
        cursor: Option<&str>,
    ) -> Call<Reply<ListResourceTemplatesResult>> {
        let offered = self.session.capabilities.resources.is_some();
        self.list(
            method::RESOURCES_TEMPLATES_LIST,
            offered,
            "resources",
            cursor,
        )
    }

    /// All resource templates.
    ///
    /// # Errors
    ///
    /// If a page could not be had.
    pub async fn list_resource_templates(&self) -> Result<Listing<ResourceTemplate>, Error> {
        self.collect(|cursor| self.list_resource_templates_page(cursor))
            .await
    }

    /// Reads a resource.
    pub fn read_resource(&self, uri: &str) -> Call<Reply<ReadResourceResult>> {
        let mut members = b"\"uri\":".to_vec();
        write_string(&mut members, uri);
        self.call(
            self.long_request(method::RESOURCES_READ, members, uri),
            read_typed::<ReadResourceResult>,
        )
    }

    /// One page of the prompts.
    pub fn list_prompts_page(&self, cursor: Option<&str>) -> Call<Reply<ListPromptsResult>> {
        let offered = self.session.capabilities.prompts.is_some();
        self.list(method::PROMPTS_LIST, offered, "prompts", cursor)
    }

    /// All prompts.
    ///
    /// # Errors
    ///
    /// If a page could not be had.
    pub async fn list_prompts(&self) -> Result<Listing<Prompt>, Error> {
        self.collect(|cursor| self.list_prompts_page(cursor)).await
    }

    /// Gets a prompt, filled in with the arguments that `params` carries.
    pub fn get_prompt(&self, params: &GetPromptParams) -> Call<Reply<GetPromptResult>> {
        let name = params.name.as_str();
        self.call(
            self.long_request(method::PROMPTS_GET, members_of(params), name),
            read_typed::<GetPromptResult>,
        )
    }

    /// Asks the server for a sign of life; legacy servers only.
    pub fn ping(&self) -> Call<Reply<EmptyResult>> {
        self.legacy_call(method::PING, Vec::new(), true, "")
    }

    /// Sets the least severe level of log messages to be sent; legacy servers only. Of a modern one
    /// each call asks for its own, by [`Call::log_level`].
    pub fn set_log_level(&self, level: &LoggingLevel) -> Call<Reply<EmptyResult>> {
        let mut members = b"\"level\":".to_vec();
        write_string(&mut members, level.as_str());
        let offered = self.session.capabilities.logging.is_some();
        if offered && self.session.era == Era::Legacy {
            self.connection.shared.sessions.set_log_level(level);
        }
        self.legacy_call(method::LOGGING_SET_LEVEL, members, offered, "logging")
    }

    /// Calls any method; `params` is a JSON object.
    ///
    /// What the revision demands is added to `_meta`, beside what the caller has put there, and
    /// what a transport repeats outside of the message is taken from `params`, as for typed calls.
    /// A modern server's questions are not answered but are the result.
    pub fn call_raw(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<&RawJson>,
    ) -> Call<RawReply> {
        let params = params.map_or("{}", RawJson::as_str);
        match self.raw_request(method.into(), params.trim()) {
            Ok(request) => self.call(request, read_raw),
            Err(error) => self.failed(error, read_raw),
        }
    }

    fn raw_request(&self, method: Cow<'static, str>, params: &str) -> Result<Request, Error> {
        let raw = RawParams::read(params).map_err(bad_params)?;
        let name = raw.name(&method);
        let inner = params
            .strip_prefix('{')
            .and_then(|params| params.strip_suffix('}'));
        let members = inner.unwrap_or_default().trim().as_bytes().to_vec();
        let mut request = self.request(method, members, name.as_deref());
        if let Some(tool) = name.filter(|_name| request.method == method::TOOLS_CALL) {
            self.mirror(&mut request, &tool, raw.arguments())?;
        }
        raw.move_meta(&mut request).map_err(bad_params)?;
        Ok(request)
    }

    /// Whether the server may be asked for its tools: it says that it has some, or nothing at all.
    ///
    /// Interop: servers that declare nothing at all have tools all the same, often enough.
    pub fn offers_tools(&self) -> bool {
        let offered = &self.session.capabilities;
        offered.tools.is_some() || (offered.resources.is_none() && offered.prompts.is_none())
    }

    fn list<T: Decode + ResultObject>(
        &self,
        method: &'static str,
        is_offered: bool,
        capability: &'static str,
        cursor: Option<&str>,
    ) -> Call<Reply<T>> {
        if !is_offered {
            let misuse = Misuse::NotOffered { method, capability };
            return self.failed(misused(misuse), read_typed::<T>);
        }
        let mut members = Vec::new();
        if let Some(cursor) = cursor {
            members.extend_from_slice(b"\"cursor\":");
            write_string(&mut members, cursor);
        }
        self.call(self.request(method, members, None), read_typed::<T>)
    }

    fn legacy_call(
        &self,
        method: &'static str,
        members: Vec<u8>,
        is_offered: bool,
        capability: &'static str,
    ) -> Call<Reply<EmptyResult>> {
        let misuse = match self.session.era {
            Era::Modern => Misuse::UnknownToRevision {
                method,
                version: self.session.version.clone(),
            },
            Era::Legacy if !is_offered => Misuse::NotOffered { method, capability },
            Era::Legacy => {
                return self.call(
                    self.request(method, members, None),
                    read_typed::<EmptyResult>,
                );
            }
        };
        self.failed(misused(misuse), read_typed::<EmptyResult>)
    }

    fn request(
        &self,
        method: impl Into<Cow<'static, str>>,
        members: Vec<u8>,
        name: Option<&str>,
    ) -> Request {
        Request {
            meta: self.session.request_meta.clone(),
            labels: self.labels(name),
            ..Request::new(method, members)
        }
    }

    /// A request that may take several rounds and tells its progress.
    fn long_request(&self, method: &'static str, members: Vec<u8>, name: &str) -> Request {
        Request {
            wants_progress: true,
            takes_input: self.session.era == Era::Modern,
            ..self.request(method, members, Some(name))
        }
    }

    /// What a modern message repeats outside of the frame, where somebody looks at that.
    fn labels(&self, name: Option<&str>) -> Option<Box<Labels>> {
        if !self.mirrors_params() {
            return None;
        }
        let mut labels = Labels::default();
        labels.name = name.map(str::to_owned);
        labels.version.clone_from(&self.session.version_label);
        Some(Box::new(labels))
    }

    pub(crate) fn call<T>(
        &self,
        mut request: Request,
        read: fn(&Answer) -> Result<T, Unreadable>,
    ) -> Call<T> {
        let source = self.connection.shared.host.trace.as_deref();
        if !request.has_trace()
            && let Some(trace) = source.and_then(|source| source())
        {
            request.set_trace(&trace);
        }
        Call::new(
            Arc::clone(&self.connection.shared),
            self.timeouts,
            request,
            read,
        )
    }

    fn failed<T>(&self, error: Error, read: fn(&Answer) -> Result<T, Unreadable>) -> Call<T> {
        Call::failed(
            Arc::clone(&self.connection.shared),
            self.timeouts,
            error,
            read,
        )
    }
}

fn bad_params(why: String) -> Error {
    misused(Misuse::BadParams(why))
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    serde_json::to_writer(out, text).expect("a string is always JSON");
}
