//! Which tools of the host are taken on, and which are offered.

use std::time::Duration;

use async_trait::async_trait;
use mcp_types::{CallToolResult, RawJson, Tool};

use super::availability::Availability;
use super::{Admission, HostTool, HostToolHandler, HostTools, InvalidHostTool};
use crate::name::ServerName;
use crate::registry::test_clock as clock;

struct Nothing;

#[async_trait]
impl HostToolHandler for Nothing {
    async fn call(&self, _arguments: RawJson) -> Result<CallToolResult, String> {
        Ok(CallToolResult::default())
    }
}

fn tool(toolset: &str, name: &str) -> HostTool {
    let tool = Tool::new(name, RawJson::empty_object());
    HostTool::new(toolset, tool, Nothing).expect("the names are valid")
}

#[test]
fn names_that_interfaces_of_models_refuse_are_refused_here() {
    let long = "x".repeat(65);
    for name in ["", "a b", "a/b", "é", &long] {
        let tool = Tool::new(name, RawJson::empty_object());
        let error = HostTool::new("core", tool, Nothing).expect_err(name);
        assert!(matches!(error, InvalidHostTool::Name { .. }), "{error}");
    }
    for toolset in ["", "mcp-git", &long] {
        let tool = Tool::new("a-b_C9", RawJson::empty_object());
        let error = HostTool::new(toolset, tool, Nothing).expect_err(toolset);
        assert!(matches!(error, InvalidHostTool::Toolset { .. }), "{error}");
    }
    let listed = RawJson::parse("[]").unwrap();
    let error = HostTool::new("core", Tool::new("a", listed), Nothing).unwrap_err();
    assert!(matches!(error, InvalidHostTool::Schema { .. }), "{error}");
}

#[test]
fn a_toolset_replaces_its_own_tools_and_takes_others_only_as_the_rules_say() {
    let rules = Admission::default().allow_override("plugin-*", "core");
    let mut tools = HostTools::new(rules);
    tools.register(tool("core", "read"), None).unwrap();
    tools.register(tool("core", "read"), None).unwrap();
    let owner = |tools: &HostTools| {
        tools
            .get("read")
            .map(|entry| entry.tool.toolset().to_owned())
    };

    let taken = tools.register(tool("plugin-a", "read"), None).unwrap_err();
    assert_eq!(
        taken.to_string(),
        "toolset `core` has a tool `read` already: choose another name, or override it"
    );
    let refused = tools
        .override_with(tool("other", "read"), None)
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("`other` may not touch `read` of toolset `core`"),
        "{refused}"
    );
    assert_eq!(owner(&tools).as_deref(), Some("core"));
    tools.override_with(tool("plugin-a", "read"), None).unwrap();
    assert_eq!(owner(&tools).as_deref(), Some("plugin-a"));

    let core = ServerName::new("core").unwrap();
    assert!(tools.deregister(&core, "read").is_err());
    assert_eq!(tools.deregister(&core, "absent"), Ok(false));
    let plugin = ServerName::new("plugin-a").unwrap();
    assert_eq!(tools.deregister(&plugin, "read"), Ok(true));
    assert_eq!(owner(&tools), None);
}

#[test]
fn the_name_of_a_servers_tool_is_taken_by_an_override_alone() {
    let mut tools = HostTools::new(Admission::default().allow_override("core", "mcp-*"));
    let server = Some("mcp-git".to_owned());
    let taken = tools.register(tool("core", "mcp_git_log"), server.clone());
    assert!(taken.unwrap_err().to_string().contains("`mcp-git`"));
    tools
        .override_with(tool("core", "mcp_git_log"), server)
        .unwrap();
}

#[test]
fn one_bad_answer_after_a_good_one_is_not_believed_at_once() {
    let start = clock();
    let at = |seconds| start + Duration::from_secs(seconds);
    let mut availability = Availability::default();
    assert!(!availability.is_available() && availability.due().is_none());
    for (seconds, answer, is_available) in [
        (0, false, false),
        (30, true, true),
        (60, false, true),
        (89, false, true),
        (90, false, false),
        (120, true, true),
    ] {
        availability.record(at(seconds), answer);
        assert_eq!(availability.is_available(), is_available, "{seconds}");
        assert_eq!(availability.due(), Some(at(seconds + 30)));
    }
}

#[test]
fn a_tool_is_checked_when_its_answer_is_old_and_offered_while_it_is_good() {
    let now = clock();
    let mut tools = HostTools::default();
    let checked = tool("core", "checked").with_check(|| true);
    tools.register(checked, None).unwrap();
    tools.register(tool("core", "plain"), None).unwrap();
    let is_available =
        |tools: &HostTools, name| tools.get(name).is_some_and(|one| one.is_available());
    assert!(is_available(&tools, "plain") && !is_available(&tools, "checked"));
    let due = tools.due(now);
    assert_eq!(due.len(), 1);
    assert!(tools.record(now, &due[0].0, due[0].1()), "it is news");
    assert!(is_available(&tools, "checked"));
    assert!(tools.due(now + Duration::from_secs(29)).is_empty());
    assert!(!tools.record(now, &due[0].0, true), "it is no news");
}
