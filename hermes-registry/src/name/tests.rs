//! Public names: tables of collisions, and what holds for every set of tools.

use proptest::prelude::*;

use std::collections::BTreeSet;

use super::*;

type Tools<'a> = &'a [(&'a str, &'a [&'a str])];

fn server(name: &str) -> ServerName {
    ServerName::new(name).expect("the test gave a valid name")
}

fn table(naming: Naming, tools: &[(ServerName, String)]) -> NameTable {
    NameTable::new(
        naming,
        [],
        tools.iter().map(|(server, tool)| (server, tool.as_str())),
    )
}

fn pairs(tools: Tools<'_>) -> Vec<(ServerName, String)> {
    let of_one = |(name, tools): &(&str, &[&str])| -> Vec<(ServerName, String)> {
        tools
            .iter()
            .map(|tool| (server(name), (*tool).to_owned()))
            .collect()
    };
    tools.iter().flat_map(of_one).collect()
}

/// The law of this module for one set of tools, in both orders.
fn check(naming: Naming, mut tools: Vec<(ServerName, String)>) -> NameTable {
    let table_forward = table(naming, &tools);
    tools.reverse();
    assert_eq!(
        table_forward,
        table(naming, &tools),
        "names depend on the order"
    );
    tools.sort();
    tools.dedup();
    assert_eq!(table_forward.len(), tools.len(), "a tool has no name");
    for (server, tool) in &tools {
        let name = table_forward
            .name(server, tool)
            .expect("every tool has a name");
        let route = table_forward
            .route(name.as_str())
            .expect("every name leads somewhere");
        assert_eq!(
            (&route.server, &*route.tool),
            (server, tool.as_str()),
            "{name}"
        );
        assert!(
            (1..=PUBLIC_NAME_LEN_MAX).contains(&name.as_str().len()),
            "{name}"
        );
        let is_legal = |char: char| char.is_ascii_alphanumeric() || char == '_';
        assert!(name.as_str().chars().all(is_legal), "{name}");
    }
    table_forward
}

#[test]
fn names_are_as_documented() {
    let tools: Tools<'_> = &[
        ("filesystem", &["read_file"]),
        ("github", &["create-issue"]),
        ("my-api", &["query.data"]),
        ("git", &["git_status", "status"]),
        ("x", &["Get", "get", "report_20240101", ""]),
    ];
    let table = check(Naming::Underscore, pairs(tools));
    let names: Vec<&str> = table.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "mcp_filesystem_read_file",
            "mcp_git_git_status",
            "mcp_git_status",
            "mcp_github_create_issue",
            "mcp_my_api_query_data",
            "mcp_x_",
            "mcp_x_Get",
            "mcp_x_get",
            "mcp_x_report_20240101_c92b954d",
        ]
    );
    let table = check(
        Naming::DoubleUnderscore,
        pairs(&[("my-api", &["query.data"])]),
    );
    assert!(table.route("mcp__my_api__query_data").is_some());
}

/// Case BR-091.
#[test]
fn tools_that_would_share_a_name_all_get_a_hash() {
    let tools: Tools<'_> = &[
        ("foo-bar", &["search", "read-file", "read_file"]),
        ("foo_bar", &["search"]),
        ("x", &["Get", "get"]),
    ];
    let table = check(Naming::Underscore, pairs(tools));
    let names: Vec<String> = table
        .iter()
        .map(|(name, route)| format!("{name} {}/{}", route.server, route.tool))
        .collect();
    assert_eq!(
        names,
        [
            "mcp_foo_bar_read_file_3eb93244 foo-bar/read_file",
            "mcp_foo_bar_read_file_f2edd760 foo-bar/read-file",
            "mcp_foo_bar_search_03ff6028 foo_bar/search",
            "mcp_foo_bar_search_389f514d foo-bar/search",
            "mcp_x_Get x/Get",
            "mcp_x_get x/get",
        ]
    );

    let table = check(Naming::Underscore, pairs(&[("s", &["a.b", "a_b", "c"])]));
    assert!(table.route("mcp_s_a_b").is_none());
    assert!(table.route("mcp_s_c").is_some());
}

#[test]
fn a_name_belongs_to_the_server_with_the_longest_prefix() {
    let tools: Tools<'_> = &[
        ("evil", &["foo__real", "__thing"]),
        ("evil__foo", &["real"]),
        ("evil_", &["_thing"]),
        ("a", &["b_c"]),
        ("a_b", &["c"]),
    ];
    for naming in [Naming::Underscore, Naming::DoubleUnderscore] {
        check(naming, pairs(tools));
    }
    let table = check(Naming::Underscore, pairs(tools));
    let route = table.route("mcp_a_b_c").expect("it is the name of a tool");
    assert_eq!((route.server.as_str(), &*route.tool), ("a_b", "c"));
}

#[test]
fn a_server_that_is_away_keeps_its_names() {
    let (near, away) = (server("a"), server("a_b"));
    let table = NameTable::new(Naming::Underscore, [&near, &away], [(&near, "b_c")]);
    assert!(table.route("mcp_a_b_c").is_none(), "{table:?}");
    assert_eq!(table.len(), 1);
}

/// Case BR-093.
#[test]
fn long_names_keep_their_beginning_and_differ_at_the_end() {
    let tools: Tools<'_> = &[(
        "customer_internal_ticket_system_on_premise",
        &[
            "list_all_open_incidents_for_the_current_reporting_period_v1",
            "list_all_open_incidents_for_the_current_reporting_period_v2",
            "工具一",
            "工具二",
            "___",
            "a/b c,d",
        ],
    )];
    let table = check(Naming::Underscore, pairs(tools));
    // In every process, whatever it has seen before.
    let start = "mcp_customer_internal_ticket_system_on_premise_";
    let ends = [
        "list_all_40f62987",
        "list_all_1954170a",
        "____33578ecd",
        "____4518af38",
        "____4663f832",
        "a_b_c_d",
    ];
    assert_eq!(table.len(), ends.len());
    for (tool, end) in tools[0].1.iter().zip(ends) {
        let name = table.name(&server(tools[0].0), tool).unwrap();
        assert_eq!(name.as_str(), format!("{start}{end}"), "{tool}");
    }
}

#[test]
fn ten_thousand_long_names_that_differ_at_the_end_get_as_many_names() {
    let start = "x".repeat(200);
    let tools = (0..10_000).map(|number| (server("s"), format!("{start}{number}")));
    check(Naming::Underscore, tools.collect());
}

#[test]
fn server_names_have_rules() {
    for (name, valid) in [
        ("a", true),
        ("my server", true),
        ("工具", true),
        ("123", true),
        ("", false),
        ("a\nb", false),
        ("a\0", false),
        (&*"x".repeat(64), true),
        (&*"x".repeat(65), false),
    ] {
        assert_eq!(ServerName::new(name).is_ok(), valid, "{name:?}");
    }
}

/// What hostile names are made of: separators, letters that become one, ends like a hash, length.
const FRAGMENTS: [&str; 12] = [
    "",
    "a",
    "b",
    "_",
    "__",
    "-",
    ".",
    "é",
    "a_b",
    "_c92b954d",
    "_0123456789abcdef",
    "long_name_long_name_long_name_",
];

/// Three servers and some tools, put together of few pieces, so that collisions are the rule.
///
/// Pieces are drawn by number, as drawing texts takes most of the time of such a test.
fn hostile_tools() -> impl Strategy<Value = Vec<(ServerName, String)>> {
    let fragments = || (0..FRAGMENTS.len(), 0..FRAGMENTS.len(), 0..FRAGMENTS.len());
    let text = |(first, second, third): (usize, usize, usize)| {
        [first, second, third]
            .map(|index| FRAGMENTS[index])
            .concat()
    };
    let name = fragments().prop_map(move |fragments| {
        let name: String = text(fragments).chars().take(SERVER_NAME_LEN_MAX).collect();
        ServerName::new(&name).unwrap_or_else(|_| server("a"))
    });
    let tools = proptest::collection::vec((0..3_usize, fragments().prop_map(text)), 0..9);
    ((name.clone(), name.clone(), name), tools).prop_map(|((a, b, c), tools)| {
        let names = [a, b, c];
        let pair = |(index, tool): (usize, String)| (names[index].clone(), tool);
        tools.into_iter().map(pair).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn every_tool_has_a_legal_name_of_its_own_whatever_the_order_and_the_other_servers(
        tools in hostile_tools(),
        double in any::<bool>(),
    ) {
        let naming = if double { Naming::DoubleUnderscore } else { Naming::Underscore };
        let all = check(naming, tools.clone());
        let servers: BTreeSet<&ServerName> = tools.iter().map(|(server, _)| server).collect();
        for server in &servers {
            let own = tools.iter().filter(|(owner, _)| owner == *server);
            let own = own.map(|(server, tool)| (server, tool.as_str()));
            let alone = NameTable::new(naming, servers.iter().copied(), own);
            for (name, route) in alone.iter() {
                prop_assert_eq!(all.route(name.as_str()), Some(route));
            }
        }
    }
}

#[test]
fn any_text_gives_a_legal_name() {
    for tool in [
        "",
        " ",
        "工具",
        "\u{0}",
        "🦀🦀",
        "a\u{301}",
        &"é".repeat(200),
        "\u{202e}x",
    ] {
        check(Naming::Underscore, vec![(server("🦀 é"), tool.to_owned())]);
    }
}

#[test]
fn a_public_name_leads_to_the_servers_that_may_have_it() {
    let may_belong = |name, server| Naming::Underscore.may_belong(name, server);
    assert!(may_belong("mcp_demo_add", "demo"));
    assert!(may_belong("mcp_a_b_c", "a") && may_belong("mcp_a_b_c", "a-b"));
    assert!(!may_belong("mcp_demo_add", "dem") && !may_belong("add", "demo"));
    let (long, cut) = ("x".repeat(60), "x".repeat(51));
    assert!(may_belong(&format!("mcp_{cut}_01234567"), &long));
}
