//! What a server asks.

use crate::elicitation::ElicitSchema;
use crate::map::Extra;
use crate::meta::Meta;
use crate::task::TaskMetadata;
use crate::version::Version;

/// The parameters of `elicitation/create`. Since 2025-06-18.
///
/// One type for both modes, since a form may come without saying so.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ElicitParams {
    /// How to ask; see [`Self::mode`]. Since 2025-11-25.
    pub mode: Option<ElicitMode>,
    /// What is asked and why, for the user.
    pub message: String,
    /// The form.
    pub requested_schema: Option<ElicitSchema>,
    /// The URL. Since 2025-11-25. Not to be fetched, nor opened without consent (ELIC-06).
    pub url: Option<String>,
    /// What [`ElicitationCompleteParams`] refers to. 2025-11-25 only.
    pub elicitation_id: Option<String>,
    /// Asks for a task. 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ElicitParams {
    /// A form.
    pub fn form(message: impl Into<String>, schema: ElicitSchema) -> Self {
        Self {
            mode: Some(ElicitMode::Form),
            message: message.into(),
            requested_schema: Some(schema),
            ..Self::default()
        }
    }

    /// A URL.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            mode: Some(ElicitMode::Url),
            message: message.into(),
            url: Some(url.into()),
            ..Self::default()
        }
    }

    /// How to ask; a form unless said (ELIC-02).
    #[must_use]
    pub fn mode(&self) -> &ElicitMode {
        self.mode.as_ref().unwrap_or(&ElicitMode::Form)
    }

    /// What may be said at a revision; `None` if it cannot ask so.
    #[must_use]
    pub fn for_version(&self, version: &Version) -> Option<Self> {
        let mut this = self.clone();
        if version.is_before(&Version::V2025_11_25) {
            if version.is_before(&Version::V2025_06_18) || *self.mode() != ElicitMode::Form {
                return None;
            }
            this.mode = None;
        }
        if *version != Version::V2025_11_25 {
            this.elicitation_id = None;
            this.task = None;
        }
        Some(this)
    }
}

wire_object! {
    ElicitParams {
        Optional mode = "mode",
        Required message = "message",
        Optional requested_schema = "requestedSchema",
        Optional url = "url",
        Optional elicitation_id = "elicitationId",
        Optional task = "task",
        Optional meta = "_meta",
    }
}

/// How a user is asked. Since 2025-11-25.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ElicitMode {
    /// By a form.
    Form,
    /// By opening a URL.
    Url,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! { ElicitMode { Form = "form", Url = "url" } }

/// The parameters of `notifications/elicitation/complete`. 2025-11-25 only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElicitationCompleteParams {
    /// What is over; unknown ones are ignored (ELIC-11).
    pub elicitation_id: String,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ElicitationCompleteParams {
    /// What is over.
    pub fn new(elicitation_id: impl Into<String>) -> Self {
        Self {
            elicitation_id: elicitation_id.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ElicitationCompleteParams {
        Required elicitation_id = "elicitationId",
        Optional meta = "_meta",
    }
}
