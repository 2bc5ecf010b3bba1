//! The backend against real sockets on the loopback interface.

mod plain;
mod server;
