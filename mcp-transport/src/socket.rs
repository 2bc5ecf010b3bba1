//! A server behind a socket that speaks lines, as over stdio: TCP or a Unix domain socket.
//!
//! Spec: STDIO-11, a transport of one's own with the framing of stdio. Nothing of HTTP is spoken,
//! nothing is encrypted, and no process is started or ended.

use std::io;
use std::path::Path;

use tokio::net::{TcpStream, ToSocketAddrs, UnixStream};

use crate::{Limits, Link};

/// Connects to a server that listens at a TCP address.
///
/// # Errors
///
/// Why there is no connection, from the system.
///
/// # Cancel safety
///
/// Dropping the future connects to nothing.
pub async fn tcp(address: impl ToSocketAddrs, limits: Limits) -> io::Result<Link> {
    let stream = TcpStream::connect(address).await?;
    // A request is written whole; waiting for more would only delay it.
    stream.set_nodelay(true)?;
    Ok(Link::over_tcp(stream, limits))
}

/// Connects to a server that listens at a Unix domain socket.
///
/// # Errors
///
/// Why there is no connection, from the system.
///
/// # Cancel safety
///
/// Dropping the future connects to nothing.
pub async fn unix(path: impl AsRef<Path>, limits: Limits) -> io::Result<Link> {
    let stream = UnixStream::connect(path).await?;
    Ok(Link::over_unix(stream, limits))
}
