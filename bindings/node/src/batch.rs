//! A batch as JavaScript holds it: records go in, an outcome comes out.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Uint32Array};
use napi_derive::napi;
use sluice_dedup::{
    Batch, DedupError, Outcome, Records, Reference, Rules, Step, Vectors, Watch, decoded, walk,
};

use crate::control::{NativeControl, Signals};
use crate::embedder::{NativeCoverage, NativeEmbedder};
use crate::failure::Failure;
use crate::held::Held;
use crate::job;
use crate::outcome::NativeOutcome;
use crate::packed::Packed;
use crate::reference::{NativeReference, ReferenceState};
use crate::rules::{NativeBatchOptions, NativeRules};
use crate::source::{Ids, NativeRead, NativeSource, read_source};

/// What a batch holds: its records, their ids when they came from a file, and one vector a class.
pub struct BatchState {
    /// The records, grouped.
    pub batch: Batch,
    /// Ids of records that came from a file.
    pub ids: Ids,
    /// One row a class and the dimension.
    pub vectors: Option<(Vec<f32>, usize)>,
    /// Bound on the memory of records, and of walks over them.
    pub memory_bytes: Option<f64>,
}

impl BatchState {
    fn bytes(&self) -> f64 {
        let vectors = self.vectors.as_ref().map_or(0, |(rows, _)| size_of_val(rows.as_slice()));
        (self.batch.bytes() + self.ids.bytes() + vectors) as f64
    }

    /// Refuses to go on beyond the bound on memory.
    pub fn check_memory(&self) -> Result<(), Failure> {
        let held = self.bytes();
        match self.memory_bytes {
            Some(bound) if held > bound => Err(Failure {
                field: Some("memoryBytes".to_owned()),
                expected: Some(format!("at most {bound} bytes")),
                received: Some(format!("{held} bytes after {} records", self.batch.records())),
                ..Failure::new("MEMORY_LIMIT", "The records need more memory than memoryBytes allows.")
            }),
            _ => Ok(()),
        }
    }

    /// What is left of the bound on memory, if there is one.
    pub fn bytes_left(&self) -> Option<f64> {
        self.memory_bytes.map(|bound| bound - self.bytes())
    }

    /// What a walk may hold beside the records.
    pub fn watch<'a>(&self, signals: &'a Signals) -> Watched<'a> {
        Watched { signals, bytes_left: self.bytes_left() }
    }

    /// The vectors as the core takes them.
    pub fn vectors(&self) -> Result<Option<Vectors<'_>>, Failure> {
        checked(self.vectors.as_ref(), self.batch.classes())
    }
}

/// Rows and their dimension as the core takes them: one row a class.
pub fn checked(vectors: Option<&(Vec<f32>, usize)>, classes: usize) -> Result<Option<Vectors<'_>>, Failure> {
    Ok(match vectors {
        Some((rows, dimension)) => Some(Vectors::new(rows, *dimension, classes)?),
        None => None,
    })
}

/// Records that were grouped, and can be walked as often as one likes.
#[napi]
pub struct NativeBatch {
    state: Arc<Held<BatchState>>,
}

#[napi]
impl NativeBatch {
    /// An empty batch.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: NativeBatchOptions) -> napi::Result<Self> {
        let state = BatchState {
            batch: Batch::new(options.to_core()?),
            ids: Ids::default(),
            vectors: None,
            memory_bytes: options.memory_bytes,
        };
        Ok(Self { state: Held::new(state) })
    }

    /// Adds packed records: `columns` texts each, one after another. `priorities` holds NaN where a record has none.
    #[napi(catch_unwind)]
    pub fn push(&self, data: &[u8], offsets: &[u32], priorities: Option<&[f64]>) -> napi::Result<()> {
        let texts = Packed::new(data, offsets)?;
        Ok(self.state.change(|state| {
            let columns = state.batch.options().columns.get();
            let whole = texts.len() % columns == 0
                && priorities.is_none_or(|given| given.len() * columns == texts.len());
            if !whole {
                return Err(Failure::new("INTERNAL", "Packed texts do not divide into records."));
            }
            state.batch.push_block(&Chunk { texts, columns, priorities })?;
            state.check_memory()
        })?)
    }

    /// Reads every record of a file.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeRead>")]
    pub fn read_file(
        &self,
        env: &Env,
        source: NativeSource,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (state, signals) = (Arc::clone(&self.state), control.signals());
        let work = move || -> Result<NativeRead, Failure> {
            state.change(|state| read_source(&source, state, &signals))
        };
        job::spawn(env, threads, work, |read| read)
    }

    /// Whether any record came with a priority.
    #[napi(catch_unwind)]
    pub fn has_priorities(&self) -> napi::Result<bool> {
        Ok(self.state.look(|state| Ok(state.batch.has_priorities()))?)
    }

    /// Whether any record that came from a file has an id.
    #[napi(catch_unwind)]
    pub fn has_ids(&self) -> napi::Result<bool> {
        Ok(self.state.look(|state| Ok(!state.ids.is_empty()))?)
    }

    /// Distinct normal forms so far.
    #[napi(catch_unwind)]
    pub fn classes(&self) -> napi::Result<u32> {
        Ok(self.state.look(|state| Ok(state.batch.classes() as u32))?)
    }

    /// Memory held.
    #[napi(catch_unwind)]
    pub fn bytes(&self) -> napi::Result<f64> {
        Ok(self.state.look(|state| Ok(state.bytes()))?)
    }

    /// The record that stands for each class: the first.
    #[napi(catch_unwind)]
    pub fn first_records(&self) -> napi::Result<Uint32Array> {
        Ok(self.state.look(|state| Ok(state.batch.first_records().into()))?)
    }

    /// For every record, the first record with the same key, or itself.
    #[napi(catch_unwind)]
    pub fn copies(&self) -> napi::Result<Uint32Array> {
        let copies: Vec<u32> = self.state.look(|BatchState { batch, .. }| {
            let positions = 0..batch.records() as u32;
            Ok(positions.map(|position| batch.copy_of(position).unwrap_or(position)).collect())
        })?;
        Ok(copies.into())
    }

    /// One column of the normal form of `count` classes.
    #[napi(catch_unwind)]
    pub fn class_texts(&self, column: u32, first: u32, count: u32) -> napi::Result<NativeTexts> {
        Ok(self.state.look(|BatchState { batch, .. }| {
            let mut data = Vec::new();
            let mut offsets = vec![0];
            for class in first..(first + count).min(batch.classes() as u32) {
                let text = batch.class_column(class, column as usize).ok_or_else(texts_dropped)?;
                data.extend_from_slice(decoded(text).as_bytes());
                offsets.push(u32::try_from(data.len()).map_err(|_| {
                    Failure::new("INPUT_TOO_LARGE", "A batch of texts for the embedder is beyond 4 GiB.")
                })?);
            }
            Ok(NativeTexts { data: data.into(), offsets: offsets.into() })
        })?)
    }

    /// Takes one vector a class. Rows are brought to length one; a row of zeros is no vector.
    #[napi(catch_unwind)]
    pub fn set_vectors(&self, vectors: &[f32], dimension: u32) -> napi::Result<()> {
        let mut rows = vectors.to_vec();
        Ok(self.state.change(|state| {
            // A bad row is named by the record that stands for its class: a caller knows no classes.
            let record =
                |class| state.batch.first_records().get(class).map_or(class, |first| *first as usize);
            for (class, row) in rows.chunks_mut(dimension.max(1) as usize).enumerate() {
                if row.iter().any(|component| *component != 0.0) {
                    // A refused row is left as it was: asked again, it gives the error its record.
                    sluice_vector::normalize(row, class)
                        .or_else(|_| sluice_vector::normalize(row, record(class)))?;
                }
            }
            state.vectors = Some((rows, dimension as usize));
            state.check_memory()
        })?)
    }

    /// Embeds every class: its columns apart, concatenated.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeCoverage>")]
    pub fn embed(
        &self,
        env: &Env,
        embedder: &NativeEmbedder,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (state, signals, model) = (Arc::clone(&self.state), control.signals(), embedder.model());
        let work = move || -> Result<NativeCoverage, Failure> {
            state.change(|state| {
                let (rows, coverage) = crate::embedder::embed_classes(&*model, &state.batch, &signals)?;
                state.vectors = Some((rows, model.dimension() * state.batch.options().columns.get()));
                state.check_memory()?;
                Ok(coverage)
            })
        };
        job::spawn(env, threads, work, |coverage| coverage)
    }

    /// Decides every record.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeOutcome>")]
    pub fn walk(
        &self,
        env: &Env,
        rules: NativeRules,
        reference: Option<&NativeReference>,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (state, signals) = (Arc::clone(&self.state), control.signals());
        let reference = reference.map(NativeReference::state);
        let rules = rules.to_core()?;
        decide_later(env, threads, signals, move |signals| {
            state.look(|state| compare(state, reference.as_deref(), &rules, signals))
        })
    }

    /// Decides every record before it returns: for a second look at what is in memory.
    #[napi(catch_unwind)]
    pub fn walk_now(
        &self,
        rules: NativeRules,
        reference: Option<&NativeReference>,
        threads: u32,
    ) -> napi::Result<NativeOutcome> {
        let rules = rules.to_core()?;
        let reference = reference.map(NativeReference::state);
        Ok(self.state.look(|state| {
            decide_now(threads, |signals| compare(state, reference.as_deref(), &rules, signals))
        })?)
    }

    /// The ids of records that came from a file, each a JSON value; empty where a record has none.
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

impl NativeBatch {
    /// The shared state, for a reference.
    pub fn state(&self) -> Arc<Held<BatchState>> {
        Arc::clone(&self.state)
    }
}

/// Texts on their way to a caller's embedder.
#[napi(object)]
pub struct NativeTexts {
    /// Their bytes, one after another.
    pub data: Buffer,
    /// Where each begins, and where the last ends.
    pub offsets: Uint32Array,
}

/// Checks vectors of a caller, one row a record: finite, and none of length zero.
#[napi(catch_unwind)]
pub fn check_vectors(vectors: &[f32], dimension: u32) -> napi::Result<()> {
    let mut row = vec![0.0; dimension as usize];
    for (position, given) in vectors.chunks_exact(dimension.max(1) as usize).enumerate() {
        row.copy_from_slice(given);
        sluice_vector::normalize(&mut row, position).map_err(Failure::from)?;
    }
    Ok(())
}

/// Decides a batch, alone or against the items of a reference.
fn compare(
    state: &BatchState,
    reference: Option<&Held<ReferenceState>>,
    rules: &Rules,
    signals: &Signals,
) -> Result<Outcome, Failure> {
    match reference {
        None => decide(state, None, rules, signals),
        Some(reference) => reference.look(|held| decide(state, Some(&held.reference), rules, signals)),
    }
}

/// Runs the walk of the core under the eyes of a control.
fn decide(
    state: &BatchState,
    reference: Option<&Reference>,
    rules: &Rules,
    signals: &Signals,
) -> Result<Outcome, Failure> {
    walk_watched(&state.batch, state.vectors()?, reference, rules, &state.watch(signals))
}

/// Runs a walk whose outcome there will be room for in columns too.
pub fn walk_watched(
    batch: &Batch,
    vectors: Option<Vectors<'_>>,
    reference: Option<&Reference>,
    rules: &Rules,
    watch: &Watched<'_>,
) -> Result<Outcome, Failure> {
    let outcome = walk(batch, vectors, reference, rules, watch)?;
    let received = outcome.bytes() + NativeOutcome::bytes_beside(&outcome);
    if !watch.may_hold(received) {
        return Err(DedupError::Memory { received }.into());
    }
    watch.signals.finish();
    Ok(outcome)
}

/// Runs a walk on a thread of its own and gives the promise of its outcome.
pub fn decide_later(
    env: &Env,
    threads: u32,
    signals: Arc<Signals>,
    walk: impl FnOnce(&Signals) -> Result<Outcome, Failure> + Send + 'static,
) -> napi::Result<Object<'static>> {
    let work = move || Ok((walk(&signals)?, signals));
    job::spawn(env, threads, work, |(outcome, signals)| NativeOutcome::new(outcome, signals.seconds()))
}

/// Runs a walk before it returns.
pub fn decide_now(
    threads: u32,
    walk: impl FnOnce(&Signals) -> Result<Outcome, Failure> + Send,
) -> Result<NativeOutcome, Failure> {
    let signals = Signals::default();
    let outcome = job::now(threads, || walk(&signals))?;
    Ok(NativeOutcome::new(outcome, signals.seconds()))
}

/// Lets the core report to the signals of a control.
pub struct Watched<'a> {
    /// The signals of the control.
    pub signals: &'a Signals,
    /// What is left of the bound on memory, if there is one.
    pub bytes_left: Option<f64>,
}

impl Watch for Watched<'_> {
    fn cancelled(&self) -> bool {
        self.signals.cancelled()
    }

    fn may_hold(&self, bytes: usize) -> bool {
        self.bytes_left.is_none_or(|left| bytes as f64 <= left)
    }

    fn step(&self, step: Step, done: u64, total: u64) {
        self.signals.report(step.as_str(), done, total);
    }
}

fn texts_dropped() -> Failure {
    Failure::new("INTERNAL", "The batch was made without its texts.")
}

/// Packed texts as records of several columns.
struct Chunk<'a> {
    texts: Packed<'a>,
    columns: usize,
    priorities: Option<&'a [f64]>,
}

impl Records for Chunk<'_> {
    fn len(&self) -> usize {
        self.texts.len() / self.columns
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn column(&self, record: usize, column: usize) -> &[u8] {
        self.texts.get(record * self.columns + column)
    }

    fn priority(&self, record: usize) -> Option<f64> {
        self.priorities.map(|given| given[record]).filter(|priority| !priority.is_nan())
    }
}
