//! What lasts from one run to the next, behind the lock of the registry.

use std::sync::Arc;

use super::Inner;
use crate::life::Epoch;
use crate::pins::Pins;
use crate::registry::memory::Memory;
use crate::registry::slot::News;
use crate::registry::slots::SlotId;

impl Inner {
    /// Takes note of what a server told, if it was this.
    pub(super) fn learn(&self, server: SlotId, epoch: Epoch) {
        let mut state = self.lock();
        let state = &mut *state;
        if let Some(slot) = state.slots.get(server)
            && slot.life().epoch() == Some(epoch)
            && let Some(told) = slot.known().told()
        {
            state.memory.learn(&slot.server().config, told);
        }
    }

    pub(in crate::registry) fn pins(&self) -> Option<Arc<Pins>> {
        self.lock().memory.pins().cloned()
    }

    /// Approves tools of a server as they are, and looks at them anew.
    pub(in crate::registry) fn approve(self: &Arc<Self>, server: SlotId, names: Option<&[&str]>) {
        let told = {
            let mut state = self.lock();
            let state = &mut *state;
            let Some(slot) = state.slots.get(server) else {
                return;
            };
            let Some(told) = slot.known().told() else {
                return;
            };
            let config = &slot.server().config;
            state.memory.approve_tools(config.name(), told, names);
            let mut told = (**told).clone();
            let pins = state.memory.pins();
            Memory::compare(pins.map(|pins| &**pins), config, &mut told);
            Arc::new(told)
        };
        self.change(server, |slot, _todo| {
            slot.see(told);
            ((), News::State)
        });
        self.publish();
    }

    /// Saves what has changed since it was saved last.
    pub(super) async fn save(&self) {
        let save = self.lock().memory.begin_save();
        if let Some(save) = save {
            let saving = tokio::task::spawn_blocking(|| save.run());
            let _: Result<(), tokio::task::JoinError> = saving.await;
            self.lock().memory.end_save();
        }
    }
}
