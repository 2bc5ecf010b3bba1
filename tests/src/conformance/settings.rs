//! What the suite says to the client under test in its environment.

use mcp_client::Era;
use mcp_types::{RawJson, Version};
use serde::Deserialize;

use super::Outcome;

/// The scenario, its wire version, and its data.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the scenario.
    pub scenario: String,
    /// The revision that the suite's server speaks.
    pub version: Version,
    /// The calls that the scenario wants, if it wants particular ones.
    pub calls: Option<Vec<WantedCall>>,
}

/// A call of a tool that a scenario wants to see.
#[derive(Clone, Debug, Deserialize)]
pub struct WantedCall {
    /// The tool.
    pub name: String,
    /// Its arguments, as they are to be sent.
    pub arguments: RawJson,
}

#[derive(Debug, Deserialize)]
struct Context {
    #[serde(rename = "toolCalls")]
    tool_calls: Option<Vec<WantedCall>>,
}

impl Settings {
    /// Reads the variables `MCP_CONFORMANCE_*` through `variable`.
    ///
    /// # Errors
    ///
    /// If the scenario or the version is missing, or the context is not what is expected.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Outcome<Self> {
        let need = |name: &str| variable(name).ok_or_else(|| format!("{name} is not set"));
        let version = need("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
        let context = match variable("MCP_CONFORMANCE_CONTEXT") {
            Some(context) => serde_json::from_str::<Context>(&context)
                .map_err(|error| format!("MCP_CONFORMANCE_CONTEXT: {error}"))?,
            None => Context { tool_calls: None },
        };
        Ok(Self {
            scenario: need("MCP_CONFORMANCE_SCENARIO")?,
            version: Version::from(version.as_str()),
            calls: context.tool_calls,
        })
    }

    /// The era of the wire version.
    #[must_use]
    pub fn era(&self) -> Era {
        if self.version.is_before(&Version::V2026_07_28) {
            Era::Legacy
        } else {
            Era::Modern
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(version: &str, context: Option<&str>) -> Outcome<Settings> {
        Settings::read(|name| match name {
            "MCP_CONFORMANCE_SCENARIO" => Some("a-scenario".to_owned()),
            "MCP_CONFORMANCE_PROTOCOL_VERSION" => Some(version.to_owned()),
            "MCP_CONFORMANCE_CONTEXT" => context.map(str::to_owned),
            _ => None,
        })
    }

    #[test]
    fn a_context_gives_calls_whose_arguments_stay_as_they_came() {
        let context = r#"{"name":"x","toolCalls":[{"name":"t","arguments":{"b":1.50,"a":null}}]}"#;
        let settings = read("2026-07-28", Some(context)).unwrap();
        let calls = settings.calls.unwrap();
        assert_eq!(calls[0].name, "t");
        assert_eq!(calls[0].arguments.as_str(), r#"{"b":1.50,"a":null}"#);
    }

    #[test]
    fn the_wire_version_tells_the_era() {
        let era = |version| read(version, None).unwrap().era();
        assert_eq!(era("2025-11-25"), Era::Legacy);
        assert_eq!(era("2026-07-28"), Era::Modern);
    }

    #[test]
    fn what_cannot_be_understood_is_named() {
        assert!(read("x", Some("[]")).unwrap_err().contains("CONTEXT"));
        assert!(Settings::read(|_| None).unwrap_err().contains("VERSION"));
    }
}
