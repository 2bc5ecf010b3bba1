//! The server that every client is measured against: reads a batch, answers it in one write, and
//! does as little as possible between.
//!
//! It reads on while its answers are not taken, so a client may write all its requests before it
//! reads: where both sides only wait for room to write, neither would ever go on.

mod canned;

use std::io;
use std::os::fd::AsFd;

use canned::{Framing, Results, answer};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};

const LINE: Framing = Framing {
    before: b"",
    after: b"\n",
};

/// Tools that are listed unless an argument says how many.
const TOOLS: usize = 1_000;

fn main() -> io::Result<()> {
    let tools = std::env::args().nth(1).map(|tools| tools.parse());
    let tools = tools.transpose().map_err(io::Error::other)?;
    let results = Results::new(tools.unwrap_or(TOOLS));
    serve(&results, &io::stdin(), &io::stdout())
}

/// Answers until the input ends; nobody waits for what is not written by then.
fn serve(results: &Results, input: &impl AsFd, output: &impl AsFd) -> io::Result<()> {
    ioctl_fionbio(output, true)?;
    let mut requests = Requests::new();
    let mut answers = Answers::default();
    loop {
        // Nothing is asked before a read that may as well wait, so that what is usual takes one
        // read and one write.
        if answers.bytes.is_empty() || can_read(input, output)? {
            if requests.read(input)? == 0 {
                return Ok(());
            }
            requests.answer(results, &mut answers.bytes);
        }
        answers.write(output)?;
    }
}

/// Waits until there is something to read or room to write; says whether it is the former.
fn can_read(input: &impl AsFd, output: &impl AsFd) -> io::Result<bool> {
    let mut sides = [
        PollFd::new(input, PollFlags::IN),
        PollFd::new(output, PollFlags::OUT),
    ];
    poll(&mut sides, None)?;
    // The end of the input comes as a flag of its own.
    Ok(!sides[0].revents().is_empty())
}

/// What was read and not answered.
struct Requests {
    buffer: Vec<u8>,
    filled: usize,
}

impl Requests {
    fn new() -> Self {
        Self {
            buffer: vec![0; 1 << 20],
            filled: 0,
        }
    }

    /// Reads once; 0 is the end.
    fn read(&mut self, input: &impl AsFd) -> io::Result<usize> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let count = read(input, &mut self.buffer[self.filled..])?;
        self.filled += count;
        Ok(count)
    }

    /// Answers each whole line.
    fn answer(&mut self, results: &Results, answers: &mut Vec<u8>) {
        let mut start = 0;
        while let Some(found) = memchr::memchr(b'\n', &self.buffer[start..self.filled]) {
            answer(&self.buffer[start..start + found], results, &LINE, answers);
            start += found + 1;
        }
        self.buffer.copy_within(start..self.filled, 0);
        self.filled -= start;
    }
}

/// What was answered and not written.
// Bound: as many answers as the client has requests in flight.
#[derive(Default)]
struct Answers {
    bytes: Vec<u8>,
    written: usize,
}

impl Answers {
    /// Writes as much as there is room for.
    fn write(&mut self, output: &impl AsFd) -> io::Result<()> {
        while self.written < self.bytes.len() {
            match write(output, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        self.bytes.clear();
        self.written = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _, pipe};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::{Results, serve};

    #[test]
    fn client_that_writes_all_before_it_reads_gets_every_answer() {
        const CALLS: usize = 4000;
        let (input, mut requests) = pipe().unwrap();
        let (answers, output) = pipe().unwrap();
        thread::spawn(move || serve(&Results::new(1), &input, &output));
        let (done, is_done) = mpsc::channel();
        thread::spawn(move || {
            let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t100","arguments":{}}}"#;
            for _ in 0..CALLS {
                writeln!(requests, "{request}").unwrap();
            }
            let count = BufReader::new(answers).lines().take(CALLS).count();
            done.send(count).unwrap();
        });
        // A client and a server that wait for each other would do so for ever.
        let count = is_done.recv_timeout(Duration::from_secs(30)).unwrap();
        assert_eq!(count, CALLS);
    }
}
