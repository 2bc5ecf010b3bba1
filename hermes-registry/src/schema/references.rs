//! References to something that is no definition.
//!
//! Other steps take unions apart and move properties, so a reference that leads through these would
//! end nowhere, or at something else.
//! What it leads to is copied into `$defs` as it stands, once however often it is referred to and
//! even if it refers to itself; nothing is ever put in the place of a reference.

use std::collections::{HashMap, HashSet};

use super::definitions::free_name;
use super::walk::{self, each_schema};
use super::{Kept, NODES_MAX};
use crate::json::{Json, Members};
use crate::pointer;

/// The most characters of a name that is made of a way.
const NAME_LEN_MAX: usize = 40;

/// Makes definitions of all that is referred to, and takes away references to nothing, or to
/// something outside of the schema.
pub(super) fn hoist(root: &mut Json) -> Result<bool, Kept> {
    let mut foreign = Vec::new();
    walk::each_reference(root, &mut |reference| {
        let steps = pointer::local(reference);
        if !matches!(steps.as_deref(), Some([])) {
            foreign.push((reference.clone(), steps));
        }
    });
    let plan = Plan::new(root, foreign)?;
    let Plan {
        mut added,
        new_names,
    } = plan;
    let mut has_changed = !new_names.is_empty();
    let mut rewrite = |schema: &mut Json| rewrite(schema, &new_names);
    each_schema(root, &mut rewrite);
    added
        .iter_mut()
        .for_each(|(_, schema)| each_schema(schema, &mut rewrite));
    let Json::Object(members) = root else {
        return Ok(has_changed);
    };
    if !added.is_empty() {
        match members.get_mut("$defs") {
            Some(Json::Object(known)) => known.0.extend(added),
            _ => members.set("$defs", Json::Object(Members(added))),
        }
    }
    // Nobody can refer to the definitions of an inner schema any more.
    for inner in walk::inner_schemas(members) {
        each_schema(inner, &mut |schema| {
            if let Json::Object(members) = schema {
                let len = members.0.len();
                let is_kept = |keyword: &str| !matches!(keyword, "$defs" | "definitions");
                members.0.retain(|(keyword, _)| is_kept(keyword));
                has_changed |= members.0.len() < len;
            }
        });
    }
    Ok(has_changed)
}

/// What becomes of references.
#[derive(Default)]
struct Plan {
    added: Vec<(String, Json)>,
    /// By the reference as it stands: the name of its definition, if it leads anywhere.
    new_names: HashMap<String, Option<String>>,
}

impl Plan {
    fn new(root: &Json, foreign: Vec<(String, Option<Vec<String>>)>) -> Result<Self, Kept> {
        let known = root.as_object().and_then(|members| members.get("$defs"));
        let known = known.and_then(Json::as_object);
        let known = known.into_iter().flat_map(|known| &known.0);
        let mut taken: HashSet<String> = known.map(|(name, _)| name.clone()).collect();
        let mut of_way: HashMap<Vec<String>, String> = HashMap::new();
        let mut values_left = NODES_MAX;
        let mut plan = Self::default();
        for (reference, steps) in foreign {
            if plan.new_names.contains_key(&reference) {
                continue;
            }
            let target = steps.and_then(|steps| {
                let target = walk::find(root, &steps).filter(|value| value.as_object().is_some());
                Some((target?, steps))
            });
            let new_name = match target {
                None => None,
                Some((_, steps)) if is_definition(&steps) => continue,
                Some((_, steps)) if of_way.contains_key(&steps) => of_way.get(&steps).cloned(),
                Some((target, steps)) => {
                    let left = values_left.checked_sub(target.count());
                    values_left = left.ok_or(Kept::ManyNodes)?;
                    let name = free_name(&name_of(&steps), &mut taken);
                    plan.added.push((name.clone(), target.clone()));
                    of_way.insert(steps, name.clone());
                    Some(name)
                }
            };
            plan.new_names.insert(reference, new_name);
        }
        Ok(plan)
    }
}

fn rewrite(schema: &mut Json, new_names: &HashMap<String, Option<String>>) {
    let Json::Object(members) = schema else {
        return;
    };
    let reference = members.get("$ref").and_then(Json::as_text);
    match reference.and_then(|reference| new_names.get(reference)) {
        None => {}
        Some(None) => drop(members.remove("$ref")),
        Some(Some(name)) => {
            let steps = ["$defs".to_owned(), name.clone()];
            members.set("$ref", Json::Text(pointer::reference(&steps)));
        }
    }
}

fn is_definition(steps: &[String]) -> bool {
    matches!(steps, [first, _name] if first == "$defs")
}

/// A name for what these steps lead to, of letters that every interface takes.
fn name_of(steps: &[String]) -> String {
    let plain = |char: char| {
        if char.is_ascii_alphanumeric() {
            char
        } else {
            '_'
        }
    };
    let way = steps.join("_");
    let name: String = way.chars().map(plain).take(NAME_LEN_MAX).collect();
    name.trim_matches('_').to_owned()
}
