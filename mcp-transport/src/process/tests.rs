//! Real servers, written for `/bin/sh`.

use std::fs;
use std::future::Future;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::time::{sleep, timeout};

use super::signal::Tree;
use super::{Child, ClosedBy, Command, Exit, Grace, Obituary, SpawnErrorKind, StderrLog, spawn};
use crate::redact::Redactor;

#[tokio::test]
async fn the_environment_is_what_was_given_and_a_mark() {
    let mut server = spawn(Command::new("/usr/bin/env").env("A", "1").env("B", "x=y z")).unwrap();
    let mut lines = read_to_end(&mut server.stdout).await;
    let mark = lines.pop().unwrap();
    assert!(
        mark.starts_with(&format!("HERMES_MCP_MARK={}-", std::process::id())),
        "{mark}"
    );
    assert_eq!(lines, ["A=1", "B=x=y z"]);
}

#[tokio::test]
async fn the_folder_is_what_was_given() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    script(&folder, "tool", "#!/bin/sh\npwd -P", 0o755);
    for program in ["./tool", folder.join("tool").to_str().unwrap()] {
        let mut server = spawn(Command::new(program).cwd(&folder)).unwrap();
        assert_eq!(
            read_to_end(&mut server.stdout).await,
            [folder.to_str().unwrap()]
        );
    }
}

#[tokio::test]
async fn a_bare_name_is_looked_up_on_the_path_of_the_server() {
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    script(first.path(), "tool", "#!/bin/sh\necho first", 0o644);
    script(second.path(), "tool", "#!/bin/sh\necho second", 0o755);
    let path = format!(
        "/missing:{}:{}",
        first.path().display(),
        second.path().display()
    );
    let mut server = spawn(Command::new("tool").env("PATH", path)).unwrap();
    assert_eq!(read_to_end(&mut server.stdout).await, ["second"]);

    let relative = Command::new("tool").cwd(second.path()).env("PATH", "");
    assert_eq!(
        read_to_end(&mut spawn(relative).unwrap().stdout).await,
        ["second"]
    );
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn each_reason_not_to_start_has_its_kind() {
    use SpawnErrorKind::{
        ArgumentsTooLong, BadInterpreter, InvalidInput, NoSuchCommand, NoSuchDirectory,
        NotADirectory, NotExecutable,
    };
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    script(folder.path(), "plain", "#!/bin/sh", 0o644);
    script(folder.path(), "lost", "#!/no/such/shell -e\n", 0o755);
    script(folder.path(), "dos", "#!/bin/sh\r\n", 0o755);
    script(folder.path(), "headless", "exit 0", 0o755);
    let on_path = |name: &str| Command::new(name).env("PATH", folder.path());
    let cases = [
        (
            on_path("absent"),
            NoSuchCommand,
            "no such command on the server's PATH (",
        ),
        (
            Command::new("absent-2"),
            NoSuchCommand,
            "the default PATH, as the server has none",
        ),
        (
            Command::new(at("absent")),
            NoSuchCommand,
            "absent does not exist",
        ),
        (
            Command::new(at("plain/x")),
            NotADirectory,
            "is not a folder",
        ),
        (
            Command::new("sh").cwd(at("absent")),
            NoSuchDirectory,
            "folder does not exist",
        ),
        (
            Command::new("sh").cwd(at("plain")),
            NotADirectory,
            "working folder is a file",
        ),
        (
            Command::new(at("plain")),
            NotExecutable,
            "not marked executable",
        ),
        (on_path("plain"), NotExecutable, "not marked executable"),
        (Command::new(folder.path()), NotExecutable, "is a folder"),
        (
            Command::new(at("headless")),
            NotExecutable,
            "a script needs a `#!` first line",
        ),
        (
            Command::new(at("lost")),
            BadInterpreter,
            "the interpreter `/no/such/shell`",
        ),
        (
            Command::new(at("dos")),
            BadInterpreter,
            r"the interpreter `/bin/sh\r`",
        ),
        (Command::new(""), InvalidInput, "the command is empty"),
        (Command::new("sh").arg("a\0b"), InvalidInput, "NUL byte"),
        (
            Command::new("sh").env("A=B", "c"),
            InvalidInput,
            "the variable `A=B` cannot be set",
        ),
        (
            Command::new("sh").arg("x".repeat(4 << 20)),
            ArgumentsTooLong,
            "longer than the system",
        ),
    ];
    for (command, kind, words) in cases {
        let shown = format!("{command:?}").chars().take(200).collect::<String>();
        let error = spawn(command).unwrap_err();
        assert_eq!(error.kind(), kind, "{error} for {shown}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn without_a_runtime_the_error_says_so() {
    let error = spawn(Command::new("sh")).unwrap_err();
    assert!(error.to_string().contains("no Tokio runtime"), "{error}");
}

#[tokio::test]
async fn the_wire_goes_both_ways_and_closing_it_is_enough() {
    let mut server = spawn(sh("while read -r line; do echo \"<$line>\"; done")).unwrap();
    server.stdin.write_all(b"hello\n").await.unwrap();
    assert_eq!(read_line(&mut server.stdout).await, "<hello>");
    drop(server.stdin);
    let closed = soon(server.child.shutdown()).await;
    assert_eq!(
        (closed.by, closed.exit),
        (ClosedBy::StdinClosed, Some(Exit::Code(0)))
    );
    assert!(closed.survivors.is_empty());
}

#[tokio::test]
async fn a_flood_on_stderr_without_a_newline_does_not_block() {
    let mut server = spawn(sh("head -c 1048576 /dev/zero | tr '\\0' x >&2; echo done")).unwrap();
    assert_eq!(read_line(&mut server.stdout).await, "done");
    let obituary = soon(server.child.final_obituary()).await;
    let [line] = obituary.stderr_tail.as_slice() else {
        panic!("{obituary:?}")
    };
    assert!(
        line.starts_with("xxx") && line.ends_with(" more bytes)"),
        "{line}"
    );
    assert!(line.len() < 1100);
}

#[tokio::test]
async fn the_obituary_has_the_code_and_the_last_lines() {
    let script = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i >&2; done
        printf '\\033[31mred\\033[0m token=abc correct-horse \\377' >&2; exit 3";
    let redactor = Redactor::new().with_secrets(["correct-horse".to_owned()]);
    let server = spawn(sh(script).redactor(redactor)).unwrap();
    assert_eq!(soon(server.child.exited()).await, Exit::Code(3));
    let mut obituary = soon(server.child.final_obituary()).await;
    assert_eq!(obituary.stderr_tail.len(), 20);
    assert_eq!(obituary.stderr_tail.first().unwrap(), "line 12");
    assert_eq!(
        obituary.stderr_tail.last().unwrap(),
        "red token=[REDACTED] [REDACTED] \u{fffd}"
    );
    obituary.uptime = Duration::from_millis(210);
    obituary.in_flight = vec!["tools/call".to_owned()];
    assert_eq!(
        obituary.to_string(),
        "exited with code 3 after 0.2 s; last stderr: line 29 | line 30 | red token=[REDACTED] \
         [REDACTED] \u{fffd}; in flight: tools/call",
    );
    assert!(format!("{obituary:#}").contains("\nlast stderr:\n  line 12\n  line 13\n"));
}

#[tokio::test]
async fn the_obituary_names_the_signal() {
    let server = spawn(sh("kill -9 $$")).unwrap();
    assert_eq!(soon(server.child.exited()).await, Exit::Signal(9));
    let text = server.child.obituary().to_string();
    assert!(
        text.starts_with("was ended by signal 9 (SIGKILL) after 0."),
        "{text}"
    );
}

#[test]
fn an_obituary_without_an_end_says_so() {
    let obituary = Obituary {
        uptime: Duration::from_secs(3700),
        ..Obituary::default()
    };
    assert_eq!(obituary.to_string(), "is still running after 1 h 1 min");
}

#[tokio::test]
async fn a_server_that_ignores_everything_is_killed_in_time() {
    let grace = Duration::from_millis(100);
    let grace = Grace {
        stdin_closed: grace,
        term: grace,
        kill: Duration::from_secs(5),
    };
    let script = "trap '' TERM; echo ready; while :; do sleep 1000; done";
    let mut server = spawn(sh(script).grace(grace)).unwrap();
    assert_eq!(read_line(&mut server.stdout).await, "ready");
    drop(server.stdin);
    let closed = soon(server.child.shutdown()).await;
    assert_eq!(
        (closed.by, closed.exit),
        (ClosedBy::Kill, Some(Exit::Signal(9)))
    );
    assert!(closed.survivors.is_empty());
    assert!(
        !Path::new(&format!("/proc/{}", server.child.id())).exists(),
        "a zombie is left"
    );
    let again = soon(server.child.shutdown()).await;
    assert_eq!(
        (again.by, again.exit),
        (ClosedBy::Itself, Some(Exit::Signal(9)))
    );
}

#[tokio::test]
async fn a_shutdown_given_up_can_be_begun_again() {
    let mut server = spawn(sh("echo ready; exec sleep 1000")).unwrap();
    assert_eq!(read_line(&mut server.stdout).await, "ready");
    assert!(
        timeout(Duration::from_millis(20), server.child.shutdown())
            .await
            .is_err()
    );
    let closed = soon(server.child.shutdown()).await;
    assert_eq!(
        (closed.by, closed.exit),
        (ClosedBy::Term, Some(Exit::Signal(15)))
    );
}

#[tokio::test]
async fn the_exit_is_known_although_a_helper_holds_the_pipes() {
    let mut server = spawn(sh("sleep 1000 & echo said >&2; exit 5")).unwrap();
    let (one, two) = (server.child.exited(), server.child.exited());
    assert_eq!(soon(one).await, Exit::Code(5));
    assert_eq!(soon(two).await, Exit::Code(5));
    assert_eq!(
        soon(server.child.final_obituary()).await.stderr_tail,
        ["said"]
    );
    let closed = soon(server.child.shutdown()).await;
    assert_eq!(
        (closed.by, closed.exit),
        (ClosedBy::Term, Some(Exit::Code(5)))
    );
    assert_gone(&server.child);
}

#[tokio::test]
async fn a_helper_in_another_session_goes_with_the_server() {
    for script in [
        "setsid sleep 1000 & echo ready",
        "setsid sleep 1000 & echo ready; cat",
        "(trap '' TERM; setsid sh -c 'echo ready; sleep 1000') &",
        "env -i sleep 1000 & echo ready",
    ] {
        let grace = Grace {
            term: Duration::from_millis(200),
            ..Grace::default()
        };
        let mut server = spawn(sh(script).grace(grace)).unwrap();
        assert_eq!(read_line(&mut server.stdout).await, "ready", "{script}");
        drop(server.stdin);
        let closed = soon(server.child.shutdown()).await;
        assert!(closed.by >= ClosedBy::Term, "{script}: {closed:?}");
        assert!(closed.survivors.is_empty(), "{script}: {closed:?}");
        assert_gone(&server.child);
    }
}

#[tokio::test]
async fn dropping_kills_the_tree() {
    let mut server = spawn(sh("setsid sleep 1000 & sleep 1000 & echo ready; wait")).unwrap();
    assert_eq!(read_line(&mut server.stdout).await, "ready");
    let tree = server.child.tree();
    let root = format!("/proc/{}", server.child.id());
    let exited = server.child.exited();
    drop(server);
    soon(exited).await;
    eventually(|| gone(&tree)).await;
    eventually(|| !Path::new(&root).exists()).await;
}

#[test]
fn the_end_of_the_runtime_kills_the_group() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let server = runtime.block_on(async {
        let mut server = spawn(sh("sleep 1000 & echo ready; wait")).unwrap();
        assert_eq!(read_line(&mut server.stdout).await, "ready");
        server
    });
    let exited = server.child.exited();
    drop(runtime);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        assert_eq!(soon(exited).await, Exit::Unknown);
        eventually(|| gone(&server.child.tree())).await;
    });
}

#[tokio::test]
async fn stderr_is_logged_line_by_line_within_bounds() {
    let folder = TempDir::new().unwrap();
    let log = StderrLog::with_len_max(folder.path().join("log"), 60);
    let script = "echo one token=abc >&2; head -c 40000 /dev/zero | tr '\\0' x >&2; echo >&2; printf end >&2";
    let server = spawn(sh(script).stderr_log(log.with_prefix("[a] "))).unwrap();
    soon(server.child.exited()).await;
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    eventually(|| read("log").ends_with("[a] end\n")).await;
    let all = read("log.1") + &read("log");
    let lines: Vec<&str> = all.lines().collect();
    let [.., first, flood, last] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert!(
        first.ends_with("one token=[REDACTED]") && *last == "[a] end",
        "{first} {last}"
    );
    assert!(flood.starts_with("[a] xxx") && flood.len() < 9000);
    assert_eq!(
        fs::metadata(log.path()).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[tokio::test]
async fn a_log_that_cannot_be_opened_is_a_warning() {
    let log = StderrLog::new("/no/such/folder/log");
    let mut server = spawn(sh("echo ready").stderr_log(log)).unwrap();
    assert_eq!(read_line(&mut server.stdout).await, "ready");
    let [warning] = server.child.warnings() else {
        panic!("{:?}", server.child.warnings())
    };
    assert!(warning.contains("/no/such/folder/log"), "{warning}");
}

#[tokio::test]
async fn debug_shows_no_value() {
    let command = Command::new("x")
        .arg("--token")
        .arg("token=abc")
        .env("NAME", "value");
    let shown = format!("{command:?}");
    assert!(
        shown.contains("NAME") && !shown.contains("value") && !shown.contains("abc"),
        "{shown}"
    );
}

fn sh(script: &str) -> Command {
    Command::new("/bin/sh")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin")
}

/// Another process writes the file: if we did, a process started meanwhile could hold it open for
/// writing, and then it could not be executed.
fn script(folder: &Path, name: &str, text: &str, mode: u32) {
    let status = std::process::Command::new("/bin/sh")
        .args([
            "-c",
            "printf %s \"$1\" >\"$2\" && chmod \"$3\" \"$2\"",
            "sh",
            text,
        ])
        .arg(folder.join(name))
        .arg(format!("{mode:o}"))
        .status();
    assert!(status.unwrap().success());
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), future)
        .await
        .expect("it takes too long")
}

async fn read_line(stdout: &mut pipe::Receiver) -> String {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        line.push(
            soon(stdout.read_u8())
                .await
                .expect("stdout has another line"),
        );
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

async fn read_to_end(stdout: &mut pipe::Receiver) -> Vec<String> {
    let mut text = String::new();
    soon(stdout.read_to_string(&mut text)).await.unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Waits for something that no event reports.
async fn eventually(mut is_true: impl FnMut() -> bool) {
    soon(async {
        while !is_true() {
            sleep(Duration::from_millis(5)).await; // sleep: the end of a process that is not our child has no event
        }
    })
    .await;
}

fn gone(tree: &Tree) -> bool {
    let alive = Tree {
        reaped: true,
        ..tree.clone()
    }
    .alive();
    alive.into_all().is_empty()
}

fn assert_gone(child: &Child) {
    let alive = child.tree().alive();
    assert!(gone(&child.tree()), "{alive:?}");
}
