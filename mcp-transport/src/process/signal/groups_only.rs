//! Where there is no `/proc` to search, only the process group is known.

use rustix::process::{Pid, test_kill_process, test_kill_process_group};

use super::{Alive, Tree};

/// Nothing here depends on when a process was started.
pub(super) fn start_of(_process: u32) -> u64 {
    0
}

/// Names the group by its root; a member without the root cannot be listed.
pub(super) fn take(tree: &Tree) -> Alive {
    let mut alive = Alive::default();
    let root = i32::try_from(tree.root).ok().and_then(Pid::from_raw);
    if let Some(root) = root
        && test_kill_process_group(root).is_ok()
        // A process with the root's number, once the root was reaped, is another's.
        && !(tree.reaped && test_kill_process(root).is_ok())
    {
        alive.group.insert(tree.root);
    }
    alive
}
