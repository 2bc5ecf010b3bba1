//! Servers behind a URL that cannot be reached: each failure has a text of its own, which names
//! what to change, and a word of its own for programs.

use std::net::ToSocketAddrs as _;

use rcgen::{CertificateParams, date_time_ymd};
use serde_json::Value;

use crate::network::{Authority, Held, Network, without_proxies};
use crate::support::{Home, Run, finish};

/// A server that cannot be reached, and what is told of that.
struct Row {
    name: &'static str,
    url: String,
    /// One more key of the server; empty for none.
    key: String,
    variable: Option<(&'static str, String)>,
    /// The word for programs; empty for none.
    cause: &'static str,
    message: String,
    suggestion: &'static str,
}

impl Row {
    fn new(name: &'static str, url: String, cause: &'static str) -> Self {
        Self {
            name,
            url,
            key: String::new(),
            variable: None,
            cause,
            message: String::new(),
            suggestion: "",
        }
    }

    fn key(self, key: String) -> Self {
        Self { key, ..self }
    }

    fn variable(self, name: &'static str, value: String) -> Self {
        let variable = Some((name, value));
        Self { variable, ..self }
    }

    fn tells(self, message: String, suggestion: &'static str) -> Self {
        Self {
            message,
            suggestion,
            ..self
        }
    }
}

const UNTRUSTED: &str = "name a PEM file with that certificate, or with its authority's, in \
    `ssl_verify`; `ssl_verify: false` turns the check off";
const DATES: &str = "renew the certificate, or correct the clock of this machine; \
    `ssl_verify: false` turns the check off";
const PROXY: &str = "check the proxy where it is set; NO_PROXY lists hosts that need none, and \
    `proxy: none` does without";
const LOGIN: &str =
    "put the right login into the URL of the proxy, as in http://user:password@host:port";

fn run(home: &Home, words: &[&str], variable: Option<&(&'static str, String)>) -> Run {
    let mut command = home.command(words);
    without_proxies(&mut command);
    command.envs(variable.map(|(name, value)| (*name, value)));
    finish(command, "")
}

/// Servers whose certificate is not taken, or which do not take ours.
fn certificates(home: &Home, network: &Network) -> Vec<Row> {
    let authority = Authority::new();
    home.write("ca.pem", &authority.pem());
    let trusting = || format!("ssl_verify: '{}'", home.file("ca.pem"));
    let (self_signed, _pem) = Authority::self_signed();
    let [self_signed, unknown, other, client] = [
        self_signed,
        authority.server(),
        authority.server(),
        authority.server_with(|_| {}, true),
    ]
    .map(|acceptor| network.tls(acceptor));
    let dated = |edit: fn(&mut CertificateParams)| network.tls(authority.server_with(edit, false));
    let expired = dated(|params| params.not_after = date_time_ymd(2001, 1, 1));
    let early = dated(|params| params.not_before = date_time_ymd(4000, 1, 1));
    let url = |port: u16| format!("https://localhost:{port}/mcp");
    let of = |port: u16, said: &str| format!("the certificate of localhost:{port} {said}");
    let untrusted = "was issued by itself or by an authority that is not trusted";
    vec![
        Row::new("self_signed", url(self_signed), "certificate_untrusted")
            .tells(of(self_signed, untrusted), UNTRUSTED),
        Row::new("unknown", url(unknown), "certificate_untrusted")
            .tells(of(unknown, untrusted), UNTRUSTED),
        Row::new("expired", url(expired), "certificate_expired")
            .key(trusting())
            .tells(of(expired, "has expired"), DATES),
        Row::new("early", url(early), "certificate_expired")
            .key(trusting())
            .tells(of(early, "is not valid yet"), DATES),
        Row::new(
            "name",
            format!("https://127.0.0.1:{other}/mcp"),
            "certificate_name",
        )
        .key(trusting())
        .tells(
            format!("the certificate of 127.0.0.1:{other} is for localhost, not for this host"),
            "use a name of the certificate in `url`; `ssl_verify: false` turns the check off",
        ),
        Row::new("client", url(client), "client_certificate")
            .key(trusting())
            .tells(
                format!("localhost:{client} wants a certificate of the client, and none is set"),
                "name the files of the certificate and its key in `client_cert` and `client_key`",
            ),
    ]
}

/// Servers that are not where the URL says, or speak something else there.
fn places(network: &Network, held: &Held) -> Vec<Row> {
    let (plain, refused) = (network.plain(), held.port());
    let tls = network.tls(Authority::new().server());
    let looked_up = ("a..b", 80).to_socket_addrs();
    let error = looked_up.expect_err("there is no such name").to_string();
    let why = error.trim_start_matches("failed to lookup address information: ");
    vec![
        Row::new(
            "tls_on_plain",
            format!("https://localhost:{plain}/mcp"),
            "not_tls",
        )
        .tells(
            format!(
                "what localhost:{plain} answered is no TLS; it may speak plain http on that port"
            ),
            "check whether `url` should begin with http:// instead of https://",
        ),
        Row::new(
            "plain_on_tls",
            format!("http://localhost:{tls}/mcp"),
            "not_http",
        )
        .tells(
            format!(
                "what localhost:{tls} answered is no HTTP (invalid HTTP version parsed); \
                 it may speak TLS on that port"
            ),
            "check the port of `url`, and whether it should begin with https:// instead of http://",
        ),
        Row::new(
            "refused",
            format!("http://localhost:{refused}/mcp"),
            "refused",
        )
        .tells(
            format!("nothing listens at localhost:{refused} (connection refused)"),
            "start the server, or check the port of `url`",
        ),
        Row::new("resolve", "http://a..b/mcp".to_owned(), "resolve").tells(
            format!("the name a..b has no address: {why}"),
            "check the host name in `url`; if only a proxy can look it up, set `proxy`",
        ),
    ]
}

/// Servers behind a proxy that does not lead to them.
fn proxies(network: &Network, held: &Held) -> Vec<Row> {
    let gone = held.port();
    let forbidding = network.proxy("403 Forbidden");
    let login = network.proxy("407 Proxy Authentication Required");
    let far = || "https://far.test/mcp".to_owned();
    let unreached = |set_by: &str| {
        format!(
            "the proxy 127.0.0.1:{gone} (set by {set_by}) cannot be reached: nothing listens at \
             127.0.0.1:{gone} (connection refused)"
        )
    };
    let wants = |set_by: &str| {
        format!("the proxy 127.0.0.1:{login} (set by {set_by}) wants a login, and none is set")
    };
    vec![
        Row::new("proxy_gone", far(), "proxy")
            .key(format!("proxy: http://127.0.0.1:{gone}"))
            .tells(unreached("`proxy`"), PROXY),
        Row::new("proxy_of_the_environment_gone", far(), "proxy")
            .variable("HTTPS_PROXY", format!("127.0.0.1:{gone}"))
            .tells(unreached("the variable HTTPS_PROXY"), PROXY),
        Row::new("proxy_forbids", far(), "proxy")
            .key(format!("proxy: http://127.0.0.1:{forbidding}"))
            .tells(
                format!(
                    "the proxy 127.0.0.1:{forbidding} (set by `proxy`) did not connect to \
                     far.test:443: HTTP status 403"
                ),
                PROXY,
            ),
        Row::new(
            "proxy_forbids_plain_http",
            "http://far.test/mcp".to_owned(),
            "",
        )
        .key(format!("proxy: http://127.0.0.1:{forbidding}"))
        .tells(
            format!(
                "the server answered 403 Forbidden through the proxy 127.0.0.1:{forbidding} \
                     (set by `proxy`)"
            ),
            "check the credentials in its `headers`",
        ),
        Row::new("proxy_wants_a_login", far(), "proxy_login")
            .key(format!("proxy: http://127.0.0.1:{login}"))
            .tells(wants("`proxy`"), LOGIN),
        Row::new(
            "proxy_of_the_environment_wants_a_login",
            "http://far.test/mcp".to_owned(),
            "proxy_login",
        )
        .variable("all_proxy", format!("http://127.0.0.1:{login}"))
        .tells(wants("the variable all_proxy"), LOGIN),
        Row::new("proxy_takes_another_login", far(), "proxy_login")
            .key(format!("proxy: http://user:hidden-words@127.0.0.1:{login}"))
            .tells(
                format!(
                    "the proxy 127.0.0.1:{login} (set by `proxy`) does not accept the login that \
                     is set"
                ),
                LOGIN,
            ),
        Row::new("proxy_cannot_be_used", far(), "misused")
            .variable("https_proxy", "gopher://127.0.0.1".to_owned())
            .tells(
                "the variable https_proxy begins with gopher://, and only http, https, socks5 and \
                 socks5h are known"
                    .to_owned(),
                "correct that setting",
            ),
    ]
}

#[test]
fn each_failure_has_a_text_that_names_what_to_change_and_a_word_for_programs() {
    let (home, network, held) = (Home::new(), Network::new(), Held::new());
    let mut rows = certificates(&home, &network);
    rows.extend(places(&network, &held));
    rows.extend(proxies(&network, &held));
    let entry = |row: &Row| format!("  {}:\n    url: '{}'\n    {}\n", row.name, row.url, row.key);
    let entries: String = rows.iter().map(entry).collect();
    home.write("config.yaml", &format!("mcp_servers:\n{entries}"));
    for (index, row) in rows.iter().enumerate() {
        let Row { name, variable, .. } = row;
        let line = 3 * index + 2;
        let message = format!("server `{name}` could not be reached: {}", row.message);
        let place = format!("({}:{line})", home.file("config.yaml"));
        let suggestion = format!("{} {place}", row.suggestion);
        let sentence = format!("hermes: {message}; {suggestion}\n");

        let run_as = |words: &[&str]| run(&home, words, variable.as_ref());
        let plain = run_as(&["mcp", "test", name]);
        assert_eq!(plain.stderr, sentence, "{name}");
        assert_eq!((plain.code, plain.stdout.as_str()), (3, ""), "{name}");

        let json = run_as(&["mcp", "test", name, "--json"]);
        assert_eq!((json.code, &json.stderr), (3, &sentence), "{name}");
        let told: Value = serde_json::from_str(&json.stdout).unwrap();
        let error = &told["error"];
        assert_eq!(error["code"], "server_unavailable", "{name}");
        let cause = Some(row.cause).filter(|cause| !cause.is_empty());
        assert_eq!(error["cause"].as_str(), cause, "{name}");
        assert_eq!(error["server"], *name);
        assert_eq!(error["message"], message);
        assert_eq!(error["suggestion"], suggestion);
    }
}

#[test]
fn a_file_that_cannot_be_used_is_named_with_its_key() {
    let home = Home::new();
    let missing = home.file("missing.pem");
    for key in ["ssl_verify", "client_cert"] {
        let url = "    url: https://localhost/mcp\n";
        let text = format!("mcp_servers:\n  s:\n{url}    {key}: '{missing}'\n");
        home.write("config.yaml", &text);
        let tested = run(&home, &["mcp", "test", "s"], None);
        let sentence = format!(
            "hermes: server `s` could not be reached: the file `{missing}` of `{key}` cannot be \
             read: No such file or directory (os error 2); correct that setting ({}:2)\n",
            home.file("config.yaml")
        );
        assert_eq!((tested.code, tested.stderr), (3, sentence));
    }
}

#[test]
fn the_settings_that_are_named_make_the_server_work() {
    let (home, network) = (Home::new(), Network::new());
    let authority = Authority::new();
    let (self_signed, pem) = Authority::self_signed();
    home.write("self.pem", &pem);
    home.write("ca.pem", &authority.pem());
    home.write("me.pem", &authority.client());
    let self_signed = network.tls(self_signed);
    let dated = authority.server_with(|params| params.not_after = date_time_ymd(2001, 1, 1), false);
    let (expired, known) = (network.tls(dated), network.tls(authority.server()));
    let client = network.tls(authority.server_with(|_| {}, true));
    let file = |key: &str, name: &str| format!("{key}: '{}'", home.file(name));
    let me = format!(
        "{}\n    {}",
        file("ssl_verify", "ca.pem"),
        file("client_cert", "me.pem")
    );
    let rows = [
        (self_signed, file("ssl_verify", "self.pem")),
        (self_signed, "ssl_verify: false".to_owned()),
        (expired, "ssl_verify: false".to_owned()),
        (known, file("ssl_verify", "ca.pem")),
        (client, me),
    ];
    for (port, key) in rows {
        let url = format!("https://localhost:{port}/mcp");
        let text = format!("mcp_servers:\n  s:\n    url: {url}\n    {key}\n");
        home.write("config.yaml", &text);
        let tested = run(&home, &["mcp", "test", "s"], None);
        assert_eq!((tested.code, &*tested.stderr), (0, ""), "{key}: {tested:?}");
        assert!(tested.stdout.starts_with("server `s` works\n"), "{key}");
    }
}
