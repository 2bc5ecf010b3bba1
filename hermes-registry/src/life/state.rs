//! The states of a server and why it is in them.

use std::fmt;
use std::time::Duration;

use super::Fault;

/// How a server is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum State {
    /// It is over; nothing more happens.
    Closed,
    /// It is being ended, for good or because it is to be disabled.
    Closing,
    /// An attempt to connect is out.
    Connecting,
    /// It is not to be used.
    Disabled,
    /// Its connection is about to be replaced: new calls wait, running ones finish.
    Draining,
    /// It is not connected, since nobody wanted it so far.
    Idle,
    /// It was given up. If trying can help, it is tried again from time to time.
    Parked,
    /// It is connected, and nothing speaks against it.
    Ready,
    /// Its process was ended as unused or as too old; the next call starts it again.
    Recycled,
    /// It is connected, and something speaks against it: it is checked before it is used.
    Suspect,
    /// It is not connected, and the next attempt has its time.
    Waiting,
}

impl State {
    /// A word for programs; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Closing => "closing",
            Self::Connecting => "connecting",
            Self::Disabled => "disabled",
            Self::Draining => "draining",
            Self::Idle => "idle",
            Self::Parked => "parked",
            Self::Ready => "ready",
            Self::Recycled => "recycled",
            Self::Suspect => "suspect",
            Self::Waiting => "waiting",
        }
    }

    /// Whether the tools of the server can be offered: it is connected, or a call will connect it.
    #[must_use]
    pub fn is_callable(self) -> bool {
        match self {
            Self::Connecting
            | Self::Draining
            | Self::Idle
            | Self::Ready
            | Self::Recycled
            | Self::Suspect
            | Self::Waiting => true,
            Self::Closed | Self::Closing | Self::Disabled | Self::Parked => false,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a server came into its state, or why something of it is to be ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// A call was answered.
    Answered,
    /// A call wanted it.
    Called,
    /// It passed a check.
    Checked,
    /// What was there of it before has ended.
    Closed,
    /// An attempt to connect succeeded.
    Connected,
    /// Somebody wanted it to be connected.
    Demanded,
    /// The application wants it not to be used.
    Disabled,
    /// A discovery tried all servers.
    Discovered,
    /// The application wants it to be used.
    Enabled,
    /// Something went wrong.
    Fault(Fault),
    /// It was not used for this long.
    Idle(Duration),
    /// An outcome came after the attempt had been given up.
    Late,
    /// It was parked for long enough.
    Probed,
    /// Calls still run on a process that is too old, so it is kept for now.
    PutOff,
    /// It was time for this retry.
    Retried(u32),
    /// The application wants it to end.
    ShutDown,
    /// Its process is this old.
    TooOld(Duration),
    /// It is new.
    Unused,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered => f.write_str("it answered a call"),
            Self::Called => f.write_str("a call wants it"),
            Self::Checked => f.write_str("it passed a check"),
            Self::Closed => f.write_str("what was there before has ended"),
            Self::Connected => f.write_str("it was connected"),
            Self::Demanded => f.write_str("it is to be connected"),
            Self::Disabled => f.write_str("it is not to be used"),
            Self::Discovered => f.write_str("all servers are being looked for"),
            Self::Enabled => f.write_str("it may be used again"),
            Self::Fault(fault) => fault.fmt(f),
            Self::Idle(time) => write!(f, "it was not used for {} s", time.as_secs()),
            Self::Late => f.write_str("it came too late"),
            Self::Probed => f.write_str("it is tried from time to time"),
            Self::PutOff => f.write_str("its calls take too long to wait for them"),
            Self::Retried(retry) => write!(f, "retry {retry}"),
            Self::ShutDown => f.write_str("it is to end"),
            Self::TooOld(age) => write!(f, "its process is {} s old", age.as_secs()),
            Self::Unused => f.write_str("nobody wanted it yet"),
        }
    }
}
