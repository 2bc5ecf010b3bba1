//! Catalogs put together from what servers told.

use std::sync::Arc;

use mcp_types::capability::ResourcesCapability;
use mcp_types::{RawJson, ServerCapabilities, Tool, Version};

use super::{Catalog, Knowledge, Origin, Parts, Seen, Told};
use crate::Config;
use crate::life::State;
use crate::name::Naming;
use crate::schema::{Flavor, Step};
use crate::utility::{self, Utility};

/// A catalog of servers that told these things, in this order.
fn catalog(told: Vec<(&str, Told)>) -> Catalog {
    let (names, known): (Vec<&str>, Vec<Knowledge>) = told
        .into_iter()
        .map(|(name, told)| {
            let mut known = Knowledge::default();
            known.tell(Arc::new(told));
            (name, known)
        })
        .unzip();
    let config: String = names
        .iter()
        .map(|name| format!("  {name}:\n    command: s\n"))
        .collect();
    let config = format!("mcp_servers:\n{config}");
    let config = Config::parse(&config, "config.yaml", &|_name| None).expect("it is YAML");
    let seen: Vec<Seen<'_>> = known
        .iter()
        .map(|known| Seen {
            known,
            life: State::Ready,
        })
        .collect();
    Catalog::new(&Parts {
        config: &config.config,
        naming: Naming::Underscore,
        seen: &seen,
        host: &crate::host::HostTools::default(),
        generation: 7,
    })
}

/// What a server with these tools and with resources tells.
fn with_resources(name: &str, tools: &[&str]) -> Told {
    let text = format!("mcp_servers:\n  {name}:\n    command: s\n");
    let config = Config::parse(&text, "config.yaml", &|_name| None).expect("it is YAML");
    let mut capabilities = ServerCapabilities::new();
    capabilities.resources = Some(ResourcesCapability::default());
    let server = &config.config.servers()[0];
    let version = Version::V2025_11_25;
    let names = tools.iter().copied();
    let utilities = utility::offered(server, &capabilities, &version, names);
    let mut told = Told::of(tools);
    told.utilities = utilities
        .into_iter()
        .map(|(kind, tool)| (kind, tool.into()))
        .collect();
    told
}

fn names(catalog: &Catalog) -> Vec<&str> {
    let tools = catalog.tools().iter();
    tools.map(|tool| tool.name.as_str()).collect()
}

/// Report NousResearch/hermes-agent#87112.
#[test]
fn a_tool_of_a_server_goes_before_one_that_is_made_here() {
    let catalog = catalog(vec![(
        "s",
        with_resources("s", &["read_resource", "list-resources"]),
    )]);
    assert_eq!(
        names(&catalog),
        [
            "mcp_s_list_resource_templates",
            "mcp_s_list_resources",
            "mcp_s_list_resources_d5a1d8bf",
            "mcp_s_read_resource",
        ]
    );
    let origin = |name: &str| catalog.tool(name).map(|tool| tool.origin);
    assert_eq!(origin("mcp_s_read_resource"), Some(Origin::Server));
    assert_eq!(origin("mcp_s_list_resources"), Some(Origin::Server));
    assert_eq!(
        origin("mcp_s_list_resources_d5a1d8bf"),
        Some(Origin::Utility(Utility::ListResources))
    );
}

#[test]
fn a_tool_that_is_made_here_takes_no_name_from_another_server() {
    let told = vec![
        ("a", Told::of(&["b_read_resource"])),
        ("a_b", with_resources("a_b", &[])),
    ];
    let catalog = catalog(told);
    let natural = catalog.tool("mcp_a_b_read_resource").expect("it is there");
    assert_eq!(natural.route.server.as_str(), "a_b");
    assert_eq!(catalog.tools().len(), 4);
}

#[test]
fn definitions_are_one_list_of_what_models_take_and_are_put_together_once() {
    let mut search = Tool::new(
        "search",
        RawJson::parse(r#"{"type":"object","properties":{"q":{"type":["string","null"]}}}"#)
            .unwrap(),
    );
    search.description = Some("Finds \"it\"\u{e0041}".to_owned());
    let told = Told::new([search, Tool::new("empty", RawJson::empty_object())]);
    let catalog = catalog(vec![("s", told)]);
    assert_eq!(catalog.generation(), 7);
    let plain = catalog.definitions(Flavor::Plain);
    let expected = concat!(
        r#"[{"name":"mcp_s_empty","description":"empty","parameters":{}},"#,
        r#"{"name":"mcp_s_search","description":"Finds \"it\"","parameters":"#,
        r#"{"type":"object","properties":{"q":{"type":["string","null"]}}}}]"#,
    );
    assert_eq!(plain.json(), expected);
    let parts: Vec<_> = plain.iter().collect();
    assert_eq!(
        parts[0],
        r#"{"name":"mcp_s_empty","description":"empty","parameters":{}}"#
    );
    assert!(parts[1].starts_with(br#"{"name":"mcp_s_search""#) && parts[1].ends_with(b"}}}}"));
    assert!(plain.normalised().is_empty());

    let strict = catalog.definitions(Flavor::Strict);
    let changed = strict.normalised().iter();
    let changed: Vec<_> = changed
        .map(|one| (one.name.as_str(), &*one.steps))
        .collect();
    assert_eq!(
        changed,
        [
            ("mcp_s_empty", &[Step::Empty][..]),
            ("mcp_s_search", &[Step::TypeArrays][..]),
        ]
    );
    assert!(Arc::ptr_eq(&strict, &catalog.definitions(Flavor::Strict)));
}

#[test]
fn no_definitions_are_an_empty_list() {
    let none = Catalog::default().definitions(Flavor::Strict);
    assert_eq!(none.json(), "[]");
    assert!(none.is_empty() && none.iter().next().is_none());
}

#[test]
fn characters_that_people_do_not_see_are_not_shown_to_models_either() {
    for schema in [
        r#"{"type":"object","description":"a\udb40\udc41b"}"#,
        "{\"type\":\"object\",\"description\":\"a\u{e0041}b\"}",
    ] {
        let tool = Tool::new("t", RawJson::parse(schema).unwrap());
        let catalog = catalog(vec![("s", Told::new([tool]))]);
        assert_eq!(
            catalog.definitions(Flavor::Plain).json(),
            r#"[{"name":"mcp_s_t","description":"t","parameters":{"type":"object","description":"ab"}}]"#
        );
    }
}
