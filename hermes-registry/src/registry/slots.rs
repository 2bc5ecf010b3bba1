//! The servers of a registry by their numbers, in the order of the configuration that holds now.
//!
//! A server that is configured anew is another one with another number, so that nothing that is
//! still told of the old one is taken for the new one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::memory::Memory;
use super::slot::{Server, Slot};
use crate::catalog::Seen;
use crate::config::{Config, ServerConfig};
use crate::life::{Life, LifePolicy, State};
use crate::name::ServerName;

/// One server for as long as it is configured as it is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct SlotId(u64);

/// All servers, and those that are being ended because they are configured no more.
///
/// Invariant: `order` and `by_name` hold the servers of the configuration and no others.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: BTreeMap<SlotId, Slot>,
    order: Vec<SlotId>,
    by_name: HashMap<String, SlotId>,
    last: u64,
}

/// What another configuration means for the servers there are.
#[derive(Debug, Default)]
pub(super) struct Turnover {
    /// Those that begin, with those in whose place they come.
    pub(super) begun: Vec<(SlotId, Option<SlotId>)>,
    /// Those that end and have no successor.
    pub(super) removed: Vec<(SlotId, ServerName)>,
    pub(super) unchanged: Vec<SlotId>,
}

impl Slots {
    pub(super) fn get(&self, id: SlotId) -> Option<&Slot> {
        self.slots.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: SlotId) -> Option<&mut Slot> {
        self.slots.get_mut(&id)
    }

    /// The server of this name that is configured now.
    pub(super) fn named(&self, name: &str) -> Option<SlotId> {
        self.by_name.get(name).copied()
    }

    /// The configured servers, in their order.
    pub(super) fn ids(&self) -> &[SlotId] {
        &self.order
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (SlotId, &mut Slot)> {
        self.slots.iter_mut().map(|(id, slot)| (*id, slot))
    }

    /// Every server there still is something of.
    pub(super) fn all(&self) -> Vec<SlotId> {
        self.slots.keys().copied().collect()
    }

    /// What a catalog is made of.
    pub(super) fn seen(&self) -> Vec<Seen<'_>> {
        let configured = self.order.iter().filter_map(|id| self.slots.get(id));
        configured
            .map(|slot| Seen {
                known: slot.known(),
                life: slot.life().state(),
            })
            .collect()
    }

    pub(super) fn are_all_closed(&self) -> bool {
        let mut slots = self.slots.values();
        slots.all(|slot| slot.life().state() == State::Closed)
    }

    /// Lets go of servers that have ended and are configured no more.
    pub(super) fn sweep(&mut self) {
        let order = &self.order;
        self.slots
            .retain(|id, slot| order.contains(id) || slot.life().state() != State::Closed);
    }

    /// Takes another configuration on. Servers that are configured as before stay as they are;
    /// those in the place of another of the same name begin with what that one told.
    pub(super) fn adopt(
        &mut self,
        config: &Config,
        now: Instant,
        mut seed: impl FnMut() -> u64,
        memory: &Memory,
    ) -> Turnover {
        let mut turnover = Turnover::default();
        let mut before = std::mem::take(&mut self.by_name);
        self.order.clear();
        for server in config.servers() {
            let name = server.name().as_str();
            let old = before.remove(name);
            let kept = old.filter(|old| self.is_configured_as(*old, server));
            let id = match kept {
                Some(id) => {
                    turnover.unchanged.push(id);
                    id
                }
                None => {
                    let id = self.begin(server, old, now, seed(), memory);
                    turnover.begun.push((id, old));
                    id
                }
            };
            self.order.push(id);
            self.by_name.insert(name.to_owned(), id);
        }
        for id in before.into_values() {
            if let Some(slot) = self.slots.get(&id) {
                let name = slot.server().config.name().clone();
                turnover.removed.push((id, name));
            }
        }
        turnover
    }

    fn is_configured_as(&self, id: SlotId, server: &ServerConfig) -> bool {
        let slot = self.slots.get(&id);
        slot.is_some_and(|slot| slot.server().config == *server)
    }

    fn begin(
        &mut self,
        server: &ServerConfig,
        old: Option<SlotId>,
        now: Instant,
        seed: u64,
        memory: &Memory,
    ) -> SlotId {
        self.last += 1;
        let id = SlotId(self.last);
        let mut life = Life::new(now, LifePolicy::of(server), seed);
        if !server.is_enabled() {
            life.disable(now, Duration::ZERO);
        }
        let old = old.and_then(|old| self.slots.get(&old));
        let before = old.map(|old| &**old.server());
        let mut slot = Slot::new(life, Arc::new(Server::new(server.clone(), before)));
        if let Some(old) = old {
            slot.inherit(old);
        } else if server.is_lazy() {
            // Its tools are known before it is started.
            let recalled = memory.recall(server, &slot.server().redactor);
            recalled
                .into_iter()
                .for_each(|told| slot.see(Arc::new(told)));
        }
        self.slots.insert(id, slot);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(servers: &[(&str, &str)]) -> Config {
        let servers: Vec<String> = servers
            .iter()
            .map(|(name, more)| format!("  {name}:\n    command: s\n{more}"))
            .collect();
        let text = format!("mcp_servers:\n{}", servers.concat());
        let loaded = Config::parse(&text, "config.yaml", &|_name| None).expect("it is YAML");
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        loaded.config
    }

    #[test]
    fn only_servers_that_are_configured_otherwise_begin_anew() {
        let now = crate::registry::inner::clock();
        let mut slots = Slots::default();
        let first = config(&[("a", ""), ("b", ""), ("c", "")]);
        let memory = Memory::default();
        let all = slots.adopt(&first, now, || 1, &memory);
        assert_eq!((all.begun.len(), all.unchanged.len()), (3, 0));
        let before = ["a", "b", "c"].map(|name| slots.named(name));
        // `a` has moved in the file, `b` is another, `c` is gone, `d` is new.
        let second = config(&[("d", ""), ("b", "    timeout: 5\n"), ("a", "")]);
        let turnover = slots.adopt(&second, now, || 1, &memory);
        let after = ["a", "b", "c", "d"].map(|name| slots.named(name));
        assert_eq!(after[0], before[0]);
        assert_eq!(turnover.unchanged, [before[0].unwrap()]);
        assert_eq!(
            turnover.begun,
            [(after[3].unwrap(), None), (after[1].unwrap(), before[1])]
        );
        let removed = turnover.removed.iter();
        let removed: Vec<_> = removed.map(|(id, name)| (*id, name.as_str())).collect();
        assert_eq!(removed, [(before[2].unwrap(), "c")]);
        assert_eq!(after[2], None);
        assert_eq!(
            slots.ids(),
            [after[3], after[1], after[0]].map(Option::unwrap)
        );
        assert_eq!(slots.all().len(), 5, "those that end are still there");
    }
}
