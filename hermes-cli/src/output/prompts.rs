//! Prompts as lists and filled in: text for people, lines for pipes, JSON.

use std::fmt::Write as _;

use mcp_types::{GetPromptResult, Prompt, RawJson};
use serde::Serialize;

use super::Target;
use super::human::block_text;
use super::json::Server;
use super::text::{count, first_sentence, one_line, visible};

/// The prompts of one server.
pub(crate) struct List {
    pub(crate) server: String,
    pub(crate) prompts: Vec<Prompt>,
}

/// The prompts of all servers, for programs.
#[derive(Serialize)]
pub(crate) struct Prompts<'a> {
    servers: Vec<Server<'a>>,
    prompts: Vec<One<'a>>,
}

#[derive(Serialize)]
struct One<'a> {
    server: &'a str,
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    arguments: Vec<Argument<'a>>,
}

#[derive(Serialize)]
struct Argument<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    required: bool,
}

impl<'a> Prompts<'a> {
    pub(crate) fn new(servers: Vec<Server<'a>>, lists: &'a [List]) -> Self {
        let prompts = lists.iter().flat_map(|list| {
            let prompts = list.prompts.iter();
            prompts.map(|prompt| One::new(&list.server, prompt))
        });
        Self {
            servers,
            prompts: prompts.collect(),
        }
    }
}

impl<'a> One<'a> {
    fn new(server: &'a str, prompt: &'a Prompt) -> Self {
        let arguments = prompt.arguments.iter().flatten().map(|argument| Argument {
            name: &argument.name,
            title: argument.title.as_deref(),
            description: argument.description.as_deref(),
            required: argument.is_required(),
        });
        Self {
            server,
            name: &prompt.name,
            title: prompt.title.as_deref(),
            description: prompt.description.as_deref(),
            arguments: arguments.collect(),
        }
    }
}

impl List {
    /// All lists, below the names of their servers, or a line for each prompt on a pipe.
    pub(crate) fn text(lists: &[Self], target: Target) -> String {
        let mut out = String::new();
        for list in lists {
            if target != Target::Pipe {
                let _ = writeln!(out, "{}", one_line(&list.server));
            }
            for prompt in &list.prompts {
                list.push(&mut out, prompt, target);
            }
            if target != Target::Pipe {
                out.push('\n');
            }
        }
        if target != Target::Pipe {
            let prompts = lists.iter().map(|list| list.prompts.len()).sum();
            let (prompts, servers) = (count(prompts, "prompt"), count(lists.len(), "server"));
            let _ = writeln!(out, "{prompts} of {servers}");
        }
        out
    }

    fn push(&self, out: &mut String, prompt: &Prompt, target: Target) {
        let arguments = prompt.arguments.iter().flatten();
        let words = arguments.map(|argument| match argument.is_required() {
            true => argument.name.clone(),
            false => format!("[{}]", argument.name),
        });
        let words: Vec<String> = words.collect();
        let about = prompt.description.as_deref().or(prompt.title.as_deref());
        let about = first_sentence(about.unwrap_or_default());
        let (server, name, words) = (&self.server, &prompt.name, words.join(" "));
        let [name, words] = [&format!("{server}/{name}"), &words].map(|text| one_line(text));
        if target == Target::Pipe {
            let _ = writeln!(out, "{name}\t{words}\t{about}");
            return;
        }
        let _ = writeln!(out, "{}", format!("  {name} {words}").trim_end());
        if !about.is_empty() {
            let _ = writeln!(out, "      {about}");
        }
    }
}

/// A prompt as it was filled in, for programs.
#[derive(Serialize)]
pub(crate) struct Filled<'a> {
    pub(crate) server: &'a str,
    pub(crate) name: &'a str,
    pub(crate) result: &'a RawJson,
    pub(crate) diagnostics: Vec<String>,
}

/// The messages of a prompt, each behind who says it.
pub(crate) fn messages(result: &GetPromptResult, target: Target) -> String {
    let mut out = String::new();
    for message in &result.messages {
        let (text, _) = block_text(&message.content);
        let _ = writeln!(out, "{}: {}", message.role.as_str(), text.trim_end());
    }
    match target {
        Target::Pipe => out,
        Target::Terminal { .. } => visible(&out).into_owned(),
    }
}
