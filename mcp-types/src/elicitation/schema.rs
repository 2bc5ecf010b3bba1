//! Forms: flat objects of texts, numbers, truth values and choices.

use crate::elicitation::ElicitValue;
use crate::map::{Extra, OrderedMap};

/// A form, as a restricted JSON Schema of an object. Since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ElicitSchema {
    /// The member `$schema`. Since 2025-11-25.
    pub dialect: Option<String>,
    /// The fields in the order in which they are to be shown.
    pub properties: OrderedMap<PrimitiveSchema>,
    /// The fields that have to be filled in.
    pub required: Option<Vec<String>>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ElicitSchema {
    /// A form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, schema: PrimitiveSchema) -> Self {
        self.properties.insert(name, schema);
        self
    }

    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn with_required(mut self, name: impl Into<String>, schema: PrimitiveSchema) -> Self {
        let name = name.into();
        self.required.get_or_insert_default().push(name.clone());
        self.with_field(name, schema)
    }

    /// Whether a field has to be filled in.
    #[must_use]
    pub fn is_required(&self, name: &str) -> bool {
        self.required
            .iter()
            .flatten()
            .any(|required| required == name)
    }

    /// What the fields hold before the user fills them in (ELIC-09).
    #[must_use]
    pub fn defaults(&self) -> OrderedMap<ElicitValue> {
        let fields = self.properties.iter();
        fields
            .filter_map(|(name, field)| Some((name, field.default.clone()?)))
            .collect()
    }
}

wire_object! {
    ElicitSchema tag "type" = "object" {
        Optional dialect = "$schema",
        Required properties = "properties",
        Optional required = "required",
    }
}

/// A field of a form. Since 2025-06-18.
///
/// One type for all fields of the schema; [`Self::kind`] says what it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PrimitiveSchema {
    /// `string`, `number`, `integer`, `boolean` or `array`.
    pub value_type: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Of texts: `email`, `uri`, `date` or `date-time`.
    pub format: Option<String>,
    /// Of texts: the least length in characters.
    pub min_length: Option<i64>,
    /// Of texts: the greatest length in characters.
    pub max_length: Option<i64>,
    /// Of numbers: the least value.
    pub minimum: Option<f64>,
    /// Of numbers: the greatest value.
    pub maximum: Option<f64>,
    /// Of choices: the values.
    pub values: Option<Vec<String>>,
    /// Of choices: names for the values, in their order. The older way.
    pub value_names: Option<Vec<String>>,
    /// Of choices: values with titles. Since 2025-11-25.
    pub one_of: Option<Vec<Choice>>,
    /// Of multiple choices: what can be chosen. Since 2025-11-25.
    pub items: Option<ChoiceItems>,
    /// Of multiple choices: how many at least. Since 2025-11-25.
    pub min_items: Option<i64>,
    /// Of multiple choices: how many at most. Since 2025-11-25.
    pub max_items: Option<i64>,
    /// What it holds before the user fills it in. 2025-06-18 has it for truth values only.
    pub default: Option<ElicitValue>,
    /// Members without a field here.
    pub extra: Extra,
}

/// What a field of a form is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveKind {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A truth value.
    Boolean,
    /// One of several texts.
    Choice,
    /// Some of several texts.
    MultipleChoice,
    /// Something that this crate does not know.
    Unknown,
}

impl PrimitiveSchema {
    /// A field of a JSON type.
    pub fn new(value_type: impl Into<String>) -> Self {
        Self {
            value_type: value_type.into(),
            title: None,
            description: None,
            format: None,
            min_length: None,
            max_length: None,
            minimum: None,
            maximum: None,
            values: None,
            value_names: None,
            one_of: None,
            items: None,
            min_items: None,
            max_items: None,
            default: None,
            extra: Extra::new(),
        }
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what it holds before the user fills it in.
    #[must_use]
    pub fn with_default(mut self, value: impl Into<ElicitValue>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> PrimitiveKind {
        match self.value_type.as_str() {
            "string" if self.values.is_some() || self.one_of.is_some() => PrimitiveKind::Choice,
            "string" => PrimitiveKind::Text,
            "number" => PrimitiveKind::Number,
            "integer" => PrimitiveKind::Integer,
            "boolean" => PrimitiveKind::Boolean,
            "array" if self.items.is_some() => PrimitiveKind::MultipleChoice,
            _ => PrimitiveKind::Unknown,
        }
    }

    /// What can be chosen: values, each with its name for people.
    #[must_use]
    pub fn choices(&self) -> Vec<(&str, &str)> {
        let titled = self.items.as_ref().and_then(|items| items.any_of.as_ref());
        if let Some(choices) = self.one_of.as_ref().or(titled) {
            return choices.iter().map(Choice::pair).collect();
        }
        let plain = self.items.as_ref().and_then(|items| items.values.as_ref());
        let values = self.values.as_ref().or(plain).into_iter().flatten();
        let mut names = self.value_names.iter().flatten();
        values
            .map(|value| (value.as_str(), names.next().unwrap_or(value).as_str()))
            .collect()
    }
}

wire_object! {
    PrimitiveSchema {
        Required value_type = "type",
        Optional title = "title",
        Optional description = "description",
        Optional format = "format",
        Optional min_length = "minLength",
        Optional max_length = "maxLength",
        Optional minimum = "minimum",
        Optional maximum = "maximum",
        Optional values = "enum",
        Optional value_names = "enumNames",
        Optional one_of = "oneOf",
        Optional items = "items",
        Optional min_items = "minItems",
        Optional max_items = "maxItems",
        Optional default = "default",
    }
}

/// A value that can be chosen, with its name for people. Since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The member `const`.
    pub value: String,
    /// The name for people.
    pub title: Option<String>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Choice {
    /// A value and its name for people.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: Some(title.into()),
            extra: Extra::new(),
        }
    }

    fn pair(&self) -> (&str, &str) {
        (&self.value, self.title.as_ref().unwrap_or(&self.value))
    }
}

wire_object! {
    Choice {
        Required value = "const",
        Optional title = "title",
    }
}

/// What can be chosen several times. Since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ChoiceItems {
    /// `string`, for values without titles.
    pub value_type: Option<String>,
    /// The values.
    pub values: Option<Vec<String>>,
    /// The values with titles.
    pub any_of: Option<Vec<Choice>>,
    /// Members without a field here.
    pub extra: Extra,
}

wire_object! {
    ChoiceItems {
        Optional value_type = "type",
        Optional values = "enum",
        Optional any_of = "anyOf",
    }
}
