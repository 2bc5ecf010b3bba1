//! The script alone, driven by its protocol, with processes that nobody else ends.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use super::{Books, Entry, Guard, MARK, script, start};

#[test]
fn with_nothing_to_do_it_exits_at_once() {
    let guard = start("nothing-").unwrap();
    assert!(ends_well(guard));

    let mut guard = start("closed-").unwrap();
    guard
        .pipe
        .write_all(b"+ 0\n= 0 999999\nr 0\n- 0\n")
        .unwrap();
    assert!(ends_well(guard));
}

#[test]
fn at_the_end_of_the_input_all_that_is_marked_ends() {
    let mut guard = start("all-").unwrap();
    let mut asked = sleeper("all-0.");
    let mut deaf = server("trap '' TERM; echo; read line", "all-1.");
    let mut other = sleeper("others-0.");
    guard.pipe.write_all(b"+ 0\n+ 1\n").unwrap();
    assert!(ends_well(guard));
    assert!(!asked.wait().unwrap().success());
    assert!(!deaf.wait().unwrap().success());
    assert!(
        other.try_wait().unwrap().is_none(),
        "it killed another host's server"
    );
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_group_goes_even_if_nothing_in_it_is_marked() {
    let mut guard = start("group-").unwrap();
    let mut unmarked = sleeper("");
    write!(guard.pipe, "+ 0\n= 0 {}\n", unmarked.id()).unwrap();
    assert!(ends_well(guard));
    assert!(!unmarked.wait().unwrap().success());
}

#[test]
fn a_group_whose_number_was_reused_is_spared() {
    let mut guard = start("reused-").unwrap();
    let mut innocent = sleeper("");
    write!(guard.pipe, "+ 0\n= 0 {}\nr 0\n", innocent.id()).unwrap();
    assert!(ends_well(guard));
    assert!(innocent.try_wait().unwrap().is_none());
    innocent.kill().unwrap();
    innocent.wait().unwrap();
}

#[test]
fn one_server_can_be_ended_while_others_live() {
    let mut guard = start("one-").unwrap();
    let mut dropped = sleeper("one-1.");
    let mut kept = sleeper("one-11.");
    guard.pipe.write_all(b"+ 1\n+ 11\nk 1\n").unwrap();
    assert!(!dropped.wait().unwrap().success());
    assert!(kept.try_wait().unwrap().is_none());
    assert!(ends_well(guard));
    assert!(!kept.wait().unwrap().success());
}

#[test]
fn a_guard_that_died_is_replaced_and_told_everything() {
    let mut books = Books {
        host: std::process::id(),
        prefix: "restart-".to_owned(),
        count: 2,
        live: BTreeMap::from([(0, Entry::default()), (1, Entry::default())]),
        guard: None,
    };
    books.ensure_running().unwrap();
    let first = books.guard.as_mut().unwrap();
    let first_id = first.process.id();
    first.process.start_kill().unwrap();
    first.process.wait().unwrap();
    assert!(!books.is_running());

    books.ensure_running().unwrap();
    let mut earlier = sleeper("restart-0.");
    books.tell("+ 1\n");
    let second = books.guard.take().unwrap();
    assert_ne!(second.process.id(), first_id);
    assert!(ends_well(second));
    assert!(!earlier.wait().unwrap().success());
}

#[test]
fn a_shell_that_takes_the_place_of_another_knows_its_servers() {
    for phase in ["read", "end"] {
        let mut known = sleeper("");
        let mut guard = Command::new("/bin/sh")
            .args(["-c", "eval \"$HERMES_MCP_GUARD\"", "guard", "resumed-"])
            .args([phase, "7", "", &format!("3:{}:", known.id())])
            .env("HERMES_MCP_GUARD", script())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        assert!(guard.wait().unwrap().success(), "{phase}");
        assert!(!known.wait().unwrap().success(), "{phase}");
    }
}

/// Closes the input and waits for the guard.
fn ends_well(guard: Guard) -> bool {
    let Guard {
        mut process, pipe, ..
    } = guard;
    drop(pipe);
    process.wait().unwrap().success()
}

fn sleeper(mark: &str) -> Child {
    server("echo; exec sleep 1000", mark)
}

/// A process in a group of its own that is past its start when this returns.
fn server(script: &str, mark: &str) -> Child {
    let mut child = Command::new("/bin/sh")
        .args(["-c", script])
        .env(MARK, mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    child
}
