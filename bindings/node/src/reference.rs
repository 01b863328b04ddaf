//! A fitted set of items as JavaScript holds it.

use std::borrow::Cow;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use sluice_dedup::{Outcome, Reference, Rules};

use crate::batch::{BatchState, NativeBatch, Watched, checked, decide_later, decide_now, walk_watched};
use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::held::Held;
use crate::job;
use crate::outcome::NativeOutcome;
use crate::rules::NativeRules;
use crate::source::Ids;

/// What a reference holds.
pub struct ReferenceState {
    /// The fitted items.
    pub reference: Reference,
    /// Ids of items that came from a file.
    pub ids: Ids,
    memory_bytes: Option<f64>,
}

impl ReferenceState {
    /// Memory held.
    fn bytes(&self) -> usize {
        self.reference.bytes() + self.ids.bytes()
    }

    /// Decides the items as if they were a batch of their own.
    fn decide_items(&self, rules: &Rules, signals: &Signals) -> Result<Outcome, Failure> {
        let (items, vectors) = (self.reference.items(), self.reference.vectors());
        let watch =
            Watched { signals, bytes_left: self.memory_bytes.map(|bound| bound - self.bytes() as f64) };
        walk_watched(items, vectors, None, rules, &watch)
    }
}

/// Items that batches are compared with.
#[napi]
pub struct NativeReference {
    state: Arc<Held<ReferenceState>>,
}

#[napi]
impl NativeReference {
    /// Fits the records of a batch, which is used up.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeReference>")]
    pub fn fit(
        env: &Env,
        batch: &NativeBatch,
        rules: NativeRules,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (batch, signals) = (batch.state(), control.signals());
        let lexical = rules.to_core()?.lexical.map(|rule| rule.jaccard);
        let work = move || -> Result<NativeReference, Failure> {
            let BatchState { batch, ids, vectors, memory_bytes } = batch.take()?;
            signals.report("fit", 0, batch.records() as u64);
            let vectors = checked(vectors.as_ref(), batch.classes())?;
            let reference = Reference::fit(batch, vectors, lexical)?;
            signals.finish();
            Ok(NativeReference { state: Held::new(ReferenceState { reference, ids, memory_bytes }) })
        };
        job::spawn(env, threads, work, |reference| reference)
    }

    /// Adds records of a batch as new items, in order: the ones at `positions`, which ascend, or all.
    #[napi(catch_unwind)]
    pub fn extend(&self, batch: &NativeBatch, positions: Option<&[u32]>) -> napi::Result<()> {
        Ok(batch.state().look(|batch| {
            let positions = match positions {
                Some(given) => Cow::Borrowed(given),
                None => Cow::Owned((0..batch.batch.records() as u32).collect()),
            };
            let vectors = batch.vectors()?;
            self.state.change(|state| {
                state.reference.extend(&batch.batch, vectors, &positions)?;
                Ok(())
            })
        })?)
    }

    /// Decides the items as if they were a batch of their own.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeOutcome>")]
    pub fn self_walk(
        &self,
        env: &Env,
        rules: NativeRules,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (state, signals) = (self.state(), control.signals());
        let rules = rules.to_core()?;
        decide_later(env, threads, signals, move |signals| {
            state.look(|state| state.decide_items(&rules, signals))
        })
    }

    /// The same before it returns: for a second look at what is in memory.
    #[napi(catch_unwind)]
    pub fn self_walk_now(&self, rules: NativeRules, threads: u32) -> napi::Result<NativeOutcome> {
        let rules = rules.to_core()?;
        Ok(self.state.look(|state| decide_now(threads, |signals| state.decide_items(&rules, signals)))?)
    }

    /// Memory held.
    #[napi(catch_unwind)]
    pub fn bytes(&self) -> napi::Result<f64> {
        Ok(self.state.look(|state| Ok(state.bytes() as f64))?)
    }

    /// Distinct texts without a vector; none where nothing is compared by vectors.
    #[napi(catch_unwind)]
    pub fn without_vector(&self) -> napi::Result<Option<u32>> {
        Ok(self.state.look(|ReferenceState { reference, .. }| {
            let classes = 0..reference.items().classes() as u32;
            Ok(reference
                .vectors()
                .map(|vectors| classes.filter(|class| vectors.of(*class).is_none()).count() as u32))
        })?)
    }

    /// The ids of items that came from a file, each a JSON value; empty where an item has none.
    #[napi(catch_unwind)]
    pub fn ids(&self, positions: &[u32]) -> napi::Result<Vec<String>> {
        Ok(self.state.look(|state| Ok(state.ids.of(positions)))?)
    }

    /// Gives the memory back once running jobs are done with it; later calls are refused. Waits for nothing.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.state.close();
    }
}

impl NativeReference {
    /// The shared state, for a walk.
    pub fn state(&self) -> Arc<Held<ReferenceState>> {
        Arc::clone(&self.state)
    }
}
