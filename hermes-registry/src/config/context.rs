//! What the references of a configuration are replaced by, as a value.

use std::fmt;

/// What a configuration may refer to: variables, the home folder and the folder of work.
///
/// Nothing is asked of the process itself, so that the same text and the same context always give
/// the same configuration.
#[derive(Clone)]
pub struct Context<'a> {
    vars: &'a dyn Fn(&str) -> Option<String>,
    home: Option<String>,
    workspace_folder: Option<String>,
}

impl<'a> Context<'a> {
    /// A context with these variables, without a folder of work, in which `HOME`, else
    /// `USERPROFILE`, is the home folder unless it is empty.
    pub fn new(vars: &'a dyn Fn(&str) -> Option<String>) -> Self {
        let set = |name| vars(name).filter(|home| !home.is_empty());
        Self {
            vars,
            home: set("HOME").or_else(|| set("USERPROFILE")),
            workspace_folder: None,
        }
    }

    /// The same context with this home folder: `${userHome}`, and `~` at the beginning of a path.
    #[must_use]
    pub fn with_home(mut self, folder: impl Into<String>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// The same context with this folder of work: `${workspaceFolder}`, where relative `roots`
    /// begin.
    #[must_use]
    pub fn with_workspace_folder(mut self, folder: impl Into<String>) -> Self {
        self.workspace_folder = Some(folder.into());
        self
    }

    /// An environment variable; one that is set but empty is set.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.vars)(name)
    }

    /// The home folder.
    #[must_use]
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// The folder of work.
    #[must_use]
    pub fn workspace_folder(&self) -> Option<&str> {
        self.workspace_folder.as_deref()
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("home", &self.home)
            .field("workspace_folder", &self.workspace_folder)
            .finish_non_exhaustive()
    }
}
