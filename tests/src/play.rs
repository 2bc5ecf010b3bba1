//! Plays a script as a process: the main loop of the program `fake-server`.
//!
//! A thread reads stdin and writes each line to the record at once, so that what arrived is known
//! even of a server that was killed. Messages that nobody waited for yet are kept.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Stdout, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use serde_json::Value;

use crate::record::{Entry, Message};
use crate::step::{Body, Output, Step, Wait, Write};

/// How a script came to its end.
enum Stop {
    /// The client closed stdin.
    EndOfInput,
    /// The script says so.
    Exit(i32),
}

type Played = Result<(), Stop>;

struct Player {
    process: usize,
    record: Arc<File>,
    input: Receiver<Message>,
    is_deaf: Arc<AtomicBool>,
    backlog: VecDeque<Message>,
    variables: BTreeMap<String, String>,
    stdout: Option<BufWriter<Stdout>>,
    linger: Duration,
    /// Signals are ignored while this lives.
    runtime: Option<tokio::runtime::Runtime>,
}

/// Plays the script in `script`, with `folder` for the record; returns the exit code.
///
/// # Errors
///
/// If the script or the folder cannot be used.
pub fn play(script: &Path, folder: &Path) -> Result<i32, String> {
    let show = |error: io::Error| error.to_string();
    let text = std::fs::read_to_string(script).map_err(show)?;
    let mut parts = Step::parts(&text)?;
    let process = count_start(folder).map_err(show)?;
    let steps = parts.remove((process - 1).min(parts.len() - 1));
    let record = OpenOptions::new()
        .append(true)
        .create(true)
        .open(folder.join("record.jsonl"));
    let record = Arc::new(record.map_err(show)?);
    let is_deaf = Arc::new(AtomicBool::new(false));
    let mut player = Player {
        process,
        input: read_input(process, Arc::clone(&record), Arc::clone(&is_deaf)),
        record,
        is_deaf,
        backlog: VecDeque::new(),
        variables: BTreeMap::new(),
        stdout: Some(BufWriter::with_capacity(64 * 1024, io::stdout())),
        linger: Duration::ZERO,
        runtime: None,
    };
    Ok(player.run(&steps))
}

/// Counts the processes by the bytes of a file.
fn count_start(folder: &Path) -> io::Result<usize> {
    let path = folder.join("spawns");
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)?
        .write_all(b".")?;
    Ok(std::fs::read(&path)?.len())
}

fn read_input(process: usize, record: Arc<File>, is_deaf: Arc<AtomicBool>) -> Receiver<Message> {
    // Bound: a server that waits for nothing stops reading after this many lines.
    let (sender, receiver) = sync_channel(4_096);
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        let mut line = Vec::new();
        while !is_deaf.load(Ordering::Acquire) {
            // Bound: one read, so that a server that turns deaf does not hear a line to its end.
            let read = input.fill_buf().unwrap_or_default();
            if read.is_empty() {
                return;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            line.extend_from_slice(read.get(..taken).unwrap_or_default());
            input.consume(taken);
            if end.is_none() {
                continue;
            }
            let message = Message::read(String::from_utf8_lossy(&line).trim_end());
            line.clear();
            Entry::Heard(message.clone()).write(&record, process);
            if sender.send(message).is_err() {
                return;
            }
        }
        // Neither read nor closed: the other end must not notice.
        drop(input);
        stand_still()
    });
    receiver
}

impl Player {
    fn run(&mut self, steps: &[Step]) -> i32 {
        for (number, step) in steps.iter().enumerate() {
            match self.step(step) {
                Ok(()) => Entry::Played(number).write(&self.record, self.process),
                Err(Stop::Exit(code)) => return code,
                Err(Stop::EndOfInput) => {
                    Entry::EndedAt(number).write(&self.record, self.process);
                    pause(self.linger);
                    return 0;
                }
            }
        }
        Entry::Finished.write(&self.record, self.process);
        while self.next().is_ok() {}
        pause(self.linger);
        0
    }

    fn step(&mut self, step: &Step) -> Played {
        match step {
            Step::Close => self.close(),
            Step::Deaf => self.is_deaf.store(true, Ordering::Release),
            Step::Exit(code) => {
                self.flush();
                return Err(Stop::Exit(*code));
            }
            Step::Handshake => self.handshake()?,
            Step::Holder(lifetime) => self.hold(*lifetime),
            Step::Ignore(signals) => self.ignore(signals),
            Step::Linger(linger) => self.linger = *linger,
            Step::None { method, within } => self.none(method, *within)?,
            Step::Optional(steps) => self.optional(steps)?,
            Step::Pause(duration) => pause(*duration),
            Step::Serve { results, then } => self.serve(results, then.as_deref())?,
            Step::ServeSequence { method, answers } => {
                for (member, value) in answers {
                    let request = self.wait_for(method)?;
                    self.answer(&request, member, value);
                }
            }
            Step::Swallow { method, times } => {
                for _ in 0..*times {
                    self.wait_for(method)?;
                }
            }
            Step::Wait(wait) => self.wait(wait)?,
            Step::WaitAnswers { id, times } => self.wait_answers(id.as_deref(), *times)?,
            Step::Write(write) => self.write(write),
        }
        Ok(())
    }

    fn failed(&self, why: String) {
        Entry::Failed(why).write(&self.record, self.process);
    }

    /// The next message from the client.
    fn next(&mut self) -> Result<Message, Stop> {
        if self.is_deaf.load(Ordering::Acquire) {
            stand_still();
        }
        self.flush();
        self.input.recv().map_err(|_ended| Stop::EndOfInput)
    }

    /// The next message that fits; others are kept. A question for the era that nobody waits for
    /// is refused, as every server of the legacy era does.
    fn find(&mut self, fits: impl Fn(&Message) -> bool) -> Result<Message, Stop> {
        if let Some(at) = self.backlog.iter().position(&fits)
            && let Some(message) = self.backlog.remove(at)
        {
            return Ok(message);
        }
        loop {
            let message = self.next()?;
            if fits(&message) {
                return Ok(message);
            }
            if message.method() == Some("server/discover") {
                self.answer(
                    &message,
                    "error",
                    r#"{"code":-32601,"message":"no such method"}"#,
                );
            } else {
                self.backlog.push_back(message);
            }
        }
    }

    fn wait_for(&mut self, method: &str) -> Result<Message, Stop> {
        self.find(|message| message.method() == Some(method))
    }

    fn wait(&mut self, wait: &Wait) -> Played {
        let message = self.wait_for(&wait.method)?;
        if let Some(variable) = &wait.id {
            self.variables
                .insert(variable.clone(), message.id().unwrap_or_default());
        }
        for (variable, path) in &wait.keep {
            let value = message
                .at(path)
                .map_or_else(|| "null".to_owned(), |value| value.to_string());
            self.variables.insert(variable.clone(), value);
        }
        if let Some((path, wanted)) = &wait.at {
            let wanted = self.fill(wanted);
            let found = message.at(path).map(|value| value.to_string());
            if found.as_deref() != Some(&wanted) {
                self.failed(format!(
                    "{} has {path} {found:?}, not {wanted}",
                    wait.method
                ));
            }
        }
        Ok(())
    }

    fn wait_answers(&mut self, id: Option<&str>, times: usize) -> Played {
        let id = id.map(|id| self.fill(id));
        for _ in 0..times {
            self.find(|message| {
                message.is_answer()
                    && id
                        .as_ref()
                        .is_none_or(|id| message.id().as_ref() == Some(id))
            })?;
        }
        Ok(())
    }

    fn handshake(&mut self) -> Played {
        let opening = self.wait_for("initialize")?;
        let version = opening
            .at("params.protocolVersion")
            .cloned()
            .unwrap_or(Value::Null);
        let result = format!(
            r#"{{"protocolVersion":{version},"capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"fake","version":"1"}}}}"#
        );
        self.answer(&opening, "result", &result);
        self.wait_for("notifications/initialized")?;
        Ok(())
    }

    fn none(&mut self, method: &str, within: Duration) -> Played {
        self.flush();
        let is_it = |message: &Message| message.method() == Some(method);
        let mut arrived = self.backlog.iter().any(is_it);
        // The time is counted in steps, so that each message that arrives costs at most one.
        let step = Duration::from_millis(20);
        let mut left = within;
        while !arrived && !left.is_zero() {
            match self.input.recv_timeout(step) {
                Ok(message) => {
                    arrived = is_it(&message);
                    self.backlog.push_back(message);
                }
                Err(RecvTimeoutError::Timeout) => left = left.saturating_sub(step),
                Err(RecvTimeoutError::Disconnected) => return Err(Stop::EndOfInput),
            }
        }
        if arrived {
            self.failed(format!("{method} arrived"));
        }
        Ok(())
    }

    fn optional(&mut self, steps: &[Step]) -> Played {
        for step in steps {
            self.step(step)?;
        }
        Ok(())
    }

    fn serve(&mut self, results: &BTreeMap<String, String>, then: Option<&str>) -> Played {
        loop {
            let request = match self.backlog.pop_front() {
                Some(message) => message,
                None => self.next()?,
            };
            let (Some(method), Some(_id)) = (request.method(), request.id()) else {
                continue;
            };
            match results.get(method) {
                Some(result) => {
                    self.answer(&request, "result", result);
                    if let Some(then) = then {
                        self.out(&format!("{then}\n"));
                    }
                }
                None => {
                    self.answer(
                        &request,
                        "error",
                        r#"{"code":-32601,"message":"no such method"}"#,
                    );
                }
            }
        }
    }

    fn answer(&mut self, request: &Message, member: &str, value: &str) {
        let id = request.id().unwrap_or_else(|| "null".to_owned());
        let value = self.fill(value);
        self.out(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{value}}}\n"
        ));
    }

    fn write(&mut self, write: &Write) {
        let mut stderr = BufWriter::with_capacity(64 * 1024, io::stderr());
        for number in (write.count_from..).take(write.times) {
            if !write.every.is_zero() {
                self.flush();
                drop(stderr.flush());
                pause(write.every);
            }
            let filled = match &write.body {
                Body::Bytes(bytes) => bytes.clone(),
                Body::Text(text) => self
                    .fill(text)
                    .replace("\"$n\"", &number.to_string())
                    .into_bytes(),
            };
            match (write.to, &mut self.stdout) {
                (Output::Stderr, _) => drop(stderr.write_all(&filled)),
                (Output::Stdout, Some(stdout)) => drop(stdout.write_all(&filled)),
                (Output::Stdout, None) => {}
            }
        }
        drop(stderr.flush());
        self.flush();
    }

    fn out(&mut self, text: &str) {
        if let Some(stdout) = &mut self.stdout {
            // A client that has gone away is seen as the end of stdin.
            drop(stdout.write_all(text.as_bytes()));
        }
    }

    fn flush(&mut self) {
        if let Some(stdout) = &mut self.stdout {
            drop(stdout.flush());
        }
    }

    /// Closes stdout by putting another file in its place.
    fn close(&mut self) {
        self.flush();
        self.stdout = None;
        let closed = OpenOptions::new().write(true).open("/dev/null");
        if let Err(error) = closed.and_then(|null| Ok(rustix::stdio::dup2_stdout(null)?)) {
            self.failed(format!("stdout stays open: {error}"));
        }
    }

    fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (variable, value) in &self.variables {
            text = text.replace(&format!("\"${variable}\""), value);
            text = text.replace(&format!("{{{{{variable}}}}}"), value);
        }
        text
    }

    fn hold(&self, lifetime: Duration) {
        let seconds = format!("{}", lifetime.as_secs_f64());
        if let Err(error) = Command::new("sleep")
            .arg(seconds)
            .stdin(Stdio::null())
            .spawn()
        {
            self.failed(format!("no holder: {error}"));
        }
    }

    fn ignore(&mut self, signals: &[String]) {
        use tokio::signal::unix::{SignalKind, signal};
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else {
            return self.failed("no runtime".to_owned());
        };
        let entered = runtime.enter();
        for name in signals {
            let kind = match name.as_str() {
                "HUP" => SignalKind::hangup(),
                "INT" => SignalKind::interrupt(),
                _ => SignalKind::terminate(),
            };
            // A handler once installed stays for the life of the process.
            if let Err(error) = signal(kind) {
                self.failed(format!("{name}: {error}"));
            }
        }
        drop(entered);
        self.runtime = Some(runtime);
    }
}

fn stand_still() -> ! {
    loop {
        std::thread::park();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the script of a fake server asks for the pause"
)]
fn pause(duration: Duration) {
    if !duration.is_zero() {
        std::thread::sleep(duration); // sleep: a step of the script, in a process of its own
    }
}
