//! Sets, takes out and fills up what stands at a path of keys, and touches nothing else.
//!
//! Whether a change came out as it was meant is looked at elsewhere.

use super::child::{Addition, Step, add, begin, remove, replace};
use super::error::EditErrorKind;
use super::layout::{self, Child, Content, Place};
use super::text::{line_number, spliced};
use crate::config::entry::{Written, scalar};

/// How many keys lead to a setting of a server: `mcp_servers`, its name and the setting.
pub(super) const SETTING_DEPTH: usize = 3;

/// Sets the value at this path, with all keys that lead to it.
pub(super) fn put(text: &str, path: &[&str], value: &Written) -> Result<String, EditErrorKind> {
    let layout = layout::parse(text);
    let root = layout.as_ref().filter(|root| root.group().is_some());
    let (steps, rest) = match root {
        Some(root) => follow(text, root, path)?,
        None => (Vec::new(), path),
    };
    let splices = match (rest.split_first(), steps.split_last()) {
        (None, Some((last, above))) => replace(text, last, above, value)?,
        (None, None) => Vec::new(),
        (Some((key, below)), _) => {
            let inner = nested(below, value);
            let addition = Addition {
                key: Some(scalar(key)),
                value: &inner,
            };
            match root {
                Some(root) => add(text, root, &steps, &addition)?,
                None => vec![begin(text, &addition)],
            }
        }
    };
    Ok(spliced(text, &splices))
}

/// Takes out the value at this path with its key, and what holds nothing without it below a
/// server.
pub(super) fn take(text: &str, path: &[&str]) -> Result<String, EditErrorKind> {
    let Some(root) = layout::parse(text) else {
        return Ok(text.to_owned());
    };
    let (steps, rest) = follow(text, &root, path)?;
    let Some((last, above)) = steps.split_last().filter(|_| rest.is_empty()) else {
        return Ok(text.to_owned());
    };
    if let (true, Some(holder)) = (path.len() > SETTING_DEPTH, above.last())
        && last.group.children.len() == 1
    {
        return Ok(spliced(text, &remove(text, *holder)?));
    }
    Ok(spliced(text, &remove(text, *last)?))
}

/// Makes the list at this path hold these texts; items that stay are not touched.
pub(super) fn list(text: &str, path: &[&str], items: &[String]) -> Result<String, EditErrorKind> {
    // Bound: each turn takes out an item, of which there are no more than bytes, or adds one.
    let turns = text.len().saturating_add(items.len());
    let mut text = text.to_owned();
    for _ in 0..=turns {
        let Some(layout) = layout::parse(&text) else {
            break;
        };
        let (steps, rest) = follow(&text, &layout, path)?;
        let group = steps.last().and_then(|last| last.child.value.group());
        let Some(group) = group.filter(|group| group.is_list && rest.is_empty()) else {
            break;
        };
        let is_wanted = |child: &Child| item(child).is_some_and(|text| has(items, text));
        let has_item = |text: &&String| {
            let mut known = group.children.iter().filter_map(item);
            known.any(|known| known == text.as_str())
        };
        if !group.children.iter().any(is_wanted) {
            break;
        }
        let splices = if let Some(child) = group.children.iter().find(|child| !is_wanted(child)) {
            remove(&text, Step { group, child })?
        } else if let Some(missing) = items.iter().find(|text| !has_item(text)) {
            let value = Written::Scalar(scalar(missing));
            let addition = Addition {
                key: None,
                value: &value,
            };
            add(&text, &layout, &steps, &addition)?
        } else {
            return Ok(text);
        };
        text = spliced(&text, &splices);
    }
    let items = items.iter().map(|item| scalar(item)).collect();
    put(&text, path, &Written::List(items))
}

pub(super) fn has(items: &[String], text: &str) -> bool {
    items.iter().any(|item| item == text)
}

/// The text of an item.
fn item(child: &Child) -> Option<&str> {
    match &child.value.content {
        Content::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// Goes down the path as far as its keys are there, and tells which are missing.
fn follow<'l, 'p>(
    text: &str,
    root: &'l Place,
    path: &'p [&'p str],
) -> Result<(Vec<Step<'l>>, &'p [&'p str]), EditErrorKind> {
    let (mut place, mut steps, mut rest) = (root, Vec::new(), path);
    while let Some((key, below)) = rest.split_first() {
        if matches!(place.content, Content::Alias) {
            let holder = steps
                .last()
                .and_then(|last: &Step<'_>| last.child.key.as_deref());
            return Err(EditErrorKind::Elsewhere {
                key: holder.unwrap_or_default().to_owned(),
                line: line_number(text, place.start),
            });
        }
        let Some(group) = place.group().filter(|group| !group.is_list) else {
            break;
        };
        let mut found = group.find(key);
        let Some(child) = found.next() else { break };
        if let Some(second) = found.next() {
            return Err(EditErrorKind::Twice {
                key: (*key).to_owned(),
                first: line_number(text, child.start),
                second: line_number(text, second.start),
            });
        }
        steps.push(Step { group, child });
        (place, rest) = (&child.value, below);
    }
    Ok((steps, rest))
}

/// The value under these keys.
fn nested(keys: &[&str], value: &Written) -> Written {
    let outwards = keys.iter().rev();
    outwards.fold(value.clone(), |value, key| {
        Written::Map(vec![(scalar(key), value)])
    })
}
