//! What commands that change the configuration tell, as JSON; see `json` for all others.

use serde::Serialize;

use super::json::Test;
use crate::failure::Failure;

/// A server that was written.
#[derive(Serialize)]
pub(crate) struct Added<'a> {
    pub(crate) server: &'a str,
    pub(crate) file: Option<&'a str>,
    pub(crate) action: &'static str,
    pub(crate) check: Option<Test<'a>>,
    pub(crate) error: Option<&'a Failure>,
    pub(crate) hints: &'a [String],
}

/// Tools that were approved as they are.
#[derive(Serialize)]
pub(crate) struct Approved<'a> {
    pub(crate) server: &'a str,
    pub(crate) approved: bool,
    pub(crate) added: &'a [&'a str],
    pub(crate) changed: Vec<ChangedTool<'a>>,
    pub(crate) removed: &'a [&'a str],
}

/// A tool that is not what was approved before.
#[derive(Serialize)]
pub(crate) struct ChangedTool<'a> {
    pub(crate) tool: &'a str,
    pub(crate) fields: Vec<&'static str>,
    pub(crate) diff: &'a str,
}

/// Servers that were taken out.
#[derive(Serialize)]
pub(crate) struct Removed<'a> {
    pub(crate) servers: &'a [String],
    pub(crate) file: Option<&'a str>,
}

/// A server that is used, or is not.
#[derive(Serialize)]
pub(crate) struct Switched<'a> {
    pub(crate) server: &'a str,
    pub(crate) file: Option<&'a str>,
    pub(crate) enabled: bool,
    pub(crate) changed: bool,
}

/// Which tools of a server are offered.
#[derive(Serialize)]
pub(crate) struct Configured<'a> {
    pub(crate) server: &'a str,
    pub(crate) file: Option<&'a str>,
    pub(crate) include: Option<&'a [String]>,
    pub(crate) exclude: &'a [String],
    pub(crate) changed: bool,
}
