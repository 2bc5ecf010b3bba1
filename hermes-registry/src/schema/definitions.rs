//! `definitions` and `$defs` of the schema as a whole.
//!
//! Both mean the same; interfaces of models know the newer one.
//! Those of inner schemas are brought here by `references`.

use std::collections::{HashMap, HashSet};

use super::walk;
use crate::json::{Json, Members};
use crate::pointer;

/// Calls `definitions` `$defs`, in the references as well.
///
/// Where both are there, a definition whose name means something else gets another one.
pub(super) fn rename(root: &mut Json) -> bool {
    let Json::Object(members) = root else {
        return false;
    };
    let Some(Json::Object(old)) = members.get_mut("definitions") else {
        return false;
    };
    let old = std::mem::take(old);
    let names = if members.has("$defs") {
        drop(members.remove("definitions"));
        match members.get_mut("$defs") {
            Some(Json::Object(new)) => unite(new, old),
            // What is no object holds no definition.
            _ => {
                members.set("$defs", Json::Object(old));
                HashMap::new()
            }
        }
    } else {
        for (keyword, value) in &mut members.0 {
            if keyword == "definitions" {
                "$defs".clone_into(keyword);
                *value = Json::Object(old);
                break;
            }
        }
        HashMap::new()
    };
    walk::each_reference(root, &mut |reference| {
        let Some(mut steps) = pointer::local(reference) else {
            return;
        };
        if let Some(first) = steps.first_mut().filter(|first| *first == "definitions") {
            "$defs".clone_into(first);
            if let Some(name) = steps.get_mut(1)
                && let Some(new) = names.get(name)
            {
                name.clone_from(new);
            }
            *reference = pointer::reference(&steps);
        }
    });
    true
}

/// Adds the old definitions to the new ones, and returns what had to be called otherwise.
fn unite(new: &mut Members, old: Members) -> HashMap<String, String> {
    let known = new.0.iter().enumerate();
    let known: HashMap<String, usize> = known
        .map(|(place, (name, _))| (name.clone(), place))
        .collect();
    let all = new.0.iter().chain(&old.0);
    let mut taken: HashSet<String> = all.map(|(name, _)| name.clone()).collect();
    let mut names = HashMap::new();
    for (mut name, schema) in old.0 {
        let same_name = known.get(&name).and_then(|place| new.0.get(*place));
        match same_name {
            Some((_, known)) if *known == schema => continue,
            Some(_) => {
                let free = free_name(&name, &mut taken);
                names.insert(std::mem::replace(&mut name, free.clone()), free);
            }
            None => {}
        }
        new.0.push((name, schema));
    }
    names
}

/// This name, or the next one that is not taken; it is taken afterwards.
pub(super) fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    let mut free = name.to_owned();
    // Bound: each name that is taken makes the number one larger.
    for number in 2.. {
        if taken.insert(free.clone()) {
            break;
        }
        free = format!("{name}_{number}");
    }
    free
}
