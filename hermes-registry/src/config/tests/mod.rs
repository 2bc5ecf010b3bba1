//! Configurations as text, and what is read from them.

mod endpoints;
mod faults;
pub(super) mod properties;
mod settings;

use std::time::Duration;

use mcp_client::HttpTransport;
use mcp_types::LoggingLevel;

use super::keys::{Shape, Standing};
use super::*;
use crate::OutcomeLimits;

fn vars(name: &str) -> Option<String> {
    let value = match name {
        "HOME" => "/home/ada",
        "TOKEN" => "ghp_0123456789",
        "SECONDS" => "30",
        "EMPTY" => "",
        _ => return None,
    };
    Some(value.to_owned())
}

fn parse(text: &str) -> Result<Loaded, ConfigError> {
    let context = Context::new(&vars).with_workspace_folder("/srv/app");
    Config::parse_in(text, "config.yaml", &context)
}

fn loaded(text: &str) -> Loaded {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The names of usable servers, the errors, and the warnings.
fn outcome(text: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
    let loaded = loaded(text);
    let names = loaded
        .config
        .servers()
        .iter()
        .map(|server| server.name().to_string())
        .collect();
    let (errors, warnings): (Vec<_>, Vec<_>) =
        loaded.problems.into_iter().partition(Problem::is_error);
    let texts = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect();
    (names, texts(errors), texts(warnings))
}

/// A file with one server `s` whose keys these are, beside a good server.
fn with_server(keys: &str) -> String {
    let keys: String = keys.lines().map(|line| format!("    {line}\n")).collect();
    format!("mcp_servers:\n  good: {{command: x}}\n  s:\n{keys}")
}

#[test]
fn a_full_server_is_read() {
    let text = "\u{feff}# comment
model: whatever
mcp_servers:
  github:
    command: npx
    args: [\"-y\", '@mcp/github', 1.0, true, 0x1F, '--token=$${x}']
    env:
      GITHUB_TOKEN: ${TOKEN}
      PORT: 8080
      DEBUG: true
      EMPTY: \"\"
    cwd: ~/src
    timeout: 1.5
    connect_timeout: ${SECONDS}
    protocol: Modern
    type: stdio
    tools:
      include: [create_issue, \"list_*\"]
  123: {command: y, enabled: off, tools: {exclude: nope}}
";
    let loaded = loaded(text);
    assert_eq!(loaded.problems, []);
    let [github, other] = loaded.config.servers() else {
        panic!("{loaded:?}")
    };
    let command = github.command().expect("it has a command");
    assert_eq!(command.program(), "npx");
    assert_eq!(
        command.args(),
        ["-y", "@mcp/github", "1.0", "true", "0x1F", "--token=${x}"]
    );
    let env = [
        ("GITHUB_TOKEN", "ghp_0123456789"),
        ("PORT", "8080"),
        ("DEBUG", "true"),
    ];
    assert_eq!(
        command.env().collect::<Vec<_>>(),
        [&env[..], &[("EMPTY", "")]].concat()
    );
    assert_eq!(command.cwd(), Some(Path::new("/home/ada/src")));
    assert_eq!(github.timeout(), Duration::from_millis(1500));
    assert_eq!(github.connect_timeout(), Duration::from_secs(30));
    assert_eq!(github.protocol(), Protocol::Modern);
    assert_eq!(github.source(), Some(("config.yaml", Position::new(4, 3))));
    assert_eq!(github.secrets(), ["ghp_0123456789"]);
    assert!(github.filter().allows("list_issues") && !github.filter().allows("delete"));
    assert!(github.is_enabled() && !other.is_enabled());
    assert_eq!(other.name().as_str(), "123");
    assert_eq!(
        (other.timeout(), other.connect_timeout()),
        (TIMEOUT_DEFAULT, CONNECT_TIMEOUT_DEFAULT)
    );
    assert!(!format!("{loaded:?}").contains("ghp_"));
}

#[test]
fn a_file_without_servers_is_empty_and_not_wrong() {
    for text in [
        "",
        "\u{feff}",
        "# only a comment\n",
        "mcp_servers:\n",
        "mcp_servers: {}\n",
        "a: 1\n",
    ] {
        let loaded = loaded(text);
        assert_eq!(
            (loaded.config.servers().len(), loaded.problems.len()),
            (0, 0),
            "{text}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_as_a_whole_says_where() {
    let deep = format!("a: {}{}", "[".repeat(200), "]".repeat(200));
    let bomb: String = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
        let below = level - 1;
        format!("{text}a{level}: &a{level} [*a{below}, *a{below}]\n")
    });
    let rows = [
        (
            "mcp_servers:\n  a: {command: x\n",
            "config.yaml:2:6: not YAML: unclosed bracket '{'",
        ),
        (
            "mcp_servers:\n  a:\n\tcommand: x\n",
            "config.yaml:3:2: not YAML: tabs disallowed within this context (block indentation)",
        ),
        (
            "mcp_servers:\n  a: {command: x, args: [${TOKEN}]}\n",
            "config.yaml:2:27: not YAML: while parsing a flow sequence, expected ',' or ']'; write a value with `${…}` in quotes inside `[ ]` or `{ }`",
        ),
        (
            "- a\n- b\n",
            "config.yaml:1:1: the file must be a mapping with the key `mcp_servers`, but is a list",
        ),
        (
            "hello",
            "config.yaml:1:1: the file must be a mapping with the key `mcp_servers`, but is a text",
        ),
        (
            "x: 1\nmcp_servers: [a]\n",
            "config.yaml:2:14: mcp_servers: must be a mapping of names to servers, but is a list",
        ),
        (
            "mcp_servers:\n  a: {command: x}\n---\nb: 1\n",
            "config.yaml:3:1: a second YAML document begins here; one is read",
        ),
        (
            "a: *b\n",
            "config.yaml:1:4: not YAML: while parsing node, found unknown anchor",
        ),
        (
            "a: &a [*a]\n",
            "config.yaml:1:8: an alias refers to a value that it is part of",
        ),
        (
            &deep,
            "config.yaml:1:131: lists and mappings are nested more than 128 deep",
        ),
        (
            &bomb,
            "config.yaml:15:11: too many values, with aliases written out",
        ),
        (
            &" ".repeat(1_048_577),
            "config.yaml: the file is longer than 1048576 bytes",
        ),
    ];
    let (texts, expected): (Vec<&str>, Vec<&str>) = rows.into_iter().unzip();
    let errors = texts.into_iter().map(|text| match parse(text) {
        Err(error) => error.to_string(),
        Ok(loaded) => format!("read as {loaded:?}"),
    });
    assert_eq!(errors.collect::<Vec<_>>(), expected);
}

#[test]
fn bytes_that_are_not_utf_8_say_where() {
    let error = Config::parse_bytes(b"mcp_servers:\n  \xc3\xbcx\xff: {}\n", "c", &vars);
    let error = error.expect_err("the file is not UTF-8");
    assert_eq!(error.to_string(), "c:2:5: the file is not UTF-8 text");
}

#[test]
fn a_missing_file_says_so() {
    let error = Config::load(Path::new("/nonexistent/config.yaml")).expect_err("no such file");
    assert_eq!(
        error.to_string(),
        "/nonexistent/config.yaml: the file does not exist"
    );
}

#[test]
fn what_costs_nothing_is_a_warning() {
    for (keys, expected) in [
        (
            "oauth: {client_id: a}",
            "5:5: mcp_servers.s.oauth: is read but not active yet",
        ),
        (
            "sampling: {max_rpm: 3}",
            "5:5: mcp_servers.s.sampling: is read but not active yet",
        ),
        (
            "identity_header: {name: X-Id, value: a}",
            "5:5: mcp_servers.s.identity_header: not supported: write the header and its value \
             under `headers`, where `${NAME}` takes it from the environment",
        ),
        (
            "tools: {scope: main}",
            "5:13: mcp_servers.s.tools.scope: not supported: every agent of this host sees these \
             tools; remove the key",
        ),
        (
            "max_parallel_calls: 4",
            "5:5: mcp_servers.s.max_parallel_calls: has no effect without \
             `supports_parallel_tool_calls: true`",
        ),
        (
            "env_passthrough: [NOT_SET]",
            "5:23: mcp_servers.s.env_passthrough[0]: the environment variable `NOT_SET` is not \
             set, so the server is not given it",
        ),
        (
            "timeout: \"30\"",
            "5:14: mcp_servers.s.timeout: is a number in quotes; it is read as the number",
        ),
        (
            "args: -v",
            "5:11: mcp_servers.s.args: is read as one argument; write a list: `[\"…\"]`",
        ),
        (
            "env: {N: null}",
            "5:11: mcp_servers.s.env.N: has no value, which is read as the empty text",
        ),
        (
            "env: {N: 'a '}",
            "5:14: mcp_servers.s.env.N: begins or ends with white space, which is kept",
        ),
        (
            "timeout:",
            "5:5: mcp_servers.s.timeout: has no value, which is read as if the key were not there",
        ),
        (
            "tools: a, b",
            "5:12: mcp_servers.s.tools: is a text, which is read as `tools.include`",
        ),
        (
            "tools: [a, b]",
            "5:12: mcp_servers.s.tools: is a list, which is read as `tools.include`",
        ),
        (
            "tools: {include: a, exclude: b}",
            "5:25: mcp_servers.s.tools.exclude: has no effect beside `include`, which wins",
        ),
        (
            "tools: {include: }",
            "5:13: mcp_servers.s.tools.include: has no value, which is read as if the key were not \
             there; write `[]` for an empty list",
        ),
    ] {
        let (names, errors, warnings) = outcome(&with_server(&format!("command: x\n{keys}")));
        assert_eq!(warnings, [format!("config.yaml:{expected}")], "{keys}");
        assert_eq!((names.len(), errors.len()), (2, 0), "{keys}: {errors:?}");
    }
    let (_, _, warnings) = outcome("mcpServers:\n  a: {command: x}\n");
    assert_eq!(
        warnings,
        ["config.yaml:1:1: mcpServers: is not read; did you mean `mcp_servers`?"]
    );
}

#[test]
fn a_disabled_server_is_kept_whatever_is_wrong_with_it() {
    for keys in [
        "command: ${NOT_SET}",
        "url: ftp://x/mcp",
        "command: x\nbogus: 1",
        "timeout: x",
    ] {
        let text = with_server(&format!("enabled: false\n{keys}"));
        let loaded = loaded(&text);
        assert!(
            !loaded.has_errors() && !loaded.problems.is_empty(),
            "{keys}: {loaded:?}"
        );
        let server = loaded.config.server("s").expect("it is kept");
        assert!(!server.is_enabled());
        assert_eq!(server.endpoint(), &Endpoint::Undefined, "{keys}");
    }
}

#[test]
fn numbers_are_seconds_within_a_day() {
    for (text, expected) in [
        ("30", Some(30_000)),
        ("0.25", Some(250)),
        ("1e3", Some(1_000_000)),
        ("86400", Some(86_400_000)),
        ("${SECONDS}", Some(30_000)),
        ("86401", None),
        ("0", None),
        ("-1", None),
        ("1e-30", None),
        (".inf", None),
        ("inf", None),
        (".nan", None),
        ("30s", None),
        ("0x10", None),
        ("''", None),
        ("1_000", None),
    ] {
        let loaded = loaded(&with_server(&format!("command: x\ntimeout: {text}")));
        let millis = loaded
            .config
            .server("s")
            .map(|server| server.timeout().as_millis());
        assert_eq!(millis, expected, "{text}");
    }
}

#[test]
fn switches_take_the_words_of_yaml_1_1() {
    for (text, expected) in [
        ("true", Some(true)),
        ("Yes", Some(true)),
        ("'on'", Some(true)),
        ("1", Some(true)),
        ("FALSE", Some(false)),
        ("no", Some(false)),
        ("off", Some(false)),
        ("0", Some(false)),
        ("y", None),
        ("[true]", None),
    ] {
        let loaded = loaded(&with_server(&format!("command: x\nenabled: {text}")));
        let enabled = loaded.config.server("s").map(ServerConfig::is_enabled);
        assert_eq!(enabled, expected, "{text}");
    }
}

#[test]
fn anchors_aliases_and_merge_keys_work() {
    let text = "
base: &base {command: npx, timeout: 5, env: &env {A: b}}
mcp_servers:
  one: *base
  two:
    <<: *base
    timeout: 7
  three:
    <<: [{command: deno}, *base]
    args: [&word hello, *word]
  four: {\"<<\": x, command: y}
";
    let (names, errors, _) = outcome(text);
    assert_eq!(names, ["one", "two", "three"]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let config = loaded(text).config;
    let seen: Vec<_> = config
        .servers()
        .iter()
        .map(|server| {
            let command = server.command().expect("it has a command");
            (
                command.program(),
                server.timeout().as_secs(),
                command.args().len(),
            )
        })
        .collect();
    assert_eq!(seen, [("npx", 5, 0), ("npx", 7, 0), ("deno", 5, 2)]);
}

#[test]
fn spellings_of_transports_and_scalars_of_another_type_are_understood() {
    let text = "\u{feff}mcp_servers:
  a: {type: streamableHttp, url: 'http://127.0.0.1:1/mcp'}
  b: {type: streamable_http, url: 'http://127.0.0.1:1/mcp'}
  c: {type: carrier-pigeon, url: 'http://127.0.0.1:1/mcp'}
  d: {command: x, url: 'http://127.0.0.1:1/mcp'}
  e: {command: x, env: {PORT: 8080, DEBUG: true, N: null}, args: '-v'}
  123: {command: y}
";
    let loaded = loaded(text);
    let faults = |name: &str| -> Vec<&ProblemKind> {
        let own = loaded
            .problems
            .iter()
            .filter(|one| one.is_error() && one.server() == Some(name));
        own.map(Problem::kind).collect()
    };
    for name in ["a", "b"] {
        let server = loaded.config.server(name).and_then(ServerConfig::http);
        let transport = server.map(HttpEndpoint::transport);
        assert_eq!(transport, Some(HttpTransport::Streamable), "{name}");
    }
    for name in ["c", "d"] {
        assert!(loaded.config.server(name).is_none(), "{name}");
    }
    assert!(matches!(faults("c")[..], [ProblemKind::WrongValue { .. }]));
    assert!(matches!(
        faults("d")[..],
        [ProblemKind::CommandAndUrl { .. }]
    ));
    let command = loaded
        .config
        .server("e")
        .and_then(ServerConfig::command)
        .expect("e is good");
    assert_eq!(
        command.env().collect::<Vec<_>>(),
        [("PORT", "8080"), ("DEBUG", "true"), ("N", "")]
    );
    assert_eq!(command.args(), ["-v"]);
    assert!(loaded.config.server("123").is_some());
}

#[test]
fn a_server_behind_a_url_has_headers_a_transport_certificates_and_a_proxy() {
    let text = with_server(
        "url: 'https://user:pw@example.test/mcp?key=1'\ntransport: sse\n\
         headers: {Authorization: 'Bearer ${TOKEN}', X-Count: 7}\n\
         ssl_verify: ~/ca.pem\nclient_cert: [~/c.pem, c.key]\nproxy: http://proxy.test:3128",
    );
    let loaded = loaded(&text);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let server = loaded.config.server("s").expect("it is right");
    let http = server.http().expect("it has a URL");
    assert_eq!(http.transport(), HttpTransport::Sse);
    assert_eq!(
        http.headers().collect::<Vec<_>>(),
        [("Authorization", "Bearer ghp_0123456789"), ("X-Count", "7")]
    );
    let tls = http.tls();
    assert_eq!(tls.ca_bundle.as_deref(), Some("/home/ada/ca.pem".as_ref()));
    assert_eq!(tls.client_cert.as_deref(), Some("/home/ada/c.pem".as_ref()));
    assert_eq!(tls.client_key.as_deref(), Some("c.key".as_ref()));
    assert_eq!(
        http.proxy(),
        &ProxyConfig::Url("http://proxy.test:3128".to_owned())
    );
    assert_eq!(
        server.secrets(),
        ["Bearer ghp_0123456789", "ghp_0123456789"]
    );
    let shown = format!("{server:?}");
    for hidden in ["ghp_", "pw", "key=1", "proxy.test"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}

#[test]
fn a_line_break_at_the_end_of_a_header_is_taken_off_and_its_value_stays_hidden() {
    let text =
        with_server("url: https://x/mcp\nheaders: {Authorization: \"Bearer example-secret-1\\n\"}");
    let loaded = loaded(&text);
    assert_eq!(loaded.problems, []);
    let server = loaded.config.server("s").expect("it is used");
    let headers: Vec<_> = server.http().expect("it has a URL").headers().collect();
    assert_eq!(headers, [("Authorization", "Bearer example-secret-1")]);
    assert!(server.secrets().contains(&"example-secret-1".to_owned()));
    assert!(!format!("{loaded:?}").contains("example-secret-1"));
}

#[test]
fn a_key_of_http_servers_beside_a_command_is_told_of() {
    let (names, errors, warnings) = outcome(&with_server("command: x\nssl_verify: false"));
    assert_eq!((names.len(), errors.len()), (2, 0), "{errors:?}");
    assert_eq!(
        warnings,
        ["config.yaml:5:5: mcp_servers.s.ssl_verify: has no effect without `url`"]
    );
}

#[test]
fn no_value_of_env_and_no_variable_shows_in_a_problem() {
    let text = with_server(
        "command: x\nargs: hunter2 hunter2\nenv: [hunter2]\nheaders: {A: 'hunter2${NOPE}'}\n\
         cwd: '${TOKEN}\\0'\ntimeout: ${TOKEN}",
    );
    let (_, errors, _) = outcome(&text);
    let all = errors.join("\n");
    assert_eq!(errors.len(), 4, "{all}");
    assert!(!all.contains("hunter2") && !all.contains("ghp_"), "{all}");
}

#[test]
fn the_default_path_is_in_hermes_home() {
    for (set, expected) in [
        (
            &[("HERMES_HOME", "/opt/h"), ("HOME", "/home/ada")][..],
            Some("/opt/h/config.yaml"),
        ),
        (
            &[("HERMES_HOME", ""), ("HOME", "/home/ada")],
            Some("/home/ada/.hermes/config.yaml"),
        ),
        (&[("USERPROFILE", "/u")], Some("/u/.hermes/config.yaml")),
        (&[], None),
    ] {
        let path = Config::default_path(|name| {
            set.iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        });
        assert_eq!(path.as_deref(), expected.map(Path::new));
    }
}

#[test]
fn a_file_is_loaded_with_the_environment_of_this_process() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("config.yaml");
    let text = "mcp_servers: {a: {command: x, cwd: '${workspaceFolder}', args: ['${PATH}']}}\n";
    std::fs::write(&path, text).expect("it can be written");
    let loaded = Config::load(&path).expect("it can be read");
    assert_eq!(loaded.problems, []);
    let command = loaded.config.servers()[0]
        .command()
        .expect("it has a command");
    assert_eq!(command.cwd(), std::env::current_dir().ok().as_deref());
}
