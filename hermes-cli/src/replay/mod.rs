//! `hermes mcp replay FILE`: plays a log of frames back as a server, on standard input and output.
//!
//! ```text
//!   FILE ── lines ──> Recording ──> Player (sans I/O) <── frames ── serve (I/O)
//! ```

mod message;
mod player;
mod recording;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use mcp_transport::lines::{Line, LineDecoder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use self::player::Player;
use self::recording::Recording;
use crate::failure::Failure;

/// The longest log that is read, in bytes.
// Bound: memory; a file of a log is begun anew at 64 MiB, and its last lines may be long.
const LOG_LEN_MAX: u64 = 128 << 20;

/// The longest line that is read.
// Bound: as long as the longest frame that our own client sends.
const LINE_LEN_MAX: usize = 32 << 20;

/// Reads a log, and tells what is missing in it.
///
/// # Errors
///
/// A file that cannot be read, or that holds nothing to play back.
pub(crate) fn load(path: &Path, server: Option<&str>) -> Result<(Player, Vec<String>), Failure> {
    let text = read(path).map_err(|error| {
        let message = format!("{} cannot be read: {error}", path.display());
        Failure::usage(
            "no_file",
            message,
            "name a file that --frame-log has written",
        )
    })?;
    let recording = Recording::read(&text, server).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::usage("bad_log", message, error.way_out())
    })?;
    let notes = recording.notes();
    Ok((Player::new(recording), notes))
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LOG_LEN_MAX + 1)
        .read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|len| len > LOG_LEN_MAX) {
        let reason = "it is longer than 128 MiB";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Serves standard input until it ends.
///
/// # Errors
///
/// If standard input or output fails.
pub(crate) async fn serve(mut player: Player) -> io::Result<()> {
    let (mut stdin, mut stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let mut lines = LineDecoder::new(LINE_LEN_MAX);
    let mut out = Vec::new();
    loop {
        let is_end = stdin.read_buf(lines.read_buffer()).await? == 0;
        let last = if is_end { lines.finish() } else { None };
        for line in std::iter::from_fn(|| lines.next_line()).chain(last) {
            // A line that is too long is dropped: its request runs into the client's deadline.
            if let Line::Frame { body, .. } = line {
                player.take(&body, &mut out);
            }
        }
        stdout.write_all(&out).await?;
        stdout.flush().await?;
        out.clear();
        if is_end {
            return Ok(());
        }
    }
}
