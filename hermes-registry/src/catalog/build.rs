//! Puts a catalog together.

use super::definitions::Kinds;
use super::status::ServerStatus;
use super::told::{Seen, ToldTool};
use super::{Catalog, CatalogTool, Origin};
use crate::config::{Config, ServerConfig};
use crate::host::{Entry, HostTools};
use crate::name::{NameTable, Naming, ServerName};
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

impl Catalog {
    /// Puts together what is known of each configured server.
    ///
    /// Tools of a server that was given up are not offered, but keep their names, so that a call of
    /// one is told why, and no other tool gets its name.
    pub(crate) fn new(parts: &Parts<'_>) -> Self {
        let configured = parts.config.servers();
        let servers = configured.iter().zip(parts.seen);
        let candidates: Vec<Candidate<'_>> = servers
            .clone()
            .flat_map(|(server, seen)| candidates(server, seen))
            .collect();
        let names_of = |is_own: bool| {
            let candidates = candidates.iter();
            candidates
                .filter(move |one| (one.origin == Origin::Server) == is_own)
                .map(|one| (one.server, one.told.tool.name.as_str()))
        };
        let taken = parts.host.iter().map(|entry| entry.tool.name());
        let names = NameTable::beside(
            &taken.collect(),
            parts.naming,
            configured.iter().map(ServerConfig::name),
            names_of(true),
            names_of(false),
        );
        let offered = candidates.iter().filter(|one| one.is_offered);
        let mut tools: Vec<CatalogTool> = offered
            .filter_map(|one| {
                let (name, route) = names.entry(one.server, &one.told.tool.name)?;
                Some(CatalogTool {
                    name: name.clone(),
                    route: route.clone(),
                    tool: one.told.tool.clone(),
                    origin: one.origin,
                    rendering: one.told.rendering.clone(),
                })
            })
            .collect();
        let own = parts.host.iter().filter(|entry| entry.is_available());
        tools.extend(own.map(of_host));
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            generation: parts.generation,
            servers: servers
                .map(|(server, seen)| ServerStatus::new(server, seen))
                .collect(),
            tools,
            names,
            definitions: Kinds::default(),
        }
    }
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
