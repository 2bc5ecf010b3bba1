//! The keys directly under a server's name.

use super::super::calls::{LOG_LEVELS, PARALLEL_CALLS, TRUST};
use super::super::life::{KEEPALIVE_INTERVAL, LIFETIME};
use super::super::tools::TIMEOUT;
use super::super::validate::{AUTH, PROTOCOLS, TRANSPORT_SPELLINGS};
use super::later::{ELICITATION, NAMINGS, OAUTH, SAMPLING};
use super::nested::{BREAKER, LIFECYCLE, OUTPUT, RECONNECT, TOOLS};
use super::{Key, Keys, Shape, words};

const AUTH_WORDS: [&str; 3] = words(&AUTH);
const LOG_LEVEL_WORDS: [&str; 8] = words(&LOG_LEVELS);
const PROTOCOL_WORDS: [&str; 6] = words(&PROTOCOLS);
const TRUST_WORDS: [&str; 2] = words(&TRUST);

pub(in crate::config) const SERVER: Keys = Keys {
    rows: &[
        Key::new(
            "command",
            Shape::Path,
            "The program that is the server, by its path or by a name that is looked up on the \
             child's `PATH`.",
        )
        .never_null(),
        Key::new(
            "args",
            Shape::Texts,
            "Its arguments, each a text of its own.",
        )
        .or("[]")
        .needing("command"),
        Key::new(
            "env",
            Shape::TextMap,
            "Environment variables of the child, on top of the few that every child gets.",
        )
        .or("{}")
        .needing("command"),
        Key::new(
            "env_passthrough",
            Shape::TextsLike("^[A-Za-z_][A-Za-z0-9_()]*$"),
            "Names of variables of our own environment that the child gets too. Each name is \
             written out; a name that is not set is a warning.",
        )
        .or("[]")
        .needing("command"),
        Key::new(
            "cwd",
            Shape::Path,
            "The folder in which the child starts; ours by default.",
        )
        .needing("command"),
        Key::new(
            "url",
            Shape::Url("^\\s*[hH][tT][tT][pP][sS]?://"),
            "The address of a server that is reached over HTTP.",
        )
        .never_null(),
        Key::new("headers", Shape::TextMap, "Headers of every request.")
            .or("{}")
            .needing("url"),
        Key::new(
            "transport",
            Shape::Words(&TRANSPORT_SPELLINGS),
            "What is spoken: `stdio` with a command, else `http` (Streamable HTTP) or `sse`, or \
             `auto`, which finds out.",
        ),
        Key::new(
            "type",
            Shape::Words(&TRANSPORT_SPELLINGS),
            "The same as `transport`, as other programs write it.",
        ),
        Key::new(
            "ssl_verify",
            Shape::SwitchOrPath,
            "Whether certificates are checked, or the PEM file of further authorities.",
        )
        .or("true")
        .needing("url"),
        Key::new(
            "client_cert",
            Shape::PathOrPair,
            "Our certificate: a PEM file that holds the key too, or a list of two files.",
        )
        .needing("url"),
        Key::new(
            "client_key",
            Shape::Path,
            "The key of our certificate, a PEM file.",
        )
        .needing("url"),
        Key::new(
            "proxy",
            Shape::Url(
                "^\\s*(none|false|no|off|direct|environment|env|https?://.*|socks5h?://.*)\\s*$",
            ),
            "`environment` for what `HTTP_PROXY` and its kin say, `none`, or the URL of a proxy.",
        )
        .or("\"environment\"")
        .needing("url"),
        Key::new(
            "timeout",
            Shape::Seconds(TIMEOUT),
            "How long a call may go without an answer or a sign of progress.",
        )
        .or("120"),
        Key::new(
            "connect_timeout",
            Shape::Seconds(TIMEOUT),
            "How long starting, shaking hands and the first list of tools may take together.",
        )
        .or("60"),
        Key::new(
            "enabled",
            Shape::Switch,
            "Whether the server is used at all.",
        )
        .or("true"),
        Key::new(
            "lazy",
            Shape::Switch,
            "Whether the server is connected by the first call only.",
        )
        .or("false"),
        Key::new(
            "protocol",
            Shape::Words(&PROTOCOL_WORDS),
            "Which eras of the protocol are spoken: those with a handshake (`legacy`), those \
             without (`modern`), or what the server understands.",
        )
        .or("\"auto\""),
        Key::new(
            "tools",
            Shape::MappingOrTexts(&TOOLS),
            "Which tools are offered, and how long each may take. A list or a text in its place \
             is read as `tools.include`.",
        ),
        Key::new(
            "trust",
            Shape::Words(&TRUST_WORDS),
            "Whether what the server says of its tools is believed (`full`), or its tools need \
             approval (`untrusted`).",
        )
        .or("\"full\""),
        Key::new(
            "supports_parallel_tool_calls",
            Shape::Switch,
            "Whether its tools may run at the same time.",
        )
        .or("false"),
        Key::new(
            "max_parallel_calls",
            Shape::Count(PARALLEL_CALLS),
            "How many of them may; further calls wait.",
        )
        .or("8"),
        Key::new(
            "validate_arguments",
            Shape::Switch,
            "Whether arguments are held against the tool's schema before they are sent.",
        )
        .or("true"),
        Key::new(
            "output",
            Shape::Mapping(&OUTPUT),
            "How much of a result is handed on.",
        ),
        Key::new(
            "log_level",
            Shape::Words(&LOG_LEVEL_WORDS),
            "From which level on the server is asked for log messages; by default that is left \
             to the server.",
        ),
        Key::new(
            "roots",
            Shape::TextsLike("^(?!.*://).|^file://|\\$\\{"),
            "Folders that the server is told to work in, as paths or `file://` URIs. A relative \
             path begins at the folder of work.",
        ),
        Key::new(
            "keepalive_interval",
            Shape::Seconds(KEEPALIVE_INTERVAL),
            "How often the server is asked whether it still answers, if nothing else shows it.",
        )
        .or("180"),
        Key::new(
            "idle_timeout_seconds",
            Shape::Seconds(LIFETIME),
            "After how long without a call a child process is ended, to be started again by the \
             next call.",
        )
        .or("\"off\"")
        .needing("command"),
        Key::new(
            "max_lifetime_seconds",
            Shape::Seconds(LIFETIME),
            "After how long a child process is ended once no call is under way, to be started \
             again by the next call.",
        )
        .or("\"off\"")
        .needing("command"),
        Key::new(
            "lifecycle",
            Shape::Mapping(&LIFECYCLE),
            "Another place for `idle_timeout_seconds` and `max_lifetime_seconds`.",
        )
        .needing("command"),
        Key::new(
            "reconnect",
            Shape::Mapping(&RECONNECT),
            "When a server that cannot be reached, or was lost, is tried again.",
        ),
        Key::new(
            "breaker",
            Shape::Mapping(&BREAKER),
            "When a server that keeps failing is left alone.",
        ),
        Key::new(
            "auth",
            Shape::Words(&AUTH_WORDS),
            "How the server knows us: by `oauth`, which is not active yet, by a `header` that \
             `headers` names, or not at all.",
        ),
        Key::new("oauth", Shape::Mapping(&OAUTH), "Settings of OAuth.").later("oauth"),
        Key::new(
            "sampling",
            Shape::Mapping(&SAMPLING),
            "Whether the server may ask a model of ours, and how much.",
        )
        .later("sampling"),
        Key::new(
            "elicitation",
            Shape::Mapping(&ELICITATION),
            "Whether the server may ask a person.",
        )
        .later("elicitation"),
        Key::new(
            "description",
            Shape::Text,
            "What the server is for, in words.",
        )
        .later("description"),
        Key::new(
            "naming",
            Shape::Words(&NAMINGS),
            "What stands between the parts of a tool's public name.",
        )
        .later("naming"),
        Key::unsupported(
            "identity_header",
            "write the header and its value under `headers`, where `${NAME}` takes it from the \
             environment",
        ),
        Key::unsupported(
            "scope",
            "every agent of this host sees the server; remove the key",
        ),
        Key::unsupported(
            "skip_preflight",
            "no request is sent ahead of the first one, so there is nothing to skip; remove the \
             key",
        ),
        Key::unsupported(
            "strict_redirect_headers",
            "a redirect to another origin is never followed, so no header gets there; remove the \
             key",
        ),
    ],
    foreign: &[
        ("arguments", "args"),
        ("bearer_token_env_var", "headers"),
        ("ca_bundle", "ssl_verify"),
        ("cmd", "command"),
        ("connection_timeout", "connect_timeout"),
        ("connectTimeout", "connect_timeout"),
        ("disabled", "enabled"),
        ("disabled_tools", "tools"),
        ("enabled_tools", "tools"),
        ("env_vars", "env_passthrough"),
        ("environment", "env"),
        ("httpUrl", "url"),
        ("http_headers", "headers"),
        ("idle_timeout", "idle_timeout_seconds"),
        ("keepalive", "keepalive_interval"),
        ("max_lifetime", "max_lifetime_seconds"),
        ("ping_interval", "keepalive_interval"),
        ("retries", "reconnect"),
        ("serverUrl", "url"),
        ("startup_timeout_sec", "connect_timeout"),
        ("tool_timeout_sec", "timeout"),
        ("workdir", "cwd"),
        ("working_directory", "cwd"),
    ],
};
