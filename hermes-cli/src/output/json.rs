//! Results as one JSON object, for programs. The shapes are documented in `hermes mcp --help`.
//!
//! Members stand in the order of the fields, all of them always: a promise to whoever reads them.

use std::path::Path;

use hermes_registry::config::Protocol;
use hermes_registry::{CatalogTool, Ready, ServerConfig, ServerState, ServerStatus};
use mcp_transport::redact::Redactor;
use mcp_types::{Implementation, RawJson};
use serde::Serialize;

use crate::failure::Failure;
use crate::fault::Fault;

/// The version of the shapes; it changes when a member changes its meaning or goes away.
const VERSION: u32 = 1;

/// Any of the objects, after its version and before what is wrong with the configuration.
#[derive(Serialize)]
struct Object<'a, T> {
    version: u32,
    #[serde(flatten)]
    body: T,
    problems: &'a [Fault],
}

/// The object with this body, on one line.
pub(crate) fn object(body: &impl Serialize, problems: &[Fault]) -> String {
    let object = Object {
        version: VERSION,
        body,
        problems,
    };
    let mut text = serde_json::to_string(&object).expect("the shapes are always JSON");
    text.push('\n');
    text
}

/// The object that stands for a failure.
pub(crate) fn failure(failure: &Failure, problems: &[Fault]) -> String {
    #[derive(Serialize)]
    struct Body<'a> {
        error: &'a Failure,
    }
    object(&Body { error: failure }, problems)
}

/// Who a server says it is.
#[derive(Serialize)]
pub(crate) struct ServerInfo<'a> {
    name: &'a str,
    title: Option<&'a str>,
    version: &'a str,
}

impl<'a> From<&'a Implementation> for ServerInfo<'a> {
    fn from(server: &'a Implementation) -> Self {
        Self {
            name: &server.name,
            title: server.title.as_deref(),
            version: &server.version,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Tools<'a> {
    pub(crate) servers: Vec<Server<'a>>,
    pub(crate) tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Server<'a> {
    name: &'a str,
    state: &'static str,
    era: Option<&'static str>,
    protocol_version: Option<&'a str>,
    server_info: Option<ServerInfo<'a>>,
    notes: &'a [String],
    error: Option<&'a Failure>,
}

impl<'a> Server<'a> {
    pub(crate) fn new(status: &'a ServerStatus, error: Option<&'a Failure>) -> Self {
        let (state, ready) = match &status.state {
            ServerState::Disabled => ("disabled", None),
            ServerState::Failed(_) => ("failed", None),
            ServerState::Ready(ready) => ("ready", Some(&**ready)),
            _ => ("idle", None),
        };
        let info = |ready: &'a Ready| ready.server.as_ref().map(ServerInfo::from);
        Self {
            name: status.name.as_str(),
            state,
            era: ready.map(|ready| ready.era.as_str()),
            protocol_version: ready.map(|ready| ready.version.as_str()),
            server_info: ready.and_then(info),
            notes: &status.notes,
            error,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tool<'a> {
    name: &'a str,
    server: &'a str,
    tool: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    input_schema: Option<&'a RawJson>,
}

impl<'a> From<&'a CatalogTool> for Tool<'a> {
    fn from(tool: &'a CatalogTool) -> Self {
        Self {
            name: tool.name.as_str(),
            server: tool.route.server.as_str(),
            tool: &tool.route.tool,
            title: tool.tool.title.as_deref(),
            description: tool.tool.description.as_deref(),
            input_schema: tool.tool.input_schema.as_ref(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Call<'a> {
    pub(crate) server: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) is_error: bool,
    pub(crate) result: &'a RawJson,
    pub(crate) diagnostics: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Test<'a> {
    pub(crate) server: &'a str,
    pub(crate) state: &'static str,
    pub(crate) connect_ms: u64,
    pub(crate) era: &'static str,
    pub(crate) protocol_version: &'a str,
    pub(crate) server_info: Option<ServerInfo<'a>>,
    pub(crate) instructions: Option<&'a str>,
    pub(crate) ledger: Vec<String>,
    pub(crate) tools_listed: usize,
    pub(crate) tools: Vec<&'a str>,
    pub(crate) notes: &'a [String],
}

#[derive(Serialize)]
pub(crate) struct Schema<'a> {
    pub(crate) file: Option<&'a Path>,
    pub(crate) schema: Option<&'a RawJson>,
}

#[derive(Serialize)]
pub(crate) struct List<'a> {
    pub(crate) servers: Vec<Configured<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Configured<'a> {
    name: &'a str,
    enabled: bool,
    command: Option<&'a str>,
    args: Vec<String>,
    cwd: Option<&'a Path>,
    env: Vec<&'a str>,
    timeout: f64,
    connect_timeout: f64,
    protocol: &'static str,
    include: Option<Vec<&'a str>>,
    exclude: Vec<&'a str>,
    file: Option<&'a str>,
    line: Option<usize>,
    url: Option<String>,
}

impl<'a> From<&'a ServerConfig> for Configured<'a> {
    fn from(server: &'a ServerConfig) -> Self {
        let command = server.command();
        let redactor = Redactor::new().with_secrets(server.secrets());
        let args = command.map_or(&[][..], |command| command.args());
        let source = server.source();
        Self {
            name: server.name().as_str(),
            enabled: server.is_enabled(),
            command: command.map(|command| command.program()),
            args: args
                .iter()
                .map(|arg| redactor.redact(arg).into_owned())
                .collect(),
            cwd: command.and_then(|command| command.cwd()),
            env: command.map_or_else(Vec::new, |command| {
                command.env().map(|(name, _value)| name).collect()
            }),
            timeout: server.timeout().as_secs_f64(),
            connect_timeout: server.connect_timeout().as_secs_f64(),
            protocol: protocol(server.protocol()),
            include: server
                .filter()
                .include()
                .map(|include| include.iter().map(|pattern| pattern.as_str()).collect()),
            exclude: server
                .filter()
                .exclude()
                .iter()
                .map(|pattern| pattern.as_str())
                .collect(),
            file: source.map(|(file, _place)| file),
            line: source.map(|(_file, place)| place.line),
            url: server
                .http()
                .map(|http| redactor.redact(http.url()).into_owned()),
        }
    }
}

fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Legacy => "legacy",
        Protocol::Modern => "modern",
        _ => "auto",
    }
}

#[cfg(test)]
mod tests {
    use hermes_registry::Config;

    use super::*;

    #[test]
    fn a_failure_has_all_members_in_order() {
        let unknown = Failure::unknown_server("flies", &["files".to_owned()]);
        assert_eq!(
            failure(&unknown, &[]),
            "{\"version\":1,\"error\":{\"code\":\"unknown_server\",\"message\":\"no server is called \
             `flies`\",\"suggestion\":\"did you mean `files`?\",\"server\":null,\"retryable\":false,\
             \"outcomeUncertain\":false,\"details\":[],\"cause\":null},\"problems\":[]}\n"
        );
    }

    #[test]
    fn a_result_stays_as_it_came() {
        let result = RawJson::parse(r#"{"z":12345678901234567890123, "a":1.50}"#).unwrap();
        let call = Call {
            server: "s",
            tool: "t",
            name: Some("mcp_s_t"),
            is_error: false,
            result: &result,
            diagnostics: Vec::new(),
        };
        assert_eq!(
            object(&call, &[]),
            "{\"version\":1,\"server\":\"s\",\"tool\":\"t\",\"name\":\"mcp_s_t\",\"isError\":false,\
             \"result\":{\"z\":12345678901234567890123, \"a\":1.50},\"diagnostics\":[],\
             \"problems\":[]}\n"
        );
    }

    #[test]
    fn a_configured_server_shows_no_secret() {
        let text = "mcp_servers:\n  git:\n    command: run\n    args: ['--token=ghp_0123456789abcdef0123456789abcdef0123', -v]\n    env: {SECRET_KEY: hidden-value-1}\n    tools: {include: [log, 'show_*']}\n";
        let loaded = Config::parse(text, "c.yaml", &|_name| None).unwrap();
        let servers = loaded
            .config
            .servers()
            .iter()
            .map(Configured::from)
            .collect();
        let shown = object(&List { servers }, &[]);
        assert!(
            !shown.contains("ghp_0") && !shown.contains("hidden-value"),
            "{shown}"
        );
        let end = r#""env":["SECRET_KEY"],"timeout":120.0,"connectTimeout":60.0,"protocol":"auto","include":["log","show_*"],"exclude":[],"file":"c.yaml","line":2,"url":null}],"problems":[]}"#;
        assert!(shown.trim_end().ends_with(end), "{shown}");
    }
}
