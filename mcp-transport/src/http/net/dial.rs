//! From a name and a port to a socket.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rustix::net::sockopt;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::sleep;

use super::place::bare;
use crate::http::{Failure, FailureKind};

/// How long one address may take before the next one is tried beside it.
const STAGGER: Duration = Duration::from_millis(250);
/// Addresses of one name that are tried.
// Bound: names with more are load balancers, of which any address does.
const ADDRESSES_MAX: usize = 8;
/// How long a connection is silent before the system asks whether the peer is still there.
const PROBE_AFTER: Duration = Duration::from_secs(60);
/// How often the system asks then, and how many times.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);
const PROBES_MAX: u32 = 4;

/// Connects to a host, which is a name or an address.
pub(super) async fn dial(host: &str, port: u16) -> Result<TcpStream, Failure> {
    let addresses = addresses(host, port)
        .await
        .map_err(|error| no_address(host, &error))?;
    let stream = race(addresses)
        .await
        .map_err(|error| explain(&error, host, port))?;
    // A connection works without these, only less well.
    let _: io::Result<()> = stream.set_nodelay(true);
    let _: rustix::io::Result<()> = keep_alive(&stream);
    Ok(stream)
}

/// What is said of a name that cannot be looked up.
pub(super) fn no_address(host: &str, error: &io::Error) -> Failure {
    let why = error.to_string();
    // The standard library's own words, which say nothing more.
    let why = why
        .rsplit_once("address information: ")
        .map_or(&*why, |(_, why)| why);
    let detail = format!("the name {host} has no address: {why}");
    Failure::unsent(FailureKind::Resolve, detail)
}

fn keep_alive(stream: &TcpStream) -> rustix::io::Result<()> {
    sockopt::set_tcp_keepidle(stream, PROBE_AFTER)?;
    sockopt::set_tcp_keepintvl(stream, PROBE_INTERVAL)?;
    sockopt::set_tcp_keepcnt(stream, PROBES_MAX)?;
    sockopt::set_socket_keepalive(stream, true)
}

/// Whether a host can only be this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let host = bare(host);
    host.parse::<IpAddr>().map_or_else(
        |_name| is_localhost(host),
        |address| address.to_canonical().is_loopback(),
    )
}

/// Spec: RFC 6761, 6.3. `localhost` and all names below it are this machine.
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("localhost")
}

async fn addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let host = bare(host);
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    // Servers listen on either family when they are told `localhost`, and resolvers often give
    // one of them only.
    if is_localhost(host) {
        let v4 = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let v6 = IpAddr::V6(Ipv6Addr::LOCALHOST);
        return Ok(vec![SocketAddr::new(v4, port), SocketAddr::new(v6, port)]);
    }
    let mut found = alternate(lookup_host((host, port)).await?);
    found.truncate(ADDRESSES_MAX);
    if found.is_empty() {
        return Err(io::Error::other(
            "the resolver knows the name, but no address",
        ));
    }
    Ok(found)
}

/// Orders addresses so that the families take turns, the one that the resolver prefers first.
fn alternate(found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut found = found.peekable();
    let is_v6_first = found.peek().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) =
        found.partition(|address| address.is_ipv6() == is_v6_first);
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut ordered = Vec::new();
    loop {
        let pair = (first.next(), second.next());
        if pair == (None, None) {
            return ordered;
        }
        ordered.extend(pair.0);
        ordered.extend(pair.1);
    }
}

/// Tries addresses in turn, each as soon as the one before it failed or took long; the first
/// that answers wins. Spec: RFC 8305, as far as it goes without racing resolvers.
async fn race(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let mut waiting = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    let mut worst: Option<io::Error> = None;
    loop {
        if let Some(address) = waiting.next() {
            attempts.push(TcpStream::connect(address));
        } else if attempts.is_empty() {
            return Err(worst.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()));
        }
        let has_more = waiting.len() > 0;
        tokio::select! {
            Some(ended) = attempts.next() => match ended {
                Ok(stream) => return Ok(stream),
                Err(error) => worst = Some(more_telling(worst, error)),
            },
            () = sleep(STAGGER), if has_more => {}
        }
    }
}

/// A host that refuses is there; one family having no way says little beside that.
fn more_telling(before: Option<io::Error>, after: io::Error) -> io::Error {
    match before {
        Some(before) if after.kind() != io::ErrorKind::ConnectionRefused => before,
        _ => after,
    }
}

fn explain(error: &io::Error, host: &str, port: u16) -> Failure {
    use io::ErrorKind as Io;
    let (kind, detail) = match error.kind() {
        Io::ConnectionRefused => (
            FailureKind::Refused,
            format!("nothing listens at {host}:{port} (connection refused)"),
        ),
        Io::TimedOut => (
            FailureKind::ConnectTimeout,
            format!("{host}:{port} does not answer: {error}"),
        ),
        _ => (
            FailureKind::Unreachable,
            format!("there is no way to {host}:{port}: {error}"),
        ),
    };
    Failure::unsent(kind, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns_and_the_resolvers_first_one_leads() {
        let order = |found: &[&str]| -> Vec<String> {
            let parsed = found.iter().map(|text| text.parse::<SocketAddr>().unwrap());
            let ordered = alternate(parsed);
            ordered.iter().map(SocketAddr::to_string).collect()
        };
        assert_eq!(
            order(&["[::1]:1", "[::2]:1", "[::3]:1", "1.1.1.1:1"]),
            ["[::1]:1", "1.1.1.1:1", "[::2]:1", "[::3]:1"]
        );
        assert_eq!(order(&["1.1.1.1:1", "[::1]:1"]), ["1.1.1.1:1", "[::1]:1"]);
        assert!(order(&[]).is_empty());
    }

    #[test]
    fn loopback_is_told_by_name_and_by_address() {
        for host in [
            "localhost",
            "LocalHost.",
            "app.localhost",
            "127.0.0.1",
            "127.8.9.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "localhost.example",
            "notlocalhost",
            "128.0.0.1",
            "[::2]",
            "",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_refusal_tells_more_than_a_missing_route() {
        let (refused, lost) = (
            io::ErrorKind::ConnectionRefused,
            io::ErrorKind::NetworkUnreachable,
        );
        for (before, after) in [(refused, lost), (lost, refused)] {
            let kept = more_telling(Some(before.into()), after.into());
            assert_eq!(kept.kind(), refused);
        }
    }
}
