//! Signals, and standard streams that are closed, or stay open.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use crate::support::Home;

#[test]
fn an_interrupt_ends_the_servers_in_good_order_and_is_status_130() {
    let home = Home::new();
    let script = format!(
        "\"{}\" mcp demo-server; echo ended >&2",
        env!("CARGO_BIN_EXE_hermes")
    );
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n  demo:\n    command: sh\n    args: [-c, '{script}']\n"),
    );
    let mut command = home.command(&["mcp", "call", "demo/slow", r#"{"seconds":60}"#, "-v"]);
    let mut child = command
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(stderr.any(|line| line.unwrap().contains("calling demo/slow")));
    let kill = ["-INT", &child.id().to_string()].map(str::to_owned);
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    assert_eq!(home.read("logs/mcp-stderr.log"), "[demo] ended\n");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    let words = ["mcp", "call", "demo/big", r#"{"bytes":1000000}"#];
    let mut command = home.command(&words);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), stderr.lines().count()),
        (Some(0), 1),
        "{stderr}"
    );
}

#[test]
fn standard_input_that_stays_open_is_waited_for_with_a_word() {
    let home = Home::new();
    let mut command = home.command(&["mcp", "call", "demo/echo"]);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(stderr.any(|line| line.unwrap().contains("waiting for the arguments")));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(br#"{"text":"late"}"#)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(0), &b"late\n"[..])
    );
}
