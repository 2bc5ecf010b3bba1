//! A fake server as a real process: its script, its record, its survivors.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_client::{Builder, Client, Error};
use mcp_transport::process::Command;
use mcp_transport::{Limits, stdio};
use mcp_types::Implementation;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::record::Record;

/// The variable by which the processes of a stage are found again, whoever started them.
pub const STAGE_MARK: &str = "MCP_TESTS_STAGE";

/// How long anything that must happen may take. Far more than it needs, so that a machine under
/// load does not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A script, and a folder in which its processes write down what they hear.
#[derive(Debug)]
pub struct Stage {
    program: PathBuf,
    script: PathBuf,
    folder: TempDir,
}

impl Stage {
    /// A stage for `program`, which is `fake-server`, with a script of its own.
    pub fn new(program: impl Into<PathBuf>, script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let path = folder.path().join("script.jsonl");
        std::fs::write(&path, script).expect("a scratch folder can be written to");
        Self {
            program: program.into(),
            script: path,
            folder,
        }
    }

    /// A stage for a script that exists.
    pub fn of_file(program: impl Into<PathBuf>, script: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        Self {
            program: program.into(),
            script: script.to_owned(),
            folder,
        }
    }

    /// The command that starts the server.
    pub fn command(&self) -> Command {
        Command::new(&self.program)
            .arg(&self.script)
            .arg(self.folder.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env(STAGE_MARK, self.folder.path())
    }

    /// The words of that command.
    pub fn words(&self) -> [&Path; 3] {
        [&self.program, &self.script, self.folder.path()]
    }

    /// The value of [`STAGE_MARK`] for this stage.
    pub fn mark(&self) -> &Path {
        self.folder.path()
    }

    /// Connects with the defaults.
    ///
    /// # Errors
    ///
    /// Why there is no session.
    pub async fn connect(&self) -> Result<Client, Error> {
        self.connect_with(builder(), Limits::default()).await
    }

    /// Connects with options.
    ///
    /// # Errors
    ///
    /// Why there is no session.
    pub async fn connect_with(&self, builder: Builder, limits: Limits) -> Result<Client, Error> {
        builder
            .connect_with(|| stdio::spawn(self.command(), limits).map_err(Error::from))
            .await
    }

    /// What the server wrote down so far.
    pub fn record(&self) -> Record {
        Record::read(self.folder.path())
    }

    /// How many processes were started.
    pub fn spawns(&self) -> usize {
        std::fs::read(self.folder.path().join("spawns")).map_or(0, |spawns| spawns.len())
    }

    /// The processes of this stage that are alive, descendants included.
    pub fn processes(&self) -> Vec<String> {
        let mark = format!("{STAGE_MARK}={}", self.folder.path().display());
        marked(mark.as_bytes())
    }

    /// Kills every process of this stage with SIGKILL.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn kill(&self) {
        let processes = self.processes();
        assert!(!processes.is_empty(), "nothing runs");
        for process in processes {
            let number = process.split(':').next().unwrap_or_default();
            let pid = number.parse().ok().and_then(rustix::process::Pid::from_raw);
            if let Some(pid) = pid {
                // It may have ended by itself meanwhile.
                let _: Result<(), rustix::io::Errno> =
                    rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    /// Waits until the record is as wanted.
    pub async fn until(&self, what: &str, is_so: impl Fn(&Record) -> bool) {
        until(what, || is_so(&self.record())).await;
    }
}

/// A builder with a name and nothing else.
pub fn builder() -> Builder {
    Client::builder(Implementation::new("mcp-tests", "1"))
}

/// Waits until something is so that nobody reports.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
        sleep(Duration::from_millis(5)).await; // sleep: between two looks, up to a deadline
    }
}

/// The command lines of the processes whose environment holds `mark`.
pub fn marked(mark: &[u8]) -> Vec<String> {
    let folders = std::fs::read_dir("/proc").expect("this is Linux").flatten();
    let found = folders.filter_map(|folder| {
        let environment = std::fs::read(folder.path().join("environ")).ok()?;
        let mut windows = environment.windows(mark.len());
        windows.any(|window| window == mark).then(|| {
            let line = std::fs::read(folder.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            format!("{}: {line}", folder.file_name().display())
        })
    });
    found.collect()
}
