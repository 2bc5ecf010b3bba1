//! The processes of the servers over stdio, found by the marks in their environment.

use std::cell::RefCell;

use mcp_tests::stage::{STAGE_MARK, marked};
use mcp_transport::process::MARK;
use rustix::process::{Pid, Signal, getpgid, kill_process};

/// The processes that belong to one registry.
pub(super) struct Processes {
    run: String,
    /// The servers that were killed, and the marks by which the guard knows them.
    killed: RefCell<Vec<(String, String)>>,
}

impl Processes {
    pub(super) fn new() -> Self {
        Self {
            run: format!("peers-registry-{}", std::process::id()),
            killed: RefCell::default(),
        }
    }

    /// What the mark of each server begins with.
    pub(super) fn run(&self) -> &str {
        &self.run
    }

    /// The server itself, without what it started.
    fn root(&self, server: &str) -> Pid {
        let mark = format!("{STAGE_MARK}={}/{server}\0", self.run);
        let processes = marked(mark.as_bytes());
        let pids = processes.iter().map(|line| line.split(':').next().unwrap());
        let pids = pids.filter_map(|pid| Pid::from_raw(pid.parse().unwrap()));
        let roots: Vec<Pid> = pids.filter(|pid| getpgid(Some(*pid)) == Ok(*pid)).collect();
        assert_eq!(roots.len(), 1, "{server}: {processes:?}");
        roots[0]
    }

    /// Stops a server, so that it answers nothing any more and is still there.
    pub(super) fn freeze(&self, server: &str) {
        kill_process(self.root(server), Signal::STOP).unwrap();
    }

    /// Kills a server, whose helpers may live on.
    pub(super) fn kill(&self, server: &str) {
        let root = self.root(server);
        let environment = std::fs::read(format!("/proc/{root}/environ")).unwrap();
        let environment = String::from_utf8_lossy(&environment);
        let mut variables = environment.split('\0');
        let mark = variables.find(|variable| variable.starts_with(MARK));
        let entry = (server.to_owned(), format!("{}\0", mark.unwrap()));
        self.killed.borrow_mut().push(entry);
        kill_process(root, Signal::KILL).unwrap();
    }

    /// What outlives the times that a server was killed.
    pub(super) fn left_over(&self, server: &str) -> Vec<String> {
        let killed = self.killed.borrow();
        let marks = killed.iter().filter(|(killed, _)| killed == server);
        marks
            .flat_map(|(_, mark)| marked(mark.as_bytes()))
            .collect()
    }

    /// What is alive of all servers.
    pub(super) fn alive(&self) -> Vec<String> {
        marked(format!("{STAGE_MARK}={}/", self.run).as_bytes())
    }
}
