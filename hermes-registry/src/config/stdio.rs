//! Reading what starts a server as a child process.

use std::path::PathBuf;

use super::command::CommandLine;
use super::expand::is_variable;
use super::kind::ProblemKind;
use super::problem::Position;
use super::read::{KeyPath, Named, Reader};
use super::tree::{Node, Value};
use crate::environment;

/// What was found of a child process so far.
#[derive(Default)]
pub(super) struct StdioDraft {
    /// Where `command` stands, and the program unless it is faulty.
    pub(super) command: Option<(Position, Option<String>)>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    passthrough: Vec<String>,
    cwd: Option<PathBuf>,
}

impl StdioDraft {
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, entry: &Named<'_>) {
        let (value, path) = (entry.value, &entry.path);
        match entry.key {
            "command" => {
                let program = reader.path(value, path, "the name of a program");
                self.command = Some((entry.position, program));
            }
            "args" => self.args = read_args(reader, value, path),
            "env" => self.env = read_env(reader, value, path),
            "env_passthrough" => self.passthrough = read_passthrough(reader, value, path),
            _ => {
                let cwd = reader.path(value, path, "the path of a folder");
                self.cwd = cwd.map(PathBuf::from);
            }
        }
    }

    /// The command, now that all keys are known.
    pub(super) fn finish(&mut self) -> Option<CommandLine> {
        let (_position, program) = self.command.take()?;
        Some(CommandLine {
            program: program?,
            args: std::mem::take(&mut self.args),
            env: std::mem::take(&mut self.env),
            passthrough: std::mem::take(&mut self.passthrough),
            cwd: self.cwd.take(),
        })
    }
}

fn read_args(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Vec<String> {
    const ALLOWED: &str = "a list with one text for each argument, such as `[\"-y\", \"name\"]`";
    if !matches!(node.value, Value::List(_)) {
        // One word can only be one argument; more words would need a shell's rules.
        let scalar = node.as_scalar();
        if scalar.is_some_and(|scalar| scalar.text.split_whitespace().count() == 1) {
            reader.warn(node.position, path, ProblemKind::OneArgument);
            let argument = reader.process_text(node, path, ALLOWED);
            return argument.into_iter().map(|text| text.text).collect();
        }
        reader.wrong_sort(node, path, ALLOWED);
        return Vec::new();
    }
    let items = reader.items(node, path, ALLOWED).unwrap_or_default();
    let text = |(item, path)| {
        let text = reader.process_text(item, &path, "a text or a number")?;
        Some(text.text)
    };
    items.into_iter().filter_map(text).collect()
}

fn read_env(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Vec<(String, String)> {
    let allowed = "a mapping of names to values";
    let mut env = Vec::new();
    for entry in reader.entries(node, path, allowed).unwrap_or_default() {
        if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
            reader.error(entry.position, &entry.path, ProblemKind::BadEnvName);
            continue;
        }
        let value = if entry.value.is_null() {
            let kind = ProblemKind::Valueless {
                taken_for: "the empty text",
            };
            reader.warn(entry.position, &entry.path, kind);
            Some(String::new())
        } else {
            let text = reader.process_text(entry.value, &entry.path, "a text or a number");
            text.map(|text| text.text)
        };
        if let Some(value) = value {
            reader.warn_of_space(entry.value, &entry.path, &value);
            env.push((entry.key.to_owned(), value));
        }
    }
    env
}

/// Reads the names of variables that are passed on.
///
/// They are the one list in which no reference is replaced: that would put a variable's value
/// where its name belongs.
fn read_passthrough(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Vec<String> {
    let mut names = Vec::new();
    let allowed = "a list of names of variables";
    for (item, path) in reader.items(node, path, allowed).unwrap_or_default() {
        reader.check_tag(item, &path);
        let name = item.as_scalar().map(|scalar| &*scalar.text);
        let Some(name) = name.filter(|name| is_variable(name)) else {
            reader.error(item.position, &path, ProblemKind::BadPassedName);
            continue;
        };
        match reader.expander.context().variable(name) {
            None => {
                let variable = name.to_owned();
                let kind = ProblemKind::UnsetPassed { variable };
                reader.warn(item.position, &path, kind);
            }
            Some(value) if !environment::is_passed_on(name) => {
                reader.substituted.insert(value);
            }
            Some(_) => {}
        }
        names.push(name.to_owned());
    }
    names
}
