//! From JSON with comments to the tree that configurations are read from.
//!
//! Comments and trailing commas are allowed, as editors write them; keys that stand twice are
//! kept, for whoever reads the mapping to report.

use std::sync::Arc;

use jsonc_parser::ast::{Object, Value as Json};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::error::ImportErrorKind;
use super::lines::Lines;
use crate::config::Position;
use crate::config::tree::{Entry, Key, Node, Scalar, Value};

/// The tree of this text, or what is wrong with it and where.
pub(super) fn parse(text: &str) -> Result<Node, (ImportErrorKind, Position)> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let lines = Lines::new(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let detail = error.kind().to_string();
        let place = lines.place(error.range().start);
        (ImportErrorKind::NotJson { detail }, place)
    })?;
    let Some(value) = parsed.value else {
        let detail = "it is empty".to_owned();
        return Err((ImportErrorKind::NotJson { detail }, Position::new(1, 1)));
    };
    Ok(node(&lines, &value))
}

// Bound: the parser refuses what is nested more than 512 deep.
fn node(lines: &Lines<'_>, json: &Json<'_>) -> Node {
    let plain = |text: &str| scalar(text, false);
    let (start, value) = match json {
        Json::StringLit(text) => (text.range.start, scalar(&text.value, true)),
        Json::NumberLit(number) => (number.range.start, plain(number.value)),
        Json::BooleanLit(word) => {
            let text = if word.value { "true" } else { "false" };
            (word.range.start, plain(text))
        }
        Json::NullKeyword(word) => (word.range.start, plain("null")),
        Json::Array(array) => {
            let items = array.elements.iter().map(|item| node(lines, item));
            (array.range.start, Value::List(items.collect()))
        }
        Json::Object(object) => (object.range.start, mapping(lines, object)),
    };
    Node {
        position: lines.place(start),
        tag: None,
        value,
    }
}

fn mapping(lines: &Lines<'_>, object: &Object<'_>) -> Value {
    let entries = object.properties.iter().map(|property| Entry {
        key: Key {
            text: Some(Arc::from(property.name.as_str())),
            position: lines.place(property.range.start),
            quoted: true,
        },
        value: node(lines, &property.value),
    });
    Value::Mapping(entries.collect())
}

fn scalar(text: &str, quoted: bool) -> Value {
    Value::Scalar(Scalar {
        text: Arc::from(text),
        quoted,
    })
}
