//! What a client can do.

use crate::capability::TasksCapability;
use crate::map::{Extra, OrderedMap};
use crate::raw::RawJson;
use crate::version::Version;

/// What a client can do. All revisions; since 2026-07-28 in the `_meta` of each request.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// What no revision names, each an object.
    pub experimental: Option<OrderedMap<RawJson>>,
    /// It has roots.
    pub roots: Option<RootsCapability>,
    /// It lends a model.
    pub sampling: Option<SamplingCapability>,
    /// It asks its user. Since 2025-06-18.
    pub elicitation: Option<ElicitationCapability>,
    /// It runs tasks. 2025-11-25 only.
    pub tasks: Option<TasksCapability>,
    /// Extensions by identifier, each an object of settings. A member since 2026-07-28; earlier
    /// revisions tolerate it, since capabilities are open.
    pub extensions: Option<OrderedMap<RawJson>>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ClientCapabilities {
    /// A client that only asks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Has roots.
    #[must_use]
    pub fn with_roots(mut self, roots: RootsCapability) -> Self {
        self.roots = Some(roots);
        self
    }

    /// Lends a model.
    #[must_use]
    pub fn with_sampling(mut self, sampling: SamplingCapability) -> Self {
        self.sampling = Some(sampling);
        self
    }

    /// Asks its user.
    #[must_use]
    pub fn with_elicitation(mut self, elicitation: ElicitationCapability) -> Self {
        self.elicitation = Some(elicitation);
        self
    }

    /// Has an extension.
    #[must_use]
    pub fn with_extension(mut self, id: impl Into<String>, settings: RawJson) -> Self {
        self.extensions.get_or_insert_default().insert(id, settings);
        self
    }

    /// What may be said at a revision: without members that the revision does not have or that
    /// mean something else there.
    ///
    /// Spec: T-36, T-44, SAMP-02, ELIC-01, ROOT-01.
    #[must_use]
    pub fn for_version(&self, version: &Version) -> Self {
        let mut this = self.clone();
        if version.is_before(&Version::V2025_06_18) {
            this.elicitation = None;
        }
        if version.is_before(&Version::V2025_11_25) {
            if let Some(sampling) = &mut this.sampling {
                *sampling = SamplingCapability::default();
            }
            // One that can only open URLs cannot serve a revision that has forms alone.
            this.elicitation = this
                .elicitation
                .filter(ElicitationCapability::has_form)
                .map(|_| ElicitationCapability::default());
        }
        if *version != Version::V2025_11_25 {
            this.tasks = None;
        }
        if version.is_modern()
            && let Some(roots) = &mut this.roots
        {
            roots.list_changed = None;
        }
        this
    }
}

wire_object! {
    ClientCapabilities {
        Optional experimental = "experimental",
        Optional roots = "roots",
        Optional sampling = "sampling",
        Optional elicitation = "elicitation",
        Optional tasks = "tasks",
        Optional extensions = "extensions",
    }
}

/// A client's roots.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RootsCapability {
    /// It tells when they change. Until 2025-11-25.
    pub list_changed: Option<bool>,
    /// Members without a field here.
    pub extra: Extra,
}

impl RootsCapability {
    /// Roots, and whether their changes are told.
    #[must_use]
    pub fn new(list_changed: bool) -> Self {
        Self {
            list_changed: list_changed.then_some(true),
            extra: Extra::new(),
        }
    }
}

wire_object! { RootsCapability { Optional list_changed = "listChanged", } }

/// A client's model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SamplingCapability {
    /// It can add context of servers, an object. Since 2025-11-25.
    pub context: Option<RawJson>,
    /// It lets the model use tools, an object. Since 2025-11-25.
    pub tools: Option<RawJson>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SamplingCapability {
    /// A model that takes messages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The model may use tools.
    #[must_use]
    pub fn with_tools(mut self) -> Self {
        self.tools = Some(RawJson::empty_object());
        self
    }

    /// Context of servers can be added.
    #[must_use]
    pub fn with_context(mut self) -> Self {
        self.context = Some(RawJson::empty_object());
        self
    }
}

wire_object! {
    SamplingCapability {
        Optional context = "context",
        Optional tools = "tools",
    }
}

/// The ways in which a client asks its user. Since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// By a form, an object. Since 2025-11-25; before that, and if both are absent, forms are
    /// meant.
    pub form: Option<RawJson>,
    /// By opening a URL, an object. Since 2025-11-25.
    pub url: Option<RawJson>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ElicitationCapability {
    /// Forms only, said in the way that every revision understands.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds forms.
    #[must_use]
    pub fn with_form(mut self) -> Self {
        self.form = Some(RawJson::empty_object());
        self
    }

    /// Adds URLs. Without [`Self::with_form`] there are no forms then.
    #[must_use]
    pub fn with_url(mut self) -> Self {
        self.url = Some(RawJson::empty_object());
        self
    }

    /// Whether forms are possible.
    #[must_use]
    pub const fn has_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether URLs are possible.
    #[must_use]
    pub const fn has_url(&self) -> bool {
        self.url.is_some()
    }
}

wire_object! {
    ElicitationCapability {
        Optional form = "form",
        Optional url = "url",
    }
}
