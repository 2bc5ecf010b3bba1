//! The hot path allocates what the value needs and no more.

use allocation_counter::measure;
use mcp_types::{CallToolResult, Decode as _, ProgressParams};

#[test]
fn a_result_of_one_text_costs_the_list_and_the_text() {
    let text = "x".repeat(1 << 20);
    let json = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#);
    let mut result = None;
    let cost = measure(|| result = CallToolResult::decode(&json).ok());
    let result = result.expect("a good result");
    assert!(result.is_clean());
    assert_eq!(cost.count_total, 2, "{cost:?}");
    assert!(cost.bytes_max < (1 << 20) + 4096, "{cost:?}");
}

#[test]
fn progress_costs_its_token() {
    let json = r#"{"progressToken":"walk-7","progress":3,"total":8}"#;
    let cost = measure(|| drop(ProgressParams::decode(json)));
    assert_eq!(cost.count_total, 1, "{cost:?}");
    let json = r#"{"progressToken":7,"progress":3,"total":8}"#;
    let cost = measure(|| drop(ProgressParams::decode(json)));
    assert_eq!(cost.count_total, 0, "{cost:?}");
}

#[test]
fn a_hostile_list_costs_in_proportion_to_its_length() {
    let json = format!(r#"{{"tools":[{}1]}}"#, "1,".repeat(1 << 14));
    let cost = measure(|| drop(mcp_types::ListToolsResult::decode(&json)));
    let factor = cost.bytes_max / u64::try_from(json.len()).expect("a length");
    assert!(factor < 32, "{factor} times the input: {cost:?}");
}
