//! A `watch` that runs: what it tells, how it follows its configuration, and who asks it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Home, Run, good};

/// Longer than any line takes to come; a test that waits for another one fails then.
const PATIENCE: Duration = Duration::from_secs(60);

/// A `watch` in a home folder.
struct Watching {
    child: Child,
    /// What it tells, until nobody takes it.
    lines: Receiver<String>,
}

impl Watching {
    fn start(home: &Home, words: &[&str]) -> Self {
        let mut child = command(home, &[&["mcp", "watch"], words].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let (telling, lines) = sync_channel(0);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if telling.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line.
    fn line(&self) -> String {
        let line = self.lines.recv_timeout(PATIENCE);
        line.expect("it tells something else")
    }

    /// The lines up to and with the next one that begins so.
    fn until(&self, start: &str) -> Vec<String> {
        let mut seen = vec![self.line()];
        while !seen.last().is_some_and(|line| line.starts_with(start)) {
            seen.push(self.line());
        }
        seen
    }

    fn signal(&self, name: &str) {
        let words = [name.to_owned(), self.child.id().to_string()];
        let killed = Command::new("kill").args(words).status();
        assert!(killed.expect("there is such a program").success());
    }

    /// Ends it and returns its status.
    fn end(mut self) -> Option<i32> {
        self.signal("-INT");
        self.child.wait().expect("the command ends").code()
    }
}

/// A command that finds the control socket in the home folder, and nowhere else.
fn command(home: &Home, words: &[&str]) -> Command {
    let mut command = home.command(words);
    command.env_remove("XDG_RUNTIME_DIR");
    command
}

fn run(home: &Home, words: &[&str]) -> Run {
    crate::support::finish(command(home, words), "")
}

fn servers(names: &[&str]) -> String {
    let servers: String = names.iter().map(|name| good(name)).collect();
    format!("mcp_servers:\n{servers}")
}

#[test]
fn it_tells_what_happens_and_follows_the_file() {
    let home = Home::new();
    home.write("config.yaml", &servers(&["one"]));
    let file = home.file("config.yaml");
    let watching = Watching::start(&home, &[]);
    let seen = watching.until("10 tools added: mcp_one_add, mcp_one_big");
    let expected = [
        format!("watching {file}; Ctrl-C ends it"),
        "one: connecting (all servers are being looked for)".to_owned(),
        "one: ready (it was connected)".to_owned(),
    ];
    assert_eq!(seen[..3], expected);

    // A save that configures the same is not told, so the next line is about the next one.
    home.write("config.yaml", &format!("# mine\n{}", servers(&["one"])));
    assert_eq!(run(&home, &["mcp", "reload"]).code, 0);
    home.write("config.yaml", &servers(&["one", "two"]));
    let seen = watching.until("configuration: ");
    assert_eq!(seen, ["configuration: started two; 1 server unchanged"]);
    watching.until("two: ready");

    home.write("config.yaml", "mcp_servers: [\n");
    let seen = watching.until("configuration: ");
    let broken = format!(
        "configuration: {file}:1:14: not YAML: unclosed bracket '['; correct it; until then \
         everything stays as it is"
    );
    assert_eq!(seen.last(), Some(&broken));
    std::fs::remove_file(&file).unwrap();
    let gone = format!(
        "configuration: {file}: the file does not exist; write it; until then everything stays \
         as it is"
    );
    assert_eq!(watching.until("configuration: "), [gone]);
    let filtered = format!("{}    tools: [add]\n", servers(&["two"]));
    home.write("config.yaml", &filtered);
    let seen = watching.until("configuration: ");
    assert_eq!(seen, ["configuration: restarted two, stopped one"]);
    let problem = format!("{file}:5:12: mcp_servers.two.tools: is a list");
    assert_eq!(watching.until(&problem).len(), 1);
    assert_eq!(watching.end(), Some(130));
}

#[test]
fn others_ask_it_and_without_one_a_reload_is_status_5() {
    let home = Home::new();
    home.write("config.yaml", &servers(&["one"]));
    let none = run(&home, &["mcp", "reload"]);
    assert_eq!((none.code, none.stdout.as_str()), (5, ""), "{none:?}");
    assert!(
        none.stderr.contains("no `hermes mcp watch` of this"),
        "{none:?}"
    );

    let watching = Watching::start(&home, &[]);
    watching.until("10 tools added");
    for (words, code, stdout) in [
        (&["mcp", "status"][..], 0, "one\tready\t5\t\n"),
        (&["mcp", "reload"], 0, "nothing changed for any server\n"),
    ] {
        let run = run(&home, words);
        assert_eq!((run.code, run.stderr.as_str()), (code, ""), "{run:?}");
        assert_eq!(run.stdout, stdout, "{run:?}");
    }
    let status = run(&home, &["mcp", "status", "one", "--json"]);
    let told: Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!(told["watch"]["pid"], watching.child.id(), "{status:?}");
    assert_eq!(told["servers"][0]["state"], "ready", "{status:?}");
    let unknown = run(&home, &["mcp", "status", "noe"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(
        unknown.stderr.contains("did you mean `one`?"),
        "{unknown:?}"
    );

    let second = run(&home, &["mcp", "watch"]);
    assert_eq!((second.code, second.stdout.as_str()), (2, ""), "{second:?}");
    assert!(second.stderr.contains("is running already"), "{second:?}");

    home.write("config.yaml", "mcp_servers: [\n");
    let broken = run(&home, &["mcp", "reload"]);
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""), "{broken:?}");
    assert!(broken.stderr.contains("not YAML"), "{broken:?}");
    // The file is of no use, but whoever runs knows how the servers are.
    let status = run(&home, &["mcp", "status"]);
    assert_eq!(
        (status.code, status.stdout.as_str()),
        (0, "one\tready\t5\t\n")
    );
    let broken = run(&home, &["mcp", "reload", "--json"]);
    let start = "{\"version\":1,\"error\":{\"code\":\"config\",\"message\":\"";
    assert!(broken.stdout.starts_with(start), "{broken:?}");

    home.write("config.yaml", &servers(&["two"]));
    let reload = run(&home, &["mcp", "reload", "--json"]);
    assert_eq!(reload.code, 0, "{reload:?}");
    assert_eq!(watching.end(), Some(130));
    assert_eq!(run(&home, &["mcp", "reload"]).code, 5);
}

#[test]
fn a_hangup_reads_the_file_and_json_is_a_line_for_each_event() {
    let home = Home::new();
    home.write("config.yaml", &servers(&["one"]));
    let watching = Watching::start(&home, &["--json"]);
    let start = |event: &str| format!("{{\"version\":1,\"atSeconds\":0.{event}");
    let begun = watching.until(&start(""));
    let begun: Value = serde_json::from_str(&begun[0]).unwrap();
    assert_eq!(begun["event"], "watching");
    assert_eq!(begun["pid"], watching.child.id());
    assert!(
        begun["socket"]
            .as_str()
            .unwrap()
            .starts_with(&home.file("run/"))
    );
    let mut events = Vec::new();
    while events.last() != Some(&Value::from("tools")) {
        let line = watching.line();
        let event: Value = serde_json::from_str(&line).unwrap();
        events.push(event["event"].clone());
    }
    assert_eq!(events, ["state", "state", "tools"]);
    watching.signal("-HUP");
    let line = watching.line();
    let reload = "\"event\":\"reload\",\"started\":[],\"restarted\":[],\"stopped\":[],\
                  \"unchanged\":[\"one\"],\"problems\":[]}";
    assert!(line.ends_with(reload), "{line}");
    assert_eq!(watching.end(), Some(130));
}

#[test]
fn it_waits_for_a_file_and_ends_with_its_reader() {
    let home = Home::new();
    let watching = Watching::start(&home, &[]);
    watching.until("watching ");
    home.write("config.yaml", &servers(&["one"]));
    watching.until("one: ready");
    let Watching { mut child, lines } = watching;
    drop(lines);
    // The reader notices by the first line that nobody takes, the command by a later one.
    for name in ["two", "three", "four"] {
        home.write("config.yaml", &servers(&[name]));
        run(&home, &["mcp", "reload"]);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A legacy server that logs something and changes a resource as soon as it is watched.
const CHANGES: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{},"resources":{"subscribe":true}},"serverInfo":{"name":"changes","version":"1"}}' ;;
    *'"tools/list"'*) answer '"result":{"tools":[]}' ;;
    *'"resources/list"'*) answer '"result":{"resources":[{"uri":"file:///x","name":"x"}]}' ;;
    *'"resources/subscribe"'*)
      answer '"result":{}'
      echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"db","data":"changing"}}'
      echo '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///x"}}' ;;
    *'"id":'*) answer '"error":{"code":-32601,"message":"unknown"}' ;;
  esac
done
"#;

#[test]
fn a_resource_that_changes_and_what_a_server_logs_is_told() {
    let home = Home::new();
    home.write("changes.sh", CHANGES);
    let script = home.file("changes.sh");
    let changes = format!("  changes:\n    command: sh\n    args: ['{script}']\n");
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{changes}{}", good("one")),
    );
    for uri in ["file:///x", "changes/file:///x"] {
        let watching = Watching::start(&home, &["--logs", "--subscribe", uri]);
        let mut seen = watching.until("changes: file:///x has changed");
        if !seen
            .iter()
            .any(|line| line == "changes: log info db: changing")
        {
            // Both come from the server on ways of their own.
            seen = watching.until("changes: log");
        }
        assert_eq!(
            seen.iter()
                .filter(|line| line.contains("log info db"))
                .count(),
            1
        );
        assert_eq!(watching.end(), Some(130));
    }
    let words = ["--subscribe", "nope://", "--subscribe", "one/demo://pixel"];
    let watching = Watching::start(&home, &words);
    let mut seen = watching.until("nope:// is not watched: no server lists a resource `nope://`");
    if !seen
        .iter()
        .any(|line| line.starts_with("demo://pixel is not watched: "))
    {
        seen = watching.until("demo://pixel is not watched: ");
    }
    assert!(!seen.is_empty());
    assert_eq!(watching.end(), Some(130));
}

#[test]
fn the_demo_server_can_be_watched_and_is_reloaded_by_nobody() {
    let home = Home::new();
    let watching = Watching::start(&home, &["--demo"]);
    watching.until("10 tools added: mcp_demo_add");
    assert_eq!(run(&home, &["mcp", "reload"]).code, 5);
    let run = run(&home, &["mcp", "reload", "--demo"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(watching.end(), Some(130));
}
