//! The body of a reply, played piece by piece.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::stream::unfold;
use http_body::Frame;
use http_body_util::StreamBody;
use mcp_transport::http::{Body, Failure, FailureKind};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::ScriptedHttp;
use super::heard::Stream;
use super::rule::{Piece, Then};

/// Tells the server what became of a reply, the client's giving it up included.
#[derive(Debug)]
pub(super) struct Watch {
    server: ScriptedHttp,
    /// Which request it answers.
    pub(super) number: usize,
}

impl Watch {
    pub(super) fn new(server: ScriptedHttp, number: usize) -> Self {
        Self { server, number }
    }

    /// The server has done its part.
    pub(super) fn ended(&self) {
        self.server.set_stream(self.number, Stream::Ended);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // What the server has ended stays so.
        self.server.set_stream(self.number, Stream::Dropped);
    }
}

/// A body that is under way.
#[derive(Debug)]
pub(super) struct Playing {
    pub(super) pieces: VecDeque<Piece>,
    pub(super) then: Then,
    /// What other requests write on it.
    pub(super) pushed: Option<mpsc::Receiver<Bytes>>,
    pub(super) watch: Watch,
}

impl Playing {
    pub(super) fn into_body(self) -> Body {
        // A reply that takes no time is over for the server with its head.
        let is_whole = self
            .pieces
            .iter()
            .all(|piece| !matches!(piece, Piece::Pause(_) | Piece::WaitAnswer(_)));
        if is_whole && self.then != Then::Hold {
            self.watch.ended();
        }
        let frames = unfold(Some(self), |playing| async {
            let mut playing = playing?;
            match playing.next().await {
                Some(Ok(data)) => Some((Ok(Frame::data(data)), Some(playing))),
                // Nothing follows a failure.
                Some(Err(failure)) => Some((Err(failure), None)),
                None => None,
            }
        });
        Body::new(StreamBody::new(frames))
    }

    async fn next(&mut self) -> Option<Result<Bytes, Failure>> {
        let server = self.watch.server.clone();
        while let Some(piece) = self.pieces.pop_front() {
            match piece {
                Piece::Bytes(bytes) => return Some(Ok(bytes)),
                Piece::Bytewise(text) => {
                    let text = server.fill(&text, self.watch.number);
                    for byte in text.bytes().rev() {
                        self.pieces
                            .push_front(Piece::Bytes(Bytes::copy_from_slice(&[byte])));
                    }
                }
                Piece::Text(text) => {
                    return Some(Ok(server.fill(&text, self.watch.number).into()));
                }
                Piece::Pause(pause) => sleep(pause).await, // sleep: a step of the script
                Piece::WaitAnswer(id) => server.until_answered(&id).await,
            }
        }
        match self.then {
            Then::Hold => {
                if let Some(pushed) = &mut self.pushed
                    && let Some(data) = pushed.recv().await
                {
                    return Some(Ok(data));
                }
                std::future::pending().await
            }
            Then::Reset => {
                self.watch.ended();
                let reason = "connection reset by the script";
                Some(Err(Failure::maybe_sent(FailureKind::Broken, reason)))
            }
            Then::Close | Then::Lost | Then::Never => {
                self.watch.ended();
                None
            }
        }
    }
}
