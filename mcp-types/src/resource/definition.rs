//! Resources and templates, as a server lists them.

use crate::capability::Icon;
use crate::content::Annotations;
use crate::map::Extra;
use crate::meta::Meta;

/// A resource, as a server lists it. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resource {
    /// Where it is.
    pub uri: String,
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What it is, for models.
    pub description: Option<String>,
    /// The media type.
    pub mime_type: Option<String>,
    /// The size in bytes before any encoding.
    pub size: Option<i64>,
    /// How it may be used.
    pub annotations: Option<Annotations>,
    /// Its pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl Resource {
    /// A resource with its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    Resource {
        Required uri = "uri",
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional mime_type = "mimeType",
        Optional size = "size",
        Optional annotations = "annotations",
        Optional icons = "icons",
        Optional meta = "_meta",
    }
}

/// A family of resources. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The URI template, in the form of RFC 6570.
    pub uri_template: String,
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    pub title: Option<String>,
    /// What they are, for models.
    pub description: Option<String>,
    /// The media type, if all have the same.
    pub mime_type: Option<String>,
    /// How they may be used.
    pub annotations: Option<Annotations>,
    /// Their pictures. Since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Open data. Since 2025-06-18.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl ResourceTemplate {
    /// A template with its name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    ResourceTemplate {
        Required uri_template = "uriTemplate",
        Required name = "name",
        Optional title = "title",
        Optional description = "description",
        Optional mime_type = "mimeType",
        Optional annotations = "annotations",
        Optional icons = "icons",
        Optional meta = "_meta",
    }
}
