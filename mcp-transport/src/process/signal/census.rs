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
        alive.is_unclear |= environ.is_empty() && stat.start >= tree.since && !stat.is_kernels;
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
    if read.is_err() {
        // Not ours to read, or gone: in either case nothing that another look would change.
        buffer.clear();
        buffer.push(0);
    }
    mark.find(buffer).is_some()
}

pub(super) fn start_of(process: u32) -> u64 {
    Stat::of(process).map_or(0, |stat| stat.start)
}

/// The fields of `/proc/<pid>/stat` that matter here.
struct Stat {
    state: u8,
    group: u32,
    session: u32,
    /// In clock ticks since the system's start.
    start: u64,
    /// Whether it is a thread of the kernel, which has no environment at all.
    is_kernels: bool,
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
        let (group, session) = (fields.next()?, fields.next()?);
        // Behind the terminal and its group come the flags, the 9th field; the start is the 22nd.
        let flags: u64 = fields.nth(2)?.parse().ok()?;
        let start = fields.nth(12)?.parse().ok()?;
        Some(Self {
            state,
            group: group.parse().ok()?,
            session: session.parse().ok()?,
            start,
            is_kernels: flags & OF_KERNEL != 0,
        })
    }

    fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }
}

/// `PF_KTHREAD` of Linux.
const OF_KERNEL: u64 = 0x0020_0000;

const ENVIRON_LEN_MAX: u64 = 8 << 20;

#[cfg(test)]
mod tests {
    use super::Stat;

    #[test]
    fn a_name_with_parentheses_and_spaces_is_passed_over() {
        let text = b"77 (a) Z (b c) S 1 70 60 0 -1 4194560 9 9 9 9 1 2 3 4 20 0 1 0 5150 6 7\n";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.state, stat.group, stat.session), (b'S', 70, 60));
        assert_eq!((stat.start, stat.is_kernels), (5150, false));
        let text = b"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 3 0 0\n";
        assert!(Stat::parse(text).unwrap().is_kernels);
    }

    #[test]
    fn text_cut_short_is_refused() {
        assert!(Stat::parse(b"77 (a) S 1").is_none());
        assert!(Stat::parse(b"77").is_none());
    }
}
