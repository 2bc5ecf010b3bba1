//! A tool, as a server lists it.

use crate::capability::Icon;
use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;
use crate::wire::object::Verdict;

/// A tool, as a server lists it. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name for calls; never empty.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What it does, for models.
    pub description: Option<String>,
    /// The JSON Schema of the arguments, an object, byte for byte as it came.
    pub input_schema: Option<RawJson>,
    /// The JSON Schema of the structured result. Since 2025-06-18. A diagnostic says so if it is
    /// no object.
    pub output_schema: Option<RawJson>,
    /// Hints about its behaviour. Since 2025-03-26. Not to be trusted unless the server is.
    pub annotations: Option<ToolAnnotations>,
    /// Its pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// How it runs. 2025-11-25 only.
    pub execution: Option<ToolExecution>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Tool {
    /// A tool with the schema of its arguments.
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: Some(input_schema),
            output_schema: None,
            annotations: None,
            icons: None,
            execution: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Sets what it does.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The name for people: the title, else that of the annotations, else the name (TOOL-07).
    #[must_use]
    pub fn display_name(&self) -> &str {
        let hinted = || {
            self.annotations
                .as_ref()
                .and_then(|hints| hints.title.as_deref())
        };
        self.title.as_deref().or_else(hinted).unwrap_or(&self.name)
    }

    fn verdict(&self) -> Verdict<'_> {
        if self.name.is_empty() {
            return Verdict::Bad("name", "a tool needs a name", "");
        }
        match &self.input_schema {
            None => return Verdict::Bad("inputSchema", "missing; a tool needs one", ""),
            Some(schema) if !schema.is_object() => {
                return Verdict::Bad("inputSchema", "the schema is no object", schema.as_str());
            }
            Some(_) => {}
        }
        match &self.output_schema {
            Some(schema) if !schema.is_object() => {
                Verdict::Odd("outputSchema", "the schema is no object", schema.as_str())
            }
            _ => Verdict::Good,
        }
    }
}

wire_object! {
    Tool check Tool::verdict {
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Raw input_schema = "inputSchema",
        Raw output_schema = "outputSchema",
        Optional annotations = "annotations",
        Optional icons = "icons",
        Optional execution = "execution",
        Optional meta = "_meta",
    }
}

/// Hints about a tool's behaviour. Since 2025-03-26.
///
/// The accessors give what an absent hint means (TOOL-08).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The name for people; the tool's own title goes first.
    pub title: Option<String>,
    /// See [`Self::read_only`].
    pub read_only_hint: Option<bool>,
    /// See [`Self::destructive`].
    pub destructive_hint: Option<bool>,
    /// See [`Self::idempotent`].
    pub idempotent_hint: Option<bool>,
    /// See [`Self::open_world`].
    pub open_world_hint: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ToolAnnotations {
    /// No hints.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it changes nothing; false unless said.
    #[must_use]
    pub fn read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether its changes can destroy something; true unless said. Means nothing for one that is
    /// read-only.
    #[must_use]
    pub fn destructive(&self) -> bool {
        self.destructive_hint.unwrap_or(true)
    }

    /// Whether a second call with the same arguments changes nothing more; false unless said.
    #[must_use]
    pub fn idempotent(&self) -> bool {
        self.idempotent_hint.unwrap_or(false)
    }

    /// Whether it deals with the world outside; true unless said.
    #[must_use]
    pub fn open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

wire_object! {
    ToolAnnotations {
        Optional title = "title",
        Optional read_only_hint = "readOnlyHint",
        Optional destructive_hint = "destructiveHint",
        Optional idempotent_hint = "idempotentHint",
        Optional open_world_hint = "openWorldHint",
    }
}

/// How a tool runs. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolExecution {
    /// Whether calls can or must become tasks; absent means that they must not (TOOL-11).
    pub task_support: Option<TaskSupport>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! { ToolExecution { Optional task_support = "taskSupport", } }

/// Whether calls of a tool become tasks.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum TaskSupport {
    /// They must not.
    Forbidden,
    /// They can.
    Optional,
    /// They must.
    Required,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! {
    TaskSupport { Forbidden = "forbidden", Optional = "optional", Required = "required" }
}
