//! A command that keeps running: it follows the configuration and the servers, and answers others.
//!
//! | module | job |
//! |---|---|
//! | `reloads` | when the configuration is read again, and what comes of that; no I/O |
//! | `news` | what is told, as text and as JSON |
//! | `eye` | sees that the file may have changed |
//! | `subscription` | watches one resource, whatever becomes of its server |
//! | `control` | the socket on which other commands ask |
//!
//! `commands::watch` drives them.

pub(crate) mod control;
pub(crate) mod eye;
pub(crate) mod news;
pub(crate) mod reloads;
pub(crate) mod subscription;
