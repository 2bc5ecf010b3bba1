//! What a running `watch` tells: a line for each thing that happens, as text or as JSON.

use std::time::Duration;

use hermes_registry::life::Why;
use hermes_registry::name::{PublicName, ServerName};
use hermes_registry::{Event, Reloaded};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::fault::Fault;
use crate::output::text::{count, one_line};

/// The version of the shapes; it changes when a member changes its meaning or goes away.
const VERSION: u32 = 1;

/// Names that a line of text shows.
// Bound: a server may have thousands of tools, and a person reads a line; JSON has them all.
const NAMES_MAX: usize = 12;

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(
    tag = "event",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum News {
    /// A server says that its prompts or resources are others.
    List { server: String, list: &'static str },
    /// A server has logged something.
    Log {
        server: String,
        level: String,
        logger: Option<String>,
        text: String,
    },
    /// So many things happened faster than they could be told.
    Missed { count: u64 },
    /// Another configuration holds.
    Reload {
        #[serde(flatten)]
        changes: Changes,
        problems: Vec<Fault>,
    },
    /// The configuration could not be used.
    ReloadFailed { error: Box<Failure> },
    /// A resource has changed, or any of those that are watched if there is no URI.
    Resource { server: String, uri: Option<String> },
    /// A server is in another state.
    State {
        server: String,
        state: &'static str,
        why: String,
    },
    /// Other tools are on offer.
    Tools {
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    },
    /// A resource is not watched, for now.
    Unwatched { uri: String, error: Box<Failure> },
    /// It has begun.
    Watching {
        pid: u32,
        file: Option<String>,
        socket: Option<String>,
    },
}

/// What another configuration means for the servers, by their names.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Changes {
    pub(crate) started: Vec<String>,
    pub(crate) restarted: Vec<String>,
    pub(crate) stopped: Vec<String>,
    pub(crate) unchanged: Vec<String>,
}

impl From<Reloaded> for Changes {
    fn from(reloaded: Reloaded) -> Self {
        let names = |names: Vec<ServerName>| names.iter().map(ToString::to_string).collect();
        Self {
            started: names(reloaded.started),
            restarted: names(reloaded.restarted),
            stopped: names(reloaded.stopped),
            unchanged: names(reloaded.unchanged),
        }
    }
}

impl Changes {
    /// In words.
    pub(crate) fn text(&self) -> String {
        let parts = [
            ("started", &self.started),
            ("restarted", &self.restarted),
            ("stopped", &self.stopped),
        ];
        let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
        let parts: Vec<String> = parts
            .map(|(verb, names)| format!("{verb} {}", listed(names)))
            .collect();
        let unchanged = count(self.unchanged.len(), "server");
        match (parts.is_empty(), self.unchanged.len()) {
            (true, _) => "nothing changed for any server".to_owned(),
            (false, 0) => parts.join(", "),
            (false, _) => format!("{}; {unchanged} unchanged", parts.join(", ")),
        }
    }
}

impl News {
    /// What an event of the registry is, if it is to be told.
    pub(crate) fn of(event: Event, are_logs_told: bool) -> Option<Self> {
        let names = |names: Vec<PublicName>| names.iter().map(ToString::to_string).collect();
        Some(match event {
            Event::List { server, change } => Self::List {
                server: server.to_string(),
                list: match change {
                    mcp_client::Change::Prompts => "prompts",
                    mcp_client::Change::Resources => "resources",
                    _ => return None,
                },
            },
            Event::Log { .. } if !are_logs_told => return None,
            Event::Log {
                server,
                level,
                logger,
                text,
            } => Self::Log {
                server: server.to_string(),
                level: level.as_str().to_owned(),
                logger,
                text,
            },
            Event::Missed(count) => Self::Missed { count },
            // Of one that is new that is known already.
            Event::State {
                why: Why::Unused, ..
            } => return None,
            Event::State { server, state, why } => Self::State {
                server: server.to_string(),
                state: state.as_str(),
                why: why.to_string(),
            },
            Event::Tools {
                added,
                removed,
                changed,
            } => Self::Tools {
                added: names(added),
                removed: names(removed),
                changed: names(changed),
            },
            _ => return None,
        })
    }

    /// One line of JSON, so long after the beginning.
    pub(crate) fn json(&self, at: Duration) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Line<'a> {
            version: u32,
            at_seconds: f64,
            #[serde(flatten)]
            news: &'a News,
        }
        let line = Line {
            version: VERSION,
            at_seconds: at.as_secs_f64(),
            news: self,
        };
        let mut text = serde_json::to_string(&line).expect("the shapes are always JSON");
        text.push('\n');
        text
    }

    /// One line for people; more for problems of a configuration.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        match self {
            Self::List { server, list } => lines.push(format!("{server}: its {list} have changed")),
            Self::Log {
                server,
                level,
                logger,
                text,
            } => {
                let logger = logger
                    .as_deref()
                    .map_or_else(String::new, |name| format!(" {name}"));
                lines.push(format!("{server}: log {level}{logger}: {text}"));
            }
            Self::Missed { count } => {
                lines.push(format!("{count} events came too fast to be told"))
            }
            Self::Reload { changes, problems } => {
                lines.push(format!("configuration: {}", changes.text()));
                lines.extend(problems.iter().map(|problem| problem.text.clone()));
            }
            Self::ReloadFailed { error } => {
                lines.push(format!("configuration: {}", error.sentence()));
            }
            Self::Resource { server, uri } => lines.push(match uri {
                Some(uri) => format!("{server}: {uri} has changed"),
                None => format!("{server}: what is watched of it may have changed"),
            }),
            Self::State { server, state, why } => lines.push(format!("{server}: {state} ({why})")),
            Self::Tools {
                added,
                removed,
                changed,
            } => {
                let parts = [("added", added), ("removed", removed), ("changed", changed)];
                let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
                lines.extend(parts.map(|(verb, names)| {
                    let number = count(names.len(), "tool");
                    format!("{number} {verb}: {}", listed(names))
                }));
            }
            Self::Unwatched { uri, error } => {
                lines.push(format!("{uri} is not watched: {}", error.sentence()));
            }
            Self::Watching { file, .. } => lines.push(match file {
                Some(file) => format!("watching {file}; Ctrl-C ends it"),
                None => "watching the demo server; Ctrl-C ends it".to_owned(),
            }),
        }
        let lines = lines.iter().map(|line| one_line(line) + "\n");
        lines.collect()
    }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES_MAX).map(String::as_str).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(NAMES_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn each_event_is_a_line_of_text_and_a_line_of_json() {
        let failure = || Box::new(Failure::usage("config", "c.yaml: not YAML", "correct it"));
        let changes = Changes {
            started: owned(&["a"]),
            stopped: owned(&["b", "c"]),
            unchanged: owned(&["d"]),
            ..Changes::default()
        };
        for (news, text, json) in [
            (
                News::State {
                    server: "a".to_owned(),
                    state: "ready",
                    why: "it was\nconnected".to_owned(),
                },
                "a: ready (it was connected)\n",
                r#""event":"state","server":"a","state":"ready","why":"it was\nconnected""#,
            ),
            (
                News::Tools {
                    added: owned(&["x", "y"]),
                    removed: owned(&["z"]),
                    changed: Vec::new(),
                },
                "2 tools added: x, y\n1 tool removed: z\n",
                r#""event":"tools","added":["x","y"],"removed":["z"],"changed":[]"#,
            ),
            (
                News::Reload {
                    changes,
                    problems: Vec::new(),
                },
                "configuration: started a, stopped b, c; 1 server unchanged\n",
                r#""event":"reload","started":["a"],"restarted":[],"stopped":["b","c"],"unchanged":["d"],"problems":[]"#,
            ),
            (
                News::ReloadFailed { error: failure() },
                "configuration: c.yaml: not YAML; correct it\n",
                r#""event":"reload_failed","error":{"code":"config","message":"c.yaml: not YAML","suggestion":"correct it","server":null,"retryable":false,"outcomeUncertain":false,"details":[],"cause":null}"#,
            ),
            (
                News::Log {
                    server: "a".to_owned(),
                    level: "info".to_owned(),
                    logger: Some("db".to_owned()),
                    text: "\u{1b}[2Jhello".to_owned(),
                },
                "a: log info db: \u{fffd}[2Jhello\n",
                r#""event":"log","server":"a","level":"info","logger":"db","text":"\u001b[2Jhello""#,
            ),
            (
                News::Resource {
                    server: "a".to_owned(),
                    uri: Some("file:///x".to_owned()),
                },
                "a: file:///x has changed\n",
                r#""event":"resource","server":"a","uri":"file:///x""#,
            ),
            (
                News::Missed { count: 3 },
                "3 events came too fast to be told\n",
                r#""event":"missed","count":3"#,
            ),
        ] {
            assert_eq!(news.text(), text);
            let expected = format!("{{\"version\":1,\"atSeconds\":1.5,{json}}}\n");
            assert_eq!(news.json(Duration::from_millis(1_500)), expected);
        }
    }

    #[test]
    fn a_line_shows_a_few_names_and_json_shows_all() {
        let many: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
        let news = News::Tools {
            added: many,
            removed: Vec::new(),
            changed: Vec::new(),
        };
        assert!(news.text().ends_with("t11 and 8 more\n"), "{}", news.text());
        assert!(news.json(Duration::ZERO).contains("\"t19\""));
    }

    #[test]
    fn a_reload_that_changes_nothing_says_so() {
        let changes = Changes {
            unchanged: owned(&["a"]),
            ..Changes::default()
        };
        assert_eq!(changes.text(), "nothing changed for any server");
    }
}
