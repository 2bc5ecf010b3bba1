//! Which tools are offered, and how options change that.

use hermes_registry::filter::{Pattern, ToolFilter};

/// What `tools.include` and `tools.exclude` hold.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Offer {
    pub(super) include: Option<Vec<String>>,
    pub(super) exclude: Vec<String>,
}

/// A pattern that covers a tool which is to be treated otherwise than its neighbours.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Covered {
    pub(super) tool: String,
    pub(super) pattern: String,
}

impl From<&ToolFilter> for Offer {
    fn from(filter: &ToolFilter) -> Self {
        let texts = |patterns: &[Pattern]| {
            let texts = patterns.iter().map(|pattern| pattern.as_str().to_owned());
            texts.collect()
        };
        Self {
            include: filter.include().map(texts),
            exclude: texts(filter.exclude()),
        }
    }
}

impl Offer {
    /// Only what these patterns match.
    pub(super) fn only(include: &[String]) -> Self {
        Self {
            include: Some(unique(include)),
            exclude: Vec::new(),
        }
    }

    /// All but what these patterns match.
    pub(super) fn all_but(exclude: &[String]) -> Self {
        Self {
            include: None,
            exclude: unique(exclude),
        }
    }

    /// Offers a tool.
    ///
    /// # Errors
    ///
    /// If a glob excludes it, since others would be offered without that glob.
    pub(super) fn enable(&mut self, tool: &str) -> Result<(), Covered> {
        match &mut self.include {
            Some(include) => {
                if covering(include, tool).is_none() {
                    include.push(tool.to_owned());
                }
                // It would have no effect, and be a riddle to whoever reads the file.
                self.exclude.clear();
                Ok(())
            }
            None => without(&mut self.exclude, tool),
        }
    }

    /// Does not offer a tool.
    ///
    /// # Errors
    ///
    /// If a glob includes it, since others would not be offered without that glob.
    pub(super) fn disable(&mut self, tool: &str) -> Result<(), Covered> {
        match &mut self.include {
            Some(include) => without(include, tool),
            None => {
                if covering(&self.exclude, tool).is_none() {
                    self.exclude.push(tool.to_owned());
                }
                Ok(())
            }
        }
    }
}

/// The pattern that matches a tool.
fn covering<'p>(patterns: &'p [String], tool: &str) -> Option<&'p String> {
    let mut patterns = patterns.iter();
    patterns.find(|pattern| Pattern::new(pattern.as_str()).matches(tool))
}

fn without(patterns: &mut Vec<String>, tool: &str) -> Result<(), Covered> {
    patterns.retain(|pattern| pattern != tool);
    match covering(patterns, tool) {
        None => Ok(()),
        Some(pattern) => Err(Covered {
            tool: tool.to_owned(),
            pattern: pattern.clone(),
        }),
    }
}

fn unique(patterns: &[String]) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for pattern in patterns {
        if !unique.contains(pattern) {
            unique.push(pattern.clone());
        }
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_tool_is_switched_in_the_list_that_decides() {
        let covered = |tool: &str, pattern: &str| {
            let (tool, pattern) = (tool.to_owned(), pattern.to_owned());
            Err(Covered { tool, pattern })
        };
        for (before, enable, disable) in [
            (
                Offer::only(&words("a")),
                Ok(Offer::only(&words("a t"))),
                Ok(Offer::only(&words("a"))),
            ),
            (
                Offer::only(&words("t")),
                Ok(Offer::only(&words("t"))),
                Ok(Offer::only(&[])),
            ),
            (
                Offer::only(&words("t*")),
                Ok(Offer::only(&words("t*"))),
                covered("t", "t*"),
            ),
            (
                Offer::all_but(&[]),
                Ok(Offer::all_but(&[])),
                Ok(Offer::all_but(&words("t"))),
            ),
            (
                Offer::all_but(&words("a t a")),
                Ok(Offer::all_but(&words("a"))),
                Ok(Offer::all_but(&words("a t"))),
            ),
            (
                Offer::all_but(&words("t ?")),
                covered("t", "?"),
                Ok(Offer::all_but(&words("t ?"))),
            ),
        ] {
            let after = |switch: fn(&mut Offer, &str) -> Result<(), Covered>| {
                let mut offer = before.clone();
                switch(&mut offer, "t").map(|()| offer)
            };
            assert_eq!(after(Offer::enable), enable, "{before:?}");
            assert_eq!(after(Offer::disable), disable, "{before:?}");
        }
    }
}
