//! What the commands do: each gives a report, and prints nothing itself.

pub(crate) mod add;
pub(crate) mod approve;
pub(crate) mod call;
pub(crate) mod catalog;
pub(crate) mod configure;
pub(crate) mod doctor;
pub(crate) mod import;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod prompts;
pub(crate) mod read;
pub(crate) mod reload;
pub(crate) mod remove;
pub(crate) mod resources;
pub(crate) mod schema;
pub(crate) mod status;
pub(crate) mod switch;
pub(crate) mod test;
pub(crate) mod tools;
pub(crate) mod watch;
