//! The two ends of a byte stream under a link: of pipes, or of a socket.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BufMut;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::tcp;
use tokio::net::unix::{self, pipe};

/// Where bytes come from.
#[derive(Debug)]
pub(super) enum Reading {
    Pipe(pipe::Receiver),
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
}

/// Where bytes go.
#[derive(Debug)]
pub(super) enum Writing {
    Pipe(pipe::Sender),
    /// Dropping it ends the stream for the other side, which may still write.
    Tcp(tcp::OwnedWriteHalf),
    /// The same.
    Unix(unix::OwnedWriteHalf),
}

impl Reading {
    /// Completes when there is something to read.
    pub(super) fn poll_read_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Pipe(pipe) => pipe.poll_read_ready(context),
            Self::Tcp(half) => half.as_ref().poll_read_ready(context),
            Self::Unix(half) => half.as_ref().poll_read_ready(context),
        }
    }

    /// Reads what is there, without waiting.
    pub(super) fn try_read_buf(&self, buffer: &mut impl BufMut) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.try_read_buf(buffer),
            Self::Tcp(half) => half.try_read_buf(buffer),
            Self::Unix(half) => half.try_read_buf(buffer),
        }
    }
}

impl AsyncRead for Reading {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_read(context, buffer),
            Self::Tcp(half) => Pin::new(half).poll_read(context, buffer),
            Self::Unix(half) => Pin::new(half).poll_read(context, buffer),
        }
    }
}

impl Writing {
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.try_write(bytes),
            Self::Tcp(half) => half.try_write(bytes),
            Self::Unix(half) => half.try_write(bytes),
        }
    }

    pub(super) async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Pipe(pipe) => pipe.writable().await,
            Self::Tcp(half) => half.writable().await,
            Self::Unix(half) => half.writable().await,
        }
    }
}
