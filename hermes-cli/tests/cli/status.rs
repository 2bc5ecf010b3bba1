//! How servers are: those that work, those that do not, and what is told of each.

use serde_json::Value;

use crate::support::{Home, good};

/// One server that works, one that exits and one that is disabled.
fn three(home: &Home) {
    let exits = "  exits:\n    command: sh\n    args: [-c, 'echo no database >&2; exit 7']\n";
    let off = format!("{}    enabled: false\n", good("off"));
    let filtered = format!("{}    tools: {{include: [add, nope]}}\n", good("works"));
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n{filtered}{exits}{off}"),
    );
}

#[test]
fn each_server_is_a_line_and_one_that_is_down_is_status_3() {
    let home = Home::new();
    three(&home);
    let run = home.run(&["mcp", "status"]);
    assert_eq!((run.code, run.stderr.as_str()), (3, ""), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "works\tready\t1\t");
    let down = "exits\twaiting\t0\tserver `exits` could not be reached: ";
    assert!(lines[1].starts_with(down), "{run:?}");
    assert!(lines[1].contains("exited with code 7"), "{run:?}");
    assert_eq!(lines[2..], ["off\tdisabled\t0\t"]);

    for (name, code, line) in [("works", 0, lines[0]), ("off", 0, lines[2])] {
        let run = home.run(&["mcp", "status", name]);
        assert_eq!(
            (run.code, run.stdout.trim_end_matches('\n')),
            (code, line),
            "{run:?}"
        );
    }
    let run = home.run(&["mcp", "status", "wroks"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains("did you mean `works`?"), "{run:?}");
}

#[test]
fn the_json_of_a_server_has_every_member() {
    let home = Home::new();
    three(&home);
    let run = home.run(&["mcp", "status", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (3, ""), "{run:?}");
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    let [works, exits, off] = [0, 1, 2].map(|at| told["servers"][at].clone());
    let order =
        "{\"version\":1,\"watch\":null,\"servers\":[{\"name\":\"works\",\"state\":\"ready\",";
    assert!(run.stdout.starts_with(order), "{run:?}");

    for (member, expected) in [
        ("why", "it was connected".into()),
        ("era", "modern".into()),
        ("protocolVersion", "2026-07-28".into()),
        ("transport", "stdio".into()),
        ("toolsOffered", 1.into()),
        ("toolsListed", 5.into()),
        ("toolsMade", 5.into()),
        ("leftOutCount", 4.into()),
        ("error", Value::Null),
        ("fault", Value::Null),
        ("nextAttemptSeconds", Value::Null),
        ("restarts", 0.into()),
        ("inFlight", 0.into()),
        ("queued", 0.into()),
    ] {
        assert_eq!(works[member], expected, "{member}");
    }
    assert_eq!(works["leftOut"][0]["tool"], "big");
    assert_eq!(works["leftOut"][0]["reason"], "filter");
    assert_eq!(works["usage"]["calls"], 0);
    assert_eq!(works["ledger"][2]["state"], "ready");
    assert_eq!(works["serverInfo"]["name"], "hermes-demo");
    assert_eq!(works["breaker"]["state"], "closed");
    let note = "`nope` in its `tools` filter matches no tool";
    assert_eq!(works["notes"][0], note);

    assert_eq!(exits["error"]["code"], "server_unavailable");
    assert!(
        exits["fault"]
            .as_str()
            .unwrap()
            .contains("exited with code 7")
    );
    assert!(
        exits["nextAttemptSeconds"].as_f64().unwrap() <= 2.0,
        "{exits}"
    );
    assert_eq!(
        (&off["state"], &off["error"]),
        (&"disabled".into(), &Value::Null)
    );
}
