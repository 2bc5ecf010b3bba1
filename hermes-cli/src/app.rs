//! One run from the command line to the exit status: prints what the commands report, and ends
//! the servers whatever happens.

use std::io;

use clap::{CommandFactory as _, Parser as _};
use tokio::runtime::{self, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::args::{Cli, Command, Import, Mcp, Options, Remove};
use crate::commands::call::{self, Request};
use crate::commands::{add, configure, import, list, remove, schema, switch, test, tools};
use crate::demo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::output::{Report, Target, json, print, say, say_more};
use crate::session::Session;
use crate::settings::Settings;

pub(crate) fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    match cli.command {
        Command::Completion { shell }
        | Command::Mcp {
            command: Mcp::Completions { shell },
        } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "hermes", &mut script);
            printed(&String::from_utf8_lossy(&script))
        }
        Command::Mcp {
            command: Mcp::Schema { output },
        } => {
            let is_json = cli.options.json;
            tell(schema::run(output.as_deref(), is_json), &[], is_json)
        }
        Command::Mcp {
            command: Mcp::DemoServer,
        } => {
            let served = runtime().and_then(|runtime| {
                let served = runtime.block_on(demo::serve());
                // A reader of standard input that is still waiting must not keep us.
                runtime.shutdown_background();
                served
            });
            served.map_or_else(|error| failed(&error), |()| Exit::Done)
        }
        Command::Mcp { command } => {
            log(cli.options.verbose);
            use_servers(&cli.options, &command)
        }
    }
}

/// Runs a command that needs the configuration.
fn use_servers(options: &Options, command: &Mcp) -> Exit {
    let lookup = |name: &str| std::env::var(name).ok();
    let (mut settings, loaded) = if command.is_change() {
        Settings::load_to_change(options, &lookup)
    } else {
        Settings::load(options, &lookup)
    };
    let (problems, is_json) = (settings.problems.clone(), settings.json);
    if let Err(failure) = loaded {
        return tell(Err(failure), &problems, is_json);
    }
    // What is wrong with a file that is changed is told once it is changed.
    let mut base = Exit::Done;
    if !command.is_change() {
        base = settings.exit();
        for problem in &problems {
            say(&problem.text);
        }
    }
    if let Some(note) = &settings.note {
        say(note);
    }
    let target = Target::of_stdout();
    let job = match Job::new(command, &mut settings) {
        Ok(Some(job)) => job,
        Ok(None) => return base.worst(tell(Ok(list::run(&settings, target)), &problems, is_json)),
        Err(failure) => return base.worst(tell(Err(failure), &problems, is_json)),
    };
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let exit = runtime.block_on(with_session(settings, &job, target));
    runtime.shutdown_background();
    base.worst(exit)
}

/// What is to be done with servers, or with the configuration.
enum Job<'a> {
    Add(Box<add::Plan>),
    Call(Request<'a>),
    Configure(Box<configure::Plan>),
    Import(&'a Import, import::Plan),
    Remove(&'a Remove),
    Switch(&'a str, bool),
    Test(&'a str),
    Tools(Option<&'a str>),
}

impl<'a> Job<'a> {
    /// The job of a command, with everything that has to be read for it; `None` if no server is
    /// needed.
    ///
    /// Reading may take as long as the user likes, so it is done before anything is started and
    /// before signals are caught.
    fn new(command: &'a Mcp, settings: &mut Settings) -> Result<Option<Self>, Failure> {
        // What starts no server leaves no log of one.
        if matches!(
            command,
            Mcp::Disable { .. } | Mcp::Enable { .. } | Mcp::Import(_) | Mcp::Remove(_)
        ) {
            settings.stderr_log = None;
        }
        Ok(Some(match command {
            Mcp::Add(args) => {
                let plan = add::plan(args, settings)?;
                settings.config = plan.config();
                Self::Add(Box::new(plan))
            }
            Mcp::Configure(args) => {
                let plan = configure::plan(args, settings)?;
                settings.config = plan.config();
                Self::Configure(Box::new(plan))
            }
            Mcp::Import(args) => Self::Import(args, import::plan(args, settings)?),
            Mcp::Remove(args) => Self::Remove(args),
            Mcp::Enable { name } => Self::Switch(name, true),
            Mcp::Disable { name } => Self::Switch(name, false),
            Mcp::Tools { server } => Self::Tools(server.as_deref()),
            Mcp::Test { server } => Self::Test(server),
            Mcp::Call {
                name,
                arguments,
                timeout,
            } => {
                let arguments = call::read_arguments(arguments.as_deref())?;
                Self::Call(Request {
                    name,
                    arguments,
                    timeout: *timeout,
                })
            }
            Mcp::Completions { .. } | Mcp::DemoServer | Mcp::List | Mcp::Schema { .. } => {
                return Ok(None);
            }
        }))
    }

    async fn run(&self, session: &Session, target: Target) -> Result<Report, Failure> {
        match self {
            Self::Add(plan) => add::run(session, plan).await,
            Self::Configure(plan) => configure::run(session, plan).await,
            Self::Import(args, plan) => import::run(session, args, plan).await,
            Self::Remove(args) => remove::run(session, args).await,
            Self::Switch(name, enabled) => switch::run(session, name, *enabled),
            Self::Call(request) => call::run(session, request, target).await,
            Self::Test(server) => test::run(session, server).await,
            Self::Tools(server) => tools::run(session, *server, target).await,
        }
    }
}

/// Does a job, tells what came of it and ends the servers.
async fn with_session(settings: Settings, job: &Job<'_>, target: Target) -> Exit {
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return failed(&io::Error::other("signals cannot be caught"));
    };
    let (problems, is_json) = (settings.problems.clone(), settings.json);
    let session = Session::new(settings);
    let exit = tokio::select! {
        result = job.run(&session, target) => tell(result, &problems, is_json),
        exit = stopped(&mut interrupt, &mut terminate) => exit,
    };
    tokio::select! {
        () = session.registry.close() => exit,
        // Whoever asks again does not want to wait; the servers are killed instead.
        exit = stopped(&mut interrupt, &mut terminate) => exit,
    }
}

async fn stopped(interrupt: &mut Signal, terminate: &mut Signal) -> Exit {
    tokio::select! {
        _ = interrupt.recv() => Exit::Interrupted,
        _ = terminate.recv() => Exit::Terminated,
    }
}

/// Prints what came of a command.
fn tell(result: Result<Report, Failure>, problems: &[Fault], is_json: bool) -> Exit {
    let report = result.unwrap_or_else(|failure| {
        let text = if is_json {
            json::failure(&failure, problems)
        } else {
            String::new()
        };
        Report::new(text).with_failure(failure)
    });
    let exit = printed(&report.text).worst(report.exit);
    for note in &report.notes {
        say(note);
    }
    for failure in &report.failures {
        say(&failure.sentence());
        for line in failure.more_details() {
            say_more(line);
        }
    }
    exit
}

fn printed(text: &str) -> Exit {
    match print(text) {
        Ok(()) => Exit::Done,
        Err(error) => failed(&io::Error::other(format!(
            "standard output cannot be written: {error}"
        ))),
    }
}

/// Tells of a failure of the system, which is no fault of any server.
fn failed(error: &io::Error) -> Exit {
    say(&error.to_string());
    Exit::Usage
}

/// Tells what is wrong with the command line, or prints the help that was asked for.
fn explain(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if !error.use_stderr() {
        return printed(&text);
    }
    // The options could not be read, so this looks for the word itself.
    if std::env::args_os().skip(1).any(|word| word == "--json") {
        let message = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        let failure = Failure::usage("usage", message, "`hermes --help` shows what can be typed");
        return tell(Err(failure), &[], true);
    }
    let _: io::Result<()> = error.print();
    Exit::Usage
}

/// One thread: a command waits for servers most of the time, and starts faster without workers.
fn runtime() -> io::Result<Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}

/// Turns on what the crates have to say, on standard error.
fn log(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let format = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(level));
    format.with_writer(io::stderr).with_ansi(false).init();
}
