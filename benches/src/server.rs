//! The server that every client is measured against: reads a batch, answers it in one write, and
//! does as little as possible between.

use std::io::{self, Read as _, Write as _};

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut buffer = vec![0_u8; 1 << 20];
    let mut filled = 0;
    let mut answers = Vec::new();
    let results = Results::new();
    loop {
        let read = input.read(&mut buffer[filled..])?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        let mut start = 0;
        while let Some(found) = memchr::memchr(b'\n', &buffer[start..filled]) {
            answer(&buffer[start..start + found], &results, &mut answers);
            start += found + 1;
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
        if filled == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
        output.write_all(&answers)?;
        output.flush()?;
        answers.clear();
    }
}

/// Tool results, encoded once.
struct Results {
    small: Vec<u8>,
    medium: Vec<u8>,
    large: Vec<u8>,
}

impl Results {
    fn new() -> Self {
        Self {
            small: result(100),
            medium: result(10_000),
            large: result(1_000_000),
        }
    }
}

/// A result of one text block of about `len` bytes: lines of code with the escapes that code has.
fn result(len: usize) -> Vec<u8> {
    let line = r#"    let greeting = format!(\"{name} of {count}\"); // line\n"#;
    let text: String = line
        .chars()
        .cycle()
        .take(len / line.len() * line.len())
        .collect();
    let text = if text.is_empty() {
        line.to_owned()
    } else {
        text
    };
    let head = r#","result":{"content":[{"type":"text","text":""#;
    format!(r#"{head}{text}"}}],"isError":false}}}}"#).into_bytes()
}

fn answer(line: &[u8], results: &Results, out: &mut Vec<u8>) {
    let Some(id) = id(line) else { return };
    let has = |needle: &[u8]| memchr::memmem::find(line, needle).is_some();
    let mut reply = |rest: &[u8]| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id);
        out.extend_from_slice(rest);
        out.push(b'\n');
    };
    if has(br#""t100""#) {
        reply(&results.small);
    } else if has(br#""t10k""#) {
        reply(&results.medium);
    } else if has(br#""t1m""#) {
        reply(&results.large);
    } else if has(br#""hold""#) {
        // Never answered, so that the connection is not idle.
    } else if has(br#""progress""#) {
        progress(line, id, &results.small, out);
    } else if has(br#""initialize""#) {
        reply(
            br#","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}}"#,
        );
    } else if has(br#""tools/list""#) {
        reply(br#","result":{"tools":[{"name":"t100","inputSchema":{"type":"object"}}]}}"#);
    } else {
        reply(br#","error":{"code":-32601,"message":"no such method"}}"#);
    }
}

/// 100,000 progress notices, then the result.
fn progress(line: &[u8], id: &[u8], result: &[u8], out: &mut Vec<u8>) {
    let token = memchr::memmem::find(line, br#""progressToken":"#)
        .map(|at| number(&line[at + 16..]))
        .unwrap_or(id);
    for step in 1..=100_000 {
        out.extend_from_slice(
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"#,
        );
        out.extend_from_slice(token);
        out.extend_from_slice(format!(r#","progress":{step},"total":100000}}}}"#).as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id);
    out.extend_from_slice(result);
    out.push(b'\n');
}

fn id(line: &[u8]) -> Option<&[u8]> {
    memchr::memmem::find(line, br#""id":"#).map(|at| number(&line[at + 5..]))
}

fn number(text: &[u8]) -> &[u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    &text[..digits]
}
