//! Configured secrets, in whatever is printed of servers that fail.

use crate::network::{Held, Network, without_proxies};
use crate::support::{Home, Run, finish};

const SECRET: &str = "example-secret-1";

/// A server whose header ends as a file that was read for it does.
fn configure(home: &Home, port: u16) {
    let url = format!("    url: http://localhost:{port}/mcp\n");
    let headers = format!("    headers: {{Authorization: \"Bearer {SECRET}\\n\"}}\n");
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n  s:\n{url}{headers}"),
    );
}

fn run(home: &Home, words: &[&str]) -> Run {
    let mut command = home.command(words);
    without_proxies(&mut command);
    let run = finish(command, "");
    assert!(
        !run.stdout.contains(SECRET) && !run.stderr.contains(SECRET),
        "{run:?}"
    );
    run
}

/// Case BR-083.
#[test]
fn a_token_that_ends_in_a_line_break_is_sent_without_it_and_shown_nowhere() {
    let (home, network, held) = (Home::new(), Network::new(), Held::new());
    let (mirror, lines) = network.mirror();
    for (port, reflects) in [(held.port(), false), (mirror, true)] {
        configure(&home, port);
        for words in [
            &["mcp", "test", "s"][..],
            &["mcp", "test", "s", "--json"],
            &["mcp", "test", "s", "-vv"],
            &["mcp", "tools", "-vv"],
            &["mcp", "call", "s/a", "{}", "-vv"],
            &["mcp", "doctor"],
        ] {
            let told = run(&home, words);
            assert_ne!(told.code, 0, "{words:?}: {told:?}");
            let is_hidden =
                told.stderr.contains("[REDACTED]") || told.stdout.contains("[REDACTED]");
            assert_eq!(is_hidden, reflects, "{words:?}: {told:?}");
        }
        for words in [&["mcp", "list"][..], &["mcp", "list", "--json"]] {
            assert_eq!(run(&home, words).code, 0);
        }
    }
    let lines: Vec<String> = lines.try_iter().collect();
    assert!(lines.len() > 5, "{lines:?}");
    for line in lines {
        assert_eq!(line, format!("authorization: Bearer {SECRET}"));
    }
}
