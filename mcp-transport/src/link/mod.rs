//! The link: what the layer above holds of a transport, as a value.
//!
//! The two halves are independent: a reader that waits never keeps a writer from trying, and a
//! write that blocks never keeps the reader from reading.

mod channel;
mod ends;
mod inbound;
mod outbound;
mod pipes;

use bytes::Bytes;
use tokio::net::unix::pipe;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub use self::channel::FarEnd;
use self::channel::{ChannelReceiver, ChannelSender};
use self::ends::{Reading, Writing};
pub use self::inbound::{
    Closed, ClosedKind, ExchangeFailure, ExchangeFailureKind, Inbound, Origin,
};
pub use self::outbound::{ExchangeId, Outbound, Retracted, SendError, Sending};
use self::pipes::{PipeReceiver, PipeSender};
use crate::Limits;
use crate::process::{Child, Closed as ChildClosed};

/// A connection to one server, not yet spoken over.
#[derive(Debug)]
pub struct Link {
    sender: LinkSender,
    receiver: LinkReceiver,
}

/// The sending half. It never waits: what cannot be written yet is kept, up to a bound.
#[derive(Debug)]
pub struct LinkSender(SenderKind);

#[derive(Debug)]
enum SenderKind {
    Channel(ChannelSender),
    Pipe(PipeSender),
}

/// The receiving half, for the one task that reads.
#[derive(Debug)]
pub struct LinkReceiver(ReceiverKind);

#[derive(Debug)]
enum ReceiverKind {
    Channel(ChannelReceiver),
    Pipe(Box<PipeReceiver>),
}

/// A handle to wait on until a blocked sender may go on.
#[derive(Clone, Debug)]
pub struct Writable(WritableKind);

#[derive(Clone, Debug)]
enum WritableKind {
    Channel(mpsc::Sender<Box<Outbound<Bytes>>>),
    Pipe(std::sync::Arc<Writing>),
    Closed,
}

/// A link over bounded channels, and its far end: how HTTP and scripted servers stand behind one.
pub fn pair(limits: Limits) -> (Link, FarEnd) {
    let (sender, receiver, far_end) = channel::pair(limits);
    let link = Link {
        sender: LinkSender(SenderKind::Channel(sender)),
        receiver: LinkReceiver(ReceiverKind::Channel(receiver)),
    };
    (link, far_end)
}

impl Link {
    /// A link served by `task`, which ends by itself once the sending half is closed.
    pub(crate) fn of_task(limits: Limits, serve: impl FnOnce(FarEnd) -> JoinHandle<()>) -> Self {
        let (sender, mut receiver, far_end) = channel::pair(limits);
        receiver.set_task(serve(far_end));
        Self {
            sender: LinkSender(SenderKind::Channel(sender)),
            receiver: LinkReceiver(ReceiverKind::Channel(receiver)),
        }
    }

    /// A link over two pipes, with newline framing; nothing is done when it closes but dropping
    /// them.
    pub fn over_pipes(read: pipe::Receiver, write: pipe::Sender, limits: Limits) -> Self {
        Self::of_ends(Reading::Pipe(read), Writing::Pipe(write), None, limits)
    }

    /// A link over a connected TCP stream, with newline framing.
    pub fn over_tcp(stream: TcpStream, limits: Limits) -> Self {
        let (read, write) = stream.into_split();
        Self::of_ends(Reading::Tcp(read), Writing::Tcp(write), None, limits)
    }

    /// A link over a connected Unix domain socket, with newline framing.
    pub fn over_unix(stream: UnixStream, limits: Limits) -> Self {
        let (read, write) = stream.into_split();
        Self::of_ends(Reading::Unix(read), Writing::Unix(write), None, limits)
    }

    /// A link to a child process, which is ended with the link.
    pub(crate) fn of_child(
        read: pipe::Receiver,
        write: pipe::Sender,
        child: Child,
        limits: Limits,
    ) -> Self {
        let (read, write) = (Reading::Pipe(read), Writing::Pipe(write));
        Self::of_ends(read, write, Some(child), limits)
    }

    fn of_ends(read: Reading, write: Writing, child: Option<Child>, limits: Limits) -> Self {
        Self {
            sender: LinkSender(SenderKind::Pipe(PipeSender::new(write, limits))),
            receiver: LinkReceiver(ReceiverKind::Pipe(Box::new(PipeReceiver::new(
                read, child, limits,
            )))),
        }
    }

    /// The two halves.
    pub fn split(self) -> (LinkSender, LinkReceiver) {
        (self.sender, self.receiver)
    }
}

impl LinkSender {
    /// Whether anything behind this link looks at labels; if not, they need not be made.
    pub fn wants_labels(&self) -> bool {
        matches!(self.0, SenderKind::Channel(_))
    }

    /// Whether something waits to be written.
    pub fn has_unsent(&self) -> bool {
        match &self.0 {
            SenderKind::Channel(sender) => sender.has_unsent(),
            SenderKind::Pipe(sender) => sender.has_unsent(),
        }
    }

    /// Takes something to send; [`LinkSender::try_flush`] sends it.
    ///
    /// # Errors
    ///
    /// [`SendError::Full`] if too much waits already (nothing was taken), [`SendError::Closed`]
    /// after the link was closed or writing failed.
    pub fn push(&mut self, outbound: Outbound<&[u8]>) -> Result<(), SendError> {
        match &mut self.0 {
            SenderKind::Channel(sender) => sender.push(outbound),
            SenderKind::Pipe(sender) => sender.push(outbound),
        }
    }

    /// Writes what waits, as far as that goes without waiting.
    ///
    /// # Errors
    ///
    /// [`SendError::Closed`] if the other side is gone; the receiving half tells more.
    pub fn try_flush(&mut self) -> Result<Sending, SendError> {
        match &mut self.0 {
            SenderKind::Channel(sender) => sender.try_flush(),
            SenderKind::Pipe(sender) => sender.try_flush(),
        }
    }

    /// Takes back a request that has not begun to leave, and tells whether it had.
    pub fn retract(&mut self, exchange: ExchangeId) -> Retracted {
        match &mut self.0 {
            SenderKind::Channel(sender) => sender.retract(exchange),
            SenderKind::Pipe(sender) => sender.retract(exchange),
        }
    }

    /// Closes the sending half: what waits is dropped, and the other side sees the end of the
    /// stream once the last [`Writable`] is gone.
    pub fn close(&mut self) {
        match &mut self.0 {
            SenderKind::Channel(sender) => sender.close(),
            SenderKind::Pipe(sender) => sender.close(),
        }
    }

    /// What to wait on when [`LinkSender::try_flush`] was blocked.
    pub fn writable(&self) -> Writable {
        Writable(match &self.0 {
            SenderKind::Channel(sender) => sender.writable(),
            SenderKind::Pipe(sender) => sender.writable(),
        })
    }
}

impl Writable {
    /// Waits until another attempt to write may succeed, or the other side is gone.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn ready(&self) {
        match &self.0 {
            WritableKind::Channel(queue) => {
                let _: Result<mpsc::Permit<'_, _>, _> = queue.reserve().await;
            }
            WritableKind::Pipe(pipe) => {
                let _: std::io::Result<()> = pipe.writable().await;
            }
            WritableKind::Closed => {}
        }
    }
}

impl LinkReceiver {
    /// Waits for what comes in and appends it to `batch`: at least one item, all that is there.
    ///
    /// [`Inbound::Closed`] is the last item ever; after it, the future never completes.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping the future.
    pub async fn receive(&mut self, batch: &mut Vec<Inbound>) {
        match &mut self.0 {
            ReceiverKind::Channel(receiver) => receiver.receive(batch).await,
            ReceiverKind::Pipe(receiver) => receiver.receive(batch).await,
        }
    }

    /// Whether a long frame has left storage behind that a quiet connection need not keep.
    pub fn holds_storage(&self) -> bool {
        match &self.0 {
            ReceiverKind::Channel(_) => false,
            ReceiverKind::Pipe(receiver) => receiver.holds_storage(),
        }
    }

    /// Lets go of that storage.
    pub fn let_go(&mut self) {
        if let ReceiverKind::Pipe(receiver) = &mut self.0 {
            receiver.let_go();
        }
    }

    /// Keeps a line that was no message, as evidence for the obituary.
    pub fn note_stray(&mut self, excerpt: &[u8]) {
        if let ReceiverKind::Pipe(receiver) = &mut self.0 {
            receiver.note_stray(excerpt);
        }
    }

    /// Ends the connection and what stands behind it; call [`LinkSender::close`] first.
    ///
    /// Bounded by the graces of the command for a child process, by two seconds for the session
    /// of an HTTP server, and immediate otherwise.
    /// `None` if there was no process to end.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future kills the process at once instead of asking it to go.
    pub async fn close(self) -> Option<ChildClosed> {
        match self.0 {
            ReceiverKind::Channel(receiver) => {
                receiver.close().await;
                None
            }
            ReceiverKind::Pipe(receiver) => receiver.close().await,
        }
    }
}
