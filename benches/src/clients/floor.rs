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
    let request = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\",\"arguments\":{{}}}}}}\n",
        work.tool
    );
    let requests = request.repeat(work.in_flight);
    let lines = if work.tool == "progress" {
        100_001
    } else {
        work.in_flight
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
        if !meter.goes_on(work.in_flight as u64) {
            break;
        }
    }
    meter.report();
    drop(input);
    child.wait()?;
    Ok(())
}
