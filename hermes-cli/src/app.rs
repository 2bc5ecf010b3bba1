//! One run from the command line to the exit status: prints what the commands report, and ends
//! the servers whatever happens.

use std::io;
use std::path::Path;

use clap::{CommandFactory as _, Parser as _};
use tokio::runtime::{self, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::args::{Cli, Command, Mcp, Options};
use crate::commands::{catalog, list, reload, schema, status};
use crate::demo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fault::Fault;
use crate::job::Wish;
use crate::output::{Report, Target, json, print, say, say_more};
use crate::replay;
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
            printed(&script)
        }
        Command::Mcp {
            command: Mcp::Schema { output },
        } => {
            let is_json = cli.options.json;
            tell(schema::run(output.as_deref(), is_json), &[], is_json)
        }
        Command::Mcp {
            command: Mcp::Catalog { query },
        } => {
            let (is_json, target) = (cli.options.json, Target::of_stdout());
            let report = catalog::run(query.as_deref(), is_json, target);
            tell(Ok(report), &[], is_json)
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
        Command::Mcp {
            command: Mcp::Replay { file, server },
        } => play(&file, server.as_deref(), cli.options.json),
        Command::Mcp { command } => {
            log(cli.options.verbose);
            match ask_watch(&cli.options, &command) {
                Some(exit) => exit,
                None => use_servers(&cli.options, &command),
            }
        }
    }
}

/// Plays a log of frames back until standard input ends.
fn play(file: &Path, server: Option<&str>, is_json: bool) -> Exit {
    let (player, notes) = match replay::load(file, server) {
        Ok(loaded) => loaded,
        Err(failure) => return tell(Err(failure), &[], is_json),
    };
    notes.iter().for_each(|note| say(note));
    let served = runtime().and_then(|runtime| {
        let served = runtime.block_on(replay::serve(player));
        // A reader of standard input that is still waiting must not keep us.
        runtime.shutdown_background();
        served
    });
    served.map_or_else(|error| failed(&error), |()| Exit::Done)
}

/// Has a running `watch` do what can be asked of it; `None` if this is to be done here.
fn ask_watch(options: &Options, command: &Mcp) -> Option<Exit> {
    let is_json = options.json;
    let lookup = |name: &str| std::env::var(name).ok();
    let places = Settings::places(options, &lookup).filter(|_| !options.demo);
    let (places, runtime) = match (command, places) {
        (Mcp::Reload | Mcp::Status { .. }, Some(places)) => match runtime() {
            Ok(runtime) => (places, runtime),
            Err(error) => return Some(failed(&error)),
        },
        (Mcp::Reload, None) => {
            let message = "there is no configuration that could be read again";
            let failure = Failure::usage("no_file", message, "name one with `--config`");
            return Some(tell(Err(failure), &[], is_json));
        }
        _ => return None,
    };
    let told = match command {
        Mcp::Status { server } => {
            let server = server.as_deref();
            let told = status::of_watch(&places, server, is_json, Target::of_stdout());
            runtime.block_on(told).transpose()?
        }
        _ => runtime.block_on(reload::run(&places, is_json)),
    };
    Some(tell(told, &[], is_json))
}

/// Runs a command that needs the configuration.
fn use_servers(options: &Options, command: &Mcp) -> Exit {
    let lookup = |name: &str| std::env::var(name).ok();
    // What is watched does not have to be there yet.
    let is_awaited = matches!(command, Mcp::Watch(_)) && !options.demo;
    let (mut settings, loaded) = if command.is_change() || is_awaited {
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
        // They are findings of a diagnosis, which tells them itself.
        let are_told = !matches!(command, Mcp::Doctor { .. });
        for problem in problems.iter().filter(|_| are_told) {
            say(&problem.text);
        }
    }
    if let Some(note) = &settings.note {
        say(note);
    }
    if let Err(failure) = settings.open_frame_log() {
        return tell(Err(failure), &problems, is_json);
    }
    let target = Target::of_stdout();
    let wish = match Wish::new(command, &mut settings) {
        Ok(Some(wish)) => wish,
        Ok(None) => return base.worst(tell(Ok(list::run(&settings, target)), &problems, is_json)),
        Err(failure) => return base.worst(tell(Err(failure), &problems, is_json)),
    };
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let exit = runtime.block_on(with_session(settings, wish, target));
    runtime.shutdown_background();
    base.worst(exit)
}

/// Does a job, tells what came of it and ends the servers.
async fn with_session(mut settings: Settings, wish: Wish<'_>, target: Target) -> Exit {
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return failed(&io::Error::other("signals cannot be caught"));
    };
    let (problems, is_json) = (settings.problems.clone(), settings.json);
    let settled = tokio::select! {
        settled = wish.settle(&mut settings) => settled,
        exit = stopped(&mut interrupt, &mut terminate) => return exit,
    };
    let job = match settled {
        Ok(job) => job,
        Err(failure) => return tell(Err(failure), &problems, is_json),
    };
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
    let mut bytes = report.text.into_bytes();
    bytes.extend(report.bytes);
    let exit = printed(&bytes).worst(report.exit);
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

fn printed(bytes: &[u8]) -> Exit {
    match print(bytes) {
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
        return printed(text.as_bytes());
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
