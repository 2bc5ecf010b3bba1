//! Which tools of a server are offered: `tools.include` and `tools.exclude`.
//!
//! Both match the names that the server itself uses, never the public ones.
//! A pattern is an exact name or a glob with `*`, `?` and `[…]`, and case counts.
//! The same filter is asked when tools are listed and again when one is called.

use std::fmt;

pub use crate::glob::Pattern;
use crate::nearest::nearest;

/// Which tools of a server are offered.
///
/// With `include`, the tools it matches and no others; `exclude` has no effect beside it, and an
/// empty `include` offers nothing.
/// Without `include`, every tool that `exclude` does not match.
/// The default offers everything.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ToolFilter {
    include: Option<Vec<Pattern>>,
    exclude: Vec<Pattern>,
}

impl ToolFilter {
    /// A filter that offers every tool.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// The same filter, offering only what these patterns match.
    #[must_use]
    pub fn with_include(mut self, patterns: impl IntoIterator<Item = Pattern>) -> Self {
        self.include = Some(patterns.into_iter().collect());
        self
    }

    /// The same filter, offering nothing that these patterns match.
    #[must_use]
    pub fn with_exclude(mut self, patterns: impl IntoIterator<Item = Pattern>) -> Self {
        self.exclude = patterns.into_iter().collect();
        self
    }

    /// Whether the tool that the server calls `name` is offered.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        match &self.include {
            Some(include) => include.iter().any(|pattern| pattern.matches(name)),
            None => !self.exclude.iter().any(|pattern| pattern.matches(name)),
        }
    }

    /// The patterns of which a tool must match one, if there are such.
    #[must_use]
    pub fn include(&self) -> Option<&[Pattern]> {
        self.include.as_deref()
    }

    /// The patterns of which a tool must match none; they have no effect beside `include`.
    #[must_use]
    pub fn exclude(&self) -> &[Pattern] {
        &self.exclude
    }

    /// Whether every tool is offered, whatever it is called.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.include.is_none() && self.exclude.is_empty()
    }

    /// The patterns that match none of the server's tools, each with the nearest name there is.
    ///
    /// A pattern without effect is mostly a slip, or a tool that the server has renamed; the user
    /// should hear of it.
    #[must_use]
    pub fn unmatched<'a>(&self, names: &[&'a str]) -> Vec<Unmatched<'_, 'a>> {
        let patterns = match &self.include {
            Some(include) => include,
            None => &self.exclude,
        };
        patterns
            .iter()
            .filter(|pattern| !names.iter().any(|name| pattern.matches(name)))
            .map(|pattern| Unmatched {
                pattern: pattern.as_str(),
                nearest: nearest(pattern.as_str(), names.iter().copied()),
            })
            .collect()
    }
}

/// A pattern of a filter that matches no tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Unmatched<'p, 'n> {
    /// The pattern as it was written.
    pub pattern: &'p str,
    /// The tool that was probably meant.
    pub nearest: Option<&'n str>,
}

impl fmt::Display for Unmatched<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` in its `tools` filter matches no tool",
            self.pattern
        )?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(include: Option<&[&str]>, exclude: &[&str]) -> ToolFilter {
        let filter = ToolFilter::all().with_exclude(exclude.iter().copied().map(Pattern::from));
        match include {
            Some(include) => filter.with_include(include.iter().copied().map(Pattern::from)),
            None => filter,
        }
    }

    #[test]
    fn include_wins_and_an_empty_one_offers_nothing() {
        let names = ["mem_add", "mem_del", "read", "demo/read", "demo_read"];
        let offered = |filter: &ToolFilter| -> Vec<&str> {
            names
                .into_iter()
                .filter(|name| filter.allows(name))
                .collect()
        };
        for (include, exclude, expected) in [
            (None, &[][..], &names[..]),
            (None, &["mem_*"][..], &["read", "demo/read", "demo_read"]),
            (Some(&["demo_read"][..]), &[], &["demo_read"]),
            (
                Some(&["read", "mem_*"]),
                &["read"],
                &["mem_add", "mem_del", "read"],
            ),
            (Some(&[]), &[], &[]),
            (None, &["*"], &[]),
        ] {
            assert_eq!(
                offered(&filter(include, exclude)),
                expected,
                "{include:?} {exclude:?}"
            );
        }
    }

    #[test]
    fn a_pattern_without_effect_is_told_with_the_nearest_name() {
        let names = ["create_issue", "list_issues"];
        let include = filter(Some(&["create_isue", "list_*", "nope"]), &["unused"]);
        let unmatched: Vec<_> = include
            .unmatched(&names)
            .into_iter()
            .map(|one| (one.pattern, one.nearest))
            .collect();
        assert_eq!(
            unmatched,
            [("create_isue", Some("create_issue")), ("nope", None)]
        );
        assert_eq!(filter(None, &["nope"]).unmatched(&names).len(), 1);
    }
}
