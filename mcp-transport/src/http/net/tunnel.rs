//! Asks a proxy for a way through it: CONNECT of HTTP, or SOCKS 5.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::lookup_host;

use super::dial::no_address;
use super::place::{Place, bare};
use super::proxy::{Hop, Login, Speaks};
use crate::http::{Failure, FailureKind};

/// Bytes of the answer of a proxy.
// Bound: a status line and the headers of an excuse; the excuse itself is not read.
const HEAD_MAX: usize = 16 * 1024;

/// Has a proxy connect to `place`; what is written to `stream` goes there afterwards.
pub(super) async fn open<S>(stream: &mut S, hop: &Hop, place: &Place) -> Result<(), Failure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match hop.speaks {
        Speaks::Http | Speaks::Https => connect(stream, hop, place).await,
        Speaks::Socks { is_resolving } => {
            let target = socks_target(place, is_resolving).await?;
            socks(stream, hop, place, &target).await
        }
    }
}

/// Spec: RFC 9110, 9.3.6.
async fn connect<S>(stream: &mut S, hop: &Hop, place: &Place) -> Result<(), Failure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
    if let Some(login) = &hop.login {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(login.basic.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    let broken = |error: io::Error| broken(hop, &error);
    stream.write_all(&request).await.map_err(broken)?;
    stream.flush().await.map_err(broken)?;
    let head = read_head(stream).await.map_err(broken)?;
    match status(&head) {
        Some(200..=299) => Ok(()),
        Some(407) => Err(login_wanted(hop)),
        Some(status) => Err(refused(hop, place, &format!("HTTP status {status}"))),
        None => Err(Failure::unsent(
            FailureKind::Proxy,
            format!("what the proxy {hop} answered is no HTTP"),
        )),
    }
}

/// Reads up to the empty line, and not one byte of what comes after it.
async fn read_head<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if head.len() == HEAD_MAX {
            return Err(io::Error::other("its answer has no end"));
        }
        // Once for each connection; what follows belongs to another protocol.
        head.push(stream.read_u8().await?);
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let (version, rest) = line.split_once(' ')?;
    let digits = rest.trim_start().get(..3)?;
    version.starts_with("HTTP/1.").then_some(())?;
    digits.parse().ok()
}

/// The address that a SOCKS proxy connects to, as it goes over the wire.
async fn socks_target(place: &Place, is_resolving: bool) -> Result<Vec<u8>, Failure> {
    let host = bare(place.host());
    let address = match host.parse::<IpAddr>() {
        Ok(address) => Some(address),
        Err(_name) if is_resolving => None,
        Err(_name) => {
            let found = lookup_host((host, place.port)).await;
            let mut found = found.map_err(|error| no_address(host, &error))?;
            found.next().as_ref().map(SocketAddr::ip)
        }
    };
    let mut target = match address {
        Some(IpAddr::V4(address)) => [&[1][..], &address.octets()].concat(),
        Some(IpAddr::V6(address)) => [&[4][..], &address.octets()].concat(),
        None => {
            let Ok(len) = u8::try_from(host.len()) else {
                let detail = format!("the name {host} is too long for a SOCKS proxy");
                return Err(Failure::unsent(FailureKind::Misused, detail));
            };
            [&[3, len][..], host.as_bytes()].concat()
        }
    };
    target.extend(place.port.to_be_bytes());
    Ok(target)
}

const VERSION: u8 = 5;
const NO_LOGIN: u8 = 0;
const LOGIN: u8 = 2;

/// Spec: RFC 1928 and RFC 1929.
async fn socks<S>(stream: &mut S, hop: &Hop, place: &Place, target: &[u8]) -> Result<(), Failure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let broken = |error: io::Error| broken(hop, &error);
    let method = if hop.login.is_some() { LOGIN } else { NO_LOGIN };
    stream
        .write_all(&[VERSION, 1, method])
        .await
        .map_err(broken)?;
    stream.flush().await.map_err(broken)?;
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await.map_err(broken)?;
    match (chosen, &hop.login) {
        ([VERSION, LOGIN], Some(login)) => {
            stream
                .write_all(&socks_login(login)?)
                .await
                .map_err(broken)?;
            stream.flush().await.map_err(broken)?;
            let mut verdict = [0; 2];
            stream.read_exact(&mut verdict).await.map_err(broken)?;
            if verdict != [1, 0] {
                return Err(login_wanted(hop));
            }
        }
        ([VERSION, NO_LOGIN], None) => {}
        ([VERSION, _], _) => return Err(login_wanted(hop)),
        _ => {
            let detail = format!("what the proxy {hop} answered is no SOCKS 5");
            return Err(Failure::unsent(FailureKind::Proxy, detail));
        }
    }
    let request = [&[VERSION, 1, 0][..], target].concat();
    stream.write_all(&request).await.map_err(broken)?;
    stream.flush().await.map_err(broken)?;
    let mut reply = [0; 4];
    stream.read_exact(&mut reply).await.map_err(broken)?;
    let [_version, outcome, _reserved, kind] = reply;
    if outcome != 0 {
        return Err(refused(hop, place, socks_outcome(outcome)));
    }
    // The address that the proxy connects from, which nobody needs, and its port.
    let len = match kind {
        1 => 4,
        4 => 16,
        _ => usize::from(stream.read_u8().await.map_err(broken)?),
    };
    let mut address = vec![0; len + 2];
    stream.read_exact(&mut address).await.map_err(broken)?;
    Ok(())
}

fn socks_login(login: &Login) -> Result<Vec<u8>, Failure> {
    let mut message = vec![1];
    for part in [&login.user, &login.password] {
        let Ok(len) = u8::try_from(part.len()) else {
            let detail = "the login of the proxy is longer than SOCKS allows";
            return Err(Failure::unsent(FailureKind::Misused, detail));
        };
        message.push(len);
        message.extend_from_slice(part);
    }
    Ok(message)
}

fn socks_outcome(outcome: u8) -> &'static str {
    match outcome {
        2 => "its rules forbid it",
        3 => "the network has no way there",
        4 => "the host cannot be reached, or its name has no address",
        5 => "nothing listens there",
        6 => "it took too long",
        _ => "it does not say why",
    }
}

fn broken(hop: &Hop, error: &io::Error) -> Failure {
    let detail = if error.kind() == io::ErrorKind::UnexpectedEof {
        format!("the proxy {hop} closed the connection instead of answering")
    } else {
        format!("the connection to the proxy {hop} broke off: {error}")
    };
    Failure::unsent(FailureKind::Proxy, detail)
}

fn refused(hop: &Hop, place: &Place, why: &str) -> Failure {
    let detail = format!("the proxy {hop} did not connect to {place}: {why}");
    Failure::unsent(FailureKind::Proxy, detail)
}

/// What a proxy is told that wants a login, or another one.
pub(super) fn login_wanted(hop: &Hop) -> Failure {
    let detail = if hop.login.is_some() {
        format!("the proxy {hop} does not accept the login that is set")
    } else {
        format!("the proxy {hop} wants a login, and none is set")
    };
    Failure::unsent(FailureKind::ProxyLogin, detail)
}
