//! Commands that are configured as servers and are none.
//!
//! A server may be any program, so this is no list of what is allowed.
//! It knows the shapes in which attackers have planted commands in configurations: a shell that
//! uses the network, a shell that writes where things are started from, and marks of one attack.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

use crate::config::CommandLine;

const SHELLS: [&str; 10] = [
    "bash",
    "sh",
    "zsh",
    "dash",
    "ash",
    "ksh",
    "fish",
    "cmd",
    "powershell",
    "pwsh",
];

/// Programs that start what their arguments name.
const STARTERS: [&str; 9] = [
    "env", "sudo", "doas", "nohup", "nice", "setsid", "timeout", "busybox", "xargs",
];

/// Marks that one attack left in the configurations that it changed: the key that it added, its
/// name, and where it came from.
const MARKS: [&str; 5] = [
    "AAAAC3NzaC1lZDI1NTE5AAAAICBoh1oDC4DnsO1m5mJ4yfEKrQebaFh",
    "hermes-0day",
    "60.165.167.",
    "118.182.244.156",
    "61.178.123.196",
];

static NETWORK: LazyLock<Regex> = LazyLock::new(|| {
    let words =
        "(?:^|[^a-z0-9_.-])(?P<found>curl|wget|nc|ncat|netcat|socat|telnet)(?:$|[^a-z0-9_./-])";
    let others = r"(?P<other>/dev/(?:tcp|udp)/|\b(?:invoke-webrequest|invoke-restmethod|iwr|irm)\b|\bnet\.webclient\b)";
    Regex::new(&format!("{words}|{others}")).expect("the pattern is constant and tested")
});

static PERSISTENCE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"authorized_keys|\.ssh/|/etc/ssh\b|/etc/pam\.d\b|\bpam_[a-z0-9_-]+\.so\b|/etc/sudoers|/etc/cron|\bcrontab\b|/etc/rc\.local|/etc/systemd|\.config/systemd|\.config/autostart|/library/launch(?:agents|daemons)|\.(?:bashrc|bash_profile|bash_login|profile|zshrc|zprofile|zshenv)\b";
    Regex::new(pattern).expect("the pattern is constant and tested")
});

/// Why a command is probably no server.
///
/// The text holds no argument and no value, as these may be secrets.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Suspicion {
    /// Which part of the command gave rise to it.
    pub part: Part,
    /// What was found there, at most 64 characters.
    pub found: String,
    /// What that is, as in `a shell that uses the network`.
    pub reason: &'static str,
}

/// A part of a command.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// The argument at this place, counted from 0.
    Argument(usize),
    /// The program.
    Program,
    /// The environment variable of this name.
    Variable(String),
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Part::Argument(index) => write!(f, "argument {}", index + 1)?,
            Part::Program => f.write_str("the program")?,
            Part::Variable(name) => write!(f, "the variable `{name}`")?,
        }
        write!(
            f,
            " has `{}`: this is {}, as attackers plant it, and not how a server is started; if it \
             is meant, put it into a script and configure that",
            self.found, self.reason
        )
    }
}

/// Why this command is probably no server, if something about it is suspicious.
///
/// Only the first reason is told.
#[must_use]
pub fn suspicion(command: &CommandLine) -> Option<Suspicion> {
    let parts = || {
        let args = command.args().iter().enumerate();
        let args = args.map(|(index, arg)| (Part::Argument(index), arg.as_str()));
        std::iter::once((Part::Program, command.program())).chain(args)
    };
    let variables = command.env();
    let variables = variables.map(|(name, value)| (Part::Variable(name.to_owned()), value));
    let marked = parts().chain(variables).find_map(|(part, text)| {
        let mark = MARKS.iter().find(|mark| text.contains(**mark))?;
        Some(found(part, mark, "the mark of a known attack"))
    });
    if marked.is_some() {
        return marked;
    }
    let is_starter = STARTERS.contains(&base(command.program()).as_str());
    let starts_shell = is_starter && command.args().iter().any(|arg| is_shell(arg));
    if !(starts_shell || is_shell(command.program())) {
        return None;
    }
    parts().find_map(|(part, text)| {
        let text = text.to_ascii_lowercase();
        if let Some(seen) = NETWORK.captures(&text) {
            let seen = seen.name("found").or_else(|| seen.name("other"))?;
            return Some(found(part, seen.as_str(), "a shell that uses the network"));
        }
        let seen = PERSISTENCE.find(&text)?;
        let reason = "a shell that touches what is started or let in by itself";
        Some(found(part, seen.as_str(), reason))
    })
}

fn found(part: Part, found: &str, reason: &'static str) -> Suspicion {
    Suspicion {
        part,
        found: found.chars().take(64).collect(),
        reason,
    }
}

/// Whether this is a shell; what stands behind a space in the name of a program are arguments.
fn is_shell(program: &str) -> bool {
    SHELLS.contains(&base(program).as_str())
}

/// The name of a program without its folder, its arguments and `.exe`.
fn base(program: &str) -> String {
    let first = program.split_whitespace().next().unwrap_or_default();
    let name = first.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}
