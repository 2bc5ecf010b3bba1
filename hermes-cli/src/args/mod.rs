//! The command line: what can be typed, and what `--help` says about it.

mod change;
mod help;

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand};

pub(crate) use change::{Add, Configure, Import, Install, Remove, Writing};
use help::{COMPLETIONS, EXAMPLES, SHAPES};

/// The longest time that `--timeout` takes, in seconds: one day, as in the configuration.
const TIMEOUT_SECONDS_MAX: f64 = 86_400.0;

/// Lists and calls the tools of MCP servers.
#[derive(Debug, Parser)]
#[command(name = "hermes", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands, before or behind its name.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Read this configuration
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help = "Read this configuration [default: $HERMES_HOME/config.yaml, else ~/.hermes/config.yaml]"
    )]
    pub(crate) config: Option<PathBuf>,
    /// Use the demo server inside this program, whatever is configured
    #[arg(long, global = true)]
    pub(crate) demo: bool,
    /// Print one JSON object instead of text (`hermes mcp --help` shows its members)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Answer every question with yes
    #[arg(short, long, global = true)]
    pub(crate) yes: bool,
    /// Append every frame that is sent to or comes from a server to this file, with credentials
    /// hidden
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) frame_log: Option<PathBuf>,
    /// Tell more on standard error; twice for even more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Args, Debug)]
pub(crate) struct Read {
    /// The server, or the URI if one server alone lists it
    #[arg(value_name = "SERVER|URI")]
    pub(crate) first: String,
    /// The URI of the resource
    #[arg(value_name = "URI")]
    pub(crate) second: Option<String>,
    /// Write it to this file, in place of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Fill {
    /// The prompt, as server/name
    pub(crate) name: String,
    /// A value to fill in; again for each further one
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) args: Vec<(String, String)>,
}

#[derive(Args, Debug)]
pub(crate) struct Watch {
    /// Tell what the servers log, too
    #[arg(long)]
    pub(crate) logs: bool,
    /// Tell when this resource changes; again for each further one
    #[arg(long, value_name = "[SERVER/]URI")]
    pub(crate) subscribe: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Use the configured MCP servers
    #[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{SHAPES}"))]
    Mcp {
        #[command(subcommand)]
        command: Mcp,
    },
    /// Print a script that completes this command in a shell
    #[command(after_help = COMPLETIONS)]
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Which tools are approved.
#[derive(Args, Debug)]
pub(crate) struct Approve {
    /// The server
    pub(crate) server: String,
    /// These of its tools only, by the names that the server uses
    #[arg(value_name = "TOOL")]
    pub(crate) tools: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// Show the configured servers, without starting them
    #[command(
        after_help = "Examples:\n  hermes mcp list\n  hermes mcp list --config team.yaml --json"
    )]
    List,
    /// Start the servers and list their tools
    #[command(after_help = "\
Examples:
  hermes mcp tools
  hermes mcp tools files
  hermes mcp tools --json | jq '.tools[].name'

On a pipe, each line is a name, a tab and the first sentence of the description.")]
    Tools {
        /// Start and list this server only
        server: Option<String>,
    },
    /// Call a tool
    #[command(after_help = "\
Examples:
  hermes mcp call mcp_demo_add '{\"a\":2,\"b\":3}' --demo
  hermes mcp call demo/add '{\"a\":2,\"b\":3}' --demo --json
  hermes mcp call files/read_file - < arguments.json

The texts of the result go to standard output; where there are none, its structured content does.")]
    Call {
        /// The tool, by its public name or as server/tool
        name: String,
        /// A JSON object; `-`, or nothing on a pipe, reads it from standard input [default: {}]
        #[arg(value_name = "JSON")]
        arguments: Option<String>,
        /// End the call after this long, once the server is connected [default: as configured]
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        timeout: Option<Duration>,
    },
    /// List what the servers give to read
    #[command(after_help = "\
Examples:
  hermes mcp resources
  hermes mcp resources files --json | jq -r '.resources[].uri'

On a pipe, each line is a server, `resource` or `template`, an address and what it is about, with tabs
between them. In a template, what stands in braces is for you to fill in.")]
    Resources {
        /// Start and list this server only
        server: Option<String>,
    },
    /// Read a resource of a server
    #[command(after_help = "\
Examples:
  hermes mcp read demo demo://greeting --demo
  hermes mcp read demo://greeting --demo       if one server alone lists it
  hermes mcp read files file:///home/me/logo.png --output logo.png
  hermes mcp read demo://pixel --demo | file -

What is no text is shown as a marker at a terminal, and goes to a pipe as it is.")]
    Read(Read),
    /// List the prompts of the servers
    #[command(after_help = "\
Examples:
  hermes mcp prompts
  hermes mcp prompts demo --demo --json

On a pipe, each line is server/name, the arguments with those in brackets that may be left out, and
what it is about, with tabs between them.")]
    Prompts {
        /// Start and list this server only
        server: Option<String>,
    },
    /// Fill in a prompt of a server
    #[command(after_help = "\
Examples:
  hermes mcp prompt demo/greet --arg name=Ada --demo
  hermes mcp prompt demo/greet --arg name=Ada --arg tone=formal --demo --json")]
    Prompt(Fill),
    /// Tell how the servers are: state, tools, what went wrong and what comes next
    #[command(after_help = "\
Examples:
  hermes mcp status
  hermes mcp status files
  hermes mcp status --json | jq '.servers[] | select(.error)'

A running `watch` is asked; without one the servers are started for it. On a pipe, each line is a
name, the state, the number of tools that
are offered and what is wrong, with tabs between them. The exit status is 3 if a server could not be
reached.")]
    Status {
        /// Start and tell of this server only
        server: Option<String>,
    },
    /// Find out why a tool is not there, and what to do about it
    #[command(after_help = "\
Examples:
  hermes mcp doctor                        every server, step by step
  hermes mcp doctor files                  one server
  hermes mcp doctor files/read_file        why this tool is offered, or is not
  hermes mcp doctor mcp_files_read_file
  hermes mcp doctor read_file --json | jq '.findings[] | {message, wayOut}'

The servers are started for it. On a pipe, each line is how much it matters (ok, note, warning or
error), what it is about, the server, what was found and the way out, with tabs between them. The
exit status is 2 if the configuration keeps something from being offered, and 3 if a server does.")]
    Doctor {
        /// A server, or a tool: by its public name, as server/tool, or as its server calls it
        name: Option<String>,
    },
    /// Keep the servers running, and tell what happens; follow the configuration
    #[command(after_help = "\
Examples:
  hermes mcp watch
  hermes mcp watch --logs
  hermes mcp watch --subscribe file:///var/log/app.log --subscribe tracker/issues://open
  hermes mcp watch --json | jq -c 'select(.event == \"tools\")'

Each line is something that happened. The configuration is read again when it changes, at SIGHUP, and
for `hermes mcp reload`; only servers that are configured otherwise are started anew. A file that
cannot be used changes nothing. A resource whose server is not named is that of the one server that
lists it. Ctrl-C and SIGTERM end the servers in good order.")]
    Watch(Watch),
    /// Have a running `watch` read its configuration now
    #[command(after_help = "\
Examples:
  hermes mcp reload
  hermes mcp reload --config team.yaml --json

It tells what was started, restarted and stopped, or what is wrong with the file; then everything
stays as it was. The exit status is 5 if no `hermes mcp watch` of that configuration is running.")]
    Reload,
    /// Approve the tools of a server as they are now
    #[command(after_help = "\
Examples:
  hermes mcp approve tracker
  hermes mcp approve tracker search --yes
  hermes mcp approve tracker --json --yes | jq '.changed[].diff'

What is new, changed or gone since the tools were last approved is shown first. Tools of a server
with `trust: untrusted` cannot be used before they are approved, nor once they have changed; of others
a change is told only.")]
    Approve(Approve),
    /// Start one server and tell how that went
    #[command(after_help = "Examples:\n  hermes mcp test files\n  hermes mcp test files -vv")]
    Test {
        /// The server
        server: String,
    },
    /// Add a server to the configuration, once it has answered
    #[command(after_help = "\
Examples:
  hermes mcp add files --command npx -- -y @modelcontextprotocol/server-filesystem ~/notes
  hermes mcp add tracker --url https://tracker.example.com/mcp \\
    --header 'Authorization: Bearer ${TRACKER_TOKEN}'
  hermes mcp add notes --preset git --env GIT_REPOSITORY=~/notes
  hermes mcp add db --command db-server --env 'DB_PASSWORD=${DB_PASSWORD}' --env DB_HOST=localhost
  hermes mcp add later --command later-server --no-check

The server is started and its tools are listed before it is written; if it does not answer, it is
written only if you say so, or with --yes, and the exit status is 3 all the same.")]
    Add(Box<Add>),
    /// Remove servers from the configuration
    #[command(
        alias = "rm",
        after_help = "Examples:\n  hermes mcp remove files\n  hermes mcp remove files tracker --yes"
    )]
    Remove(Remove),
    /// Use a server again
    #[command(after_help = "Examples:\n  hermes mcp enable files")]
    Enable {
        /// The server
        name: String,
    },
    /// Keep a server in the configuration without using it
    #[command(after_help = "Examples:\n  hermes mcp disable files")]
    Disable {
        /// The server
        name: String,
    },
    /// Choose which tools of a server are offered
    #[command(after_help = "\
Examples:
  hermes mcp configure files                             a list at the terminal
  hermes mcp configure files --include 'read_*' --include list_files
  hermes mcp configure files --disable delete_file
  hermes mcp configure files --all

`--include`, `--exclude`, `--all` and `--none` replace what is configured, `--enable` and `--disable`
change it; `tools.resources`, `tools.prompts` and `tools.timeouts` stay as they are.")]
    Configure(Configure),
    /// List known servers that can be installed, and what they need
    #[command(after_help = "\
Examples:
  hermes mcp catalog
  hermes mcp catalog git
  hermes mcp catalog --json | jq '.servers[].name'

On a pipe, each line is a name, a tab and a description.")]
    Catalog {
        /// A word in the name, title or description of a server
        query: Option<String>,
    },
    /// Add a known server to the configuration, once it has answered
    #[command(after_help = "\
Examples:
  hermes mcp install fetch
  hermes mcp install filesystem --env FILESYSTEM_ROOT=~/notes
  GITHUB_PERSONAL_ACCESS_TOKEN=... hermes mcp install github

A value is asked for at a terminal if it is given neither by --env nor by a variable of its name.
Where a variable gives it, the configuration refers to that variable and does not hold the value.
A known server under another name: hermes mcp add NAME --preset KNOWN.")]
    Install(Install),
    /// Take over servers that are configured for another agent
    #[command(after_help = "\
Examples:
  hermes mcp import --dry-run
  hermes mcp import ~/.claude.json --only files --only tracker
  hermes mcp import mcp.json --from cursor --yes --json

Without a file, those of Claude Desktop, Claude Code, VS Code, Cursor, Windsurf and Codex are looked
for in the home folder and in the folder of work. Every key is told that could not be carried over.")]
    Import(Import),
    /// Print the JSON Schema of the configuration, for editors
    #[command(after_help = "\
Examples:
  hermes mcp schema --output ~/.hermes/config.schema.json
  hermes mcp schema | jq '.properties.mcp_servers'

An editor with the YAML language server takes it from a first line of the configuration:
  # yaml-language-server: $schema=config.schema.json")]
    Schema {
        /// Write it to this file, in place of standard output
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Play a log of frames back as a server, on standard input and output
    #[command(after_help = "\
Examples:
  hermes mcp tools files --frame-log frames.jsonl
  hermes mcp add recorded --command hermes -- mcp replay frames.jsonl --server files

A request gets the answer that the same one got in the log; if it was made several times, the answers
in their order, and the last one again. What the log does not hold is refused.")]
    Replay {
        /// What `--frame-log` has written
        file: PathBuf,
        /// The server to be played back, if the log holds several
        #[arg(long, value_name = "NAME")]
        server: Option<String>,
    },
    /// Print a script that completes this command in a shell, as `hermes completion` does
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Be the demo server, on standard input and output
    #[command(hide = true)]
    DemoServer,
}

impl Mcp {
    /// Whether it changes the configuration.
    pub(crate) fn is_change(&self) -> bool {
        match self {
            Self::Add(_)
            | Self::Configure(_)
            | Self::Disable { .. }
            | Self::Enable { .. }
            | Self::Import(_)
            | Self::Install(_)
            | Self::Remove(_) => true,
            Self::Approve(_)
            | Self::Call { .. }
            | Self::Catalog { .. }
            | Self::Completions { .. }
            | Self::DemoServer
            | Self::Doctor { .. }
            | Self::List
            | Self::Prompt(_)
            | Self::Prompts { .. }
            | Self::Read(_)
            | Self::Reload
            | Self::Replay { .. }
            | Self::Resources { .. }
            | Self::Schema { .. }
            | Self::Status { .. }
            | Self::Test { .. }
            | Self::Tools { .. }
            | Self::Watch(_) => false,
        }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("not of the form NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_not_a_number| "not a number of seconds".to_owned())?;
    if seconds > 0.0 && seconds <= TIMEOUT_SECONDS_MAX {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!(
            "must be more than 0 and at most {TIMEOUT_SECONDS_MAX} seconds"
        ))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(words: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(words.split(' '))
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_are_accepted_before_and_behind_the_command() {
        for words in [
            "hermes --config c.yaml --json -vv mcp tools files",
            "hermes mcp --config c.yaml --json tools -vv files",
            "hermes mcp tools files --config c.yaml --json -v -v",
        ] {
            let cli = parse(words).unwrap();
            assert_eq!(cli.options.config, Some(PathBuf::from("c.yaml")), "{words}");
            assert!(cli.options.json, "{words}");
            assert_eq!(cli.options.verbose, 2, "{words}");
        }
    }

    #[test]
    fn arguments_of_a_call_may_be_a_dash_or_missing() {
        for (words, expected) in [
            ("hermes mcp call demo/add", None),
            ("hermes mcp call demo/add -", Some("-")),
            ("hermes mcp call demo/add {} --timeout 0.5", Some("{}")),
        ] {
            let Command::Mcp {
                command: Mcp::Call { arguments, .. },
            } = parse(words).unwrap().command
            else {
                panic!("{words}")
            };
            assert_eq!(arguments.as_deref(), expected, "{words}");
        }
    }

    #[test]
    fn timeouts_are_more_than_nothing_and_at_most_a_day() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("86400"), Ok(Duration::from_secs(86_400)));
        for wrong in ["0", "-1", "NaN", "inf", "86400.1", "soon", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
