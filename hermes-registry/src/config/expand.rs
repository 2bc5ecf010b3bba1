//! `${…}` in values: the one place where references to variables are replaced.
//!
//! | written | means |
//! |---|---|
//! | `${NAME}` | the environment variable `NAME`; an error if it is not set |
//! | `${env:NAME}` | the same, as some editors write it |
//! | `${NAME:-text}` | the variable, or `text` if it is not set; `text` may hold references itself |
//! | `${userHome}` | the home folder |
//! | `${workspaceFolder}` | the folder of work |
//! | `${workspaceFolderBasename}` | the last part of it |
//! | `${pathSeparator}`, `${/}` | `/`, on Windows `\` |
//! | `$${` | the plain text `${` |
//!
//! A variable that is set but empty is a value: it gives the empty text, not the default.
//! `$NAME` without braces, and `$$` before anything but a brace, are plain text.
//! What a variable holds is never searched for references.
//! Where variables and folders come from is for the [`Context`] to say.

use std::cell::Cell;
use std::fmt;

use super::context::Context;
use crate::environment;

/// Deepest nesting of defaults inside defaults.
///
/// Bound: the stack.
const DEFAULT_DEPTH_MAX: usize = 16;

/// Longest value once its references are replaced.
///
/// Bound: memory, and no system passes an argument or variable that long to a process.
pub(super) const EXPANDED_LEN_MAX: usize = 1 << 20;

/// Most bytes that variables may add to one file.
///
/// Bound: memory, against one long variable in very many values.
const ADDED_LEN_MAX: usize = 16 << 20;

/// A value with its references replaced.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub struct Expanded {
    /// The value.
    pub text: String,
    /// What environment variables gave, except those that every child process gets anyway.
    pub substituted: Vec<String>,
    /// Whether there was any reference in it.
    pub interpolated: bool,
}

impl fmt::Debug for Expanded {
    /// Tells the length only: what comes from a variable may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expanded")
            .field("text_len", &self.text.len())
            .field("substituted", &self.substituted.len())
            .field("interpolated", &self.interpolated)
            .finish()
    }
}

/// Why a reference cannot be replaced.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ExpandError {
    /// What stands between the braces is not the name of a variable.
    BadName {
        /// What stands there, cut to a reasonable length.
        name: String,
    },
    /// The result is longer than 1 MiB, or defaults are nested too deep.
    TooLong,
    /// A folder that the context does not know, and the reference has no default.
    Unknown {
        /// What it is called, such as `workspaceFolder`.
        name: &'static str,
    },
    /// The variable is not set, and the reference has no default.
    Unset {
        /// Its name.
        variable: String,
    },
    /// `${` without its `}`.
    Unterminated,
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName { name } => write!(f, "`{name}` is not the name of a variable"),
            Self::TooLong => f.write_str("the value is too long once its variables are replaced"),
            Self::Unknown { name } => write!(f, "`${{{name}}}` is not known here"),
            Self::Unset { variable } => {
                write!(f, "the environment variable `{variable}` is not set")
            }
            Self::Unterminated => f.write_str("`${` has no `}`"),
        }
    }
}

impl std::error::Error for ExpandError {}

/// Replaces references by what a context knows.
#[derive(Debug)]
pub struct Expander<'a> {
    context: &'a Context<'a>,
    added_len: Cell<usize>,
}

impl<'a> Expander<'a> {
    /// An expander over this context.
    #[must_use]
    pub fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            added_len: Cell::new(0),
        }
    }

    /// What references may refer to.
    pub(super) fn context(&self) -> &'a Context<'a> {
        self.context
    }

    /// The text with every reference replaced.
    ///
    /// # Errors
    ///
    /// [`ExpandError`] names the first reference that cannot be replaced.
    pub fn expand(&self, text: &str) -> Result<Expanded, ExpandError> {
        let mut expanded = Expanded {
            text: String::new(),
            substituted: Vec::new(),
            interpolated: false,
        };
        self.append(text, 0, &mut expanded)?;
        Ok(expanded)
    }

    fn append(&self, text: &str, depth: usize, out: &mut Expanded) -> Result<(), ExpandError> {
        if depth > DEFAULT_DEPTH_MAX {
            return Err(ExpandError::TooLong);
        }
        let mut rest = text;
        while let Some((before, tail)) = rest.find('$').and_then(|at| rest.split_at_checked(at)) {
            out.text.push_str(before);
            if let Some(after) = tail.strip_prefix("$${") {
                out.text.push_str("${");
                rest = after;
            } else if let Some(body) = tail.strip_prefix("${") {
                let (reference, after) = split_body(body).ok_or(ExpandError::Unterminated)?;
                out.interpolated = true;
                self.resolve(reference, depth, out)?;
                rest = after;
            } else {
                out.text.push('$');
                rest = tail.strip_prefix('$').unwrap_or_default();
            }
            if out.text.len() > EXPANDED_LEN_MAX {
                return Err(ExpandError::TooLong);
            }
        }
        out.text.push_str(rest);
        if out.text.len() > EXPANDED_LEN_MAX {
            Err(ExpandError::TooLong)
        } else {
            Ok(())
        }
    }

    fn resolve(
        &self,
        reference: &str,
        depth: usize,
        out: &mut Expanded,
    ) -> Result<(), ExpandError> {
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name.trim(), Some(default)),
            None => (reference.trim(), None),
        };
        let next = depth.saturating_add(1);
        if let Some((name, known)) = self.folder(name) {
            return match (known, default) {
                (Some(text), _) => self.push(&text, out),
                (None, Some(default)) => self.append(default, next, out),
                (None, None) => Err(ExpandError::Unknown { name }),
            };
        }
        let variable = name.strip_prefix("env:").map_or(name, str::trim);
        if !is_variable(variable) {
            return Err(ExpandError::BadName {
                name: super::tree::excerpt(variable),
            });
        }
        match (self.context.variable(variable), default) {
            (Some(text), _) => {
                if !environment::is_passed_on(variable) && !text.is_empty() {
                    out.substituted.push(text.clone());
                }
                self.push(&text, out)
            }
            (None, Some(default)) => self.append(default, next, out),
            (None, None) => Err(ExpandError::Unset {
                variable: variable.to_owned(),
            }),
        }
    }

    /// The name and the value of what is no variable, if this is such a name.
    fn folder(&self, name: &str) -> Option<(&'static str, Option<String>)> {
        let workspace = self.context.workspace_folder();
        let separator = std::path::MAIN_SEPARATOR.to_string();
        Some(match name {
            "userHome" => ("userHome", self.context.home().map(str::to_owned)),
            "workspaceFolder" => ("workspaceFolder", workspace.map(str::to_owned)),
            "workspaceFolderBasename" => {
                let parts = workspace.map(|folder| folder.rsplit(std::path::is_separator));
                let last = parts.and_then(|mut parts| parts.find(|part| !part.is_empty()));
                ("workspaceFolderBasename", last.map(str::to_owned))
            }
            "pathSeparator" => ("pathSeparator", Some(separator)),
            "/" => ("/", Some(separator)),
            _ => return None,
        })
    }

    fn push(&self, text: &str, out: &mut Expanded) -> Result<(), ExpandError> {
        let added_len = self.added_len.get().saturating_add(text.len());
        self.added_len.set(added_len);
        if added_len > ADDED_LEN_MAX {
            return Err(ExpandError::TooLong);
        }
        out.text.push_str(text);
        Ok(())
    }
}

/// What stands before the brace that closes the reference, and what stands after it.
fn split_body(text: &str) -> Option<(&str, &str)> {
    // Every opening brace counts, so that a default may be JSON or hold references.
    let mut open = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '{' => open += 1,
            '}' if open == 0 => {
                let (body, after) = text.split_at_checked(at)?;
                return Some((body, after.strip_prefix('}')?));
            }
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Whether this is the name of an environment variable.
///
/// Parentheses occur in names of Windows, such as `ProgramFiles(x86)`.
pub(crate) fn is_variable(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '(' | ')');
    name.chars().all(is_plain)
        && name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<String> {
        let value = match name {
            "HOME" => "/home/ada",
            "TOKEN" => "s3cr3t-t0ken",
            "EMPTY" => "",
            "LOOP" => "${LOOP}",
            "workspaceFolder" => "no folder, but a variable",
            _ => return None,
        };
        Some(value.to_owned())
    }

    fn expand(text: &str) -> Result<String, ExpandError> {
        let context = Context::new(&lookup).with_workspace_folder("/srv/app/");
        let expanded = Expander::new(&context).expand(text);
        expanded.map(|expanded| expanded.text)
    }

    #[test]
    fn references_are_replaced() {
        for (text, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("${TOKEN}", "s3cr3t-t0ken"),
            ("a${TOKEN}b${ TOKEN }c", "as3cr3t-t0kenbs3cr3t-t0kenc"),
            ("${env:TOKEN}", "s3cr3t-t0ken"),
            ("${NONE:-x}", "x"),
            ("${NONE:-}", ""),
            ("${EMPTY}", ""),
            ("${EMPTY:-x}", ""),
            ("${TOKEN:-${NONE}}", "s3cr3t-t0ken"),
            ("${NONE:-${ALSO_NONE:-${TOKEN}}}", "s3cr3t-t0ken"),
            ("${NONE:-{\"a\":{}}}", "{\"a\":{}}"),
            ("${NONE:-http://h:1/}", "http://h:1/"),
            ("${env:NONE:-y}", "y"),
            ("${userHome}/x", "/home/ada/x"),
            ("${workspaceFolder}", "/srv/app/"),
            ("${workspaceFolderBasename}", "app"),
            ("${env:workspaceFolder}", "no folder, but a variable"),
            ("$HOME $$ $ 5$", "$HOME $$ $ 5$"),
            ("pa$$word", "pa$$word"),
            ("$${TOKEN}", "${TOKEN}"),
            ("$$${TOKEN}", "$${TOKEN}"),
            ("${NONE:-$${x}}", "${x}"),
            ("${LOOP}", "${LOOP}"),
            ("ü${TOKEN}ü", "üs3cr3t-t0kenü"),
        ] {
            assert_eq!(expand(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(expand("${/}"), Ok(std::path::MAIN_SEPARATOR.to_string()));
    }

    #[test]
    fn a_reference_that_cannot_be_replaced_is_an_error() {
        let unset = |name: &str| ExpandError::Unset {
            variable: name.to_owned(),
        };
        let bad = |name: &str| ExpandError::BadName {
            name: name.to_owned(),
        };
        for (text, expected) in [
            ("${NONE}", unset("NONE")),
            ("${env:NONE}", unset("NONE")),
            ("${NONE:-${ALSO_NONE}}", unset("ALSO_NONE")),
            ("x ${", ExpandError::Unterminated),
            ("${TOKEN", ExpandError::Unterminated),
            ("${NONE:-${TOKEN}", ExpandError::Unterminated),
            ("${}", bad("")),
            ("${1A}", bad("1A")),
            ("${TOKEN-x}", bad("TOKEN-x")),
            ("${input:key}", bad("input:key")),
        ] {
            assert_eq!(expand(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn a_folder_that_is_not_known_is_an_error_unless_there_is_a_default() {
        let context = Context::new(&|_name| None);
        let expander = Expander::new(&context);
        for name in ["userHome", "workspaceFolder", "workspaceFolderBasename"] {
            let failure = expander.expand(&format!("${{{name}}}"));
            assert_eq!(failure, Err(ExpandError::Unknown { name }));
            let expanded = expander.expand(&format!("${{{name}:-/x}}"));
            assert_eq!(expanded.map(|expanded| expanded.text).as_deref(), Ok("/x"));
        }
        let context = context.with_home("/h").with_workspace_folder("/");
        let expander = Expander::new(&context);
        let home = expander.expand("${userHome}${workspaceFolder}");
        assert_eq!(home.map(|expanded| expanded.text).as_deref(), Ok("/h/"));
        let name = "workspaceFolderBasename";
        let root = expander.expand("${workspaceFolderBasename}");
        assert_eq!(root, Err(ExpandError::Unknown { name }));
    }

    #[test]
    fn what_variables_gave_is_told_except_what_every_child_gets() {
        let context = Context::new(&lookup);
        let expanded = Expander::new(&context).expand("--t=${TOKEN} ${HOME} ${NONE:-dev}");
        let expanded = expanded.expect("every reference is known");
        assert_eq!(expanded.substituted, ["s3cr3t-t0ken"]);
        assert!(expanded.interpolated);
        assert!(!format!("{expanded:?}").contains("s3cr3t"));
    }

    #[test]
    fn growth_and_nesting_are_bounded() {
        let long = |_: &str| Some("x".repeat(1 << 16));
        let context = Context::new(&long);
        let expander = Expander::new(&context);
        assert_eq!(
            expander.expand(&"${A}".repeat(1 << 10)),
            Err(ExpandError::TooLong)
        );
        let deep = format!("{}{}", "${N:-".repeat(40), "}".repeat(40));
        assert_eq!(expand(&deep), Err(ExpandError::TooLong));
    }
}
