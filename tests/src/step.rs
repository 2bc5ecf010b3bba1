//! The steps of a server's script, read from lines of JSON; `transcripts/README.md` lists them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What a scripted server does next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Closes stdout.
    Close,
    /// Never reads again.
    Deaf,
    /// Exits at once.
    Exit(i32),
    /// Opens a legacy session, refusing the question for the era.
    Handshake,
    /// Starts a process that holds stdout and stderr open.
    Holder(Duration),
    /// Ignores signals, named as `TERM`.
    Ignore(Vec<String>),
    /// Stays alive after the end of stdin.
    Linger(Duration),
    /// Fails if a message arrives within a time.
    None {
        /// The method that must not arrive.
        method: String,
        /// For how long.
        within: Duration,
    },
    /// Steps of which the first may fail to happen.
    Optional(Vec<Self>),
    /// Does nothing for a time.
    Pause(Duration),
    /// Answers requests until the end of stdin.
    Serve {
        /// The result for each method.
        results: BTreeMap<String, String>,
        /// What is said after each answer.
        then: Option<String>,
    },
    /// Answers the requests of one method, one answer each.
    ServeSequence {
        /// The method.
        method: String,
        /// The member and its value, as in `("result", "{}")`.
        answers: Vec<(String, String)>,
    },
    /// Takes requests without answering.
    Swallow {
        /// Their method.
        method: String,
        /// How many.
        times: usize,
    },
    /// Waits for a message.
    Wait(Wait),
    /// Waits for answers to requests of the server.
    WaitAnswers {
        /// The id as JSON, if a certain one is meant.
        id: Option<String>,
        /// How many.
        times: usize,
    },
    /// Writes.
    Write(Write),
}

/// What is waited for, and what of it is kept.
#[derive(Clone, Debug)]
pub struct Wait {
    /// The method.
    pub method: String,
    /// The variable that takes the id.
    pub id: Option<String>,
    /// Variables that take other members, each by its path.
    pub keep: BTreeMap<String, String>,
    /// A path and the JSON that has to stand there.
    pub at: Option<(String, String)>,
}

/// What is written.
#[derive(Clone, Debug)]
pub struct Write {
    /// Where to.
    pub to: Output,
    /// The text; `"$V"` and `{{V}}` stand for variables.
    pub body: Body,
    /// How often.
    pub times: usize,
    /// The pause before each.
    pub every: Duration,
    /// What `"$n"` counts from.
    pub count_from: u64,
}

/// The two streams of a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Output {
    /// The log.
    Stderr,
    /// The wire.
    Stdout,
}

/// What is written: text with variables, or bytes.
#[derive(Clone, Debug)]
pub enum Body {
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// Text, in which variables are filled in.
    Text(String),
}

/// A line, as it stands in the file: one verb and what belongs to it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line<'a> {
    close: Option<bool>,
    deaf: Option<bool>,
    exit: Option<i32>,
    handshake: Option<bool>,
    hex: Option<String>,
    holder: Option<u64>,
    ignore: Option<Vec<String>>,
    linger: Option<u64>,
    none: Option<String>,
    #[serde(borrow)]
    optional: Option<Vec<&'a RawValue>>,
    pause: Option<u64>,
    #[serde(borrow)]
    say: Option<&'a RawValue>,
    #[serde(borrow)]
    serve: Option<BTreeMap<String, &'a RawValue>>,
    serve_sequence: Option<String>,
    stderr: Option<String>,
    swallow: Option<String>,
    wait: Option<String>,
    #[serde(borrow)]
    wait_answer: Option<&'a RawValue>,
    wait_answers: Option<usize>,
    write: Option<String>,

    #[serde(borrow)]
    answers: Vec<BTreeMap<String, &'a RawValue>>,
    at: Option<(String, serde_json::Value)>,
    count_from: u64,
    every: u64,
    id: Option<String>,
    keep: BTreeMap<String, String>,
    nest: Option<Nest>,
    pad: Option<Pad>,
    #[serde(borrow)]
    then: Option<&'a RawValue>,
    times: Option<usize>,
    within: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pad {
    char: String,
    count: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nest {
    open: String,
    core: String,
    close: String,
    count: usize,
}

impl Step {
    /// The parts of a script, one for each process that is started; the last one goes for all
    /// further ones. Lines that belong to the client are skipped.
    ///
    /// # Errors
    ///
    /// Which line is wrong, and why.
    pub fn parts(script: &str) -> Result<Vec<Vec<Self>>, String> {
        let mut parts = vec![Vec::new()];
        for (number, line) in script.lines().enumerate() {
            let fail = |why: String| format!("line {}: {why}", number + 1);
            if line.trim().is_empty() || is_of_client(line) {
                continue;
            }
            if line.trim() == r#"{"next_process":true}"# {
                parts.push(Vec::new());
            } else if let Some(part) = parts.last_mut() {
                part.push(Self::read(line).map_err(fail)?);
            }
        }
        Ok(parts)
    }

    fn read(line: &str) -> Result<Self, String> {
        let line: Line<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
        line.into_step()
    }
}

/// Whether a line is no step of the server.
pub(crate) fn is_of_client(line: &str) -> bool {
    ["{\"title\"", "{\"client\"", "{\"do\"", "{\"check\""]
        .iter()
        .any(|start| line.trim_start().starts_with(start))
}

impl Line<'_> {
    fn into_step(self) -> Result<Step, String> {
        if let Some(write) = self.writes()? {
            return Ok(Step::Write(write));
        }
        let times = self.times.unwrap_or(1);
        if let Some(method) = self.wait {
            let at = self.at.map(|(path, value)| (path, value.to_string()));
            return Ok(Step::Wait(Wait {
                method,
                id: self.id,
                keep: self.keep,
                at,
            }));
        }
        if let Some(results) = self.serve {
            let results = results.into_iter();
            let results = results
                .map(|(method, result)| (method, result.get().to_owned()))
                .collect();
            let then = self.then.map(|then| then.get().to_owned());
            return Ok(Step::Serve { results, then });
        }
        if let Some(method) = self.serve_sequence {
            let answers = self.answers.into_iter().flatten();
            let answers = answers
                .map(|(member, value)| (member, value.get().to_owned()))
                .collect();
            return Ok(Step::ServeSequence { method, answers });
        }
        if let Some(steps) = self.optional {
            let steps = steps
                .iter()
                .map(|step| Step::read(step.get()))
                .collect::<Result<_, _>>()?;
            return Ok(Step::Optional(steps));
        }
        let id = self.wait_answer.map(|id| id.get().to_owned());
        let ms = Duration::from_millis;
        let simple = [
            self.close.map(|_yes| Step::Close),
            self.deaf.map(|_yes| Step::Deaf),
            self.exit.map(Step::Exit),
            self.handshake.map(|_yes| Step::Handshake),
            self.holder.map(|holder| Step::Holder(ms(holder))),
            self.ignore.map(Step::Ignore),
            self.linger.map(|linger| Step::Linger(ms(linger))),
            self.none.map(|method| Step::None {
                method,
                within: ms(self.within),
            }),
            self.pause.map(|pause| Step::Pause(ms(pause))),
            self.swallow.map(|method| Step::Swallow { method, times }),
            self.wait_answers
                .map(|times| Step::WaitAnswers { id: None, times }),
            id.map(|id| Step::WaitAnswers {
                id: Some(id),
                times: 1,
            }),
        ];
        simple
            .into_iter()
            .flatten()
            .next()
            .ok_or_else(|| "no verb that is known".to_owned())
    }

    fn writes(&self) -> Result<Option<Write>, String> {
        let out = Output::Stdout;
        let (to, body) = if let Some(json) = self.say {
            (out, Body::Text(format!("{}\n", json.get())))
        } else if let Some(text) = &self.write {
            (out, Body::Text(self.fill(text)))
        } else if let Some(text) = &self.stderr {
            (Output::Stderr, Body::Text(self.fill(text)))
        } else if let Some(hex) = &self.hex {
            (out, Body::Bytes(bytes_of(hex)?))
        } else {
            return Ok(None);
        };
        let (times, every) = (self.times.unwrap_or(1), Duration::from_millis(self.every));
        Ok(Some(Write {
            to,
            body,
            times,
            every,
            count_from: self.count_from,
        }))
    }

    fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some(Pad { char, count }) = &self.pad {
            text = text.replace("@PAD@", &char.repeat(*count));
        }
        if let Some(Nest {
            open,
            core,
            close,
            count,
        }) = &self.nest
        {
            let nested = open.repeat(*count) + core + &close.repeat(*count);
            text = text.replace("@NEST@", &nested);
        }
        text
    }
}

pub(crate) fn bytes_of(hex: &str) -> Result<Vec<u8>, String> {
    let byte =
        |pair: &str| u8::from_str_radix(pair, 16).map_err(|error| format!("{pair}: {error}"));
    hex.split_whitespace().map(byte).collect()
}
