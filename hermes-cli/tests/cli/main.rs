//! The command as its users see it: real processes, real servers, exit status and what is printed.

mod add;
mod approve;
mod calls;
mod catalog;
mod changes;
mod configure;
mod demo;
mod doctor;
mod environment;
mod faults;
mod import;
mod network;
mod prompts;
mod proxies;
mod replay;
mod resources;
mod schema;
mod secrets;
mod shapes;
mod status;
mod streams;
mod support;
mod terminal;
mod unreachable;
mod watch;
