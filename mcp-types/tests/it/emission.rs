//! What may be said at which revision.

use mcp_types::capability::{ElicitationCapability, RootsCapability, SamplingCapability};
use mcp_types::content::ContentBlock;
use mcp_types::elicitation::{ElicitParams, ElicitResult, ElicitValue};
use mcp_types::{
    ClientCapabilities, CreateMessageResult, Decode as _, Implementation, OrderedMap, RawJson,
    Version,
};
use serde_json::{Value, json};

fn written<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("values have a JSON form")
}

#[test]
fn capabilities_fit_the_revision() {
    let all = ClientCapabilities::new()
        .with_roots(RootsCapability::new(true))
        .with_sampling(SamplingCapability::new().with_tools().with_context())
        .with_elicitation(ElicitationCapability::new().with_form().with_url());
    let cases = [
        (
            Version::V2024_11_05,
            json!({"roots": {"listChanged": true}, "sampling": {}}),
        ),
        (
            Version::V2025_03_26,
            json!({"roots": {"listChanged": true}, "sampling": {}}),
        ),
        (
            Version::V2025_06_18,
            json!({"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}}),
        ),
        (
            Version::V2025_11_25,
            json!({
                "roots": {"listChanged": true},
                "sampling": {"context": {}, "tools": {}},
                "elicitation": {"form": {}, "url": {}},
            }),
        ),
        (
            Version::V2026_07_28,
            json!({
                "roots": {},
                "sampling": {"context": {}, "tools": {}},
                "elicitation": {"form": {}, "url": {}},
            }),
        ),
        (
            Version::from("2099-01-01"),
            json!({
                "roots": {"listChanged": true},
                "sampling": {"context": {}, "tools": {}},
                "elicitation": {"form": {}, "url": {}},
            }),
        ),
    ];
    for (version, expected) in cases {
        assert_eq!(written(&all.for_version(&version)), expected, "{version}");
    }
}

#[test]
fn a_client_that_only_opens_urls_has_no_elicitation_where_there_are_forms_alone() {
    let url_only =
        ClientCapabilities::new().with_elicitation(ElicitationCapability::new().with_url());
    assert_eq!(
        url_only.for_version(&Version::V2025_06_18).elicitation,
        None
    );
    assert!(
        url_only
            .for_version(&Version::V2025_11_25)
            .elicitation
            .is_some()
    );
}

#[test]
fn implementations_fit_the_revision() {
    let all = Implementation::new("lamp", "1")
        .with_title("Lamp")
        .with_description("Light.");
    let names = |version| written(&all.for_version(&version));
    assert_eq!(
        names(Version::V2025_03_26),
        json!({"name": "lamp", "version": "1"})
    );
    assert_eq!(
        names(Version::V2025_06_18),
        json!({"name": "lamp", "title": "Lamp", "version": "1"})
    );
    assert_eq!(names(Version::LATEST), written(&all));
}

#[test]
fn sampled_messages_have_one_block_before_lists_were_allowed() {
    let texts = vec![ContentBlock::text("one"), ContentBlock::text("two")];
    let several = CreateMessageResult::new("tiny", texts);
    let old = several
        .for_version(&Version::V2025_06_18)
        .expect("texts can be joined");
    assert_eq!(
        written(&old)["content"],
        json!({"type": "text", "text": "one\ntwo"})
    );
    let new = several
        .for_version(&Version::V2025_11_25)
        .expect("lists are allowed");
    assert_eq!(new, several);

    let wish = r#"{"type":"tool_use","id":"1","name":"n","input":{}}"#;
    let wish = ContentBlock::decode(wish).expect("a block").value;
    let wish = CreateMessageResult::new("tiny", vec![wish]);
    assert_eq!(wish.for_version(&Version::V2025_06_18), None);
    assert!(wish.for_version(&Version::V2025_11_25).is_some());

    let sound = r#"{"type":"audio","data":"","mimeType":"audio/ogg"}"#;
    let sound = ContentBlock::decode(sound).expect("a block").value;
    let sound = CreateMessageResult::new("tiny", sound);
    assert_eq!(sound.for_version(&Version::V2024_11_05), None);
    assert!(sound.for_version(&Version::V2025_03_26).is_some());
}

#[test]
fn elicitation_fits_the_revision() {
    let url = ElicitParams::url("Sign in.", "https://lamp.example.org/");
    assert_eq!(url.for_version(&Version::V2025_06_18), None);
    assert!(url.for_version(&Version::V2025_11_25).is_some());

    let form = ElicitParams::form("Which?", mcp_types::elicitation::ElicitSchema::new());
    let old = form
        .for_version(&Version::V2025_06_18)
        .expect("forms are allowed");
    assert_eq!(old.mode, None);
    assert_eq!(form.for_version(&Version::V2025_03_26), None);

    let list = ElicitValue::List(vec!["a".to_owned()]);
    let answer = ElicitResult::accept(OrderedMap::from_iter([("kinds", list)]));
    assert_eq!(answer.for_version(&Version::V2025_06_18), None);
    assert!(answer.for_version(&Version::LATEST).is_some());
}

#[test]
fn forms_know_their_defaults_and_choices() {
    let form = r#"{"type":"object","properties":{
        "a":{"type":"string","default":"x"},
        "b":{"type":"integer"},
        "c":{"type":"array","items":{"anyOf":[{"const":"h","title":"Hawk"}]},"default":["h"]},
        "d":{"type":"string","enum":["p","q"],"enumNames":["P"]}
    },"required":["b"]}"#;
    let form = mcp_types::elicitation::ElicitSchema::decode(form)
        .expect("a form")
        .value;
    assert_eq!(written(&form.defaults()), json!({"a": "x", "c": ["h"]}));
    assert!(form.is_required("b") && !form.is_required("a"));
    let choices = |name| form.properties.get(name).expect("a field").choices();
    assert_eq!(choices("c"), [("h", "Hawk")]);
    assert_eq!(choices("d"), [("p", "P"), ("q", "q")]);
}

#[test]
fn presence_is_an_empty_object() {
    assert_eq!(RawJson::empty_object().as_str(), "{}");
    assert_eq!(RawJson::null().as_str(), "null");
}
