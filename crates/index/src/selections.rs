//! What the filters of late have left, until the index changes.
//!
//! The one idea: a service asks with the same few filters again and again (a tenant, a language, a date), and finding their
//! slots can cost more than the search among them. What is kept here is never older than the index: whoever changes the
//! index forgets all of it, before the change, so that one that fails half-way leaves nothing behind.
//!
//! No search can put back what it found before a change: it looks and keeps within one borrow of the index, and
//! [`Selections::forget`] wants the only one. The compiler sees to it; who shares an index between threads has a lock
//! that hands out either (`bindings/node/src/held.rs`). The lock in here is for searches side by side, which all see the
//! same index.

use std::sync::{Arc, Mutex, PoisonError};

use roaring::RoaringBitmap;
use sluice_filter::Filter;

/// Filters that are remembered: each costs at most a bit a slot.
const KEPT: usize = 8;

/// Filters and their slots, the one that was asked for last at the end.
#[derive(Default)]
pub(crate) struct Selections {
    kept: Mutex<Vec<(Filter, Arc<RoaringBitmap>)>>,
}

impl Selections {
    /// The slots of a filter, if they are known.
    pub(crate) fn known(&self, filter: &Filter) -> Option<Arc<RoaringBitmap>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == filter).map(|(_, slots)| Arc::clone(slots))
    }

    /// The slots of a filter, as known or as `select` finds them.
    pub(crate) fn of(&self, filter: &Filter, select: impl FnOnce() -> RoaringBitmap) -> Arc<RoaringBitmap> {
        // Not held while slots are looked for: searches run side by side.
        let slots = self.known(filter).unwrap_or_else(|| Arc::new(select()));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| known != filter);
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((filter.clone(), Arc::clone(&slots)));
        slots
    }

    /// The memory of the slots, and of the filters without their texts and lists.
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = kept.capacity() * size_of::<(Filter, Arc<RoaringBitmap>)>();
        entries + kept.iter().map(|(_, slots)| slots.serialized_size()).sum::<usize>()
    }

    /// Forgets all: the index is another from now on. No search runs now, see above.
    pub(crate) fn forget(&mut self) {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
