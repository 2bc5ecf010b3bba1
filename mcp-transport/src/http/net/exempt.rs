//! Hosts that are asked for without a proxy, as `NO_PROXY` lists them.

use std::net::IpAddr;

use super::place::bare;

/// The entries of a list.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Exempt(Vec<Entry>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct Entry {
    hosts: Hosts,
    /// Only this port, if there is one.
    port: Option<u16>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Hosts {
    All,
    /// Addresses that begin as this one, for so many bits.
    Network(IpAddr, u8),
    /// This name in lower case, and all names below it.
    Below(String),
}

impl Exempt {
    /// Reads a list with commas or spaces between entries: `*`, an address, a network such as
    /// `10.0.0.0/8`, or a name, which stands for itself and all names below it, with or without
    /// `.` or `*.` before it. A port may follow. What is none of these exempts nothing.
    pub(super) fn parse(list: &str) -> Self {
        let entries = list.split(|c: char| c == ',' || c.is_whitespace());
        Self(entries.filter_map(Entry::parse).collect())
    }

    pub(super) fn has(&self, host: &str, port: u16) -> bool {
        let host = bare(host);
        let host = host.strip_suffix('.').unwrap_or(host);
        let address = host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical());
        self.0.iter().any(|entry| {
            entry.port.is_none_or(|only| only == port) && entry.hosts.has(host, address)
        })
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        if let Some(hosts) = Hosts::parse(text) {
            return Some(Self { hosts, port: None });
        }
        let (host, port) = text.rsplit_once(':')?;
        Some(Self {
            hosts: Hosts::parse(host)?,
            port: Some(port.parse().ok()?),
        })
    }
}

impl Hosts {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::All);
        }
        if let Ok(address) = bare(text).parse::<IpAddr>() {
            return Some(Self::Network(address.to_canonical(), u8::MAX));
        }
        if let Some((address, bits)) = text.split_once('/') {
            return Some(Self::Network(
                bare(address).parse().ok()?,
                bits.parse().ok()?,
            ));
        }
        let name = text.strip_prefix('*').unwrap_or(text);
        let name = name.strip_prefix('.').unwrap_or(name);
        let name = name.strip_suffix('.').unwrap_or(name);
        let is_name = !name.is_empty() && !name.contains([':', '*']);
        is_name.then(|| Self::Below(name.to_ascii_lowercase()))
    }

    fn has(&self, host: &str, address: Option<IpAddr>) -> bool {
        match (self, address) {
            (Self::All, _) => true,
            (Self::Network(network, bits), Some(address)) => is_in(address, *network, *bits),
            (Self::Below(name), None) => is_below(host, name),
            (Self::Network(..), None) | (Self::Below(_), Some(_)) => false,
        }
    }
}

/// Whether an address begins as another one, of the same family, for so many bits.
fn is_in(address: IpAddr, network: IpAddr, bits: u8) -> bool {
    let (difference, len) = match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            (u128::from(address.to_bits() ^ network.to_bits()) << 96, 32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => (address.to_bits() ^ network.to_bits(), 128),
        _ => return false,
    };
    difference.leading_zeros() >= u32::from(bits).min(len)
}

fn is_below(host: &str, name: &str) -> bool {
    let Some(start) = host.len().checked_sub(name.len()) else {
        return false;
    };
    let is_end = host
        .get(start..)
        .is_some_and(|end| end.eq_ignore_ascii_case(name));
    is_end
        && host
            .get(..start)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list, the hosts that it exempts on port 443, and others that it does not.
    const LISTS: &[(&str, &[&str], &[&str])] = &[
        ("*", &["example.test", "1.2.3.4", "[::2]"], &[]),
        ("", &[], &["example.test"]),
        (
            "example.test",
            &["example.test", "EXAMPLE.test.", "a.b.example.test"],
            &["notexample.test", "example.test.evil", "test", "ample.test"],
        ),
        (
            ".example.test",
            &["example.test", "a.example.test"],
            &["xexample.test"],
        ),
        (
            "*.Example.test",
            &["example.test", "a.example.test"],
            &["xexample.test"],
        ),
        ("one, two  three,,", &["one", "two", "three"], &["four", ""]),
        (
            "10.0.0.0/8",
            &["10.1.2.3"],
            &["11.0.0.0", "10.example", "[::a00:0]"],
        ),
        (
            "192.168.1.7",
            &["192.168.1.7", "[::ffff:192.168.1.7]"],
            &["192.168.1.6"],
        ),
        (
            "fd00::/8",
            &["[fd12::1]", "fd12::1"],
            &["[fe00::1]", "253.0.0.1"],
        ),
        (
            "localhost,127.0.0.1,::1,fd12::1",
            &[
                "localhost",
                "127.0.0.1",
                "[::1]",
                "::1",
                "[fd12::1]",
                "fd12::1",
            ],
            &["[::2]", "127.0.0.2", "[fd12::2]"],
        ),
        ("[fd12::1]:443", &["[fd12::1]"], &["[fd12::2]"]),
        ("0.0.0.0/0", &["9.9.9.9"], &["[::9]", "name"]),
        ("example.test:443", &["example.test"], &["other.test"]),
        (
            "example.test:80 1.2.3.4:80",
            &[],
            &["example.test", "1.2.3.4"],
        ),
        (
            "1.2.3.4/x 1.2/8 a:b:c http://x",
            &[],
            &["1.2.3.4", "a", "x", "http"],
        ),
    ];

    #[test]
    fn a_list_exempts_what_it_names_and_nothing_else() {
        for (list, inside, outside) in LISTS {
            let exempt = Exempt::parse(list);
            for host in *inside {
                assert!(exempt.has(host, 443), "{list:?} lacks {host}");
            }
            for host in *outside {
                assert!(!exempt.has(host, 443), "{list:?} has {host}");
            }
        }
    }
}
