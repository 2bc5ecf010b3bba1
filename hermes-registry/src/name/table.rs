//! Which tool has which public name, decided for all tools at once.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::part::{PUBLIC_NAME_LEN_MAX, PublicName, ServerName};

/// Digits at the end of a hashed name, and what they are when these collide.
const DIGITS: [usize; 2] = [8, 16];

/// What stands between the parts of a public name.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Naming {
    /// `mcp__{server}__{tool}`
    DoubleUnderscore,
    /// `mcp_{server}_{tool}`
    #[default]
    Underscore,
}

impl Naming {
    /// Whether a public name may be that of one of this server's tools: it begins with the
    /// server's prefix, of which a hashed name may have lost the end.
    ///
    /// This tells which servers are worth asking before any is known; a call is routed by
    /// [`NameTable::route`] alone.
    #[must_use]
    pub fn may_belong(self, name: &str, server: &str) -> bool {
        let [_, most_digits] = DIGITS;
        let kept = PUBLIC_NAME_LEN_MAX.saturating_sub(most_digits + 1);
        let prefix = self.prefix(server);
        // A prefix is ASCII, so every length cuts it at a character.
        name.starts_with(prefix.get(..kept).unwrap_or(&prefix))
    }

    fn separator(self) -> &'static str {
        match self {
            Self::DoubleUnderscore => "__",
            Self::Underscore => "_",
        }
    }

    /// The name that a tool has if nothing speaks against it.
    pub(crate) fn natural_name(self, server: &str, tool: &str) -> String {
        let mut name = self.prefix(server);
        name.push_str(&sanitized(tool));
        name
    }

    /// The beginning of every natural name of this server's tools.
    pub(crate) fn prefix(self, server: &str) -> String {
        let separator = self.separator();
        format!("mcp{separator}{}{separator}", sanitized(server))
    }
}

/// A server and one of its tools, by the name the server uses.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Route {
    /// The server.
    pub server: ServerName,
    /// The tool, by the name the server uses.
    pub tool: Arc<str>,
}

/// The public names of a set of tools, both ways.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct NameTable {
    /// Sorted by the names, each there once.
    entries: Vec<(PublicName, Route)>,
    /// The places of the entries by their names: a search among thousands would touch a dozen of
    /// them, each somewhere else in memory.
    by_name: HashMap<PublicName, u32>,
    /// The places of the entries, sorted by the routes.
    by_route: Vec<u32>,
}

impl NameTable {
    /// Names for these tools, given all configured servers, those without tools included.
    ///
    /// The same sets give the same names in whatever order they come.
    /// A tool that is named twice is one tool.
    #[must_use]
    pub fn new<'a>(
        naming: Naming,
        servers: impl IntoIterator<Item = &'a ServerName>,
        tools: impl IntoIterator<Item = (&'a ServerName, &'a str)>,
    ) -> Self {
        Self::beside(&BTreeSet::new(), naming, servers, tools, [])
    }

    /// The same beside names that are taken, with tools that are named last and never take a name
    /// from the others.
    pub(crate) fn beside<'a>(
        taken: &BTreeSet<&str>,
        naming: Naming,
        servers: impl IntoIterator<Item = &'a ServerName>,
        tools: impl IntoIterator<Item = (&'a ServerName, &'a str)>,
        utilities: impl IntoIterator<Item = (&'a ServerName, &'a str)>,
    ) -> Self {
        let tools = sorted(tools);
        let utilities = sorted(utilities);
        let all = tools.iter().chain(&utilities).map(|(server, _)| *server);
        let prefixes = Prefixes::new(naming, servers.into_iter().chain(all).collect());

        let mut natural: Vec<(String, Route)> = tools
            .iter()
            .map(|(server, tool)| (prefixes.natural_name(server, tool), route(server, tool)))
            .collect();
        natural.sort_unstable();
        let mut named = Named::default();
        let mut hashed: Vec<(String, String, Route)> = Vec::new();
        let [few_digits, many_digits] = DIGITS;
        for same in natural.chunk_by(|(one, _), (other, _)| one == other) {
            let is_own = |(name, route): &&(String, Route)| {
                !taken.contains(&**name) && prefixes.is_own(name, &route.server)
            };
            // A name that two tools could have goes to neither.
            let mut owners = same.iter().filter(is_own);
            let owner = match (owners.next(), owners.next()) {
                (Some((_, route)), None) => Some(route),
                _ => None,
            };
            for (name, route) in same {
                if owner == Some(route) {
                    named.insert(name.clone(), route.clone());
                } else {
                    let short = hashed_name(name, route, few_digits);
                    hashed.push((short, name.clone(), route.clone()));
                }
            }
        }
        hashed.sort_unstable();
        for same in hashed.chunk_by(|(one, ..), (other, ..)| one == other) {
            match same {
                [(short, _, route)] => named.insert(short.clone(), route.clone()),
                many => {
                    for (_, name, route) in many {
                        let long = hashed_name(name, route, many_digits);
                        named.insert(long, route.clone());
                    }
                }
            }
        }
        let is_utility = |one: &&(&ServerName, &str)| tools.binary_search(one).is_err();
        for (server, tool) in utilities.iter().filter(is_utility) {
            let (name, route) = (prefixes.natural_name(server, tool), route(server, tool));
            let is_free =
                prefixes.is_own(&name, server) && !named.has(&name) && !taken.contains(&*name);
            let short = hashed_name(&name, &route, few_digits);
            let name = match is_free {
                true => name,
                false if !named.has(&short) => short,
                false => hashed_name(&name, &route, many_digits),
            };
            named.insert(name, route);
        }
        named.into()
    }

    /// The tool behind a public name.
    #[must_use]
    pub fn route(&self, name: &str) -> Option<&Route> {
        Some(&self.entries.get(self.place(name)?)?.1)
    }

    /// The place of a public name among all of them.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        usize::try_from(*self.by_name.get(name)?).ok()
    }

    /// The public name of a tool, by the name its server uses.
    #[must_use]
    pub fn name(&self, server: &ServerName, tool: &str) -> Option<&PublicName> {
        Some(self.entry(server, tool)?.0)
    }

    /// The public name and the route of a tool, by the name its server uses.
    pub(crate) fn entry(&self, server: &ServerName, tool: &str) -> Option<(&PublicName, &Route)> {
        let at = |place: u32| self.entries.get(usize::try_from(place).ok()?);
        let found = self.by_route.binary_search_by(|place| {
            // Each place is that of an entry.
            at(*place).map_or(Ordering::Less, |(_, route)| {
                (&route.server, &*route.tool).cmp(&(server, tool))
            })
        });
        let (name, route) = at(*self.by_route.get(found.ok()?)?)?;
        Some((name, route))
    }

    /// The public names in the order of the tools behind them.
    pub(crate) fn by_route(&self) -> impl Iterator<Item = (&PublicName, &Route)> {
        let places = self.by_route.iter();
        let entries = places.filter_map(|place| self.entries.get(usize::try_from(*place).ok()?));
        entries.map(|(name, route)| (name, route))
    }

    /// All public names in order, with the tools behind them.
    pub fn iter(&self) -> impl Iterator<Item = (&PublicName, &Route)> {
        self.entries.iter().map(|(name, route)| (name, route))
    }

    /// How many tools have a name.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// These tools in order, each once.
fn sorted<'a>(
    tools: impl IntoIterator<Item = (&'a ServerName, &'a str)>,
) -> Vec<(&'a ServerName, &'a str)> {
    let mut tools: Vec<(&ServerName, &str)> = tools.into_iter().collect();
    tools.sort_unstable();
    tools.dedup();
    tools
}

fn route(server: &ServerName, tool: &str) -> Route {
    Route {
        server: server.clone(),
        tool: Arc::from(tool),
    }
}

/// The names that were given so far.
#[derive(Default)]
struct Named {
    entries: Vec<(PublicName, Route)>,
    names: HashSet<PublicName>,
}

impl Named {
    fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Invariant: a name that is taken stays with the tool that has it, so no call goes astray even
    /// if two hashes of 64 bits should be equal.
    fn insert(&mut self, name: String, route: Route) {
        let name = PublicName(Arc::from(name));
        if self.names.insert(name.clone()) {
            self.entries.push((name, route));
        }
    }
}

impl From<Named> for NameTable {
    fn from(named: Named) -> Self {
        let mut entries = named.entries;
        entries.sort_unstable();
        entries.shrink_to_fit();
        let mut by_route: Vec<(&Route, u32)> = (0..)
            .zip(&entries)
            .map(|(place, (_, route))| (route, place))
            .collect();
        by_route.sort_unstable();
        let by_route = by_route.into_iter().map(|(_, place)| place).collect();
        let names = entries.iter().map(|(name, _)| name.clone());
        let by_name = names.zip(0..).collect();
        Self {
            entries,
            by_name,
            by_route,
        }
    }
}

/// The prefixes of all configured servers.
struct Prefixes<'a> {
    naming: Naming,
    by_server: HashMap<&'a ServerName, Prefix>,
    /// All of them.
    all: BTreeSet<String>,
}

/// The prefix of one server.
struct Prefix {
    text: String,
    /// Whether no other server has it.
    is_unique: bool,
    /// Whether that of another server begins with it.
    has_longer: bool,
}

impl<'a> Prefixes<'a> {
    fn new(naming: Naming, servers: BTreeSet<&'a ServerName>) -> Self {
        let texts = servers.iter().map(|server| naming.prefix(server.as_str()));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for text in texts {
            *counts.entry(text).or_default() += 1;
        }
        let prefix = |server: &ServerName| {
            let text = naming.prefix(server.as_str());
            let mut from = counts.range(text.clone()..);
            let is_unique = from.next().is_some_and(|(_, count)| *count == 1);
            let has_longer = from.next().is_some_and(|(next, _)| next.starts_with(&text));
            Prefix {
                text,
                is_unique,
                has_longer,
            }
        };
        Self {
            naming,
            by_server: servers
                .iter()
                .map(|server| (*server, prefix(server)))
                .collect(),
            all: counts.into_keys().collect(),
        }
    }

    fn natural_name(&self, server: &ServerName, tool: &str) -> String {
        let mut name = match self.by_server.get(server) {
            Some(prefix) => prefix.text.clone(),
            None => self.naming.prefix(server.as_str()),
        };
        name.push_str(&sanitized(tool));
        name
    }

    /// Whether this server's tool may have this natural name.
    fn is_own(&self, name: &str, server: &ServerName) -> bool {
        let Some(prefix) = self.by_server.get(server) else {
            return false;
        };
        let is_anothers = || {
            // Natural names are ASCII, so every length up to that of the name cuts it at a
            // character.
            (prefix.text.len() + 1..=name.len())
                .filter_map(|len| name.get(..len))
                .any(|start| start.ends_with('_') && self.all.contains(start))
        };
        name.len() <= PUBLIC_NAME_LEN_MAX
            && !looks_hashed(name)
            && prefix.is_unique
            && !(prefix.has_longer && is_anothers())
    }
}

/// Whether a name ends as hashed ones do.
///
/// Invariant: no natural name does, so the two kinds never meet, and neither do hashed names of
/// different numbers of digits, since `_` is no digit.
pub(crate) fn looks_hashed(name: &str) -> bool {
    name.rsplit_once('_').is_some_and(|(_, end)| {
        let is_digit = |char| matches!(char, '0'..='9' | 'a'..='f');
        DIGITS.contains(&end.len()) && end.chars().all(is_digit)
    })
}

fn hashed_name(natural: &str, route: &Route, digits: usize) -> String {
    let mut hash = Sha256::new();
    hash.update(route.server.as_str());
    // A server's name has no control characters, so the zero byte ends it beyond doubt.
    hash.update([0]);
    hash.update(&*route.tool);
    let hash = hash.finalize();
    let hex = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let hex = hex
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .take(digits);

    let kept = PUBLIC_NAME_LEN_MAX.saturating_sub(digits).saturating_sub(1);
    natural.chars().take(kept).chain(['_']).chain(hex).collect()
}

fn sanitized(text: &str) -> String {
    let plain = |char: char| {
        if char.is_ascii_alphanumeric() {
            char
        } else {
            '_'
        }
    };
    text.chars().map(plain).collect()
}
