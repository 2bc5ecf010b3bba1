//! What holds for every table of keys, and that the reference in the documentation is true to them.

use super::later::{ELICITATION, OAUTH, SAMPLING};
use super::*;

/// Every table, with the heading of the reference that it stands under.
pub(in crate::config) const TABLES: [(&str, &Keys); 9] = [
    ("Keys of a server", &SERVER),
    ("Under `tools`", &TOOLS),
    ("Under `output`", &OUTPUT),
    ("Under `reconnect`", &RECONNECT),
    ("Under `breaker`", &BREAKER),
    ("Under `lifecycle`", &LIFECYCLE),
    ("Under `oauth`", &OAUTH),
    ("Under `sampling`", &SAMPLING),
    ("Under `elicitation`", &ELICITATION),
];

#[test]
fn no_key_is_in_two_places_and_what_is_proposed_is_known() {
    for (_, keys) in TABLES {
        let foreign = keys.foreign.iter().map(|(name, _)| *name);
        let mut names: Vec<&str> = keys.rows.iter().map(|key| key.name).collect();
        names.extend(foreign);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for (_, here) in keys.foreign {
            let standing = keys.find(here).map(|key| key.standing);
            assert_eq!(standing, Some(Standing::Active), "{here}");
        }
    }
}

#[test]
fn every_table_is_reached_from_a_server_and_every_default_is_json() {
    let mut reached: Vec<&str> = vec!["Keys of a server"];
    for (_, keys) in TABLES {
        for key in keys.rows {
            if let Shape::Mapping(_) | Shape::MappingOrTexts(_) = key.shape {
                let heading = TABLES.iter().map(|(heading, _)| *heading);
                let own = format!("Under `{}`", key.name);
                reached.extend(heading.filter(|heading| *heading == own));
            }
            if let Some(default) = key.default {
                let parsed = serde_json::from_str::<serde_json::Value>(default);
                assert!(parsed.is_ok(), "{}: {default}", key.name);
            }
        }
    }
    assert_eq!(reached.len(), TABLES.len(), "{reached:?}");
}

#[test]
fn the_reference_has_every_key_with_its_type_default_and_meaning() {
    let reference = include_str!("../../../../docs/configuration.md");
    for (heading, keys) in TABLES {
        let expected = format!("## {heading}\n");
        let (_, section) = reference.split_once(&expected).unwrap_or_default();
        let section = section.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let rows: Vec<&str> = rows.collect();
        let expected: Vec<String> = keys.rows.iter().map(row).collect();
        assert_eq!(rows, expected, "## {heading}\n{}", expected.join("\n"));
    }
}

/// The row of a key in the reference.
fn row(key: &Key) -> String {
    let default = key
        .default
        .map(|default| format!("`{}`", default.trim_matches('"')));
    let default = default
        .map(|default| format!(" {default}"))
        .unwrap_or_default();
    let sort = match key.standing {
        Standing::Unsupported(_) => String::new(),
        _ => format!(" {}", sort(&key.shape)),
    };
    format!("| `{}` |{sort} |{default} | {} |", key.name, key.meaning())
}

/// What a value may be, for people.
fn sort(shape: &Shape) -> String {
    let seconds = |range: &Seconds| {
        let max = range.max.as_secs_f64();
        let least = if range.min.is_zero() {
            format!("up to {max}")
        } else {
            format!("{} to {max}", range.min.as_secs_f64())
        };
        let off = if range.has_off { ", or `off`" } else { "" };
        format!("seconds, {least}{off}")
    };
    match shape {
        Shape::Any => "anything".to_owned(),
        Shape::Count(Count { min, max: u32::MAX }) => format!("number from {min}"),
        Shape::Count(Count { min, max }) => format!("number, {min} to {max}"),
        Shape::Mapping(_) => "mapping".to_owned(),
        Shape::MappingOrTexts(_) => "mapping, or names".to_owned(),
        Shape::Path | Shape::Text | Shape::Url(_) => "text".to_owned(),
        Shape::PathOrPair => "path, or list of two".to_owned(),
        Shape::Seconds(range) => seconds(range),
        Shape::Switch => "true or false".to_owned(),
        Shape::SwitchOrPath => "true, false or a path".to_owned(),
        Shape::TextMap => "names to texts".to_owned(),
        Shape::Texts | Shape::TextsLike(_) => "list of texts".to_owned(),
        Shape::TextOrTexts => "text, or list of texts".to_owned(),
        Shape::TimeMap(range) => format!("names to {}", seconds(range)),
        Shape::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(", ")
        }
    }
}
