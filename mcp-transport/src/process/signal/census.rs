//! The search for a server's processes in Linux's `/proc`.
//!
//! Each process of ours is asked for its state, group and session (`stat`) and its environment as
//! it was at `exec` (`environ`). What the kernel hides from us, such as the environment of another
//! user's process or of one that made itself undumpable, is not found by its mark.

use std::fs::{self, File};
use std::io::Read as _;

use memchr::memmem::Finder;

use super::{Alive, Tree};

pub(super) fn take(tree: &Tree) -> Alive {
    let mark = Finder::new(tree.mark.as_bytes());
    let own = std::process::id();
    let mut alive = Alive::default();
    let mut group = Vec::new();
    let mut environ = Vec::new();
    for pid in pids().filter(|pid| *pid > 1 && *pid != own) {
        let Some(stat) = Stat::of(pid) else { continue };
        if stat.is_dead() {
            continue;
        }
        let marked = carries(pid, &mark, &mut environ);
        if stat.group == tree.root {
            group.push((pid, stat, marked));
        } else if marked {
            alive.strays.insert(pid);
        }
    }
    if owns_group(tree, &group) {
        alive.group = group.into_iter().map(|(pid, ..)| pid).collect();
    } else {
        alive.strays.extend(
            group
                .into_iter()
                .filter(|(.., marked)| *marked)
                .map(|(pid, ..)| pid),
        );
    }
    alive
}

/// Whether the group with the root's number is still the server's.
///
/// It is while the root was not reaped. Afterwards its number stays taken as long as one member
/// lives, so a member with the mark proves it. Without one, a process with the root's number
/// disproves it, and so does a member of another session, since we started the group in ours.
fn owns_group(tree: &Tree, members: &[(u32, Stat, bool)]) -> bool {
    if !tree.reaped || members.iter().any(|(.., marked)| *marked) {
        return true;
    }
    let Some(own) = Stat::of(std::process::id()) else {
        return false;
    };
    members
        .iter()
        .all(|(pid, stat, _)| *pid != tree.root && stat.session == own.session)
}

fn pids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn carries(pid: u32, mark: &Finder<'_>, buffer: &mut Vec<u8>) -> bool {
    buffer.clear();
    // Bound: the kernel allows arguments and environment some megabytes together.
    let read = File::open(format!("/proc/{pid}/environ"))
        .and_then(|file| file.take(ENVIRON_LEN_MAX).read_to_end(buffer));
    read.is_ok() && mark.find(buffer).is_some()
}

/// The fields of `/proc/<pid>/stat` that matter here.
struct Stat {
    state: u8,
    group: u32,
    session: u32,
}

impl Stat {
    fn of(pid: u32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The second field is the program's name in parentheses and may hold any byte, so the rest
    /// begins after the last one that closes.
    fn parse(text: &[u8]) -> Option<Self> {
        let rest = text.get(memchr::memrchr(b')', text)?..)?;
        let mut fields = str::from_utf8(rest).ok()?.split_ascii_whitespace().skip(1);
        let state = *fields.next()?.as_bytes().first()?;
        let _parent = fields.next()?;
        Some(Self {
            state,
            group: fields.next()?.parse().ok()?,
            session: fields.next()?.parse().ok()?,
        })
    }

    fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }
}

const ENVIRON_LEN_MAX: u64 = 8 << 20;

#[cfg(test)]
mod tests {
    use super::Stat;

    #[test]
    fn a_name_with_parentheses_and_spaces_is_passed_over() {
        let stat = Stat::parse(b"77 (a) Z (b c) S 1 70 60 0 -1 4194560\n").unwrap();
        assert_eq!((stat.state, stat.group, stat.session), (b'S', 70, 60));
    }

    #[test]
    fn text_cut_short_is_refused() {
        assert!(Stat::parse(b"77 (a) S 1").is_none());
        assert!(Stat::parse(b"77").is_none());
    }
}
