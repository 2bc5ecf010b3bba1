//! Which tools of a server are offered: `tools.include` and `tools.exclude`.
//!
//! Both match the names that the server itself uses, never the public ones.
//! A pattern is an exact name or a glob with `*`, `?` and `[…]`, and case counts.
//! The same filter is asked when tools are listed and again when one is called.

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

/// An exact name or a glob, with case counting.
///
/// `*` stands for any characters, `?` for one, `[abc]` and `[a-z]` for one of these, and `[!abc]`
/// or `[^abc]` for one other than these.
/// A `[` that is never closed stands for itself.
/// A name that is equal to the pattern always matches, so that a tool called `a[1]` can be named.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Part {
    /// `*`
    Any,
    /// `?`
    One,
    Plain(char),
    /// `[…]`, as inclusive ranges.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Pattern {
    /// The pattern that is written so; every text is one.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut parts = Vec::new();
        let mut rest = text.chars();
        while let Some(char) = rest.next() {
            let part = match char {
                '*' => Part::Any,
                '?' => Part::One,
                '[' => match parse_set(rest.as_str()) {
                    Some((set, after)) => {
                        rest = after.chars();
                        set
                    }
                    None => Part::Plain('['),
                },
                char => Part::Plain(char),
            };
            if part != Part::Any || parts.last() != Some(&Part::Any) {
                parts.push(part);
            }
        }
        Self { text, parts }
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches the whole of `name`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.text == name || matches_parts(&self.parts, name)
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Walks pattern and name once, going back to the last `*` only.
///
/// Bound: at most the product of both lengths, as an earlier `*` never needs to take more.
fn matches_parts(parts: &[Part], name: &str) -> bool {
    let (mut parts, mut name) = (parts, name.chars());
    let mut retry: Option<(&[Part], std::str::Chars<'_>)> = None;
    loop {
        match (parts.split_first(), name.clone().next()) {
            (Some((Part::Any, after)), _) => {
                retry = Some((after, name.clone()));
                parts = after;
                continue;
            }
            (Some((part, after)), Some(char)) if part.takes(char) => {
                name.next();
                parts = after;
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        // The last `*` takes one character more, if there is one.
        let Some((after, taken)) = &mut retry else {
            return false;
        };
        if taken.next().is_none() {
            return false;
        }
        parts = after;
        name = taken.clone();
    }
}

impl Part {
    fn takes(&self, char: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Plain(plain) => *plain == char,
            Self::Set { negated, ranges } => {
                ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&char))
                    != *negated
            }
        }
    }
}

/// The set that begins behind its `[`, and what follows it.
fn parse_set(text: &str) -> Option<(Part, &str)> {
    let negated = text.starts_with(['!', '^']);
    let mut rest = text.chars();
    if negated {
        rest.next();
    }
    let mut ranges = Vec::new();
    loop {
        let first = rest.next()?;
        // A bracket that comes first is a member, as otherwise none could be.
        if first == ']' && !ranges.is_empty() {
            return Some((Part::Set { negated, ranges }, rest.as_str()));
        }
        let mut ahead = rest.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                rest = ahead;
                last
            }
            _ => first,
        };
        ranges.push((first, last));
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
    fn patterns_match_whole_names_with_case() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "reader", false),
            ("read", "Read", false),
            ("*", "", true),
            ("*", "anything", true),
            ("mem_*", "mem_add", true),
            ("mem_*", "amem_add", false),
            ("*_add", "mem_add_add", true),
            ("a*b*c", "axxbxxc", true),
            ("a*b*c", "axxcxxb", false),
            ("**", "x", true),
            ("r?ad", "read", true),
            ("r?ad", "rad", false),
            ("?", "ü", true),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[!a-c]x", "dx", true),
            ("[^a]x", "ax", false),
            ("[]]", "]", true),
            ("[a-]", "-", true),
            ("[", "[", true),
            ("a[1]", "a[1]", true),
            ("a[1]", "a1", true),
            ("demo_read", "demo/read", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).matches(name),
                expected,
                "{pattern} {name}"
            );
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

    #[test]
    fn a_hostile_pattern_takes_no_more_than_the_product_of_both_lengths() {
        let pattern = Pattern::new("*a".repeat(2_000));
        assert!(!pattern.matches(&format!("{}b", "a".repeat(20_000))));
    }
}
