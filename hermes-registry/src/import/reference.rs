//! `${…}` as other agents write it, and what it is here.
//!
//! A reference means something else with each agent, and some have none: there, `${NAME}` is plain
//! text, and has to stay that.

use std::collections::{BTreeMap, BTreeSet};

use super::format::Format;
use crate::config::is_variable;

/// Names that are no variables and mean the same with editors as here.
const FOLDERS: [&str; 5] = [
    "userHome",
    "workspaceFolder",
    "workspaceFolderBasename",
    "pathSeparator",
    "/",
];

/// What VS Code knows and nobody without a window can.
const OF_WINDOW: [&str; 17] = [
    "cwd",
    "defaultBuildTask",
    "execPath",
    "extensionInstallFolder",
    "file",
    "fileBasename",
    "fileBasenameNoExtension",
    "fileDirname",
    "fileDirnameBasename",
    "fileExtname",
    "fileWorkspaceFolder",
    "lineNumber",
    "relativeFile",
    "relativeFileDirname",
    "selectedText",
    "columnNumber",
    "fileWorkspaceFolderBasename",
];

/// The most questions of a file that are looked at; nobody answers more.
const QUESTIONS_MAX: usize = 1_000;

/// A text with its references written as they are here.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Translation {
    pub(super) text: String,
    /// References that have no meaning here, which stay as they are, each with the reason.
    pub(super) foreign: Vec<(String, &'static str)>,
    /// Questions of the editor that became variables: their ids and the variables.
    pub(super) asked: Vec<(String, String)>,
    /// Whether a `${…}` that is plain text with the other agent was marked as that.
    pub(super) has_plain: bool,
}

impl Translation {
    fn push_reference(&mut self, inside: &str) {
        self.text.push_str("${");
        self.text.push_str(inside);
        self.text.push('}');
    }
}

/// What one reference becomes.
enum Meaning {
    /// The inside of a reference of ours.
    Reference(String),
    Plain,
    Foreign(&'static str),
    Asked(String),
}

/// How one agent writes references.
pub(super) struct Dialect {
    format: Format,
    /// The questions that VS Code asks: their ids, with the inside of the reference they become.
    inputs: BTreeMap<String, String>,
}

impl Dialect {
    /// The dialect of this agent, in a file that asks questions with these ids and defaults.
    pub(super) fn new(format: Format, questions: &[(String, Option<String>)]) -> Self {
        let mut inputs: BTreeMap<String, String> = BTreeMap::new();
        let mut variables: BTreeSet<String> = BTreeSet::new();
        // Bound: each name that is taken makes the next one longer.
        for (id, default) in questions.iter().take(QUESTIONS_MAX) {
            let mut variable = variable_for(id);
            while !variables.insert(variable.clone()) {
                variable.push('_');
            }
            // A brace would end the reference, or begin another one.
            let default = default
                .as_ref()
                .filter(|text| !text.contains(['{', '}', '$']));
            let inside = match default {
                Some(default) => format!("{variable}:-{default}"),
                None => variable,
            };
            inputs.entry(id.clone()).or_insert(inside);
        }
        Self { format, inputs }
    }

    /// This text as it has to be written here.
    pub(super) fn translate(&self, text: &str) -> Translation {
        let mut out = Translation::default();
        let mut rest = text;
        while let Some((before, tail)) = rest.split_once("${") {
            out.text.push_str(before);
            let inside = tail.split_once('}');
            let meaning = match inside {
                Some((body, _)) => self.meaning(body),
                None => Meaning::Plain,
            };
            let body = inside.map_or("", |(body, _)| body);
            rest = inside.map_or(tail, |(_, after)| after);
            // Two dollars before a brace are plain text here, so that none can precede a reference.
            let meaning = match meaning {
                Meaning::Reference(_) | Meaning::Asked(_) if before.ends_with('$') => {
                    Meaning::Foreign("a `$` right before a reference cannot be written here")
                }
                meaning => meaning,
            };
            match meaning {
                Meaning::Reference(here) => out.push_reference(&here),
                Meaning::Asked(here) => {
                    out.push_reference(&here);
                    let variable = here.split(":-").next().unwrap_or_default();
                    let id = body.trim_start_matches("input:");
                    out.asked.push((id.to_owned(), variable.to_owned()));
                }
                Meaning::Foreign(reason) => {
                    out.push_reference(body);
                    out.foreign.push((body.to_owned(), reason));
                }
                Meaning::Plain => {
                    out.has_plain = true;
                    out.text.push_str("$${");
                    // Only the mark is taken: what follows may hold a reference.
                    rest = tail;
                }
            }
        }
        out.text.push_str(rest);
        out
    }

    fn meaning(&self, body: &str) -> Meaning {
        let same = || Meaning::Reference(body.to_owned());
        let of_env = body.strip_prefix("env:");
        match self.format {
            Format::ClaudeDesktop | Format::Codex => Meaning::Plain,
            Format::ClaudeCode => match body.split_once(":-") {
                Some((name, default)) if is_variable(name) && default.contains('{') => {
                    Meaning::Foreign("its default holds a brace, which cannot be written here")
                }
                Some((name, _)) if is_variable(name) => same(),
                None if is_variable(body) => same(),
                _ => Meaning::Plain,
            },
            Format::Windsurf if body.starts_with("file:") => {
                Meaning::Foreign("no file is read into a value here; put it into a variable")
            }
            _ if of_env.is_some_and(is_variable) => same(),
            Format::Windsurf => Meaning::Plain,
            _ if FOLDERS.contains(&body) => same(),
            Format::VsCode => self.of_vs_code(body),
            Format::Cursor => Meaning::Plain,
        }
    }

    fn of_vs_code(&self, body: &str) -> Meaning {
        if let Some(id) = body.strip_prefix("input:") {
            let known = self.inputs.get(id).cloned();
            return Meaning::Asked(known.unwrap_or_else(|| variable_for(id)));
        }
        let (name, argument) = match body.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (body, None),
        };
        match (name, argument) {
            ("config" | "command", Some(_)) => {
                Meaning::Foreign("what the editor knows is not known here; write the value")
            }
            ("workspaceFolder" | "workspaceFolderBasename", Some(_)) => {
                Meaning::Foreign("there is one folder of work here; write `${workspaceFolder}`")
            }
            (name, None) if OF_WINDOW.contains(&name) => {
                Meaning::Foreign("what the editor knows is not known here; write the value")
            }
            _ => Meaning::Plain,
        }
    }
}

/// The name of a variable that stands for a question with this id.
fn variable_for(id: &str) -> String {
    let plain = |char: char| {
        if char.is_ascii_alphanumeric() {
            char
        } else {
            '_'
        }
    };
    let name: String = id.chars().map(plain).collect();
    let name = name.to_ascii_uppercase();
    if is_variable(&name) {
        name
    } else {
        format!("INPUT_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(format: Format, text: &str) -> String {
        Dialect::new(format, &[]).translate(text).text
    }

    #[test]
    fn a_reference_means_what_it_meant() {
        for (format, text, expected) in [
            (
                Format::ClaudeCode,
                "a ${KEY} ${KEY:-x}",
                "a ${KEY} ${KEY:-x}",
            ),
            (Format::ClaudeCode, "${env:KEY} ${a b", "$${env:KEY} $${a b"),
            (Format::ClaudeDesktop, "${KEY}", "$${KEY}"),
            (Format::Codex, "a${KEY}b$${X}", "a$${KEY}b$$${X}"),
            (
                Format::Cursor,
                "${env:KEY}${userHome}${/}",
                "${env:KEY}${userHome}${/}",
            ),
            (Format::Cursor, "${KEY}", "$${KEY}"),
            (
                Format::Windsurf,
                "${env:KEY}${userHome}",
                "${env:KEY}$${userHome}",
            ),
            (
                Format::VsCode,
                "${workspaceFolder}/x ${KEY}",
                "${workspaceFolder}/x $${KEY}",
            ),
            (Format::VsCode, "${input:api-key}", "${API_KEY}"),
            (Format::VsCode, "${input:1}", "${INPUT_1}"),
            (Format::VsCode, "$5 {} ${x${env:A}", "$5 {} $${x${env:A}"),
        ] {
            assert_eq!(translated(format, text), expected, "{format} {text}");
        }
    }

    #[test]
    fn a_reference_without_a_meaning_here_stays_and_is_told() {
        for (format, text) in [
            (Format::VsCode, "${command:pick}"),
            (Format::VsCode, "${config:a.b}"),
            (Format::VsCode, "${workspaceFolder:api}"),
            (Format::VsCode, "${file}"),
            (Format::Windsurf, "${file:/run/key}"),
            (Format::ClaudeCode, "${KEY:-{}}"),
            (Format::ClaudeCode, "$${KEY}"),
        ] {
            let found = Dialect::new(format, &[]).translate(text);
            assert_eq!(
                (found.text.as_str(), found.foreign.len()),
                (text, 1),
                "{text}"
            );
        }
    }

    #[test]
    fn questions_become_variables_of_their_own() {
        let question =
            |id: &str, default: Option<&str>| (id.to_owned(), default.map(str::to_owned));
        let questions = [
            question("a-b", Some("eu")),
            question("a_b", None),
            question("json", Some("{}")),
        ];
        let dialect = Dialect::new(Format::VsCode, &questions);
        let found = dialect.translate("${input:a-b} ${input:a_b} ${input:json} ${input:new}");
        assert_eq!(found.text, "${A_B:-eu} ${A_B_} ${JSON} ${NEW}");
        let asked: Vec<(&str, &str)> = found
            .asked
            .iter()
            .map(|(id, var)| (&**id, &**var))
            .collect();
        assert_eq!(
            asked,
            [
                ("a-b", "A_B"),
                ("a_b", "A_B_"),
                ("json", "JSON"),
                ("new", "NEW")
            ]
        );
    }
}
