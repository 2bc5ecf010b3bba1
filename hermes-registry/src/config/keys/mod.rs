//! The keys of a server, known to all who read the file.
//!
//! Every key that a configuration may have is here, with what its value may be, its default, its
//! meaning, and whether it does something yet, so that a slip of the hand is told from a feature
//! that is still to come.
//! The published schema and the reference in the documentation are made of the same rows.
//!
//! How a value is read is left to the modules of the settings.

mod later;
mod nested;
mod server;

#[cfg(test)]
pub(super) mod tests;

pub(super) use nested::{BREAKER, LIFECYCLE, OUTPUT, RECONNECT, TOOLS};
pub(super) use server::SERVER;

use super::kind::ProblemKind;
use super::range::{Count, Seconds};
use crate::nearest::nearest;

/// What becomes of a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Standing {
    /// It is read and does what it says.
    Active,
    /// It is known and checked, but the feature of this name is not there yet.
    Later(&'static str),
    /// It is a key of another agent and never will be one of ours; the text says what to do.
    Unsupported(&'static str),
}

/// What a value may be.
///
/// Each of these may hold references to variables as well.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Anything, since it is not looked at.
    Any,
    Count(Count),
    Mapping(&'static Keys),
    /// A mapping of these keys, or names of tools that stand for one of them.
    MappingOrTexts(&'static Keys),
    /// A text that is not empty.
    Path,
    /// A path, or a list of two.
    PathOrPair,
    Seconds(Seconds),
    Switch,
    /// A switch, or a text that is not empty.
    SwitchOrPath,
    Text,
    /// A mapping of names to texts.
    TextMap,
    Texts,
    /// A list of texts that match this regular expression.
    TextsLike(&'static str),
    TextOrTexts,
    /// A mapping of names to times.
    TimeMap(Seconds),
    /// A text that matches this regular expression.
    Url(&'static str),
    Words(&'static [&'static str]),
}

/// A key with everything that is fixed about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// What it means by itself; see [`Key::meaning`].
    about: &'static str,
    pub(super) standing: Standing,
    /// What it is if it is not written, as JSON.
    pub(super) default: Option<&'static str>,
    /// The key without which it has no effect.
    pub(super) needs: Option<&'static str>,
    /// Whether null is a wrong value rather than a key that was left out.
    pub(super) needs_value: bool,
}

/// The keys at one place of the file.
#[derive(Debug)]
pub(super) struct Keys {
    /// In the order in which errors and the reference list them.
    pub(super) rows: &'static [Key],
    /// Keys of other programs, with what they are called here.
    pub(super) foreign: &'static [(&'static str, &'static str)],
}

impl Key {
    const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            about,
            standing: Standing::Active,
            default: None,
            needs: None,
            needs_value: false,
        }
    }

    /// A key of another agent, with what to do in its place.
    const fn unsupported(name: &'static str, instead: &'static str) -> Self {
        let key = Self::new(name, Shape::Any, instead);
        Self {
            standing: Standing::Unsupported(instead),
            ..key
        }
    }

    /// What it means, with what limits that, in sentences for people.
    pub(super) fn meaning(&self) -> String {
        let about = self.about;
        match (self.standing, self.needs) {
            (Standing::Unsupported(instead), _) => format!("Not supported: {instead}."),
            (Standing::Later(_), _) => format!("{about} Not active yet."),
            (Standing::Active, Some(needs)) => format!("{about} Needs `{needs}`."),
            (Standing::Active, None) => about.to_owned(),
        }
    }

    const fn or(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    const fn needing(self, key: &'static str) -> Self {
        Self {
            needs: Some(key),
            ..self
        }
    }

    const fn never_null(self) -> Self {
        Self {
            needs_value: true,
            ..self
        }
    }

    const fn later(self, feature: &'static str) -> Self {
        Self {
            standing: Standing::Later(feature),
            ..self
        }
    }
}

impl Keys {
    pub(super) fn find(&self, name: &str) -> Option<&'static Key> {
        self.rows.iter().find(|key| key.name == name)
    }

    /// What is allowed where something else than a mapping stands; it follows `must be`.
    pub(super) fn allowed(&self) -> String {
        let first: Vec<String> = self
            .rows
            .iter()
            .take(2)
            .map(|key| format!("`{}`", key.name))
            .collect();
        format!("a mapping of keys such as {}", first.join(" and "))
    }

    /// The problem with a key that is unknown.
    pub(super) fn unknown(&self, name: &str) -> ProblemKind {
        let foreign = self.foreign.iter().find(|(foreign, _)| *foreign == name);
        let known = self.rows.iter().map(|key| key.name);
        let near = foreign
            .map(|(_, here)| *here)
            .or_else(|| nearest(name, known));
        // What can be used at once is what somebody without any idea of the name looks for.
        let active = self
            .rows
            .iter()
            .filter(|key| key.standing == Standing::Active);
        let mut listed: Vec<&str> = active.map(|key| key.name).collect();
        if listed.is_empty() {
            listed = self.rows.iter().map(|key| key.name).collect();
        }
        ProblemKind::UnknownKey {
            nearest: near,
            known: listed,
        }
    }
}

/// The words of a table of words and what they mean.
pub(super) const fn words<T, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut index = 0;
    while index < N {
        words[index] = table[index].0;
        index += 1;
    }
    words
}
