//! Opens the control socket, reads requests and writes answers.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::place::make_private;
use super::{ANSWER_TIME, CONNECTIONS_MAX, LINE_TIME, Places, Question, REQUEST_LEN_MAX, Request};
use crate::failure::Failure;
use crate::output::json;

/// How long nothing is accepted after that failed.
// Bound: a process without descriptors must not turn in a circle.
const PAUSE: Duration = Duration::from_secs(1);

/// A question, and where its answer goes: one line.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) question: Question,
    pub(crate) answer: oneshot::Sender<String>,
}

/// The control socket, which goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Control {
    listener: UnixListener,
    path: PathBuf,
    /// Whoever holds the lock has the socket; what else lies there is stale.
    _lock: File,
    // Bound: `CONNECTIONS_MAX`.
    connections: JoinSet<()>,
    asking: mpsc::Sender<Asked>,
    asked: mpsc::Receiver<Asked>,
}

/// Why there is no control socket.
#[derive(Debug)]
pub(crate) enum NoControl {
    /// Another process has it.
    Taken,
    /// It cannot be opened anywhere, and why not at each place.
    Unavailable(String),
}

impl Control {
    /// Opens the socket at the first place where that can be done, in the place of a stale one.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(crate) fn open(places: &Places) -> Result<Self, NoControl> {
        let mut reasons = Vec::new();
        for folder in places.folders() {
            match Self::open_in(places, folder) {
                Ok(Some(control)) => return Ok(control),
                Ok(None) => return Err(NoControl::Taken),
                Err(error) => reasons.push(format!("{}: {error}", folder.display())),
            }
        }
        if reasons.is_empty() {
            reasons.push("neither XDG_RUNTIME_DIR nor a home folder is known".to_owned());
        }
        Err(NoControl::Unavailable(reasons.join("; ")))
    }

    /// `None` if another process has it.
    fn open_in(places: &Places, folder: &Path) -> io::Result<Option<Self>> {
        make_private(folder)?;
        let lock = File::create(places.lock(folder))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let path = places.socket(folder);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _gone => {}
        }
        let listener = UnixListener::bind(&path)?;
        let (asking, asked) = mpsc::channel(CONNECTIONS_MAX);
        Ok(Some(Self {
            listener,
            path,
            _lock: lock,
            connections: JoinSet::new(),
            asking,
            asked,
        }))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the next question.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub(crate) async fn next(&mut self) -> Option<Asked> {
        loop {
            tokio::select! {
                asked = self.asked.recv() => return asked,
                Some(_ended) = self.connections.join_next() => {}
                accepted = self.listener.accept(), if self.connections.len() < CONNECTIONS_MAX => {
                    match accepted {
                        Ok((stream, _)) => {
                            self.connections.spawn(serve(stream, self.asking.clone()));
                        }
                        // As when there are no descriptors left; the next one may find some.
                        Err(error) => {
                            tracing::warn!(%error, "a connection to the control socket was lost");
                            tokio::time::sleep(PAUSE).await;
                        }
                    }
                }
            }
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // One that stays is replaced by the next one.
        let _: io::Result<()> = fs::remove_file(&self.path);
    }
}

/// Serves one connection: a request, an answer, the end.
async fn serve(mut stream: UnixStream, asking: mpsc::Sender<Asked>) {
    let answer = match timeout(LINE_TIME, read(&mut stream)).await {
        Ok(Ok(question)) => {
            let (answer, answered) = oneshot::channel();
            let asked = Asked { question, answer };
            // What asks is gone only together with what answers.
            let _: Result<(), mpsc::error::SendError<Asked>> = asking.send(asked).await;
            match timeout(ANSWER_TIME, answered).await {
                Ok(Ok(answer)) => answer,
                _late => return,
            }
        }
        Ok(Err(error)) => {
            let suggestion = "send one line, such as {\"request\":\"status\"}";
            let message = format!("the request cannot be read: {error}");
            json::failure(&Failure::usage("bad_request", message, suggestion), &[])
        }
        Err(_elapsed) => return,
    };
    // Whoever asked may have gone.
    let write = stream.write_all(answer.as_bytes());
    let _: Result<io::Result<()>, tokio::time::error::Elapsed> = timeout(LINE_TIME, write).await;
}

async fn read(stream: &mut UnixStream) -> io::Result<Question> {
    let mut line = String::new();
    let mut stream = BufReader::new(stream).take(REQUEST_LEN_MAX);
    stream.read_line(&mut line).await?;
    let request: Request = serde_json::from_str(&line)?;
    Ok(request.request)
}
