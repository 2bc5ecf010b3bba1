//! The tools of the host behind the lock of the registry.

use super::{Inner, clock};
use crate::catalog::Catalog;
use crate::host::{HostTool, HostTools};
use crate::name::PublicName;

impl Inner {
    /// Makes the checks of the host's tools that are due, outside of the lock, since they are the
    /// host's own code.
    pub(super) fn check_host(&self) {
        let now = clock();
        let due = self.lock().host.due(now);
        if due.is_empty() {
            return;
        }
        let answers: Vec<(PublicName, bool)> = due
            .into_iter()
            .map(|(name, check)| (name, check()))
            .collect();
        let mut state = self.lock();
        let state = &mut *state;
        for (name, answer) in answers {
            state.is_stale |= state.host.record(now, &name, answer);
        }
        self.publish_in(state);
    }

    /// A tool of the host, and whether it is offered.
    pub(in crate::registry) fn host_tool(&self, name: &str) -> Option<(HostTool, bool)> {
        let state = self.lock();
        let entry = state.host.get(name)?;
        Some((entry.tool.clone(), entry.is_available()))
    }

    /// Changes the tools of the host; `change` also gets the catalog there is.
    pub(in crate::registry) fn change_host<T>(
        &self,
        change: impl FnOnce(&mut HostTools, &Catalog) -> T,
    ) -> T {
        let mut state = self.lock();
        let state = &mut *state;
        self.renew_in(state);
        let changed = change(&mut state.host, &state.catalog);
        state.is_stale = true;
        self.publish_in(state);
        changed
    }
}
