//! The exit status: what scripts learn about what happened.

use std::process::ExitCode;

/// How the command ended, from the best to the worst.
///
/// The order is what counts when several things went wrong; the numbers are a promise to scripts.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Exit {
    /// Everything was done.
    #[default]
    Done,
    /// The tool answered with an error.
    ToolFailed,
    /// No `watch` is there that could be asked.
    NotRunning,
    /// No answer came in time.
    Deadline,
    /// A server could not be reached.
    Unreachable,
    /// The command line or the configuration is wrong.
    Usage,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The system asked the command to end.
    Terminated,
}

impl Exit {
    /// The worse of both.
    #[must_use]
    pub(crate) fn worst(self, other: Self) -> Self {
        self.max(other)
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::ToolFailed => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Deadline => 4,
            Self::NotRunning => 5,
            // As shells write the end by a signal: 128 and its number.
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit::{Deadline, Done, Interrupted, NotRunning, ToolFailed, Unreachable, Usage};
    use super::*;

    #[test]
    fn the_worst_thing_wins_in_the_order_2_3_4_5_1() {
        let order = [
            Done,
            ToolFailed,
            NotRunning,
            Deadline,
            Unreachable,
            Usage,
            Interrupted,
        ];
        for (index, better) in order.iter().enumerate() {
            for worse in order.iter().skip(index) {
                assert_eq!(better.worst(*worse), *worse);
                assert_eq!(worse.worst(*better), *worse);
            }
        }
        assert_eq!(order.map(Exit::code), [0, 1, 5, 4, 3, 2, 130]);
    }
}
