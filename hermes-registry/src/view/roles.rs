//! Policies by name.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use super::policy::ViewPolicy;
use crate::nearest::nearest;

/// Policies by the names of the roles that they are for.
///
/// There is no role that applies where none is named: who asks for a role that is not there gets an
/// error, and not a view of everything.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Roles(BTreeMap<String, ViewPolicy>);

impl Roles {
    /// No role.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same roles with this one, in place of one of that name.
    #[must_use]
    pub fn with(mut self, role: impl Into<String>, policy: ViewPolicy) -> Self {
        self.0.insert(role.into(), policy);
        self
    }

    /// The policy of a role.
    ///
    /// # Errors
    ///
    /// [`UnknownRole`] if there is no such role.
    pub fn policy(&self, role: &str) -> Result<&ViewPolicy, UnknownRole> {
        self.0.get(role).ok_or_else(|| UnknownRole {
            role: role.to_owned(),
            nearest: nearest(role, self.0.keys().map(String::as_str)).map(str::to_owned),
        })
    }

    /// The roles, sorted by their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ViewPolicy)> {
        self.0.iter().map(|(role, policy)| (role.as_str(), policy))
    }
}

/// No role is called so.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownRole {
    /// The name that was asked for.
    pub role: String,
    /// The role that was probably meant.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no role is called `{}`", self.role)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

impl Error for UnknownRole {}
