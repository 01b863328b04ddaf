//! A fitted set of items as JavaScript holds it.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use sluice_dedup::{Outcome, Reference, Rules, walk};

use crate::batch::{BatchState, NativeBatch, Watched, checked, opened};
use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
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
}

impl ReferenceState {
    /// Decides the items as if they were a batch of their own.
    fn decide_items(&self, rules: &Rules, signals: &Signals) -> Result<Outcome, Failure> {
        let (items, vectors) = (self.reference.items(), self.reference.vectors());
        let outcome = walk(items, vectors, None, rules, &Watched(signals))?;
        signals.finish();
        Ok(outcome)
    }
}

/// Items that batches are compared with.
#[napi]
pub struct NativeReference {
    state: Arc<RwLock<Option<ReferenceState>>>,
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
            let taken = batch.write().unwrap_or_else(PoisonError::into_inner).take();
            let BatchState { batch, ids, vectors, .. } = opened(taken)?;
            signals.report("fit", 0, batch.records() as u64);
            let vectors = checked(vectors.as_ref(), batch.classes())?;
            let reference = Reference::fit(batch, vectors, lexical)?;
            signals.finish();
            let state = ReferenceState { reference, ids };
            Ok(NativeReference { state: Arc::new(RwLock::new(Some(state))) })
        };
        job::spawn(env, threads, work, |reference| reference)
    }

    /// Adds records of a batch as new items, in order: the ones at `positions`, which ascend, or all.
    #[napi(catch_unwind)]
    pub fn extend(&self, batch: &NativeBatch, positions: Option<&[u32]>) -> napi::Result<()> {
        let batch = batch.state();
        let batch = batch.read().unwrap_or_else(PoisonError::into_inner);
        let batch = opened(batch.as_ref())?;
        let mut guard = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = opened(guard.as_mut())?;
        let positions = match positions {
            Some(given) => Cow::Borrowed(given),
            None => Cow::Owned((0..batch.batch.records() as u32).collect()),
        };
        state.reference.extend(&batch.batch, batch.vectors()?, &positions).map_err(Failure::from)?;
        Ok(())
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
        let work = move || -> Result<(Outcome, Arc<Signals>), Failure> {
            let guard = state.read().unwrap_or_else(PoisonError::into_inner);
            let outcome = opened(guard.as_ref())?.decide_items(&rules, &signals)?;
            Ok((outcome, signals))
        };
        job::spawn(env, threads, work, |(outcome, signals)| NativeOutcome::new(outcome, signals.seconds()))
    }

    /// The same before it returns: for a second look at what is in memory.
    #[napi(catch_unwind)]
    pub fn self_walk_now(&self, rules: NativeRules, threads: u32) -> napi::Result<NativeOutcome> {
        let signals = Signals::default();
        let rules = rules.to_core()?;
        let guard = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let state = opened(guard.as_ref())?;
        let outcome = job::now(threads, || state.decide_items(&rules, &signals))?;
        Ok(NativeOutcome::new(outcome, signals.seconds()))
    }

    /// Memory held.
    #[napi(catch_unwind)]
    pub fn bytes(&self) -> napi::Result<f64> {
        let guard = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let state = opened(guard.as_ref())?;
        Ok((state.reference.bytes() + state.ids.bytes()) as f64)
    }

    /// The ids of items that came from a file, each a JSON value; empty where an item has none.
    #[napi(catch_unwind)]
    pub fn ids(&self, positions: &[u32]) -> napi::Result<Vec<String>> {
        let guard = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let ids = &opened(guard.as_ref())?.ids;
        Ok(positions.iter().map(|position| ids.get(*position).to_owned()).collect())
    }

    /// Gives the memory back; later calls are refused.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl NativeReference {
    /// The shared state, for a walk.
    pub fn state(&self) -> Arc<RwLock<Option<ReferenceState>>> {
        Arc::clone(&self.state)
    }
}
