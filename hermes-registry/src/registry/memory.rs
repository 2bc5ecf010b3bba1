//! What a registry remembers from one run to the next: which definitions were approved, and what
//! servers told.

use std::sync::Arc;

use mcp_transport::redact::Redactor;
use mcp_types::Tool;

use crate::catalog::Told;
use crate::config::{ServerConfig, Trust};
use crate::name::ServerName;
use crate::pins::Pins;
use crate::store::{KnownServers, Store, Stored};

/// What is remembered.
///
/// Without a store nothing is.
#[derive(Default)]
pub(super) struct Memory {
    store: Option<Arc<dyn Store>>,
    /// `None` if nobody keeps them, or if what was kept cannot be read.
    pins: Option<Arc<Pins>>,
    known: KnownServers,
    /// What has changed since it was saved.
    unsaved: Vec<Stored>,
    is_saving: bool,
}

/// Things that are to be saved.
pub(super) struct Save {
    store: Arc<dyn Store>,
    pins: Option<Arc<Pins>>,
    known: Option<KnownServers>,
}

impl Memory {
    /// Reads what a store has kept. What cannot be read is told in our log; approvals that cannot be
    /// read are not written over, since a person made them.
    pub(super) fn load(store: Arc<dyn Store>) -> Self {
        let read_pins = |text: String| Pins::parse(&text).map_err(|error| error.to_string());
        let pins = load(&*store, Stored::Pins)
            .and_then(|text| text.map_or_else(|| Ok(Pins::new()), read_pins));
        let known = load(&*store, Stored::Catalog)
            .and_then(|text| text.map(|text| KnownServers::parse(&text)).transpose());
        if let Err(error) = &pins {
            tracing::warn!(%error, "the approved definitions of tools cannot be read, so changes are not noticed");
        }
        if let Err(error) = &known {
            tracing::warn!(%error, "the tools of servers as they were told last cannot be read");
        }
        Self {
            store: Some(store),
            pins: pins.ok().map(Arc::new),
            known: known.ok().flatten().unwrap_or_default(),
            unsaved: Vec::new(),
            is_saving: false,
        }
    }

    pub(super) fn pins(&self) -> Option<&Arc<Pins>> {
        self.pins.as_ref()
    }

    /// Compares what a server told with what was approved. Everything of a trusted server that is
    /// seen for the first time is approved by that.
    pub(super) fn compare(pins: Option<&Pins>, server: &ServerConfig, told: &mut Told) {
        let tools = told.tools.iter().map(|told| &*told.tool);
        told.drift = pins.map(|pins| Arc::new(pins.compare(server.name(), tools)));
    }

    /// What a server told last, if it is reached as it was then.
    pub(super) fn recall(&self, server: &ServerConfig, redactor: &Redactor) -> Option<Told> {
        let mut told = self.known.of(server, redactor)?;
        Self::compare(self.pins.as_deref(), server, &mut told);
        Some(told)
    }

    /// Takes note of what a server told.
    pub(super) fn learn(&mut self, server: &ServerConfig, told: &Arc<Told>) {
        if self.store.is_none() {
            return;
        }
        self.known.put(server, Arc::clone(told));
        self.is_unsaved(Stored::Catalog);
        let is_first = told.drift.as_ref().is_some_and(|drift| drift.is_first);
        if is_first && server.trust() == Trust::Full {
            let tools = told.tools.iter().map(|told| &*told.tool);
            self.approve(server.name(), |pins| {
                pins.approve_all(server.name(), tools);
            });
        }
    }

    /// Changes what is approved.
    pub(super) fn approve(&mut self, server: &ServerName, approve: impl FnOnce(&mut Pins)) {
        if let Some(pins) = &mut self.pins {
            approve(Arc::make_mut(pins));
            tracing::debug!(
                server = server.as_str(),
                "definitions of tools were approved"
            );
            self.is_unsaved(Stored::Pins);
        }
    }

    /// Approves these tools of a server, or all there are and no others.
    pub(super) fn approve_tools(
        &mut self,
        server: &ServerName,
        told: &Told,
        names: Option<&[&str]>,
    ) {
        let all = told.tools.iter().map(|told| &*told.tool);
        self.approve(server, |pins| match names {
            None => pins.approve_all(server, all),
            Some(names) => {
                let wanted = |tool: &&Tool| names.contains(&tool.name.as_str());
                all.filter(wanted)
                    .for_each(|tool| pins.approve(server, tool));
            }
        });
    }

    /// Other servers are configured now.
    pub(super) fn keep<'s>(&mut self, servers: impl Iterator<Item = &'s ServerConfig> + Clone) {
        self.known.keep(servers);
    }

    fn is_unsaved(&mut self, what: Stored) {
        if !self.unsaved.contains(&what) {
            self.unsaved.push(what);
        }
    }

    /// What is to be saved now; one thing after the other, so that what was saved last is newest.
    pub(super) fn begin_save(&mut self) -> Option<Save> {
        let store = self.store.as_ref()?;
        if self.is_saving || self.unsaved.is_empty() {
            return None;
        }
        self.is_saving = true;
        let unsaved = std::mem::take(&mut self.unsaved);
        let has = |what| unsaved.contains(&what);
        Some(Save {
            store: Arc::clone(store),
            pins: self.pins.clone().filter(|_| has(Stored::Pins)),
            known: has(Stored::Catalog).then(|| self.known.clone()),
        })
    }

    pub(super) fn end_save(&mut self) {
        self.is_saving = false;
    }
}

impl Save {
    /// Saves; it may block for a moment. What cannot be saved is told in our log.
    pub(super) fn run(self) {
        let Self { store, pins, known } = self;
        let save = |what: Stored, text: Option<String>| {
            let saved = text.map_or(Ok(()), |text| store.save(what, &text));
            if let Err(error) = saved {
                tracing::warn!(what = what.name(), %error, "what is to last cannot be saved");
            }
        };
        save(Stored::Pins, pins.map(|pins| pins.to_json()));
        save(Stored::Catalog, known.map(|known| known.to_json()));
    }
}

fn load(store: &dyn Store, what: Stored) -> Result<Option<String>, String> {
    store.load(what).map_err(|error| error.to_string())
}
