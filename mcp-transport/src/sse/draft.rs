//! The event that is being put together: lines in, and at a blank line the event out.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use memchr::memchr;

use super::{Event, FIELD_LEN_MAX, ID_LEN_MAX, NAME_LEN_MAX, RETRY_MAX, SseError};
use crate::storage::Storage;

/// The fields since the last blank line, and what outlasts them.
#[derive(Debug)]
pub(super) struct Draft {
    /// Whether there was any field since the last blank line that makes an event.
    has_begun: bool,
    data: Data,
    // Bound: never more than the limit.
    storage: Storage,
    /// The name, if it is not the default.
    name: Option<Box<str>>,
    /// The id that the next blank line confirms; an empty one takes back the one before.
    id: Option<Arc<str>>,
    last_event_id: Option<Arc<str>>,
    retry: Option<Duration>,
    len_max: usize,
}

/// The values of the `data` lines so far, joined by `\n`.
#[derive(Debug, Default)]
enum Data {
    /// There was no such line.
    #[default]
    None,
    /// There was one, and this is where it stands in its chunk.
    Slice(Bytes),
    /// They are put together in the storage.
    Gathered,
}

/// The value of a line of data.
///
/// The line may be unfinished if it is long enough to tell.
pub(super) fn data_value(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(b"data:")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

impl Draft {
    pub(super) fn new(len_max: usize, storage: Storage) -> Self {
        Self {
            has_begun: false,
            data: Data::None,
            storage,
            name: None,
            id: None,
            last_event_id: None,
            retry: None,
            len_max,
        }
    }

    pub(super) fn take_storage(&mut self) -> Storage {
        std::mem::take(&mut self.storage)
    }

    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    pub(super) fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Takes a line that lies within the chunk; not a blank one.
    pub(super) fn take_line(&mut self, chunk: &Bytes, line: &[u8]) -> Result<(), SseError> {
        let Some(value) = data_value(line) else {
            return self.take_kept_line(line);
        };
        if !matches!(self.data, Data::None) {
            self.begin_data()?;
            return self.extend_data(value);
        }
        self.check_len(value.len())?;
        self.has_begun = true;
        self.data = Data::Slice(chunk.slice_ref(value));
        Ok(())
    }

    /// Takes a line without keeping it; not one with data in it.
    pub(super) fn take_kept_line(&mut self, line: &[u8]) -> Result<(), SseError> {
        let (field, value) = match memchr(b':', line) {
            Some(colon) => line.split_at(colon),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => return self.begin_data().and_then(|()| self.extend_data(value)),
            _ if line.len() > self.len_max => {
                return Err(SseError::LineTooLong {
                    len_max: self.len_max,
                });
            }
            b"event" => self.set_name(value)?,
            b"id" => self.set_id(value),
            b"retry" => self.set_retry(value),
            _ => {}
        }
        Ok(())
    }

    /// Begins a line of data.
    pub(super) fn begin_data(&mut self) -> Result<(), SseError> {
        self.has_begun = true;
        self.gather();
        match self.data {
            Data::None => {
                self.data = Data::Gathered;
                Ok(())
            }
            Data::Slice(_) | Data::Gathered => self.extend_data(b"\n"),
        }
    }

    /// Appends to the line of data that was begun last.
    pub(super) fn extend_data(&mut self, part: &[u8]) -> Result<(), SseError> {
        if !matches!(self.data, Data::Gathered) {
            return Ok(());
        }
        self.check_len(self.storage.len().saturating_add(part.len()))?;
        self.storage.extend(part, self.len_max);
        Ok(())
    }

    /// Copies data that is a slice of a chunk, since the chunk goes.
    pub(super) fn let_go_of_chunk(&mut self) {
        self.gather();
    }

    /// Drops what has not been handed out, in a stream that is not read any further.
    pub(super) fn clear(&mut self) {
        (self.data, self.name, self.id) = (Data::None, None, None);
        self.storage.clear();
        self.has_begun = false;
    }

    /// Ends the event, and hands it out if there is any data in it.
    pub(super) fn dispatch(&mut self) -> Result<Option<Event>, SseError> {
        self.has_begun = false;
        if let Some(id) = self.id.take() {
            self.last_event_id = (!id.is_empty()).then_some(id);
        }
        let name = self.name.take();
        let data = match std::mem::take(&mut self.data) {
            Data::None => return Ok(None),
            Data::Slice(slice) => slice,
            Data::Gathered => self.storage.take(),
        };
        if data.is_empty() {
            return Ok(None);
        }
        let (data, is_repaired) = match std::str::from_utf8(&data) {
            Ok(_text) => (data, false),
            Err(_invalid) => (self.repair(&data)?, true),
        };
        Ok(Some(Event {
            data,
            is_repaired,
            name,
            id: self.last_event_id.clone(),
        }))
    }

    /// Replaces what is not UTF-8.
    ///
    /// Bound: each replacement is three bytes long, so data within the limit may leave it here.
    fn repair(&self, data: &[u8]) -> Result<Bytes, SseError> {
        let mut len: usize = 0;
        for part in data.utf8_chunks() {
            let invalid = if part.invalid().is_empty() { 0 } else { 3 };
            len = len.saturating_add(part.valid().len() + invalid);
        }
        self.check_len(len)?;
        let mut repaired = String::with_capacity(len);
        for part in data.utf8_chunks() {
            repaired.push_str(part.valid());
            if !part.invalid().is_empty() {
                repaired.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Ok(Bytes::from(repaired))
    }

    fn check_len(&self, len: usize) -> Result<(), SseError> {
        if len > self.len_max {
            return Err(SseError::EventTooLong {
                len_max: self.len_max,
            });
        }
        Ok(())
    }

    fn gather(&mut self) {
        if let Data::Slice(slice) = &self.data {
            self.storage.extend(slice, self.len_max);
            self.data = Data::Gathered;
        }
    }

    fn set_name(&mut self, value: &[u8]) -> Result<(), SseError> {
        self.has_begun = true;
        // Nearly every event is of this kind, and says so.
        if matches!(value, b"" | b"message") {
            self.name = None;
            return Ok(());
        }
        let name = String::from_utf8_lossy(value);
        if name.len() > NAME_LEN_MAX {
            return Err(SseError::NameTooLong {
                len_max: NAME_LEN_MAX,
            });
        }
        self.name = Some(name.into());
        Ok(())
    }

    fn set_id(&mut self, value: &[u8]) {
        self.has_begun = true;
        let id = String::from_utf8_lossy(value);
        if id.len() > ID_LEN_MAX {
            self.id = Some(Arc::from(""));
        } else if !id.contains('\0') {
            self.id = Some(Arc::from(id));
        }
    }

    fn set_retry(&mut self, value: &[u8]) {
        let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        if is_number && value.len() <= FIELD_LEN_MAX {
            let millis = value.iter().fold(0_u64, |number, digit| {
                let digit = u64::from(digit.saturating_sub(b'0'));
                number.saturating_mul(10).saturating_add(digit)
            });
            self.retry = Some(Duration::from_millis(millis).min(RETRY_MAX));
        }
    }
}
