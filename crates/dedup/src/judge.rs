//! The judge of a walk: whether a pair that reached a threshold differs in a fact.
//!
//! Facts are read from a normal form the first time a pair needs them, and kept.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use sluice_guard::{Facts, Guard, Guards};

use crate::{Batch, Reference};

/// The facts of the classes of one batch, read when first needed.
#[derive(Debug, Default)]
pub(crate) struct FactsCache {
    facts: Vec<OnceLock<Box<Facts>>>,
    /// Memory of those read so far.
    bytes: AtomicUsize,
}

impl FactsCache {
    pub(crate) fn new(classes: usize) -> Self {
        let mut cache = Self::default();
        cache.grow(classes);
        cache
    }

    /// Makes room for more classes.
    pub(crate) fn grow(&mut self, classes: usize) {
        self.facts.resize_with(classes, OnceLock::new);
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.facts.capacity() * size_of::<OnceLock<Box<Facts>>>() + self.bytes.load(Ordering::Relaxed)
    }

    /// Without texts, which a walk with guards refuses, no text has a fact.
    fn get(&self, batch: &Batch, class: u32) -> &Facts {
        self.facts[class as usize].get_or_init(|| {
            let facts = Facts::of(&batch.class_text(class).unwrap_or_default());
            self.bytes.fetch_add(facts.bytes(), Ordering::Relaxed);
            Box::new(facts)
        })
    }
}

/// The other class of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Other {
    Reference(u32),
    Batch(u32),
}

/// Judges pairs.
pub(crate) struct Judge<'a> {
    guards: Guards,
    batch: &'a Batch,
    facts: FactsCache,
    reference: Option<&'a Reference>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(guards: Guards, batch: &'a Batch, reference: Option<&'a Reference>) -> Self {
        let classes = if guards.is_empty() { 0 } else { batch.classes() };
        Self { guards, batch, facts: FactsCache::new(classes), reference }
    }

    /// Memory of the facts of the batch.
    pub(crate) fn bytes(&self) -> usize {
        self.facts.bytes()
    }

    /// The first guard by which a class of the batch and another class differ.
    pub(crate) fn differ(&self, class: u32, other: Other) -> Option<Guard> {
        if self.guards.is_empty() {
            return None;
        }
        let other = match other {
            Other::Batch(other) => self.facts.get(self.batch, other),
            Other::Reference(other) => {
                let reference = self.reference?;
                reference.facts().get(reference.items(), other)
            }
        };
        self.facts.get(self.batch, class).differ(other, self.guards)
    }
}
