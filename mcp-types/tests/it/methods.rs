//! Which revision has which method.

use mcp_types::{Version, method};

/// Method, and the first and last revision that has it, as places in `Version::KNOWN`.
const LIFETIMES: &[(&str, usize, usize)] = &[
    (method::INITIALIZE, 0, 3),
    (method::PING, 0, 3),
    (method::SERVER_DISCOVER, 4, 4),
    (method::TOOLS_LIST, 0, 4),
    (method::TOOLS_CALL, 0, 4),
    (method::RESOURCES_SUBSCRIBE, 0, 3),
    (method::SUBSCRIPTIONS_LISTEN, 4, 4),
    (method::LOGGING_SET_LEVEL, 0, 3),
    (method::TASKS_GET, 3, 3),
    (method::ELICITATION_CREATE, 2, 4),
    (method::ROOTS_LIST, 0, 4),
    (method::NOTIFICATIONS_INITIALIZED, 0, 3),
    (method::NOTIFICATIONS_PROGRESS, 0, 4),
    (method::NOTIFICATIONS_ELICITATION_COMPLETE, 3, 3),
    (method::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED, 4, 4),
];

#[test]
fn each_revision_knows_its_methods_and_no_others() {
    for (name, since, until) in LIFETIMES {
        for (place, version) in Version::KNOWN.iter().enumerate() {
            let expected = (*since..=*until).contains(&place);
            assert_eq!(version.knows(name), expected, "{name} at {version}");
        }
    }
}

#[test]
fn methods_of_extensions_and_of_nobody_are_not_known() {
    for version in Version::KNOWN {
        assert!(!version.knows(method::TASKS_UPDATE));
        assert!(!version.knows("tools/destroy"));
    }
}
