//! An index as JavaScript holds it: rows by slot, searched away from the main thread.
//!
//! Items, positions and backends written in JavaScript are the affair of `src/index`; here are rows, payloads and slots.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Buffer, Float32Array, Float64Array, Object, Uint32Array};
use napi_derive::napi;
use serde_json::Value;
use sluice_filter::Filter;
use sluice_index::{BackendArgs, Found, Hit, Index, Want};
use sluice_vector::Dimension;

use crate::control::NativeControl;
use crate::failure::Failure;
use crate::held::Held;
use crate::job;
use crate::rules::metric_named;
use crate::workers;

/// So many components are compared in some tenths of a millisecond at most.
const COMPARED_AT_ONCE: usize = 1 << 20;

/// What an index is made of.
#[napi(object, object_to_js = false)]
pub struct NativeIndexKind {
    /// Name of the backend.
    pub backend: String,
    /// Its own arguments.
    pub args: HashMap<String, f64>,
    /// Name of the metric.
    pub metric: String,
    /// Components of a row.
    pub dimension: u32,
    /// The embedder that made the rows.
    pub embedder_id: Option<String>,
}

/// What a search asks for: one of the two.
#[napi(object, object_to_js = false)]
pub struct NativeWant {
    /// The best so many.
    pub k: Option<u32>,
    /// Everything that scores at least so much.
    pub threshold: Option<f64>,
}

/// Hits of all queries, end to end.
#[napi(object)]
pub struct NativeFound {
    /// Slots, the best first.
    pub slots: Uint32Array,
    /// Their scores.
    pub scores: Float64Array,
    /// Where the hits of each query end.
    pub ends: Uint32Array,
    /// The way the search took.
    pub strategy: String,
    /// Live rows that match.
    pub matching: f64,
}

/// What an index says of itself.
#[napi(object)]
pub struct NativeIndexInfo {
    /// Name of the backend.
    pub backend: String,
    /// The arguments it was made with.
    pub args: HashMap<String, f64>,
    /// Name of the metric.
    pub metric: String,
    /// Components of a row.
    pub dimension: u32,
    /// The embedder that made the rows.
    pub embedder_id: Option<String>,
    /// Rows ever added.
    pub slots: u32,
    /// Live rows.
    pub live: f64,
    /// Memory held.
    pub bytes: f64,
}

/// An index from a file, and the bytes that were saved with it.
#[napi(object, object_from_js = false)]
pub struct NativeLoadedIndex {
    /// The index.
    pub index: NativeIndex,
    /// What `save` was given.
    pub attachment: Buffer,
}

/// An index over the live rows of another.
#[napi(object, object_from_js = false)]
pub struct NativeRebuiltIndex {
    /// The index.
    pub index: NativeIndex,
    /// The former slot of each new one.
    pub former: Uint32Array,
}

/// Rows by slot with a payload each.
#[napi]
pub struct NativeIndex {
    state: Arc<Held<Index>>,
}

#[napi]
impl NativeIndex {
    /// An index without rows.
    #[napi(constructor, catch_unwind)]
    pub fn new(kind: NativeIndexKind) -> napi::Result<Self> {
        Ok(Self::over(kind.make()?))
    }

    /// Reads a file.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeLoadedIndex>")]
    pub fn load(env: &Env, path: String) -> napi::Result<Object<'static>> {
        let work = move || Index::load(Path::new(&path)).map_err(|error| Failure::from(error).on(&path));
        job::spawn(env, 1, work, |(index, attachment)| NativeLoadedIndex {
            index: Self::over(index),
            attachment: attachment.into(),
        })
    }

    /// Adds rows with a payload each, JSON texts; gives the first slot.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn add(
        &self,
        env: &Env,
        rows: Float32Array,
        payloads: Vec<String>,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        // Copied before the call returns, since JavaScript may change them afterwards.
        let (state, signals, rows) = (Arc::clone(&self.state), control.signals(), rows.to_vec());
        let work = move || {
            let payloads = parsed_payloads(&payloads)?;
            state.change(|index| Ok(index.add(&rows, &payloads, &|| signals.cancelled())?))
        };
        job::spawn(env, threads, work, |first| first)
    }

    /// Takes slots out of every later answer; gives those that were live.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn remove(&self, env: &Env, slots: Uint32Array) -> napi::Result<Object<'static>> {
        let (state, slots) = (Arc::clone(&self.state), slots.to_vec());
        let work = move || {
            state.change(|index| Ok(slots.into_iter().filter(|&slot| index.remove(slot)).count() as u32))
        };
        job::spawn(env, 1, work, |removed| removed)
    }

    /// What [`NativeIndex::search`] gives, where that takes less time than handing it to another thread, and nobody
    /// changes the index; nothing otherwise.
    #[napi(catch_unwind)]
    pub fn search_at_once(
        &self,
        queries: &[f32],
        want: NativeWant,
        filter: Option<String>,
    ) -> napi::Result<Option<NativeFound>> {
        let (want, filter) = (want.to_core()?, parsed(filter)?);
        let found = self.state.look_at_once(|index| {
            if index.compared(queries, want, &filter) > COMPARED_AT_ONCE {
                return Ok(None);
            }
            workers::here(|| Ok(Some(index.search(queries, want, &filter, &|| false)?)))
        })?;
        Ok(found.flatten().map(NativeFound::new))
    }

    /// Searches for every query, rows end to end, among the rows that match the filter, a JSON text.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFound>")]
    pub fn search(
        &self,
        env: &Env,
        queries: Float32Array,
        want: NativeWant,
        filter: Option<String>,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (state, signals, queries) = (Arc::clone(&self.state), control.signals(), queries.to_vec());
        let (want, filter) = (want.to_core()?, parsed(filter)?);
        let work =
            move || state.look(|index| Ok(index.search(&queries, want, &filter, &|| signals.cancelled())?));
        job::spawn(env, threads, work, NativeFound::new)
    }

    /// The live slots that match a filter.
    #[napi(catch_unwind, ts_return_type = "Promise<Uint32Array>")]
    pub fn select(&self, env: &Env, filter: Option<String>) -> napi::Result<Object<'static>> {
        let (state, filter) = (Arc::clone(&self.state), parsed(filter)?);
        let work = move || state.look(|index| Ok(index.select(&filter).iter().collect::<Vec<_>>()));
        job::spawn(env, 1, work, Uint32Array::from)
    }

    /// Scores slots that a backend written in JavaScript chose among those that were live when it was asked.
    #[napi(catch_unwind)]
    pub fn score(&self, query: &[f32], slots: &[u32], want: NativeWant) -> napi::Result<NativeFound> {
        let want = want.to_core()?;
        Ok(self.state.look(|index| {
            let hits = index.score(query, slots, want)?;
            Ok(NativeFound::of(vec![hits], "custom", slots.len() as u64))
        })?)
    }

    /// Queries as rows are held: checked, and for the cosine at length one.
    #[napi(catch_unwind)]
    pub fn prepare(&self, queries: &[f32]) -> napi::Result<Float32Array> {
        Ok(self
            .state
            .look(|index| Ok(index.metric().prepare(queries.to_vec(), index.dimension())?.into()))?)
    }

    /// The rows of all slots, end to end, as they are held; those that are not live too.
    #[napi(catch_unwind)]
    pub fn all_rows(&self) -> napi::Result<Float32Array> {
        Ok(self.state.look(|index| {
            let backend = index.backend();
            let rows: Vec<f32> =
                (0..backend.len() as u32).flat_map(|slot| backend.row(slot)).copied().collect();
            Ok(rows.into())
        })?)
    }

    /// Writes a file with the caller's own bytes in it.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn save(&self, env: &Env, path: String, attachment: Buffer) -> napi::Result<Object<'static>> {
        let (state, path, attachment) = (Arc::clone(&self.state), PathBuf::from(path), attachment.to_vec());
        let work = move || {
            let saved = state.look(|index| Ok(index.save(&path, &attachment)?));
            saved.map_err(|failure| failure.on(&path.to_string_lossy()))
        };
        job::spawn(env, 1, work, |()| ())
    }

    /// The live rows in an index of their own.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeRebuiltIndex>")]
    pub fn rebuild(
        &self,
        env: &Env,
        backend: String,
        args: HashMap<String, f64>,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let (state, signals, args) = (Arc::clone(&self.state), control.signals(), arguments(args));
        let work = move || state.look(|index| Ok(index.rebuild(&backend, &args, &|| signals.cancelled())?));
        job::spawn(env, threads, work, |(index, former)| NativeRebuiltIndex {
            index: Self::over(index),
            former: former.into(),
        })
    }

    /// What the index says of itself.
    #[napi(catch_unwind)]
    pub fn info(&self) -> napi::Result<NativeIndexInfo> {
        Ok(self.state.look(|index| {
            let backend = index.backend();
            Ok(NativeIndexInfo {
                backend: backend.name().to_owned(),
                args: backend.args().iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                metric: index.metric().name().to_owned(),
                dimension: index.dimension().get() as u32,
                embedder_id: index.embedder().map(str::to_owned),
                slots: index.slots() as u32,
                live: index.len() as f64,
                bytes: index.bytes() as f64,
            })
        })?)
    }

    /// Gives the memory back once running jobs are done with it; later calls are refused. Waits for nothing.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.state.close();
    }
}

impl NativeIndex {
    fn over(index: Index) -> Self {
        Self { state: Held::new(index) }
    }
}

/// The names of the backends of the core.
#[napi(catch_unwind)]
pub fn index_backends() -> Vec<String> {
    sluice_index::BACKENDS.iter().map(|kind| kind.name.to_owned()).collect()
}

impl NativeIndexKind {
    fn make(self) -> Result<Index, Failure> {
        let dimension = Dimension::new(self.dimension as usize)?;
        let index = Index::new(&self.backend, &arguments(self.args), metric_named(&self.metric)?, dimension)?;
        Ok(index.with_embedder(self.embedder_id))
    }
}

impl NativeWant {
    fn to_core(&self) -> Result<Want, Failure> {
        match (self.k, self.threshold) {
            (Some(k), None) => Ok(Want::TopK(k as usize)),
            (None, Some(threshold)) => Ok(Want::AtLeast(threshold)),
            _ => Err(Failure::new("INTERNAL", "A search asks for one of k and threshold.")),
        }
    }
}

impl NativeFound {
    fn new(found: Found) -> Self {
        Self::of(found.hits, found.strategy.name(), found.matching)
    }

    fn of(hits: Vec<Vec<Hit>>, strategy: &str, matching: u64) -> Self {
        let mut end = 0;
        let ends = hits.iter().map(|hits| {
            end += hits.len() as u32;
            end
        });
        let ends = ends.collect::<Vec<_>>();
        let (slots, scores): (Vec<u32>, Vec<f64>) =
            hits.iter().flatten().map(|hit| (hit.slot, hit.score)).unzip();
        let strategy = strategy.to_owned();
        Self {
            slots: slots.into(),
            scores: scores.into(),
            ends: ends.into(),
            strategy,
            matching: matching as f64,
        }
    }
}

pub(crate) fn arguments(args: HashMap<String, f64>) -> BackendArgs {
    args.into_iter().fold(BackendArgs::default(), |args, (name, value)| args.with(name, value))
}

fn parsed(filter: Option<String>) -> Result<Filter, Failure> {
    Ok(filter.map_or_else(|| Ok(Filter::everything()), |json| Filter::parse(&json))?)
}

fn parsed_payloads(texts: &[String]) -> Result<Vec<Value>, Failure> {
    let payload = |text: &String| {
        serde_json::from_str(text).map_err(|_| Failure::new("INTERNAL", "A payload crossed that is no JSON."))
    };
    texts.iter().map(payload).collect()
}
