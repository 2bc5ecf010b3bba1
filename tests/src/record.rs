//! What happened on a fake server's side: written by it line by line, read by the test.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

/// A message that a client wrote, as text and as far as it can be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The line without its end.
    pub text: String,
    value: Value,
}

impl Message {
    /// Reads a line.
    pub fn read(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            value: serde_json::from_str(text).unwrap_or(Value::Null),
        }
    }

    /// The method of a request or a notification.
    pub fn method(&self) -> Option<&str> {
        self.value.get("method")?.as_str()
    }

    /// The id as JSON text.
    pub fn id(&self) -> Option<String> {
        Some(self.value.get("id")?.to_string())
    }

    /// Whether it answers a request of the server.
    pub fn is_answer(&self) -> bool {
        self.value.get("result").is_some() || self.value.get("error").is_some()
    }

    /// The member at a path such as `params._meta.progressToken`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('.')
            .try_fold(&self.value, |value, name| value.get(name))
    }
}

/// One line of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The client closed stdin while the server was at this step.
    EndedAt(usize),
    /// Something was not as the script demands.
    Failed(String),
    /// All steps have been played.
    Finished,
    /// The client wrote this.
    Heard(Message),
    /// This step was played.
    Played(usize),
}

impl Entry {
    pub(crate) fn write(&self, mut to: &File, process: usize) {
        let mut entry = match self {
            Self::EndedAt(step) => json!({ "ended": step }),
            Self::Failed(why) => json!({ "failed": why }),
            Self::Finished => json!({ "finished": true }),
            Self::Heard(message) => json!({ "heard": message.text }),
            Self::Played(step) => json!({ "played": step }),
        };
        entry["process"] = process.into();
        // One write for the whole line: the file is shared by threads and processes.
        drop(to.write_all(format!("{entry}\n").as_bytes()));
    }

    fn read(line: &str) -> Option<(usize, Self)> {
        let value: Value = serde_json::from_str(line).ok()?;
        let process = usize::try_from(value.get("process")?.as_u64()?).ok()?;
        let number = |name: &str| {
            value
                .get(name)
                .and_then(Value::as_u64)
                .and_then(|step| usize::try_from(step).ok())
        };
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let entry = if let Some(line) = text("heard") {
            Self::Heard(Message::read(line))
        } else if let Some(why) = text("failed") {
            Self::Failed(why.to_owned())
        } else if let Some(step) = number("ended") {
            Self::EndedAt(step)
        } else if let Some(step) = number("played") {
            Self::Played(step)
        } else {
            Self::Finished
        };
        Some((process, entry))
    }
}

/// All that the processes of one stage wrote down.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The number of the process, counted from 1, and what it wrote, in order.
    pub entries: Vec<(usize, Entry)>,
}

impl Record {
    /// Reads the record in a folder; a line that is being written is left for later.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("record.jsonl")).unwrap_or_default();
        let whole = text
            .rfind('\n')
            .map_or("", |end| text.get(..end).unwrap_or_default());
        Self {
            entries: whole.lines().filter_map(Entry::read).collect(),
        }
    }

    /// What the client wrote, to whichever process.
    pub fn heard(&self) -> impl Iterator<Item = &Message> {
        self.entries
            .iter()
            .filter_map(|(_process, entry)| match entry {
                Entry::Heard(message) => Some(message),
                _ => None,
            })
    }

    /// The messages with a method.
    pub fn of(&self, method: &str) -> Vec<&Message> {
        self.heard()
            .filter(|message| message.method() == Some(method))
            .collect()
    }

    /// What was not as the script demands.
    pub fn failures(&self) -> Vec<&str> {
        let failures = self
            .entries
            .iter()
            .filter_map(|(_process, entry)| match entry {
                Entry::Failed(why) => Some(why.as_str()),
                _ => None,
            });
        failures.collect()
    }

    /// Whether some process has played its script to the end.
    pub fn is_finished(&self) -> bool {
        self.entries
            .iter()
            .any(|(_process, entry)| *entry == Entry::Finished)
    }

    /// The answer to a request of the server, by its id as JSON.
    pub fn answer_to(&self, id: &str) -> Option<&Message> {
        self.heard()
            .find(|message| message.is_answer() && message.id().as_deref() == Some(id))
    }
}
