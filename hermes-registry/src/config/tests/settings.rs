//! What is read of a server beside how it is reached: every setting, its default and its bounds.

use super::*;

/// The one server of a file in which it has these keys.
fn server(keys: &str) -> ServerConfig {
    let loaded = loaded(&with_server(keys));
    assert_eq!(loaded.problems, [], "{keys}");
    loaded.config.server("s").expect("it is used").clone()
}

#[test]
fn every_setting_is_read() {
    let secs = Duration::from_secs;
    let server = server(
        "command: x\nenv_passthrough: [TOKEN, HOME]\nlazy: yes\ntrust: untrusted\n\
         supports_parallel_tool_calls: true\nmax_parallel_calls: 4\nvalidate_arguments: off\n\
         output: {max_chars: 2000, spill: false}\nlog_level: Warning\n\
         roots: ['${workspaceFolder}', ~/src, lib, 'file:///srv/x']\nkeepalive_interval: 30\n\
         idle_timeout_seconds: 600\nmax_lifetime_seconds: 86400.5\n\
         reconnect: {initial_retries: 0, retries: 7, backoff_first: 0.5, backoff_max: 9, \
         park_probe_interval: off}\nbreaker: {failures: 2, cooldown: 5}\n\
         tools: {resources: false, prompts: no}\nauth: header",
    );
    let command = server.command().expect("it has a command");
    assert_eq!(command.env_passthrough(), ["TOKEN", "HOME"]);
    assert!(server.is_lazy() && server.supports_parallel_tool_calls());
    assert!(!server.validates_arguments() && !server.output().spill);
    assert!(!server.offers_resources() && !server.offers_prompts());
    assert_eq!(server.trust(), Trust::Untrusted);
    assert_eq!(server.max_parallel_calls(), 4);
    assert_eq!(server.log_level(), Some(&LoggingLevel::Warning));
    let roots = [
        "file:///srv/app",
        "file:///home/ada/src",
        "file:///srv/app/lib",
        "file:///srv/x",
    ];
    assert_eq!(server.roots(), Some(&roots.map(str::to_owned)[..]));
    assert_eq!(server.keepalive_interval(), Some(secs(30)));
    assert_eq!(server.idle_timeout(), Some(secs(600)));
    let max_lifetime = Duration::from_millis(86_400_500);
    assert_eq!(server.max_lifetime(), Some(max_lifetime));
    let reconnect = ReconnectConfig {
        initial_retries: 0,
        retries: 7,
        backoff_first: Duration::from_millis(500),
        backoff_max: secs(9),
        park_probe_interval: None,
    };
    assert_eq!(server.reconnect(), &reconnect);
    let breaker = server.breaker();
    assert_eq!((breaker.failures, breaker.cooldown), (2, secs(5)));
    let limits = server.output().limits(OutcomeLimits::default());
    assert_eq!(
        (limits.text_len_max, limits.structured_len_max),
        (2000, 2000)
    );
    assert_eq!(limits.error_len_max, OutcomeLimits::default().error_len_max);
}

#[test]
fn a_program_can_set_what_a_file_can() {
    let secs = Duration::from_secs;
    let command = CommandLine::new("x").with_env_passthrough("TOKEN");
    let output = OutputConfig {
        max_chars: Some(2000),
        ..OutputConfig::default()
    };
    let reconnect = ReconnectConfig {
        retries: 7,
        ..ReconnectConfig::default()
    };
    let breaker = BreakerConfig {
        failures: 2,
        ..BreakerConfig::default()
    };
    let built = ServerConfig::stdio("s", command)
        .expect("the name is valid")
        .lazy()
        .with_trust(Trust::Untrusted)
        .with_parallel_calls(4)
        .without_validation()
        .with_output(output)
        .with_log_level(LoggingLevel::Warning)
        .with_roots(["file:///srv/x".to_owned()])
        .with_keepalive_interval(None)
        .with_idle_timeout(Some(secs(600)))
        .with_max_lifetime(Some(secs(900)))
        .with_reconnect(reconnect)
        .with_breaker(breaker)
        .with_tool_timeout("slow", secs(900))
        .without_resources()
        .without_prompts();
    let read = server(
        "command: x\nenv_passthrough: [TOKEN]\nlazy: yes\ntrust: untrusted\n\
         supports_parallel_tool_calls: true\nmax_parallel_calls: 4\nvalidate_arguments: off\n\
         output: {max_chars: 2000}\nlog_level: warning\nroots: ['file:///srv/x']\n\
         keepalive_interval: 0\nlifecycle: {idle_timeout_seconds: 600}\n\
         max_lifetime_seconds: 900\nreconnect: {retries: 7}\nbreaker: {failures: 2}\n\
         tools: {timeouts: {slow: 900}, resources: false, prompts: no}",
    );
    // What is not compared is where the server stands and which variable gave what.
    assert_eq!(format!("{built:?}"), format!("{read:?}"));
}

#[test]
fn a_key_that_has_its_default_is_as_good_as_none() {
    let mut lines = Vec::new();
    for key in keys::SERVER.rows {
        let line = |name: &str, value: &str| format!("{name}: {value}");
        let nested = match key.shape {
            Shape::Mapping(keys) | Shape::MappingOrTexts(keys) => keys.rows,
            _ => &[],
        };
        let own = key.default.map(|default| line(key.name, default));
        let nested = nested.iter().filter_map(|inner| {
            let inner = line(inner.name, inner.default?);
            Some(line(key.name, &format!("{{{inner}}}")))
        });
        let is_active = key.standing == Standing::Active;
        let all = own.into_iter().chain(nested).filter(|_| is_active);
        lines.extend(all.map(|line| (key.needs, line)));
    }
    // By itself this key has no effect, which is told.
    lines.retain(|(_, line)| *line != format!("max_parallel_calls: {MAX_PARALLEL_CALLS_DEFAULT}"));
    assert!(lines.len() > 25, "{lines:?}");
    for (needs, line) in lines {
        let reached = match needs {
            Some("url") => "url: https://x/mcp",
            _ => "command: x",
        };
        assert_eq!(
            server(&format!("{reached}\n{line}")),
            server(reached),
            "{line}"
        );
    }
}

#[test]
fn numbers_have_bounds_and_off_is_one_of_them_where_that_makes_sense() {
    for (key, good, bad) in [
        (
            "keepalive_interval: @",
            "5 86400 0 off false",
            "4.9 86401 -1 never",
        ),
        (
            "idle_timeout_seconds: @",
            "0.1 2592000 0 off",
            "2592001 -5 1e-30",
        ),
        ("max_lifetime_seconds: @", "1 no", "2592001 [1]"),
        ("timeout: @", "0.001 86400", "0 off 86401"),
        (
            "max_parallel_calls: @",
            "1 1024",
            "0 1025 -1 +1 1.5 1_0 '' off",
        ),
        ("reconnect: {initial_retries: @}", "0 100", "101 -1"),
        ("reconnect: {retries: @}", "0 1000", "1001"),
        ("reconnect: {backoff_first: @}", "0.1 60", "0.09 61 off"),
        ("reconnect: {backoff_max: @}", "1 86400", "86401"),
        (
            "reconnect: {park_probe_interval: @}",
            "5 0 86400",
            "4 86401",
        ),
        ("breaker: {failures: @}", "1 1000", "0 1001"),
        ("breaker: {cooldown: @}", "1 86400", "0.9 0 86401"),
        ("output: {max_chars: @}", "100 10000000", "99 10000001 1e3"),
        ("tools: {timeouts: {a: @}}", "1 86400", "0 off x"),
    ] {
        for (values, is_good) in [(good, true), (bad, false)] {
            for value in values.split(' ') {
                let text = with_server(&format!("command: x\n{}", key.replace('@', value)));
                assert_eq!(!loaded(&text).has_errors(), is_good, "{text}");
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_setting_says_what_is_allowed() {
    faults::check_faults(&[
        (
            "command: x\ntrust: sometimes",
            "5:12: mcp_servers.s.trust: must be full or untrusted, but is `sometimes`",
        ),
        (
            "command: x\nkeepalive_interval: 3",
            "5:25: mcp_servers.s.keepalive_interval: must be 0 or off, or a number of seconds from \
             5 to 86400, but is `3`",
        ),
        (
            "command: x\nreconnect: {backoff_first: 90}",
            "5:32: mcp_servers.s.reconnect.backoff_first: must be at most what `backoff_max` is, \
             60 seconds, but is `90`",
        ),
        (
            "command: x\nreconnect: 5",
            "5:16: mcp_servers.s.reconnect: must be a mapping of keys such as `initial_retries` \
             and `retries`, but is a text",
        ),
        (
            "command: x\nreconnect: {retrys: 5}",
            "5:17: mcp_servers.s.reconnect.retrys: unknown key; did you mean `retries`?",
        ),
        (
            "command: x\nbreaker: {failures: many}",
            "5:25: mcp_servers.s.breaker.failures: must be a whole number from 1 to 1000, but is \
             `many`",
        ),
        (
            "command: x\nlog_level: loud",
            "5:16: mcp_servers.s.log_level: must be debug, info, notice, warning, error, critical, \
             alert or emergency, but is `loud`",
        ),
        (
            "command: x\nroots: ['https://x/']",
            "5:13: mcp_servers.s.roots[0]: must be a folder or a file:// URI without a host, but is \
             `https://x/`",
        ),
        (
            "command: x\nroots: ~/src",
            "5:12: mcp_servers.s.roots: must be a list of folders or file:// URIs, but is a text",
        ),
        (
            "command: x\nidle_timeout_seconds: 5\nlifecycle: {idle_timeout_seconds: 6}",
            "6:17: mcp_servers.s.lifecycle.idle_timeout_seconds: the key stands already in line 5; \
             remove one of the two",
        ),
        (
            "command: x\ncwd: ''",
            "5:10: mcp_servers.s.cwd: must be the path of a folder, but is empty",
        ),
        (
            "command: x\nauth: basic",
            "5:11: mcp_servers.s.auth: must be oauth, header or none, but is `basic`",
        ),
        (
            "command: x\nsampling: {max_rpm: x}",
            "5:25: mcp_servers.s.sampling.max_rpm: must be a whole number from 1 to 4294967295, but \
             is `x`",
        ),
        (
            "command: x\noauth: {flow: pigeon}",
            "5:19: mcp_servers.s.oauth.flow: must be one of browser, device, but is `pigeon`",
        ),
    ]);
}

#[test]
fn names_to_pass_on_are_written_out_and_never_quoted() {
    for name in [
        "'*'",
        "'AWS_*'",
        "'${TOKEN}'",
        "'A=ghp_1'",
        "''",
        "[a]",
        "~",
    ] {
        let (_, errors, _) = outcome(&with_server(&format!(
            "command: x\nenv_passthrough: [{name}]"
        )));
        let expected = "config.yaml:5:23: mcp_servers.s.env_passthrough[0]: is not the name of a \
                        variable: write each name out, without `=`, `*` and `${…}`";
        assert_eq!(errors, [expected], "{name}");
    }
    let secrets = server("command: x\nenv_passthrough: [TOKEN, HOME]").secrets();
    assert_eq!(secrets, ["ghp_0123456789"]);
}

#[test]
fn a_feature_to_come_is_told_of_once_and_not_where_it_is_switched_off() {
    let count = |keys: &str| {
        outcome(&with_server(&format!("command: x\n{keys}")))
            .2
            .len()
    };
    for (keys, expected) in [
        ("auth: oauth\noauth: {client_id: a, flow: device}", 1),
        ("auth: oauth", 1),
        ("auth: none", 0),
        (
            "sampling: {enabled: true, max_rpm: 3, allowed_models: [a]}",
            1,
        ),
        ("sampling: {enabled: false}", 0),
        ("elicitation: {timeout: 5}\nsampling: {}", 2),
        ("elicitation: {enabled: no, timeout: 5}", 0),
    ] {
        assert_eq!(count(keys), expected, "{keys}");
    }
}

#[test]
fn a_key_of_the_other_kind_of_server_has_no_effect_and_is_told_of() {
    let keys = "args: [a]\nenv: {A: b}\ncwd: /tmp\nenv_passthrough: [TOKEN]\n\
                idle_timeout_seconds: 5\nmax_lifetime_seconds: 5\nlifecycle: {}";
    let text = with_server(&format!("url: https://x/mcp\n{keys}"));
    let (_, errors, warnings) = outcome(&text);
    assert_eq!((errors.len(), warnings.len()), (0, 7), "{warnings:?}");
    let is_told = |warning: &String| warning.ends_with("has no effect without `command`");
    assert!(warnings.iter().all(is_told), "{warnings:?}");
    let server = loaded(&text).config.server("s").cloned();
    let server = server.expect("it is used");
    assert_eq!((server.idle_timeout(), server.max_lifetime()), (None, None));
}

#[test]
fn the_time_of_a_tool_is_that_of_its_name_then_of_the_first_glob() {
    let server = server(
        "command: x\ntimeout: 9\ntools: {timeouts: {'build_*': 600, '*_all': 300, build_one: 5}}",
    );
    for (tool, expected) in [
        ("build_one", 5),
        ("build_all", 600),
        ("clean_all", 300),
        ("read", 9),
    ] {
        assert_eq!(
            server.timeout_of(tool),
            Duration::from_secs(expected),
            "{tool}"
        );
    }
    assert_eq!(server.tool_timeouts().count(), 3);
}

#[test]
fn names_in_place_of_the_mapping_of_tools_are_the_tools_that_are_offered() {
    for (names, tool, expected) in [
        ("read_file", "read_file", true),
        ("read_file, 'list_*'", "list_all", false),
        ("'read_file, list_*'", "list_all", true),
        ("a b", "b", true),
        ("[a b]", "b", false),
        ("[]", "a", false),
        ("'*'", "a", true),
    ] {
        let text = with_server(&format!("command: x\ntools: {names}"));
        let allowed = loaded(&text)
            .config
            .server("s")
            .map(|server| server.filter().allows(tool));
        assert_eq!(allowed, Some(expected), "{names}");
    }
    for names in ["true", "off", "5", "1.5"] {
        assert!(
            loaded(&with_server(&format!("command: x\ntools: {names}"))).has_errors(),
            "{names}"
        );
    }
}

#[test]
fn references_are_replaced_in_every_value() {
    let everywhere = |reference: &str| {
        [
            "command: @",
            "args: ['@']",
            "env: {A: '@'}",
            "cwd: @",
            "url: http://@/mcp",
            "headers: {A: '@'}",
            "ssl_verify: @",
            "client_cert: ['@', '@']",
            "client_key: @",
            "proxy: http://@",
            "timeout: @",
            "connect_timeout: @",
            "tools: @",
            "tools: ['@']",
            "tools: {include: ['@']}",
            "tools: {exclude: '@'}",
            "tools: {timeouts: {a: '@'}}",
            "max_parallel_calls: @",
            "roots: ['@']",
            "keepalive_interval: @",
            "idle_timeout_seconds: @",
            "lifecycle: {max_lifetime_seconds: '@'}",
            "reconnect: {retries: '@'}",
            "breaker: {cooldown: '@'}",
            "output: {max_chars: '@'}",
            "sampling: {max_rpm: '@'}",
            "oauth: {client_id: '@'}",
            "description: '@'",
        ]
        .map(|key| key.replace('@', reference))
    };
    for (good, bad) in everywhere("${SECONDS:-}")
        .iter()
        .zip(everywhere("${NOT_SET}"))
    {
        let reached = match good.split(':').next() {
            Some("command" | "url") => "",
            Some("headers" | "ssl_verify" | "client_cert" | "client_key" | "proxy") => {
                "url: http://x/"
            }
            _ => "command: x",
        };
        // 30 is too few characters for one of the keys, so that it shows that it was read.
        let expected = usize::from(good.starts_with("output"));
        let (_, errors, _) = outcome(&with_server(&format!("{reached}\n{good}")));
        assert_eq!(errors.len(), expected, "{good}: {errors:?}");
        let (names, errors, _) = outcome(&with_server(&format!("{reached}\n{bad}")));
        assert_eq!(names, ["good"], "{bad}");
        let (first, key) = (&errors[0], bad.split(':').next().unwrap_or_default());
        assert!(first.starts_with("config.yaml:5:"), "{first}");
        assert!(first.contains(&format!(": mcp_servers.s.{key}")), "{first}");
        let advice = "`NOT_SET` is not set; set it, or give a default: `${NOT_SET:-…}`";
        assert!(first.ends_with(advice), "{first}");
    }
}

#[test]
fn a_folder_that_is_not_known_is_told_with_how_to_give_a_default() {
    let text = with_server("command: x\ncwd: ${workspaceFolder}/x\nroots: [lib]");
    let loaded = Config::parse(&text, "config.yaml", &vars).expect("it is a file");
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "config.yaml:5:10: mcp_servers.s.cwd: `${workspaceFolder}` is not known here; give a \
             default: `${workspaceFolder:-…}`",
            "config.yaml:6:13: mcp_servers.s.roots[0]: must be an absolute path, as it is not known \
             in which folder we work, but is `lib`",
        ]
    );
}
