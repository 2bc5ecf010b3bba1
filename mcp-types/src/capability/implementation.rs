//! Who takes part: names, versions, pictures.

use crate::map::Extra;
use crate::version::Version;

/// The name and version of a client or a server. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Implementation {
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// The version, of no fixed form.
    pub version: String,
    /// What it is for. Since 2025-11-25.
    pub description: Option<String>,
    /// Its site. Since 2025-11-25.
    pub website_url: Option<String>,
    /// Its pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Implementation {
    /// A name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            version: version.into(),
            description: None,
            website_url: None,
            icons: None,
            extra: Extra::new(),
        }
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what it is for.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets its site.
    #[must_use]
    pub fn with_website_url(mut self, url: impl Into<String>) -> Self {
        self.website_url = Some(url.into());
        self
    }

    /// Without the members that the revision does not have.
    #[must_use]
    pub fn for_version(&self, version: &Version) -> Self {
        let mut this = self.clone();
        if version.is_before(&Version::V2025_06_18) {
            this.title = None;
        }
        if version.is_before(&Version::V2025_11_25) {
            this.description = None;
            this.website_url = None;
            this.icons = None;
        }
        this
    }
}

wire_object! {
    Implementation {
        Required name = "name",
        Optional title = "title",
        Required version = "version",
        Optional description = "description",
        Optional website_url = "websiteUrl",
        Optional icons = "icons",
    }
}

/// A picture. Since 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Icon {
    /// An `https:` or `data:` URI. Whoever fetches it decides whether it is to be trusted.
    pub src: String,
    /// The type of the picture, if it is not the one that comes with it.
    pub mime_type: Option<String>,
    /// Sizes as in `48x48`, or `any` for one that scales.
    pub sizes: Option<Vec<String>>,
    /// The background that it is made for.
    pub theme: Option<IconTheme>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Icon {
    /// A picture at a URI.
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: None,
            theme: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    Icon {
        Required src = "src",
        Optional mime_type = "mimeType",
        Optional sizes = "sizes",
        Optional theme = "theme",
    }
}

/// The background that an icon is made for.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum IconTheme {
    /// A light background.
    Light,
    /// A dark background.
    Dark,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! { IconTheme { Light = "light", Dark = "dark" } }
