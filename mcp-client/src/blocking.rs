//! The client for callers without a runtime: the same types, and functions that wait.
//!
//! One thread, a [`Worker`], runs what has to go on between calls: reading, deadlines, the
//! server's questions. Callers wait on their own threads, as many at a time as there are.
//!
//! ```no_run
//! use mcp_client::blocking::Client;
//! use mcp_client::Builder;
//! use mcp_transport::process::Command;
//! use mcp_transport::{Limits, stdio};
//! use mcp_types::{Implementation, RawJson};
//!
//! # fn main() -> Result<(), mcp_client::Error> {
//! let builder = mcp_client::Client::builder(Implementation::new("example", "1.0.0"));
//! let start = || Ok(stdio::spawn(Command::new("my-server"), Limits::default())?);
//! let client = Client::connect_with(builder, start)?;
//! let tools = client.list_tools()?;
//! let reply = client.call_tool(&tools.items[0].name, &RawJson::empty_object())?;
//! println!("{:?}", reply.value.content);
//! client.close();
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use mcp_transport::Link;
use mcp_transport::process::Closed as ChildClosed;
use mcp_types::{
    CallToolResult, GetPromptParams, GetPromptResult, Prompt, RawJson, ReadResourceResult,
    Resource, ResourceTemplate, Tool,
};
use tokio::runtime::{self, Handle};
use tokio::sync::oneshot;

use crate::{Builder, Error, HttpServer, Listing, Reply, Session};

/// The thread on which clients go on while nobody waits for them.
///
/// Clones share the thread. It ends with the last of them and of the clients that use it.
#[derive(Clone)]
pub struct Worker {
    thread: Arc<Thread>,
}

struct Thread {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// If the system has no thread left, or nothing to wait for input with.
    pub fn start() -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            // Ends when it is told to, or when nobody is left who could.
            let _: Result<(), oneshot::error::RecvError> = runtime.block_on(stopped);
        };
        let thread = thread::Builder::new().name("mcp-worker".to_owned());
        Ok(Self {
            thread: Arc::new(Thread {
                handle,
                stop: Some(stop),
                thread: Some(thread.spawn(run)?),
            }),
        })
    }

    /// Waits for a future on this thread, while the worker does what the future needs.
    ///
    /// # Panics
    ///
    /// On a thread of a tokio runtime, which must not be held up: what is asynchronous there is
    /// [`crate::Client`].
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.thread.handle.block_on(future)
    }

    /// Runs a function that needs a runtime around it and waits for nothing.
    pub fn enter<T>(&self, run: impl FnOnce() -> T) -> T {
        let _entered = self.thread.handle.enter();
        run()
    }
}

impl Drop for Thread {
    /// Ends the thread. Whoever drops the last worker on the worker's own thread, as a handler may,
    /// does not wait for it.
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            // A thread that panicked has ended as well.
            let _: thread::Result<()> = thread.join();
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Worker")
    }
}

/// A connection to one server, for callers that wait.
///
/// Clones share the connection. None of its functions may be called on a thread of a tokio runtime;
/// they panic there.
#[derive(Clone, Debug)]
pub struct Client {
    // Before the worker, which must outlive it.
    client: crate::Client,
    worker: Worker,
}

impl Client {
    /// As [`Builder::connect_with`], on a worker of its own.
    ///
    /// # Errors
    ///
    /// As there; and if the worker cannot be started.
    pub fn connect_with(
        builder: Builder,
        start: impl FnMut() -> Result<Link, Error>,
    ) -> Result<Self, Error> {
        let worker = started()?;
        let client = worker.wait(builder.connect_with(start))?;
        Ok(Self { client, worker })
    }

    /// As [`Builder::connect_http`], on a worker of its own.
    ///
    /// # Errors
    ///
    /// As there; and if the worker cannot be started.
    pub fn connect_http(builder: Builder, server: HttpServer) -> Result<Self, Error> {
        let worker = started()?;
        let client = worker.wait(builder.connect_http(server))?;
        Ok(Self { client, worker })
    }

    /// A client that was connected on a worker before; a worker serves any number of them.
    #[must_use]
    pub fn new(client: crate::Client, worker: Worker) -> Self {
        Self { client, worker }
    }

    /// Waits for whatever the asynchronous client can do:
    /// `client.wait(|client| client.call_tool("search", &arguments).timeout(limit))`.
    pub fn wait<F: IntoFuture>(&self, ask: impl FnOnce(&crate::Client) -> F) -> F::Output {
        let asked = self.worker.enter(|| ask(&self.client).into_future());
        self.worker.wait(asked)
    }

    /// What was negotiated.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.client.session()
    }

    /// As [`crate::Client::list_tools`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn list_tools(&self) -> Result<Listing<Tool>, Error> {
        self.worker.wait(self.client.list_tools())
    }

    /// As [`crate::Client::call_tool`].
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn call_tool(
        &self,
        name: &str,
        arguments: &RawJson,
    ) -> Result<Reply<CallToolResult>, Error> {
        self.wait(|client| client.call_tool(name, arguments))
    }

    /// As [`crate::Client::list_resources`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn list_resources(&self) -> Result<Listing<Resource>, Error> {
        self.worker.wait(self.client.list_resources())
    }

    /// As [`crate::Client::list_resource_templates`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn list_resource_templates(&self) -> Result<Listing<ResourceTemplate>, Error> {
        self.worker.wait(self.client.list_resource_templates())
    }

    /// As [`crate::Client::read_resource`].
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn read_resource(&self, uri: &str) -> Result<Reply<ReadResourceResult>, Error> {
        self.wait(|client| client.read_resource(uri))
    }

    /// As [`crate::Client::list_prompts`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn list_prompts(&self) -> Result<Listing<Prompt>, Error> {
        self.worker.wait(self.client.list_prompts())
    }

    /// As [`crate::Client::get_prompt`].
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn get_prompt(&self, params: &GetPromptParams) -> Result<Reply<GetPromptResult>, Error> {
        self.wait(|client| client.get_prompt(params))
    }

    /// As [`crate::Client::close`].
    pub fn close(&self) -> Option<ChildClosed> {
        self.worker.wait(self.client.close())
    }
}

fn started() -> Result<Worker, Error> {
    Worker::start().map_err(|error| Error::not_started(format!("no worker thread: {error}")))
}
