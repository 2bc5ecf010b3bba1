//! The floor: prebuilt bytes out, a look for newlines in, nothing else.

use std::io::{self, Read as _, Write as _};
use std::process::{Command, Stdio};

use super::{Work, server};
use crate::measure::Meter;

pub fn run(work: Work) -> io::Result<()> {
    let mut child = Command::new(server())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::Other.into());
    };
    let requests = request(work.tool).repeat(work.in_flight);
    // Lines that come back, and what they count for.
    let (lines, brought) = if work.tool == "progress" {
        (100_001, 100_000)
    } else {
        (work.in_flight, work.in_flight as u64)
    };
    let mut buffer = vec![0_u8; 1 << 20];
    let mut meter = Meter::start(work.amount);
    loop {
        input.write_all(requests.as_bytes())?;
        let mut seen = 0;
        while seen < lines {
            let read = output.read(&mut buffer)?;
            seen += memchr::memchr_iter(b'\n', &buffer[..read]).count();
        }
        if !meter.goes_on(brought) {
            break;
        }
    }
    meter.report();
    drop(input);
    child.wait()?;
    Ok(())
}

fn request(tool: &str) -> String {
    let (method, params) = if tool == "list" {
        ("tools/list", "{}".to_owned())
    } else {
        let params = format!("{{\"name\":\"{tool}\",\"arguments\":{{}}}}");
        ("tools/call", params)
    };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}\n")
}
