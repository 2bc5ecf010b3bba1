//! What a server says on stderr: always read, so that it never blocks, and kept in a bounded ring.
//!
//! The ring holds raw bytes; lines are cut, cleaned and redacted when somebody asks.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::net::unix::pipe;
use tokio::task::coop::consume_budget;

use super::log::StderrLog;
use crate::redact::Redactor;

/// The last bytes of a server's stderr.
#[derive(Debug, Default)]
pub(super) struct Ring {
    bytes: VecDeque<u8>,
    /// Whether older bytes were let go, so that the first line may be a part of one.
    lossy: bool,
}

impl Ring {
    fn push(&mut self, chunk: &[u8]) {
        // Bound: the queue grows with what comes, up to this length.
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(RING_LEN_MAX);
        if excess > 0 {
            self.lossy = true;
            self.bytes.drain(..excess.min(self.bytes.len()));
        }
        let fits = chunk.len().saturating_sub(RING_LEN_MAX);
        self.bytes.extend(chunk.get(fits..).unwrap_or_default());
    }

    /// The last lines that say something, oldest first, a partial last line included.
    pub(super) fn tail(&self, redactor: &Redactor) -> Vec<String> {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let whole = if self.lossy {
            after_cut(&bytes, redactor)
        } else {
            bytes.as_slice()
        };
        let mut lines: Vec<String> = lines(whole)
            .rev()
            .take(TAIL_LINES_MAX)
            .map(|line| redactor.redact_bytes_lossy(&plain(line), LINE_LEN_MAX))
            .collect();
        lines.reverse();
        lines
    }
}

/// What can be shown of a ring whose beginning was overwritten.
///
/// A secret may have been cut in half there, beyond recognition, so the rest of that line goes, or
/// if there is no other line, as much as a secret can be long.
fn after_cut<'b>(bytes: &'b [u8], redactor: &Redactor) -> &'b [u8] {
    let next_line = memchr::memchr2(b'\n', b'\r', bytes).map(|end| end + 1);
    let start = next_line.filter(|start| lines(&bytes[*start..]).next().is_some());
    bytes
        .get(start.unwrap_or_else(|| redactor.secret_len_max())..)
        .unwrap_or_default()
}

/// Lines end with LF or CR, as progress bars do; blank ones say nothing.
fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .filter(|line| !line.trim_ascii().is_empty())
}

/// The line without colours and other control sequences of terminals.
fn plain(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            ESCAPE => {
                // `ESC [ parameters final`; any other escape is two bytes long.
                if rest.next() == Some(b'[') {
                    let _final_byte = rest.find(|byte| (0x40..=0x7e).contains(byte));
                }
            }
            b'\t' => plain.push(byte),
            0..0x20 | 0x7f => {}
            _ => plain.push(byte),
        }
    }
    plain
}

/// Reads stderr to its end, into the ring and the log.
pub(super) async fn pump(stderr: pipe::Receiver, ring: &Mutex<Ring>, mut log: Option<LineLog>) {
    // Most servers say little, so nothing is set aside for what they may say.
    while stderr.readable().await.is_ok() && take_chunk(&stderr, ring, log.as_mut()) {
        // One that never stops must not keep the others of its thread from their turn.
        consume_budget().await;
    }
    if let Some(log) = &mut log {
        log.finish();
    }
}

/// Reads once; says whether there may be more.
fn take_chunk(stderr: &pipe::Receiver, ring: &Mutex<Ring>, log: Option<&mut LineLog>) -> bool {
    let mut chunk = [0; CHUNK_LEN];
    let read = match stderr.try_read(&mut chunk) {
        Ok(0) => return false,
        Ok(read) => chunk.get(..read).unwrap_or_default(),
        Err(error) => {
            return matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            );
        }
    };
    ring.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(read);
    if let Some(log) = log {
        log.push(read);
    }
    true
}

/// Cuts stderr into lines for the log file.
#[derive(Debug)]
pub(super) struct LineLog {
    log: StderrLog,
    redactor: Redactor,
    partial: Vec<u8>,
    /// Whether the line being read was already written as far as it is kept.
    cut: bool,
}

impl LineLog {
    pub(super) fn new(log: StderrLog, redactor: Redactor) -> Self {
        Self {
            log,
            redactor,
            partial: Vec::new(),
            cut: false,
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        let mut ready = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            if !self.cut {
                self.partial.extend_from_slice(text);
                // Bound: of a longer line the beginning is written and the rest is passed over.
                let len_max = LOG_LINE_LEN_MAX + self.redactor.secret_len_max();
                if self.partial.len() > len_max || ended {
                    ready.push(self.take_line());
                    self.cut = !ended;
                }
            } else if ended {
                self.cut = false;
            }
        }
        self.write(&ready);
    }

    fn finish(&mut self) {
        if !self.partial.is_empty() {
            let last = self.take_line();
            self.write(&[last]);
        }
    }

    fn take_line(&mut self) -> String {
        let line = plain(&std::mem::take(&mut self.partial));
        self.redactor.redact_bytes_lossy(&line, LOG_LINE_LEN_MAX)
    }

    fn write(&self, lines: &[String]) {
        if !lines.is_empty() {
            // A full disk must not disturb the server; the ring still has the lines.
            let _: Result<(), _> = self.log.append(lines);
        }
    }
}

/// What a pipe holds on Linux: enough for any stack trace.
const RING_LEN_MAX: usize = 64 * 1024;
/// Lines of an obituary.
const TAIL_LINES_MAX: usize = 20;
/// Bytes of a line in an obituary.
const LINE_LEN_MAX: usize = 1024;
/// Bytes of a line in the log file.
const LOG_LINE_LEN_MAX: usize = 8 * 1024;
/// Bytes asked for in one read.
const CHUNK_LEN: usize = 8 * 1024;
const ESCAPE: u8 = 0x1b;
