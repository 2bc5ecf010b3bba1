//! How a server behaves.

use super::chance::Chance;

/// How a server behaves.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mood {
    /// It cannot be reached, and nothing says so.
    Absent,
    /// It dies of calls.
    Crashing,
    /// It can be connected, and then says nothing.
    Deaf,
    /// It dies soon after it was connected.
    Flapping,
    /// It wants other credentials.
    Locked,
    /// Its command does not exist any more.
    Misconfigured,
    /// It does one thing at a time, and slowly.
    Plodding,
    /// It cannot be reached.
    Refusing,
    Well,
}

impl Mood {
    pub(super) const ALL: [Self; 9] = [
        Self::Absent,
        Self::Crashing,
        Self::Deaf,
        Self::Flapping,
        Self::Locked,
        Self::Misconfigured,
        Self::Plodding,
        Self::Refusing,
        Self::Well,
    ];

    /// Half of them are well, so that there is something to be lost.
    pub(super) fn any(chance: &mut Chance) -> Self {
        match chance.below(Self::ALL.len() * 2) {
            index if index < Self::ALL.len() => Self::ALL[index],
            _ => Self::Well,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Crashing => "crashing",
            Self::Deaf => "deaf",
            Self::Flapping => "flapping",
            Self::Locked => "locked",
            Self::Misconfigured => "misconfigured",
            Self::Plodding => "plodding",
            Self::Refusing => "refusing",
            Self::Well => "well",
        }
    }
}
