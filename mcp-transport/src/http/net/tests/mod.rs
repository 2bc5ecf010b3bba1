//! The backend against real sockets on the loopback interface.

mod certificates;
mod coding;
mod plain;
mod proxy;
mod server;
mod tls;
