//! A `watch` that runs: what it tells, how it follows its configuration, and who asks it.

use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::support::{Home, Run, good};

/// A `watch` in a home folder.
struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watching {
    fn start(home: &Home, words: &[&str]) -> Self {
        let mut child = command(home, &[&["mcp", "watch"], words].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let lines = BufReader::new(stdout).lines();
        Self { child, lines }
    }

    /// The next line.
    fn line(&mut self) -> String {
        let line = self.lines.next().expect("it goes on");
        line.expect("it writes UTF-8")
    }

    /// The lines up to and with the next one that begins so.
    fn until(&mut self, start: &str) -> Vec<String> {
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
    let mut watching = Watching::start(&home, &[]);
    let seen = watching.until("5 tools added: mcp_one_add, mcp_one_big");
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

    let mut watching = Watching::start(&home, &[]);
    watching.until("5 tools added");
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
    let mut watching = Watching::start(&home, &["--json"]);
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
    let mut watching = Watching::start(&home, &[]);
    watching.until("watching ");
    home.write("config.yaml", &servers(&["one"]));
    watching.until("one: ready");
    let Watching { mut child, lines } = watching;
    drop(lines);
    home.write("config.yaml", &servers(&["two"]));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_demo_server_can_be_watched_and_is_reloaded_by_nobody() {
    let home = Home::new();
    let mut watching = Watching::start(&home, &["--demo"]);
    watching.until("5 tools added: mcp_demo_add");
    assert_eq!(run(&home, &["mcp", "reload"]).code, 5);
    let run = run(&home, &["mcp", "reload", "--demo"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(watching.end(), Some(130));
}
