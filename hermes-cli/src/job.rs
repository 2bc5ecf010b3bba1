//! What a command is to do, with everything that has to be known before it begins.

use crate::args::{Approve, Fill, Import, Mcp, Read, Remove, Watch};
use crate::commands::call::{self, Request};
use crate::commands::{
    add, approve, configure, doctor, import, install, prompts, read, remove, resources, status,
    switch, test, tools, watch,
};
use crate::failure::Failure;
use crate::output::{Report, Target};
use crate::session::Session;
use crate::settings::Settings;

/// What is to be done with servers, or with the configuration.
pub(crate) enum Job<'a> {
    Add(Box<add::Plan>),
    Approve(&'a Approve),
    Call(Request<'a>),
    Configure(Box<configure::Plan>),
    Doctor(Option<&'a str>),
    Import(&'a Import, import::Plan),
    Prompt(&'a Fill),
    Prompts(Option<&'a str>),
    Read(&'a Read),
    Remove(&'a Remove),
    Resources(Option<&'a str>),
    Status(Option<&'a str>),
    Switch(&'a str, bool),
    Test(&'a str),
    Tools(Option<&'a str>),
    Watch(&'a Watch),
}

/// What a command is for, before a person has given what is missing for it.
pub(crate) enum Wish<'a> {
    Install(Box<install::Order>),
    Job(Job<'a>),
}

impl<'a> Wish<'a> {
    /// The wish behind a command, with everything that has to be read for it; `None` if no server is
    /// needed.
    ///
    /// Reading may take as long as the user likes, so it is done before anything is started and
    /// before signals are caught.
    pub(crate) fn new(command: &'a Mcp, settings: &mut Settings) -> Result<Option<Self>, Failure> {
        // What starts no server leaves no log of one.
        if matches!(
            command,
            Mcp::Disable { .. } | Mcp::Enable { .. } | Mcp::Import(_) | Mcp::Remove(_)
        ) {
            settings.stderr_log = None;
        }
        let job = match command {
            Mcp::Add(args) => {
                let plan = add::plan(args, settings)?;
                settings.config = plan.config();
                Job::Add(Box::new(plan))
            }
            Mcp::Configure(args) => {
                let plan = configure::plan(args, settings)?;
                settings.config = plan.config();
                Job::Configure(Box::new(plan))
            }
            Mcp::Import(args) => Job::Import(args, import::plan(args, settings)?),
            Mcp::Install(args) => {
                let order = install::order(args, settings)?;
                return Ok(Some(Self::Install(Box::new(order))));
            }
            Mcp::Remove(args) => Job::Remove(args),
            Mcp::Enable { name } => Job::Switch(name, true),
            Mcp::Disable { name } => Job::Switch(name, false),
            Mcp::Approve(args) => Job::Approve(args),
            Mcp::Doctor { name } => Job::Doctor(name.as_deref()),
            Mcp::Prompt(args) => Job::Prompt(args),
            Mcp::Prompts { server } => Job::Prompts(server.as_deref()),
            Mcp::Read(args) => Job::Read(args),
            Mcp::Resources { server } => Job::Resources(server.as_deref()),
            Mcp::Status { server } => Job::Status(server.as_deref()),
            Mcp::Tools { server } => Job::Tools(server.as_deref()),
            Mcp::Watch(args) => Job::Watch(args),
            Mcp::Test { server } => Job::Test(server),
            Mcp::Call {
                name,
                arguments,
                timeout,
            } => {
                let arguments = call::read_arguments(arguments.as_deref())?;
                Job::Call(Request {
                    name,
                    arguments,
                    timeout: *timeout,
                })
            }
            Mcp::Catalog { .. }
            | Mcp::Completions { .. }
            | Mcp::DemoServer
            | Mcp::List
            | Mcp::Reload
            | Mcp::Replay { .. }
            | Mcp::Schema { .. } => return Ok(None),
        };
        Ok(Some(Self::Job(job)))
    }

    /// The job, once a person has given what is missing for it.
    pub(crate) async fn settle(self, settings: &mut Settings) -> Result<Job<'a>, Failure> {
        match self {
            Self::Install(order) => {
                let plan = install::plan(&order, settings).await?;
                settings.config = plan.config();
                Ok(Job::Add(Box::new(plan)))
            }
            Self::Job(job) => Ok(job),
        }
    }
}

impl Job<'_> {
    pub(crate) async fn run(&self, session: &Session, target: Target) -> Result<Report, Failure> {
        match self {
            Self::Approve(args) => approve::run(session, args).await,
            Self::Add(plan) => add::run(session, plan).await,
            Self::Configure(plan) => configure::run(session, plan).await,
            Self::Doctor(name) => Ok(doctor::run(session, *name, target).await),
            Self::Import(args, plan) => import::run(session, args, plan).await,
            Self::Prompt(args) => prompts::fill(session, args, target).await,
            Self::Prompts(server) => prompts::list(session, *server, target).await,
            Self::Read(args) => read::run(session, args, target).await,
            Self::Remove(args) => remove::run(session, args).await,
            Self::Resources(server) => resources::run(session, *server, target).await,
            Self::Status(server) => status::run(session, *server, target).await,
            Self::Switch(name, enabled) => switch::run(session, name, *enabled),
            Self::Call(request) => call::run(session, request, target).await,
            Self::Test(server) => test::run(session, server).await,
            Self::Tools(server) => tools::run(session, *server, target).await,
            Self::Watch(args) => watch::run(session, args).await,
        }
    }
}
