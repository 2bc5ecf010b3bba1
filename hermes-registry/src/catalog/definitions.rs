//! The definitions of tools as interfaces of models take them: one JSON text for all, put together
//! once for each catalog.
//!
//! What a tool's own part of it looks like is kept with the tool from one catalog to the next, so
//! that a change of one server costs no second look at the tools of the others.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use mcp_types::{RawJson, Tool};

use super::CatalogTool;
use crate::guard::strip_tags;
use crate::json::{Json, quoted};
use crate::name::PublicName;
use crate::schema::{Flavor, Kept, NODES_MAX, Step, normalise};

/// The definitions of many tools, for one kind of interface.
///
/// Its JSON is a list of `{"name", "description", "parameters"}`, in the order of the names;
/// `parameters` is the schema of the arguments. Characters that people cannot see are left out.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    json: Bytes,
    /// Where each definition ends in it.
    ends: Vec<usize>,
    normalised: Vec<NormalisedTool>,
}

/// A tool whose schema is not shown to models as its server wrote it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NormalisedTool {
    /// The tool.
    pub name: PublicName,
    /// What was changed, in that order.
    pub steps: Vec<Step>,
    /// Why nothing was, although it was to be.
    pub kept: Option<Kept>,
}

impl Definitions {
    /// The definitions of these tools.
    pub(crate) fn new<'t>(tools: impl Iterator<Item = &'t CatalogTool>, flavor: Flavor) -> Self {
        let (mut json, mut ends, mut normalised) = (String::from("["), Vec::new(), Vec::new());
        for tool in tools {
            if !ends.is_empty() {
                json.push(',');
            }
            let rendered = tool.rendering.get(&tool.tool, flavor);
            // A public name is plain ASCII.
            json.push_str("{\"name\":\"");
            json.push_str(tool.name.as_str());
            json.push_str("\",");
            json.push_str(&rendered.members);
            json.push('}');
            ends.push(json.len());
            if !rendered.steps.is_empty() || rendered.kept.is_some() {
                normalised.push(NormalisedTool {
                    name: tool.name.clone(),
                    steps: rendered.steps.to_vec(),
                    kept: rendered.kept.clone(),
                });
            }
        }
        json.push(']');
        json.shrink_to_fit();
        Self {
            json: json.into(),
            ends,
            normalised,
        }
    }

    /// All of them as one JSON list; cloning it copies nothing.
    #[must_use]
    pub fn json(&self) -> &Bytes {
        &self.json
    }

    /// Each of them as a JSON object; these are parts of the same bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Bytes> {
        self.ends.iter().enumerate().map(|(index, end)| {
            // The list begins with a bracket, and commas stand between definitions.
            let before = index
                .checked_sub(1)
                .and_then(|before| self.ends.get(before));
            self.json.slice(before.map_or(1, |before| before + 1)..*end)
        })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tools whose schemas are not shown as their servers wrote them.
    #[must_use]
    pub fn normalised(&self) -> &[NormalisedTool] {
        &self.normalised
    }
}

/// The definition of one tool in each flavor, as far as somebody wanted it.
#[derive(Debug, Default)]
pub(crate) struct Rendering {
    plain: OnceLock<Box<Rendered>>,
    strict: OnceLock<Box<Rendered>>,
}

#[derive(Debug)]
struct Rendered {
    /// The members of the object behind its name.
    members: Box<str>,
    steps: Box<[Step]>,
    kept: Option<Kept>,
}

impl Rendering {
    fn get(&self, tool: &Tool, flavor: Flavor) -> &Rendered {
        let rendered = match flavor {
            Flavor::Plain => &self.plain,
            Flavor::Strict => &self.strict,
        };
        rendered.get_or_init(|| Box::new(render(tool, flavor)))
    }
}

fn render(tool: &Tool, flavor: Flavor) -> Rendered {
    let texts = [&tool.description, &tool.title];
    let description = texts.into_iter().flatten().find(|text| !text.is_empty());
    let description = strip_tags(description.map_or(tool.name.as_str(), String::as_str));
    let empty = RawJson::empty_object();
    let normalised = normalise(tool.input_schema.as_ref().unwrap_or(&empty), flavor);
    let schema = visible(&normalised.schema);
    let description = quoted(&description);
    let schema = schema.as_deref().unwrap_or(normalised.schema.as_str());
    Rendered {
        members: format!("\"description\":{description},\"parameters\":{schema}").into(),
        steps: normalised.steps.into(),
        kept: normalised.kept,
    }
}

/// The schema without what people cannot see, if there is such in it.
fn visible(schema: &RawJson) -> Option<String> {
    let text = schema.as_str();
    // A tag character is either there itself or escaped as a pair whose first half is this one.
    let is_escaped =
        text.contains("\\udb40") || text.contains("\\uDB40") || text.contains("\\uDb40");
    let is_suspect = is_escaped || matches!(strip_tags(text), std::borrow::Cow::Owned(_));
    if !is_suspect {
        return None;
    }
    let mut json = Json::parse(text, NODES_MAX).ok()?;
    strip(&mut json);
    Some(json.dense())
}

/// Bound: the depth of a JSON text that was read.
fn strip(json: &mut Json) {
    match json {
        Json::Plain(_) => {}
        Json::Text(text) => *text = strip_tags(text).into_owned(),
        Json::List(items) => items.iter_mut().for_each(strip),
        Json::Object(members) => members.0.iter_mut().for_each(|(_, value)| strip(value)),
    }
}

/// The definitions of one catalog in each flavor, as far as somebody wanted them.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    plain: OnceLock<Arc<Definitions>>,
    strict: OnceLock<Arc<Definitions>>,
}

impl Kinds {
    pub(super) fn get(
        &self,
        flavor: Flavor,
        make: impl FnOnce() -> Definitions,
    ) -> Arc<Definitions> {
        let kind = match flavor {
            Flavor::Plain => &self.plain,
            Flavor::Strict => &self.strict,
        };
        Arc::clone(kind.get_or_init(|| Arc::new(make())))
    }
}
