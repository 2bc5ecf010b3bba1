//! How a server ended and what it left to say.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// It returned this exit code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It is gone, but how is not known, as when the runtime stopped first.
    Unknown,
}

impl Exit {
    /// Whether it ended by itself with code 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }

    pub(super) fn from_status(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "was ended by signal {signal} ({name})"),
                None => write!(f, "was ended by signal {signal}"),
            },
            Self::Unknown => f.write_str("ended in an unknown way"),
        }
    }
}

/// The evidence about a server's end (or its state so far), already redacted.
///
/// `{}` is one sentence with the last lines; `{:#}` shows every line that was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Obituary {
    /// How it ended; `None` while it runs.
    pub exit: Option<Exit>,
    /// From start to end, or to now while it runs.
    pub uptime: Duration,
    /// The last lines of its stderr, oldest first: at most 20 of at most 1 KiB.
    pub stderr_tail: Vec<String>,
    /// The last lines of its stdout that were no frames; whoever reads stdout fills this.
    pub stray_stdout: Vec<String>,
    /// The calls that waited for it; whoever makes calls fills this.
    pub in_flight: Vec<String>,
}

impl Obituary {
    fn sections(&self) -> [(&'static str, &[String]); 3] {
        [
            ("last stderr", &self.stderr_tail),
            ("stray stdout", &self.stray_stdout),
            ("in flight", &self.in_flight),
        ]
    }
}

impl fmt::Display for Obituary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exit {
            Some(exit) => write!(f, "{exit}")?,
            None => f.write_str("is still running")?,
        }
        write!(f, " after {}", Uptime(self.uptime))?;
        for (title, lines) in self.sections() {
            if lines.is_empty() {
                continue;
            }
            if f.alternate() {
                write!(f, "\n{title}:")?;
                for line in lines {
                    write!(f, "\n  {line}")?;
                }
            } else {
                let first = lines.len().saturating_sub(SENTENCE_LINES_MAX);
                let shown = lines.get(first..).unwrap_or_default();
                write!(f, "; {title}: {}", shown.join(" | "))?;
            }
        }
        Ok(())
    }
}

struct Uptime(Duration);

impl fmt::Display for Uptime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            0..60 => write!(f, "{:.1} s", self.0.as_secs_f64()),
            secs @ 60..3600 => write!(f, "{} min {} s", secs / 60, secs % 60),
            secs => write!(f, "{} h {} min", secs / 3600, secs % 3600 / 60),
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

/// Lines of each kind in the one-sentence form: enough for a message and its cause.
const SENTENCE_LINES_MAX: usize = 3;
