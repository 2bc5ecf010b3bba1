//! Findings for configurations, lists of tools and lives, as tables.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_client::{Cut, Era, Error};
use mcp_types::{Diagnostic, RawJson, Tool, Version};

use super::*;
use crate::Ready;
use crate::catalog::{Knowledge, Parts, Seen, Told};
use crate::config::Loaded;
use crate::host::HostTools;
use crate::life::{
    Admission, BreakerPolicy, CallEnd, Effect, Epoch, Fault, FaultKind, Life, LifePolicy, State,
};
use crate::pins::Pins;
use crate::utility::Utility;

const FILE: &str = "c.yaml";

/// What a server told, or what keeps it from telling.
enum Is {
    Away(Error, State),
    Told(Box<Told>),
    Unasked,
}

fn told(tools: &[&str]) -> Box<Told> {
    let mut told = Told::of(tools);
    told.ready = Arc::new(Ready {
        era: Era::Modern,
        version: Version::LATEST,
        ..(*told.ready).clone()
    });
    Box::new(told)
}

fn gone(reason: &str) -> Is {
    Is::Away(Error::not_started(reason.to_owned()), State::Waiting)
}

fn load(lines: &str) -> Loaded {
    let text = format!("mcp_servers:\n{lines}");
    Config::parse(&text, FILE, &|_name| None).expect("it is YAML")
}

fn catalog(config: &Config, servers: Vec<Is>) -> Catalog {
    let known = servers.into_iter().map(|server| {
        let mut known = Knowledge::default();
        let life = match server {
            Is::Told(told) => {
                known.tell(Arc::new(*told));
                State::Ready
            }
            Is::Away(error, life) => {
                known.fail(error);
                life
            }
            Is::Unasked => State::Idle,
        };
        (known, life)
    });
    let known: Vec<_> = known.collect();
    let seen = known
        .iter()
        .map(|(known, life)| Seen { known, life: *life });
    let seen: Vec<_> = seen.collect();
    assembled(config, &seen)
}

fn assembled(config: &Config, seen: &[Seen<'_>]) -> Catalog {
    Catalog::new(&Parts {
        config,
        naming: Naming::default(),
        seen,
        host: &HostTools::default(),
        generation: 1,
    })
}

/// Findings as lines: severity, topic, server, what, and the way out.
fn lines(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let server = finding.server.as_deref().unwrap_or("-");
        let (severity, topic) = (finding.severity.as_str(), finding.topic.as_str());
        let way_out = finding.way_out.as_ref();
        let way_out = way_out.map_or_else(String::new, |way_out| format!(" > {way_out}"));
        format!("{severity} {topic} {server}: {}{way_out}", finding.what)
    };
    findings.iter().map(line).collect()
}

fn all(lines_of_file: &str, servers: Vec<Is>) -> Vec<String> {
    let loaded = load(lines_of_file);
    let catalog = catalog(&loaded.config, servers);
    let case = Case::new(&loaded.config, &catalog, &[]).with_problems(&loaded.problems);
    lines(&case.all())
}

#[test]
fn a_server_that_works_is_gone_through_step_by_step() {
    let found = all("  a: {command: run}\n", vec![Is::Told(told(&["x", "y"]))]);
    assert_eq!(
        found,
        [
            "ok configuration a: its entry is sound (c.yaml:2)",
            "ok command a: its command `run` was found and started",
            "ok connection a: it answered with MCP 2026-07-28 (modern)",
            "ok tools a: it told 2 tools",
            "ok offer a: it offers 2 of 2 tools",
        ]
    );
}

#[test]
fn what_is_wrong_with_the_file_and_who_is_not_used_is_told() {
    assert_eq!(
        all("", Vec::new()),
        ["warning configuration -: no server is configured > add one below `mcp_servers`"]
    );
    let file = "  a: {command: run, timeuot: 1}\n  b: {command: run, enabled: false}\n";
    assert_eq!(
        all(file, vec![Is::Unasked]),
        [
            "ok configuration b: its entry is sound (c.yaml:3)",
            "note enabled b: it is disabled > set `enabled: true` (c.yaml:3)",
            "error configuration a: c.yaml:2:21: mcp_servers.a.timeuot: unknown key; did you mean \
             `timeout`? > correct it; the server is not used until then",
        ]
    );
}

#[test]
fn each_way_of_not_answering_has_its_step() {
    let failed = |file: &str, is: Is| {
        let found = all(file, vec![is]);
        found[1..].join("\n")
    };
    let local = "  a: {command: run}\n";
    assert_eq!(
        failed(local, gone("the server exited with code 7")),
        "error connection a: it could not be reached: the server exited with code 7 > check that \
         its command starts an MCP server on standard input (c.yaml:2)"
    );
    let slow = Error::not_connected_in_time("no answer", Duration::from_secs(60));
    assert_eq!(
        failed(local, Is::Away(slow, State::Waiting)),
        "ok command a: its command `run` was found and started\n\
         error connection a: it could not be reached: not connected within 60s (no answer) > if it \
         needs longer to start, raise its `connect_timeout` (c.yaml:2)"
    );
    assert_eq!(
        failed("  a: {url: 'https://x.example'}\n", gone("it is not there")),
        "error connection a: it could not be reached: it is not there > check that its `url` is \
         that of an MCP server (c.yaml:2)"
    );
    assert_eq!(
        failed(local, Is::Unasked),
        "note connection a: it has not been connected, so nobody knows its tools > connect it; a \
         call does so too"
    );
}

#[test]
fn what_is_odd_about_a_list_is_told() {
    let mut odd = told(&["x", "a.b", "a_b", "long"]);
    odd.diagnostics = vec![Diagnostic::dropped("tools[4].name", "missing")];
    odd.cut = Some(Cut::RepeatedCursor);
    odd.suspicions = vec!["tool `x`: description keeps something from the user".to_owned()];
    let file = "  a: {command: run, tools: {exclude: [x, nope]}}\n";
    let found = all(file, vec![Is::Told(odd)]);
    let expected = [
        "ok tools a: it told 4 tools",
        "warning tools a: its list of tools is not complete: it names the same next page again > \
         report it to its authors",
        "warning dropped a: tools[4].name: missing (dropped) > report it to its authors; until it \
         is mended, it is left out",
        "warning filter a: `nope` in its `tools` filter matches no tool > correct it or take it \
         out (c.yaml:2)",
        "note filter a: `tools.exclude` keeps back `x` > to offer more, change `tools.exclude` \
         (c.yaml:2)",
    ];
    assert_eq!(found[3..8], expected);
    for (line, tool, twin) in [(&found[8], "a_b", "a.b"), (&found[9], "a.b", "a_b")] {
        let renamed = format!("note name a: `{tool}` is offered as `mcp_a_a_b_");
        assert!(line.starts_with(&renamed), "{found:#?}");
        let why = format!("`, since `{twin}` of the same server would be called `mcp_a_a_b` too");
        assert!(line.ends_with(&why), "{found:#?}");
    }
    assert_eq!(
        found[10..],
        [
            "warning suspicion a: tool `x`: description keeps something from the user > read what \
             the tool says of itself before a model does; `tools.exclude` keeps it back",
            "ok offer a: it offers 3 of 4 tools",
        ]
    );
}

#[test]
fn a_filter_that_lets_nothing_through_is_a_warning() {
    for (filter, what) in [
        ("exclude: ['*']", "`tools.exclude` keeps back all its tools"),
        (
            "include: []",
            "`tools.include` does not name any of its tools",
        ),
    ] {
        let file = format!("  a: {{command: run, tools: {{{filter}}}}}\n");
        let found = all(&file, vec![Is::Told(told(&["x"]))]);
        assert!(
            found[4].starts_with(&format!("warning filter a: {what} > ")),
            "{found:#?}"
        );
        assert_eq!(found[5], "note offer a: it offers no tool of its own");
    }
}

#[test]
fn a_name_that_people_do_not_expect_is_explained() {
    let long = "x".repeat(60);
    let file = "  a: {command: run}\n  a-b: {command: run}\n  a_b: {command: run}\n";
    let loaded = load(file);
    let servers = vec![
        Is::Told(told(&["b_c", "report_20240101", &long])),
        Is::Told(told(&["d"])),
        Is::Unasked,
    ];
    let catalog = catalog(&loaded.config, servers);
    let case = Case::new(&loaded.config, &catalog, &[]);
    let why = |server: &str, tool: &str| {
        let server = loaded.config.server(server).expect("it is configured");
        case.why_renamed(server, tool)
    };
    assert_eq!(
        why("a", "b_c"),
        "`mcp_a_b_c` could be a tool of server `a-b` too"
    );
    assert_eq!(
        why("a-b", "d"),
        "`mcp_a_b_d` could be a tool of server `a_b` too"
    );
    assert_eq!(
        why("a", "report_20240101"),
        "`mcp_a_report_20240101` ends as shortened names do"
    );
    let told = format!("`mcp_a_{long}` is longer than 64 characters");
    assert_eq!(why("a", &long), told);
}

/// What is asked for, and what is found.
const ASKED: &[(&str, &[&str])] = &[
    (
        "mcp_calc_add",
        &["ok offer calc: `add` of server `calc` is offered as `mcp_calc_add`"],
    ),
    (
        "calc/add",
        &["ok offer calc: `add` of server `calc` is offered as `mcp_calc_add`"],
    ),
    (
        "add",
        &["ok offer calc: `add` of server `calc` is offered as `mcp_calc_add`"],
    ),
    (
        "calc/dir/list",
        &["ok offer calc: `dir/list` of server `calc` is offered as `mcp_calc_dir_list`"],
    ),
    (
        "dir/list",
        &["ok offer calc: `dir/list` of server `calc` is offered as `mcp_calc_dir_list`"],
    ),
    (
        "mcp_calc_del_all",
        &[
            "error filter calc: server `calc` has `del_all`, but `del_*` in `tools.exclude` \
               keeps it back > take `del_*` out of `tools.exclude` (c.yaml:2)",
        ],
    ),
    (
        "two",
        &[
            "error filter only: server `only` has `two`, but `tools.include` has only `one` and \
               `r*` > add it to `tools.include` (c.yaml:3)",
        ],
    ),
    (
        "one",
        &[
            "ok offer only: `one` of server `only` is offered as `mcp_only_one`",
            "error filter none: server `none` has `one`, but `tools.include` is empty > add it \
                 to `tools.include` (c.yaml:4)",
        ],
    ),
    (
        "off/x",
        &[
            "error enabled off: server `off` is disabled, so none of its tools is offered > set \
               `enabled: true` (c.yaml:5)",
        ],
    ),
    (
        "mcp_off_x",
        &[
            "error enabled off: server `off` is disabled, so none of its tools is offered > set \
               `enabled: true` (c.yaml:5)",
        ],
    ),
    (
        "down/x",
        &[
            "error connection down: server `down` offers nothing: it could not be reached: it \
               exited > check that its command starts an MCP server on standard input (c.yaml:7)",
        ],
    ),
    (
        "lazy/x",
        &[
            "error connection lazy: server `lazy` has not been connected, so nobody knows its \
               tools > connect it",
        ],
    ),
    (
        "calc/ad",
        &[
            "error tools calc: server `calc` has no tool that it calls `ad` > did you mean \
                 `add`?",
            "warning dropped calc: tools[\"twisted\"].inputSchema: no header can carry it \
                 (dropped) > report it to its authors; until it is mended, it is left out",
            "warning dropped calc: tools[7].name: missing (dropped) > report it to its \
                 authors; until it is mended, it is left out",
        ],
    ),
    (
        "calc/twisted",
        &[
            "error dropped calc: server `calc` tells of `twisted` in a way that cannot be used: \
               tools[\"twisted\"].inputSchema: no header can carry it (dropped) > report it to its \
               authors; until it is mended, it is left out",
        ],
    ),
    (
        "mcp_calc_ad",
        &[
            "error tools -: no server and no tool of any server is called `mcp_calc_ad` > did \
               you mean `mcp_calc_add`?",
        ],
    ),
    (
        "zzzz",
        &[
            "error tools -: no server and no tool of any server is called `zzzz`",
            "note connection -: 4 servers could not be asked, and may have it: `off`, `down`, \
                 `lazy` and `bad` > see what keeps each of them away",
        ],
    ),
    (
        "clac/zzzz",
        &[
            "error configuration -: no server is called `clac` > did you mean `calc`?",
            "note connection -: 4 servers could not be asked, and may have it: `off`, `down`, \
               `lazy` and `bad` > see what keeps each of them away",
        ],
    ),
];

#[test]
fn a_tool_is_found_by_each_of_its_names_and_what_keeps_it_away_is_told() {
    let file = "  \
  calc: {command: run, tools: {exclude: ['del_*']}}
  only: {command: run, tools: {include: [one, 'r*']}}
  none: {command: run, tools: {include: []}}
  off: {command: run, enabled: false}
  bad: {command: run, nope: 1}
  down: {command: run}
  lazy: {command: run, lazy: true}
";
    let loaded = load(file);
    let mut calc = told(&["add", "del_all", "dir/list"]);
    calc.diagnostics = vec![
        Diagnostic::dropped("tools[\"twisted\"].inputSchema", "no header can carry it"),
        Diagnostic::dropped("tools[7].name", "missing"),
    ];
    let servers = vec![
        Is::Told(calc),
        Is::Told(told(&["one", "two"])),
        Is::Told(told(&["one"])),
        Is::Unasked,
        gone("it exited"),
        Is::Unasked,
    ];
    let catalog = catalog(&loaded.config, servers);
    let case = Case::new(&loaded.config, &catalog, &[]).with_problems(&loaded.problems);
    for (asked, expected) in ASKED {
        assert_eq!(lines(&case.tool(asked)), *expected, "{asked}");
    }
    let bad = lines(&case.tool("bad/x"));
    let unused = "error configuration bad: server `bad` is not used, since its entry has faults";
    assert_eq!((bad[0].as_str(), bad.len()), (unused, 2), "{bad:?}");
    let unknown = lines(&case.server("clac"));
    let expected = "error configuration -: no server is called `clac` > did you mean `calc`?";
    assert_eq!(unknown, [expected]);
}

#[test]
fn tools_of_a_server_that_was_given_up_are_away_with_it() {
    let loaded = load("  a: {command: run}\n");
    let mut known = Knowledge::default();
    known.tell(Arc::new(*told(&["x"])));
    known.fail(Error::not_started("it exited".to_owned()));
    let seen = Seen {
        known: &known,
        life: State::Parked,
    };
    let catalog = assembled(&loaded.config, &[seen]);
    let case = Case::new(&loaded.config, &catalog, &[]);
    for asked in ["mcp_a_x", "a/x", "x"] {
        assert_eq!(
            lines(&case.tool(asked)),
            [
                "error connection a: server `a` offers nothing: it could not be reached: it exited > \
              check that its command starts an MCP server on standard input (c.yaml:2)"
            ],
            "{asked}"
        );
    }
}

/// A life that is being connected, and the number of the attempt.
fn begun(now: Instant) -> (Life, Epoch) {
    let breaker = BreakerPolicy {
        threshold: 1,
        ..BreakerPolicy::default()
    };
    let policy = LifePolicy {
        breaker,
        ..LifePolicy::default()
    };
    let mut life = Life::new(now, policy, 1);
    life.connect(now);
    let mut begun = None;
    while let Some(effect) = life.poll_effect() {
        if let Effect::Connect { epoch } = effect {
            begun = Some(epoch);
        }
    }
    (life, begun.expect("it is to be connected"))
}

#[test]
fn a_life_adds_what_comes_next_and_what_went_wrong_before() {
    let now = tokio::time::Instant::now().into_std();
    let (mut parked, epoch) = begun(now);
    let fault = Fault::new(FaultKind::Configuration, "it is no server");
    parked.handle_connect_failed(now, epoch, fault);
    let (mut waiting, epoch) = begun(now);
    let fault = Fault::new(FaultKind::Transient, "it exited");
    waiting.handle_connect_failed(now, epoch, fault);
    let (mut barred, epoch) = begun(now);
    barred.handle_connected(now, epoch);
    let Admission::Go(started) = barred.admit(now, now + Duration::from_secs(60)) else {
        panic!("nothing keeps the call away");
    };
    barred.end_call(now, started.ticket, CallEnd::TimedOut);

    let loaded = load("  a: {command: run}\n");
    let catalog = catalog(&loaded.config, vec![gone("it exited")]);
    for (life, expected) in [
        (
            parked,
            "note connection a: it was given up, since trying again cannot help",
        ),
        (waiting, "note connection a: it is tried again in "),
        (
            barred,
            "warning connection a: it failed calls in a row, and takes none for 60 s",
        ),
    ] {
        let lives = [(loaded.config.servers()[0].name().clone(), life.status(now))];
        let found = lines(&Case::new(&loaded.config, &catalog, &lives).server("a"));
        let last = found.last().expect("there are findings");
        assert!(last.starts_with(expected), "{found:#?}");
    }
}

#[test]
fn what_nobody_approved_is_kept_back_from_an_untrusted_server() {
    for (trust, expected) in [
        (
            "untrusted",
            "error trust a: server `a` has `x`, but it is not trusted, and it was never approved > \
             look at what it says now and approve it, or set `trust: full` (c.yaml:2)",
        ),
        (
            "full",
            "ok offer a: `x` of server `a` is offered as `mcp_a_x`",
        ),
    ] {
        let loaded = load(&format!("  a: {{command: run, trust: {trust}}}\n"));
        let mut told = told(&["x"]);
        let name = loaded.config.servers()[0].name();
        let drift = Pins::new().compare(name, told.tools.iter().map(|told| &*told.tool));
        told.drift = Some(Arc::new(drift));
        let catalog = catalog(&loaded.config, vec![Is::Told(told)]);
        let case = Case::new(&loaded.config, &catalog, &[]);
        assert_eq!(lines(&case.tool("a/x")), [expected]);
        let of_trust = lines(&case.server("a")).into_iter();
        let of_trust: Vec<_> = of_trust
            .filter(|line| line.contains(" trust a: "))
            .collect();
        let blocked = "warning trust a: tool `x`: it was never approved; it cannot be used until \
                       it is approved > look at what it says now, and approve it if it is what \
                       you want";
        assert_eq!(
            of_trust.first().map(String::as_str),
            (trust != "full").then_some(blocked)
        );
    }
}

#[test]
fn a_tool_that_is_made_here_is_offered_or_tells_what_it_would_be_made_of() {
    let loaded = load(
        "  a: {command: run}\n  b: {command: run}\n  c: {command: run, tools: {resources: no}}\n",
    );
    let mut with = told(&["x"]);
    let schema = RawJson::empty_object();
    let made = Tool::new(Utility::ListResources.name(), schema);
    with.utilities = vec![(Utility::ListResources, made.into())];
    let servers = vec![
        Is::Told(with),
        Is::Told(told(&["y"])),
        Is::Told(told(&["z"])),
    ];
    let catalog = catalog(&loaded.config, servers);
    let case = Case::new(&loaded.config, &catalog, &[]);
    let offered = "ok offer a: `list_resources` of server `a` is offered as `mcp_a_list_resources`";
    for asked in ["list_resources", "a/list_resources", "mcp_a_list_resources"] {
        assert_eq!(lines(&case.tool(asked)), [offered]);
    }
    for (asked, expected) in [
        (
            "b/list_resources",
            "error offer b: `list_resources` is made for servers that have resources, and server \
             `b` does not say that it has any",
        ),
        (
            "c/read_resource",
            "error offer c: `read_resource` is made for servers that have resources, and \
             `tools.resources` of server `c` keeps it back > take `tools.resources` out (c.yaml:4)",
        ),
    ] {
        assert_eq!(lines(&case.tool(asked)), [expected]);
    }
    let last = lines(&case.server("a")).pop();
    let expected = "ok offer a: it offers 1 of 1 tool, and 1 tool to reach what else it has";
    assert_eq!(last.as_deref(), Some(expected));
}
