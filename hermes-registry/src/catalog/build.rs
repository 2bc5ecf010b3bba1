//! Puts a catalog together.

use std::num::NonZeroU32;

use super::definitions::Kinds;
use super::status::ServerStatus;
use super::told::{Seen, ToldTool};
use super::{Catalog, CatalogTool, Origin};
use crate::config::{Config, ServerConfig};
use crate::host::{Entry, HostTools};
use crate::name::{NameTable, Naming, PublicName, Route, ServerName};
use crate::pins::Verdict;

/// What a catalog is made of.
pub(crate) struct Parts<'a> {
    pub(crate) config: &'a Config,
    pub(crate) naming: Naming,
    /// What is known of each configured server, in the order of the configuration.
    pub(crate) seen: &'a [Seen<'a>],
    pub(crate) host: &'a HostTools,
    pub(crate) generation: u64,
}

/// A tool on its way into a catalog.
struct Candidate<'a> {
    server: &'a ServerName,
    told: &'a ToldTool,
    origin: Origin,
    is_offered: bool,
}

impl<'a> Candidate<'a> {
    fn key(&self) -> (&'a ServerName, &'a str) {
        (self.server, &self.told.tool.name)
    }
}

impl Catalog {
    /// Puts together what is known of each configured server.
    ///
    /// Tools of a server that was given up are not offered, but keep their names, so that a call of
    /// one is told why, and no other tool gets its name.
    pub(crate) fn new(parts: &Parts<'_>) -> Self {
        let configured = parts.config.servers();
        let servers = configured.iter().zip(parts.seen);
        let mut candidates: Vec<Candidate<'_>> = servers
            .clone()
            .flat_map(|(server, seen)| candidates(server, seen))
            .collect();
        // A tool that is named twice is the first of them.
        candidates.sort_by(|one, other| one.key().cmp(&other.key()));
        candidates.dedup_by(|other, one| one.key() == other.key());
        let names_of = |is_own: bool| {
            let candidates = candidates.iter();
            candidates
                .filter(move |one| (one.origin == Origin::Server) == is_own)
                .map(Candidate::key)
        };
        let taken = parts.host.iter().map(|entry| entry.tool.name());
        let names = NameTable::beside(
            &taken.collect(),
            parts.naming,
            configured.iter().map(ServerConfig::name),
            names_of(true),
            names_of(false),
        );
        let mut tools = offered(candidates, &names);
        let own = parts.host.iter().filter(|entry| entry.is_available());
        tools.extend(own.map(of_host));
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        let mut places = vec![None; names.len()];
        for (count, tool) in (1..).zip(&tools) {
            let place = names.place(tool.name.as_str());
            // The host's own tools are in no table.
            if let Some(offered) = place.and_then(|place| places.get_mut(place)) {
                *offered = NonZeroU32::new(count);
            }
        }
        Self {
            generation: parts.generation,
            servers: servers
                .map(|(server, seen)| ServerStatus::new(server, seen))
                .collect(),
            tools,
            names,
            offered: places,
            definitions: Kinds::default(),
        }
    }
}

/// Those that are offered, each with its name; in the order of the routes, as `candidates` are.
fn offered(candidates: Vec<Candidate<'_>>, names: &NameTable) -> Vec<CatalogTool> {
    let mut named = names.by_route().peekable();
    let mut tools = Vec::new();
    for one in candidates {
        let is_it = |(_, route): &(&PublicName, &Route)| (&route.server, &*route.tool) == one.key();
        // A tool without a name is one of two whose hashes are equal.
        if let Some((name, route)) = named.next_if(is_it)
            && one.is_offered
        {
            tools.push(CatalogTool {
                name: name.clone(),
                route: route.clone(),
                tool: one.told.tool.clone(),
                origin: one.origin,
                rendering: one.told.rendering.clone(),
            });
        }
    }
    tools
}

fn of_host(entry: &Entry) -> CatalogTool {
    let tool = &entry.tool;
    CatalogTool {
        name: tool.public_name().clone(),
        route: tool.route(),
        tool: tool.definition().clone(),
        origin: Origin::Host,
        rendering: entry.rendering.clone(),
    }
}

/// The tools of one server that its configuration lets through.
fn candidates<'a>(
    server: &'a ServerConfig,
    seen: &Seen<'a>,
) -> impl Iterator<Item = Candidate<'a>> {
    let is_offered = seen.life.is_callable();
    let candidate = move |told, origin| Candidate {
        server: server.name(),
        told,
        origin,
        is_offered,
    };
    let told = seen.known.told.as_deref().into_iter();
    told.flat_map(move |all| {
        let allowed = all.tools.iter();
        let allowed = allowed.filter(|told| server.filter().allows(&told.tool.name));
        let utilities = all.utilities.iter();
        allowed
            .map(move |told| {
                let verdict = all.verdict(server.trust(), &told.tool.name);
                let mut candidate = candidate(told, Origin::Server);
                // What nobody approved is not shown to a model either.
                candidate.is_offered &= verdict == Verdict::Allowed;
                candidate
            })
            .chain(utilities.map(move |(kind, told)| candidate(told, Origin::Utility(*kind))))
    })
}
