//! From names of toolsets to servers.

use std::collections::BTreeSet;

use super::error::UnknownToolset;
use super::{PLATFORM_PREFIX, Toolsets};
use crate::filter::Pattern;
use crate::name::ServerName;
use crate::nearest::nearest_few;

/// Names that are proposed instead of an unknown one.
const NEAREST_MAX: usize = 3;

/// What a list of names stands for.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Resolved {
    /// The servers, in the order of the configuration.
    pub servers: Vec<ServerName>,
    /// The names that stand for nothing, in their order.
    pub unknown: Vec<UnknownToolset>,
}

/// Places of toolsets.
type Places = BTreeSet<usize>;

impl Toolsets {
    /// The servers that these names stand for.
    ///
    /// A name that begins with `-` leaves out what the rest of it stands for, wherever it is in the
    /// list; where all names do, they leave out of everything.
    /// No name at all stands for no server.
    #[must_use]
    pub fn resolve<T: AsRef<str>>(&self, names: &[T]) -> Resolved {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let mut unknown = Vec::new();
        let places = self.places(&names, true, &mut unknown);
        let servers = places.into_iter().filter_map(|place| self.sets.get(place));
        Resolved {
            servers: servers.map(|set| set.server.clone()).collect(),
            unknown,
        }
    }

    fn places(
        &self,
        names: &[&str],
        knows_platforms: bool,
        unknown: &mut Vec<UnknownToolset>,
    ) -> Places {
        let (mut within, mut without) = (Places::new(), Places::new());
        let mut leaves_out_only = !names.is_empty();
        for name in names {
            // A server may be called with a dash itself.
            let rest = name
                .strip_prefix('-')
                .filter(|_| self.exact(name).is_none());
            leaves_out_only &= rest.is_some();
            let target = if rest.is_some() {
                &mut without
            } else {
                &mut within
            };
            match self.stands_for(rest.unwrap_or(name), knows_platforms) {
                Some(places) => target.extend(places),
                None => unknown.push(self.unknown(name, rest.unwrap_or(name))),
            }
        }
        if leaves_out_only {
            within.extend(0..self.sets.len());
        }
        within.retain(|place| !without.contains(place));
        within
    }

    fn stands_for(&self, name: &str, knows_platforms: bool) -> Option<Places> {
        if let Some(place) = self.exact(name) {
            return Some(Places::from([place]));
        }
        // Bound: a platform is made of toolsets, and never of another platform.
        if knows_platforms && name.starts_with(PLATFORM_PREFIX) && !is_glob(name) {
            let Some(parts) = self.platforms.get(name) else {
                return Some((0..self.sets.len()).collect());
            };
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            // A part that is not there is not what was asked for.
            return Some(self.places(&parts, false, &mut Vec::new()));
        }
        let pattern = Pattern::new(name);
        let sets = self.sets.iter().enumerate();
        let matching = sets
            .filter(|(_, set)| pattern.matches(&set.name) || pattern.matches(set.server.as_str()));
        let places: Places = matching.map(|(place, _)| place).collect();
        (!places.is_empty()).then_some(places)
    }

    fn exact(&self, name: &str) -> Option<usize> {
        let by_name = self.sets.iter().position(|set| set.name == name);
        by_name.or_else(|| self.sets.iter().position(|set| set.server.as_str() == name))
    }

    fn unknown(&self, name: &str, wanted: &str) -> UnknownToolset {
        let names = self.sets.iter().map(|set| set.name.as_str());
        let servers = self.sets.iter().map(|set| set.server.as_str());
        let nearest = nearest_few(wanted, servers.chain(names), NEAREST_MAX);
        UnknownToolset {
            name: name.to_owned(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
        }
    }
}

fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '['])
}
