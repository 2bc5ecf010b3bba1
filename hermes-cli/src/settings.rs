//! What a run works with: the configuration, or the demo server in its place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hermes_registry::config::edit::Change;
use hermes_registry::config::{CommandLine, ConfigErrorKind};
use hermes_registry::import::Existing;
use hermes_registry::{Config, ConfigError, Loaded, Problem, ServerConfig};
use mcp_transport::journal::Journal;

use crate::args::Options;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::file;
use crate::watch::control::Places;

/// The name of the demo server.
const DEMO: &str = "demo";

/// What a run works with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// Where the configuration comes from, for people; `None` for the demo server.
    pub(crate) file: Option<String>,
    /// The file that is changed by commands that change it, or is watched.
    path: PathBuf,
    /// Where a `watch` of it has its control socket.
    pub(crate) places: Option<Places>,
    pub(crate) problems: Vec<Fault>,
    /// The same, of a file that could be read as a whole, for a diagnosis.
    pub(crate) found: Vec<Problem>,
    /// What people should know before anything else.
    pub(crate) note: Option<String>,
    /// Where the servers' stderr is kept.
    pub(crate) stderr_log: Option<PathBuf>,
    /// Where it is kept which tools were approved and what servers told.
    pub(crate) store: Option<PathBuf>,
    /// Where frames are kept.
    pub(crate) frame_log: Option<PathBuf>,
    pub(crate) json: bool,
    pub(crate) verbose: bool,
    /// Whether every question is answered with yes.
    pub(crate) yes: bool,
}

impl Settings {
    /// Reads what the options name.
    ///
    /// # Errors
    ///
    /// A configuration that cannot be read as a whole; what is known of it is in the settings.
    pub(crate) fn load(
        options: &Options,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> (Self, Result<(), Failure>) {
        let mut settings = Self {
            store: Self::store(options, lookup),
            frame_log: options.frame_log.clone(),
            json: options.json,
            verbose: options.verbose > 0,
            yes: options.yes,
            ..Self::default()
        };
        let result = settings.choose(options, lookup);
        (settings, result)
    }

    fn choose(
        &mut self,
        options: &Options,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), Failure> {
        let default = Config::default_path(lookup);
        match (&options.config, default) {
            (Some(_), _) if options.demo => Err(Failure::usage(
                "usage",
                "`--config` and `--demo` contradict each other",
                "leave one of them out",
            )),
            (Some(file), default) => {
                self.stderr_log = default.as_deref().and_then(log_path);
                let loaded = Config::load(file).map_err(|error| self.refuse(&error))?;
                self.take(file, loaded);
                Ok(())
            }
            _ if options.demo => self.use_demo("using the built-in demo server".to_owned()),
            (None, None) => self.use_demo(
                "no configuration file, since neither HERMES_HOME nor HOME is set; using the \
                 built-in demo server"
                    .to_owned(),
            ),
            (None, Some(file)) => {
                self.stderr_log = log_path(&file);
                match Config::load(&file) {
                    Ok(loaded) => {
                        self.take(&file, loaded);
                        Ok(())
                    }
                    Err(error) if is_missing(&error) => self.use_demo(format!(
                        "no configuration file at {}; using the built-in demo server",
                        file.display()
                    )),
                    Err(error) => Err(self.refuse(&error)),
                }
            }
        }
    }

    /// Looks whether frames can be kept where they are to be.
    ///
    /// # Errors
    ///
    /// If they cannot.
    pub(crate) fn open_frame_log(&self) -> Result<(), Failure> {
        let Some(path) = &self.frame_log else {
            return Ok(());
        };
        // An empty text opens the file, with the mode that it will have.
        let opened = Journal::new(path, u64::MAX).append("");
        opened.map_err(|error| {
            let message = format!("frames cannot be kept in {}: {error}", path.display());
            Failure::usage("no_file", message, "name another file with `--frame-log`")
        })
    }

    /// Reads what the options name, for a command that changes it.
    ///
    /// A file that is not there yet has no servers.
    ///
    /// # Errors
    ///
    /// A configuration that cannot be read as a whole, or none that could be written.
    pub(crate) fn load_to_change(
        options: &Options,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> (Self, Result<(), Failure>) {
        let default = Config::default_path(lookup);
        let mut settings = Self {
            stderr_log: default.as_deref().and_then(log_path),
            places: Self::places(options, lookup),
            store: Self::store(options, lookup),
            frame_log: options.frame_log.clone(),
            json: options.json,
            verbose: options.verbose > 0,
            yes: options.yes,
            ..Self::default()
        };
        let result = match options.config.clone().or(default) {
            _ if options.demo => Err(Failure::usage(
                "usage",
                "`--demo` has no configuration that could be changed",
                "leave it out",
            )),
            Some(path) => settings.take_file(path),
            None => Err(Failure::usage(
                "no_file",
                "no configuration file, since neither HERMES_HOME nor HOME is set",
                "name one with `--config`",
            )),
        };
        (settings, result)
    }

    /// Where a `watch` of what the options name has its control socket.
    pub(crate) fn places(
        options: &Options,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Places> {
        let default = Config::default_path(lookup);
        let home = default.as_deref().and_then(Path::parent);
        let path = options.config.as_deref().or(default.as_deref())?;
        Some(Places::new(path, home, lookup))
    }

    fn store(options: &Options, lookup: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
        let default = Config::default_path(lookup)?;
        let places = Self::places(options, lookup)?;
        Some(places.store(default.parent()?))
    }

    /// The file, where there is to be one.
    pub(crate) fn path(&self) -> Option<&Path> {
        Some(&*self.path).filter(|path| !path.as_os_str().is_empty())
    }

    fn take_file(&mut self, path: PathBuf) -> Result<(), Failure> {
        match Config::load(&path) {
            Ok(loaded) => self.take(&path, loaded),
            Err(error) if is_missing(&error) => self.file = Some(path.display().to_string()),
            Err(error) => return Err(self.refuse(&error)),
        }
        self.path = path;
        Ok(())
    }

    /// Makes these changes in the file, and reads it again.
    ///
    /// # Errors
    ///
    /// Why the file is as it was.
    pub(crate) fn change(&self, changes: &[Change]) -> Result<Self, Failure> {
        file::change(&self.path, changes)?;
        let mut after = self.clone();
        after.take_file(self.path.clone())?;
        Ok(after)
    }

    /// The servers as the file has them.
    ///
    /// # Errors
    ///
    /// If the file cannot be read as a whole.
    pub(crate) fn existing(&self) -> Result<Existing, Failure> {
        let shown = self.file.as_deref().unwrap_or_default();
        let text = file::read(&self.path).map_err(|error| {
            let message = format!("{shown}: cannot be read: {error}");
            Failure::usage("config", message, "give another file with `--config`")
        })?;
        Existing::parse(&text, shown).map_err(|error| {
            let suggestion = "correct the file; nothing was changed";
            Failure::usage("config", error.to_string(), suggestion)
        })
    }

    /// Whether others than its owner can read the file.
    pub(crate) fn is_open_to_others(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata(&self.path).is_ok_and(|file| file.mode() & 0o044 != 0)
    }

    /// Whether a server of this name stands in the file, sound or not.
    pub(crate) fn has(&self, server: &str) -> bool {
        self.config.server(server).is_some() || self.is_faulty(server)
    }

    fn take(&mut self, file: &Path, loaded: Loaded) {
        self.file = Some(file.display().to_string());
        self.problems = loaded.problems.iter().map(Fault::from).collect();
        self.found = loaded.problems;
        self.config = loaded.config;
    }

    fn refuse(&mut self, error: &ConfigError) -> Failure {
        let fault = Fault::from(error);
        let suggestion = match error.kind() {
            ConfigErrorKind::Unreadable(_) => "give another file with `--config`",
            _ => "correct the file; none of its servers can be used until then",
        };
        let failure = Failure::usage("config", fault.text.clone(), suggestion);
        self.problems = vec![fault];
        failure
    }

    fn use_demo(&mut self, note: String) -> Result<(), Failure> {
        self.config = demo_config().map_err(|why| {
            let suggestion = "write a configuration; `hermes mcp --help` says where";
            Failure::usage(
                "no_demo",
                format!("the demo server cannot be used: {why}"),
                suggestion,
            )
        })?;
        self.stderr_log = None;
        self.store = None;
        self.note = Some(note);
        Ok(())
    }

    /// What the configuration alone makes of the exit status.
    pub(crate) fn exit(&self) -> Exit {
        if self.problems.iter().any(Fault::is_error) {
            Exit::Usage
        } else {
            Exit::Done
        }
    }

    /// Whether the configuration names this server, but with faults that keep it from being used.
    pub(crate) fn is_faulty(&self, server: &str) -> bool {
        self.config.server(server).is_none() && self.faulty().any(|name| name == server)
    }

    /// The servers that faults keep from being used, in the order of their names.
    pub(crate) fn faulty(&self) -> impl Iterator<Item = &str> {
        let errors = self.problems.iter().filter(|fault| fault.is_error());
        let names: BTreeSet<&str> = errors.filter_map(|fault| fault.server.as_deref()).collect();
        names
            .into_iter()
            .filter(|name| self.config.server(name).is_none())
    }
}

fn is_missing(error: &ConfigError) -> bool {
    matches!(error.kind(), ConfigErrorKind::Unreadable(error)
        if error.kind() == std::io::ErrorKind::NotFound)
}

/// The log beside the default configuration.
fn log_path(config: &Path) -> Option<PathBuf> {
    Some(config.parent()?.join("logs").join("mcp-stderr.log"))
}

/// The demo server, which is this very program once more.
fn demo_config() -> Result<Config, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program
        .to_str()
        .ok_or("the path of this program is not UTF-8")?;
    let command = CommandLine::new(program).with_args(["mcp", "demo-server"]);
    let server = ServerConfig::stdio(DEMO, command).map_err(|error| error.to_string())?;
    Ok(Config::new().with_server(server))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_default_file_gives_the_demo_and_a_missing_named_one_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        let lookup = |name: &str| (name == "HERMES_HOME").then(|| home.clone());

        let (settings, result) = Settings::load(&Options::default(), &lookup);
        result.unwrap();
        assert!(settings.config.server(DEMO).is_some() && settings.file.is_none());
        let note = settings.note.unwrap();
        assert!(
            note.ends_with("config.yaml; using the built-in demo server"),
            "{note}"
        );

        let config = Some(folder.path().join("config.yaml"));
        let named = Options {
            config: config.clone(),
            ..Options::default()
        };
        let (settings, result) = Settings::load(&named, &lookup);
        let failure = result.unwrap_err();
        assert!(
            failure.message.ends_with("the file does not exist"),
            "{}",
            failure.message
        );
        assert_eq!(
            (failure.exit, settings.config.servers().len()),
            (Exit::Usage, 0)
        );

        let both = Options {
            config,
            demo: true,
            ..Options::default()
        };
        let failure = Settings::load(&both, &lookup).1.unwrap_err();
        assert_eq!(&*failure.code, "usage");
    }

    #[test]
    fn a_server_with_faults_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        let text = "mcp_servers:\n  bad: {command: a, nope: 1, nah: 2}\n  good: {command: b}\n";
        std::fs::write(&file, text).unwrap();
        let options = Options {
            config: Some(file),
            ..Options::default()
        };
        let (settings, result) = Settings::load(&options, &|_name| None);
        result.unwrap();
        assert_eq!(settings.faulty().collect::<Vec<_>>(), ["bad"]);
        assert!(settings.is_faulty("bad") && !settings.is_faulty("good"));
        assert_eq!(settings.exit(), Exit::Usage);
    }
}
