//! Patterns for the names of tools.

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
    fn a_hostile_pattern_takes_no_more_than_the_product_of_both_lengths() {
        let pattern = Pattern::new("*a".repeat(2_000));
        assert!(!pattern.matches(&format!("{}b", "a".repeat(20_000))));
    }
}
