//! A name that no toolset has.

use std::error::Error;
use std::fmt;

/// A name that stands for no toolset.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownToolset {
    /// The name as it was written, its `-` included.
    pub name: String,
    /// Names that were probably meant, the most likely first, at most three.
    pub nearest: Vec<String>,
}

impl fmt::Display for UnknownToolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no toolset is called `{}`", self.name)?;
        for (index, nearest) in self.nearest.iter().enumerate() {
            let before = if index == 0 { "; did you mean" } else { " or" };
            write!(f, "{before} `{nearest}`")?;
        }
        f.write_str(if self.nearest.is_empty() { "" } else { "?" })
    }
}

impl Error for UnknownToolset {}
