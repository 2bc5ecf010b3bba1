//! A line that is spread over chunks: its data goes to the event as it comes, and of the rest only
//! the beginning is kept.
//!
//! Bound: however long the line, no byte of it is looked at twice, and no more than [`KEPT_MAX`]
//! bytes are kept here.

use super::draft::{Draft, data_value};
use super::{FIELD_LEN_MAX, SseError};

/// How many bytes tell what a line is: with its colon, and for data with the space after that.
/// A shorter line without a line end is kept until it has one.
const DECIDED_AT: usize = 6;
/// One byte more than the longest line that is not ignored for its length, so that one that was
/// cut off is still seen to be too long.
const KEPT_MAX: usize = "retry: ".len() + FIELD_LEN_MAX + 1;

/// The line that has begun and not ended.
#[derive(Debug)]
pub(super) struct OpenLine {
    kind: Kind,
    /// Its beginning, unless it is data.
    kept: Vec<u8>,
    len: usize,
    len_max: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Too short to tell.
    Undecided,
    Data,
    /// A field that counts and is not data.
    Field,
    /// A comment or an unknown field.
    Ignored,
}

impl OpenLine {
    pub(super) fn new(len_max: usize) -> Self {
        Self {
            kind: Kind::Undecided,
            kept: Vec::new(),
            len: 0,
            len_max,
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.len > 0
    }

    /// Begins a line with a few bytes that cannot decide what it is.
    pub(super) fn begin_with(&mut self, start: &[u8]) {
        self.kept.extend_from_slice(start);
        self.len += start.len();
    }

    /// Takes a part of the line, without a line end.
    pub(super) fn extend(&mut self, part: &[u8], draft: &mut Draft) -> Result<(), SseError> {
        self.len = self.len.saturating_add(part.len());
        let mut part = part;
        if self.kind == Kind::Undecided {
            let missing = DECIDED_AT.saturating_sub(self.kept.len());
            let (start, rest) = part.split_at_checked(missing).unwrap_or((part, b""));
            self.kept.extend_from_slice(start);
            if self.kept.len() < DECIDED_AT {
                return Ok(());
            }
            self.decide(draft)?;
            part = rest;
        }
        match self.kind {
            Kind::Data => draft.extend_data(part)?,
            Kind::Field => {
                let room = KEPT_MAX.saturating_sub(self.kept.len());
                self.kept
                    .extend_from_slice(part.get(..room).unwrap_or(part));
            }
            Kind::Ignored | Kind::Undecided => {}
        }
        if self.kind != Kind::Data && self.len > self.len_max {
            return Err(SseError::LineTooLong {
                len_max: self.len_max,
            });
        }
        Ok(())
    }

    /// Takes the last part of the line, and hands it over.
    pub(super) fn finish(&mut self, last: &[u8], draft: &mut Draft) -> Result<(), SseError> {
        self.extend(last, draft)?;
        if matches!(self.kind, Kind::Undecided | Kind::Field) {
            draft.take_kept_line(&self.kept)?;
        }
        self.clear();
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.kind = Kind::Undecided;
        self.kept.clear();
        self.len = 0;
    }

    fn decide(&mut self, draft: &mut Draft) -> Result<(), SseError> {
        let known: [&[u8]; 3] = [b"event:", b"id:", b"retry:"];
        self.kind = if let Some(value) = data_value(&self.kept) {
            draft.begin_data()?;
            draft.extend_data(value)?;
            self.kept.clear();
            Kind::Data
        } else if known.iter().any(|start| self.kept.starts_with(start)) {
            Kind::Field
        } else {
            Kind::Ignored
        };
        Ok(())
    }
}
