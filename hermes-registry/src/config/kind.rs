//! What can be wrong with one key of a configuration, as a value and as a sentence.
//!
//! No sentence quotes a value of `env` or `headers`, nor the value of a variable.

use std::borrow::Cow;
use std::fmt;

use super::problem::Position;
use crate::guard::Suspicion;

/// What is wrong with a key or its value.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A URL, a header or a file of an HTTP server that cannot be used, and why.
    BadEndpoint(String),
    /// The text cannot be the name of an environment variable.
    BadEnvName,
    /// The text is not the name of one variable that is to be passed on.
    BadPassedName,
    /// A `${…}` reference that names no variable, with what stands in its place.
    BadReference {
        /// What stands where a name should.
        name: String,
    },
    /// The name of a server is empty, too long or holds control characters.
    BadServerName,
    /// A server with both a command and a URL.
    CommandAndUrl {
        /// Where `command` stands.
        command: Position,
        /// Where `url` stands.
        url: Position,
    },
    /// A key that stands twice in one mapping.
    DuplicateKey {
        /// Where it stands first.
        first: Position,
    },
    /// A server name that stands twice.
    DuplicateServer {
        /// Where it stands first.
        first: Position,
    },
    /// A text begins or ends with white space, which is kept.
    HiddenSpace,
    /// `exclude` beside `include`, which wins.
    IneffectiveExclude,
    /// A key that has no effect without another one.
    NeedsKey {
        /// The other one.
        needs: &'static str,
    },
    /// A server with neither a command nor a URL.
    NoCommand,
    /// A mapping or list stands where a key should.
    NotAKey,
    /// The key is known, but what it controls is not there yet.
    NotActive,
    /// A byte of value zero, which no process can be given.
    NulByte,
    /// `args` is one word rather than a list; it is used as one argument.
    OneArgument,
    /// A key that is almost `mcp_servers`.
    ProbablyServers,
    /// A number in quotes, which is read as a number.
    QuotedNumber,
    /// A command that is no server, as far as can be told.
    Suspicious(Suspicion),
    /// A YAML tag without a meaning here.
    Tag {
        /// The tag as it was written.
        tag: String,
    },
    /// A value that is longer than allowed once its references are replaced.
    TooLong {
        /// The most bytes that are allowed.
        bytes_max: usize,
    },
    /// `tools` is a list or a text rather than a mapping; it is read as `include`.
    ToolsList {
        /// Which of the two it is.
        found: &'static str,
    },
    /// A transport that does not fit what the server is reached by.
    TransportMismatch {
        /// The key that this transport needs.
        needs: &'static str,
    },
    /// A key that means nothing here.
    UnknownKey {
        /// The known key that was probably meant.
        nearest: Option<&'static str>,
        /// The keys that are known here, for a key that resembles none of them.
        known: Vec<&'static str>,
    },
    /// A folder that a reference names is not known, and has no default.
    UnknownFolder {
        /// What it is called, such as `workspaceFolder`.
        name: &'static str,
    },
    /// A variable that is to be passed on and is not set.
    UnsetPassed {
        /// Its name.
        variable: String,
    },
    /// An environment variable that is not set and has no default.
    UnsetVariable {
        /// Its name.
        variable: String,
    },
    /// `${` without its `}`.
    UnterminatedReference,
    /// A key of another agent that means nothing here.
    Unsupported {
        /// What to do in its place.
        instead: &'static str,
    },
    /// A key without a value, and what that is taken for.
    Valueless {
        /// What the key is taken for.
        taken_for: &'static str,
    },
    /// A value of the wrong type, or outside of what is allowed.
    WrongValue {
        /// What is allowed.
        allowed: Cow<'static, str>,
        /// What stands there.
        found: String,
    },
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadEndpoint(why) => f.write_str(why),
            Self::Suspicious(suspicion) => suspicion.fmt(f),
            Self::NeedsKey { needs } => write!(f, "has no effect without `{needs}`"),
            Self::BadReference { name } if name.is_empty() => {
                f.write_str("`${}` names no variable; write `$${` for the plain text `${`")
            }
            Self::BadReference { name } => write!(
                f,
                "`{name}` in `${{…}}` is not the name of a variable; write `$${{` for the plain \
                 text `${{`"
            ),
            Self::CommandAndUrl { command, url } => write!(
                f,
                "a server has either `command` (line {}) or `url` (line {}), not both",
                command.line, url.line
            ),
            Self::DuplicateKey { first } => {
                write!(
                    f,
                    "the key stands already in line {}; remove one of the two",
                    first.line
                )
            }
            Self::DuplicateServer { first } => write!(
                f,
                "a server of this name stands already in line {}; neither is used until one of \
                 them is removed or renamed",
                first.line
            ),
            Self::Tag { tag } => write!(f, "the YAML tag `{tag}` has no meaning here; remove it"),
            Self::TooLong { bytes_max } => {
                write!(
                    f,
                    "is longer than {bytes_max} bytes once its variables are replaced"
                )
            }
            Self::ToolsList { found } => {
                write!(f, "is {found}, which is read as `tools.include`")
            }
            Self::TransportMismatch { needs } => {
                write!(f, "this transport needs the key `{needs}`")
            }
            Self::UnknownKey {
                nearest: Some(nearest),
                ..
            } => {
                write!(f, "unknown key; did you mean `{nearest}`?")
            }
            Self::UnknownKey {
                nearest: None,
                known,
            } => {
                write!(f, "unknown key; allowed are {}", known.join(", "))
            }
            Self::UnknownFolder { name } => write!(
                f,
                "`${{{name}}}` is not known here; give a default: `${{{name}:-…}}`"
            ),
            Self::UnsetPassed { variable } => write!(
                f,
                "the environment variable `{variable}` is not set, so the server is not given it"
            ),
            Self::UnsetVariable { variable } => write!(
                f,
                "the environment variable `{variable}` is not set; set it, or give a default: \
                 `${{{variable}:-…}}`"
            ),
            Self::Unsupported { instead } => write!(f, "not supported: {instead}"),
            Self::Valueless { taken_for } => {
                write!(f, "has no value, which is read as {taken_for}")
            }
            Self::WrongValue { allowed, found } => write!(f, "must be {allowed}, but is {found}"),
            plain => f.write_str(plain.sentence()),
        }
    }
}

impl ProblemKind {
    /// The sentence of a kind that carries nothing.
    fn sentence(&self) -> &'static str {
        match self {
            Self::BadEnvName => {
                "is not the name of a variable: a name is not empty and has neither `=` nor a byte \
                 of value zero"
            }
            Self::BadPassedName => {
                "is not the name of a variable: write each name out, without `=`, `*` and `${…}`"
            }
            Self::BadServerName => {
                "is not the name of a server: a name has 1 to 64 characters, none of them a \
                 control character"
            }
            Self::HiddenSpace => "begins or ends with white space, which is kept",
            Self::IneffectiveExclude => "has no effect beside `include`, which wins",
            Self::NoCommand => "has neither `command` nor `url`; one of them is needed",
            Self::NotAKey => "a list or mapping cannot be a key here",
            Self::NotActive => "is read but not active yet",
            Self::NulByte => "holds a byte of value zero, which no process can be given",
            Self::OneArgument => "is read as one argument; write a list: `[\"…\"]`",
            Self::ProbablyServers => "is not read; did you mean `mcp_servers`?",
            Self::QuotedNumber => "is a number in quotes; it is read as the number",
            Self::UnterminatedReference => {
                "`${` has no `}`; close it, or write `$${` for the plain text `${`"
            }
            // The other kinds carry something and are written by `Display` itself.
            _ => "is not valid",
        }
    }
}
