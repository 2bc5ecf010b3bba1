//! Log messages of servers.

use std::cmp::Ordering;

use crate::map::Extra;
use crate::meta::Meta;
use crate::raw::RawJson;

/// How severe a message is, in the order of RFC 5424.
///
/// A value that this crate does not know compares with itself only.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoggingLevel {
    /// For whoever looks for a fault.
    Debug,
    /// Of general interest.
    Info,
    /// Normal, but worth a look.
    Notice,
    /// A condition to be warned of.
    Warning,
    /// Something failed.
    Error,
    /// A component is in a critical condition.
    Critical,
    /// Somebody has to act at once.
    Alert,
    /// The system is unusable.
    Emergency,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! {
    LoggingLevel {
        Debug = "debug",
        Info = "info",
        Notice = "notice",
        Warning = "warning",
        Error = "error",
        Critical = "critical",
        Alert = "alert",
        Emergency = "emergency",
    }
}

impl LoggingLevel {
    /// The place in the order, from 0 for debug to 7 for emergency.
    #[must_use]
    pub const fn severity(&self) -> Option<u8> {
        Some(match self {
            Self::Debug => 0,
            Self::Info => 1,
            Self::Notice => 2,
            Self::Warning => 3,
            Self::Error => 4,
            Self::Critical => 5,
            Self::Alert => 6,
            Self::Emergency => 7,
            Self::Other(_) => return None,
        })
    }
}

impl PartialOrd for LoggingLevel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        Some(self.severity()?.cmp(&other.severity()?))
    }
}

/// The parameters of `logging/setLevel`. Until 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SetLevelParams {
    /// The least severe level wanted.
    pub level: LoggingLevel,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SetLevelParams {
    /// A level.
    #[must_use]
    pub const fn new(level: LoggingLevel) -> Self {
        Self {
            level,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    SetLevelParams {
        Required level = "level",
        Optional meta = "_meta",
    }
}

/// The parameters of `notifications/message`. All revisions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoggingMessageParams {
    /// How severe it is.
    pub level: LoggingLevel,
    /// Which part of the server says it.
    pub logger: Option<String>,
    /// What is said: any value, `null` included; absent only if the server left it out, which no
    /// revision allows.
    pub data: Option<RawJson>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl LoggingMessageParams {
    /// A message.
    #[must_use]
    pub const fn new(level: LoggingLevel, data: RawJson) -> Self {
        Self {
            level,
            logger: None,
            data: Some(data),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire_object! {
    LoggingMessageParams {
        Required level = "level",
        Optional logger = "logger",
        Raw data = "data",
        Optional meta = "_meta",
    }
}
