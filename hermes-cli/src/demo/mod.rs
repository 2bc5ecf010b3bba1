//! The demo server: a small MCP server for people who have none yet, and for our own tests.
//!
//! It speaks every revision, on standard input and output, and everything it does is
//! deterministic.
//!
//! ```text
//!   serve (I/O, clock) ── lines ──> Server (sans I/O) ── name, arguments ──> tools, library
//! ```

mod library;
mod server;
mod tools;

use std::future;
use std::io;

use mcp_transport::lines::{Line, LineDecoder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until};

use self::server::Server;

/// The longest line that is read.
// Bound: as long as the longest frame that our own client takes.
const LINE_LEN_MAX: usize = 32 << 20;

/// Serves standard input until it ends.
///
/// # Errors
///
/// If standard input or output fails.
pub(crate) async fn serve() -> io::Result<()> {
    let (mut stdin, mut stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let mut lines = LineDecoder::new(LINE_LEN_MAX);
    let mut server = Server::new();
    let mut out = Vec::new();
    loop {
        let due = server.next_due().map(Instant::from_std);
        let is_end = tokio::select! {
            read = stdin.read_buf(lines.read_buffer()) => read? == 0,
            () = wait(due) => false,
        };
        let now = Instant::now().into_std();
        let last = if is_end { lines.finish() } else { None };
        for line in std::iter::from_fn(|| lines.next_line()).chain(last) {
            // A line that is too long is dropped: its request runs into the client's deadline.
            if let Line::Frame { body, .. } = line {
                server.take(now, body);
            }
        }
        server.tick(now);
        server.write(&mut out);
        stdout.write_all(&out).await?;
        stdout.flush().await?;
        out.clear();
        if is_end {
            return Ok(());
        }
    }
}

async fn wait(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => future::pending().await,
    }
}
