//! The schema as a whole: an object with properties, and nothing else.
//!
//! Interfaces of models refuse unions and references there.
//! To take them away alone would leave a schema without any property, so the properties of the
//! branches are put together: those of `$ref` and `allOf` as they are, those of `anyOf` and `oneOf`
//! as ones that may be there, required only where every branch requires them.

use std::collections::{HashMap, HashSet};

use super::{Kept, NODES_MAX};
use crate::json::{Json, Members};
use crate::pointer;

/// What cannot stand in the schema as a whole.
const REFUSED: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "enum", "not"];

/// Branches within branches; more than these are nothing that a person wrote.
///
/// Bound: the stack.
const DEPTH_MAX: usize = 64;

/// Puts together what the branches of the schema describe.
pub(super) fn flatten(root: &mut Json) -> Result<bool, Kept> {
    let Json::Object(members) = root else {
        return Ok(false);
    };
    let is_object = match members.get("type") {
        // The type is found by its properties, in a later step.
        None => members.has("properties"),
        Some(name) => name.as_text() == Some("object"),
    };
    if is_object && !REFUSED.iter().any(|keyword| members.has(keyword)) {
        return Ok(false);
    }
    let defs = members.get("$defs").and_then(Json::as_object);
    let mut reader = Reader {
        defs: defs.map_or_else(HashMap::new, |defs| {
            let defs = defs.0.iter();
            defs.map(|(name, schema)| (name.as_str(), schema)).collect()
        }),
        open: Vec::new(),
        depth: 0,
        left: NODES_MAX,
    };
    let shape = reader.shape(members)?;
    members
        .0
        .retain(|(keyword, _)| !REFUSED.contains(&keyword.as_str()));
    if members.has("type") {
        members.set("type", Json::text("object"));
    } else {
        members
            .0
            .insert(0, ("type".to_owned(), Json::text("object")));
    }
    if !shape.properties.is_empty() {
        members.set("properties", Json::Object(Members(shape.properties)));
    }
    if !shape.required.is_empty() {
        let required = shape.required.into_iter().map(Json::Text).collect();
        members.set("required", Json::List(required));
    }
    Ok(true)
}

/// What a schema says of the members of an object.
#[derive(Default)]
struct Shape {
    properties: Vec<(String, Json)>,
    /// The places of the properties by their names.
    places: HashMap<String, usize>,
    /// What was said of each, so that nothing is said twice.
    seen: HashSet<(String, String)>,
    required: Vec<String>,
}

impl Shape {
    /// Adds a property, beside what is known of it under this keyword.
    fn add(&mut self, name: String, schema: Json, keyword: &str) {
        if !self.seen.insert((name.clone(), schema.dense())) {
            return;
        }
        let known = self.places.get(&name);
        match known.and_then(|place| self.properties.get_mut(*place)) {
            Some((_, known)) => {
                let before = std::mem::replace(known, Json::bool(true));
                *known = joined(keyword, before, schema);
            }
            None => {
                self.places.insert(name.clone(), self.properties.len());
                self.properties.push((name, schema));
            }
        }
    }

    /// Both have to fit.
    fn and(&mut self, other: Self) {
        for (name, schema) in other.properties {
            self.add(name, schema, "allOf");
        }
        let known: HashSet<String> = self.required.iter().cloned().collect();
        let more = other.required.into_iter();
        self.required
            .extend(more.filter(|name| !known.contains(name)));
    }

    /// One of them has to fit.
    fn any(shapes: Vec<Self>) -> Self {
        let mut all = Self::default();
        let (count, mut counts) = (shapes.len(), HashMap::<String, usize>::new());
        for (index, shape) in shapes.into_iter().enumerate() {
            let names: HashSet<&String> = shape.required.iter().collect();
            for name in names {
                *counts.entry(name.clone()).or_default() += 1;
            }
            if index == 0 {
                all.required = shape.required;
            }
            for (name, schema) in shape.properties {
                all.add(name, schema, "anyOf");
            }
        }
        // What every branch requires is among what the first one does.
        all.required.retain(|name| counts.get(name) == Some(&count));
        all
    }
}

/// Puts a schema beside one or several others.
fn joined(keyword: &str, one: Json, other: Json) -> Json {
    let mut branches = match one {
        // What was joined a moment ago has nothing but its branches.
        Json::Object(mut members) if members.0.len() == 1 && members.has(keyword) => {
            match members.remove(keyword) {
                Some(Json::List(branches)) => branches,
                value => value.into_iter().collect(),
            }
        }
        one => vec![one],
    };
    branches.push(other);
    Json::object([(keyword, Json::List(branches))])
}

struct Reader<'d> {
    defs: HashMap<&'d str, &'d Json>,
    /// The definitions that are being read; one that refers to itself adds nothing to itself.
    open: Vec<String>,
    /// The branches that are being read.
    depth: usize,
    /// Values that may still be read.
    left: usize,
}

impl<'d> Reader<'d> {
    fn shape(&mut self, members: &Members) -> Result<Shape, Kept> {
        let mut shape = Shape::default();
        if let Some(Json::Object(named)) = members.get("properties") {
            for (name, schema) in &named.0 {
                self.charge(schema.count())?;
                shape.add(name.clone(), schema.clone(), "allOf");
            }
        }
        let required = members.get("required").and_then(Json::as_list);
        let names = required
            .unwrap_or_default()
            .iter()
            .filter_map(Json::as_text);
        shape.required.extend(names.map(str::to_owned));
        if let Some((name, target)) = self.referred(members) {
            self.open.push(name);
            let inner = self.branch(target);
            self.open.pop();
            shape.and(inner?.unwrap_or_default());
        }
        for branch in branches(members, "allOf") {
            shape.and(self.branch(branch)?.unwrap_or_default());
        }
        for keyword in ["anyOf", "oneOf"] {
            let mut shapes = Vec::new();
            for branch in branches(members, keyword) {
                shapes.extend(self.branch(branch)?);
            }
            shape.and(Shape::any(shapes));
        }
        Ok(shape)
    }

    /// What a branch says of objects, if it lets any in.
    fn branch(&mut self, schema: &Json) -> Result<Option<Shape>, Kept> {
        self.charge(1)?;
        if self.depth >= DEPTH_MAX {
            return Err(Kept::TooLarge);
        }
        let Json::Object(members) = schema else {
            return Ok(Some(Shape::default()));
        };
        let takes_objects = match members.get("type") {
            None => true,
            Some(Json::List(names)) => names.iter().any(|name| name.as_text() == Some("object")),
            Some(name) => name.as_text() == Some("object"),
        };
        if !takes_objects {
            return Ok(None);
        }
        self.depth += 1;
        let shape = self.shape(members);
        self.depth -= 1;
        shape.map(Some)
    }

    /// The definition that is referred to, with its name.
    fn referred(&self, members: &Members) -> Option<(String, &'d Json)> {
        let steps = pointer::local(members.get("$ref")?.as_text()?)?;
        let [_defs, name] = <[String; 2]>::try_from(steps).ok()?;
        let schema = *self.defs.get(name.as_str())?;
        (!self.open.contains(&name)).then_some((name, schema))
    }

    fn charge(&mut self, values: usize) -> Result<(), Kept> {
        self.left = self.left.checked_sub(values).ok_or(Kept::ManyNodes)?;
        Ok(())
    }
}

fn branches<'s>(members: &'s Members, keyword: &str) -> &'s [Json] {
    members
        .get(keyword)
        .and_then(Json::as_list)
        .unwrap_or_default()
}
