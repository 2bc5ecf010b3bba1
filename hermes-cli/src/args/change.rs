//! What can be typed behind the commands that change the configuration.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args};
use hermes_registry::import::Format;

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("endpoint").required(true).args(["command", "url", "preset"])))]
pub(crate) struct Add {
    /// The name of the server
    pub(crate) name: String,
    /// The program that is the server; its arguments stand behind `--`, or in `--arg`
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) command: Option<String>,
    /// The address of a server that is reached over HTTP
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// A known server, as `hermes mcp catalog` lists them
    #[arg(long, value_name = "KNOWN")]
    pub(crate) preset: Option<String>,
    /// An argument of the program; again for each further one
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// An environment variable of the program; `${NAME}` in its value is a variable of ours
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// A variable of our environment that the program gets too
    #[arg(long, value_name = "NAME")]
    pub(crate) env_passthrough: Vec<String>,
    /// A header of every request
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// What is spoken: stdio, or auto, http or sse [default: found out]
    #[arg(long)]
    pub(crate) transport: Option<String>,
    /// How long a call may be silent [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<String>,
    /// How long connecting may take [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) connect_timeout: Option<String>,
    /// A tool to offer, and no others; a name or a glob
    #[arg(long, value_name = "TOOL")]
    pub(crate) include: Vec<String>,
    /// A tool not to offer; a name or a glob
    #[arg(long, value_name = "TOOL")]
    pub(crate) exclude: Vec<String>,
    /// Connect it by the first call only
    #[arg(long)]
    pub(crate) lazy: bool,
    /// Write it without using it, which leaves out the check too
    #[arg(long)]
    pub(crate) disabled: bool,
    #[command(flatten)]
    pub(crate) writing: Writing,
    /// More arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) more_args: Vec<String>,
}

/// How a new entry is written.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Writing {
    /// Put it in the place of a server that has its name
    #[arg(long)]
    pub(crate) replace: bool,
    /// Write it without starting the server
    #[arg(long)]
    pub(crate) no_check: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Remove {
    /// The servers
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Install {
    /// The name of a known server, which is its name in the configuration too
    pub(crate) name: String,
    /// A value that it needs [default: the variable of this name, where it is used]
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(Args, Debug)]
pub(crate) struct Import {
    /// A file of another agent [default: every known one that is there]
    pub(crate) file: Option<PathBuf>,
    /// Whose file it is [default: told by its name and by what is in it]
    #[arg(long, value_name = "AGENT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::as_str)))]
    pub(crate) from: Option<String>,
    /// A server to import, and no others; again for each further one
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Put servers in the place of those that have their names
    #[arg(long)]
    pub(crate) replace: bool,
    /// Tell what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("from").args(["include", "exclude", "all", "none"])))]
pub(crate) struct Configure {
    /// The server
    pub(crate) name: String,
    /// Offer this tool, and no others; a name or a glob, again for each further one
    #[arg(long, value_name = "TOOL")]
    pub(crate) include: Vec<String>,
    /// Offer all tools but this one; a name or a glob, again for each further one
    #[arg(long, value_name = "TOOL")]
    pub(crate) exclude: Vec<String>,
    /// Offer all tools
    #[arg(long)]
    pub(crate) all: bool,
    /// Offer no tool
    #[arg(long)]
    pub(crate) none: bool,
    /// Offer this tool too
    #[arg(long, value_name = "TOOL")]
    pub(crate) enable: Vec<String>,
    /// Do not offer this tool
    #[arg(long, value_name = "TOOL")]
    pub(crate) disable: Vec<String>,
}
