//! A view of a collection: an index over its vectors that follows the store.
//!
//! The one idea: the store numbers its changes, so that a view reads before every search what it has not seen, and is
//! never stale and never written to. Vectors go from the store into the index without crossing into JavaScript. A view
//! holds nothing that the store does not: dropping it loses time only.

use std::collections::HashMap;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Float64Array, Object};
use napi_derive::napi;
use sluice_filter::Filter;
use sluice_index::{BackendArgs, Hit, Index, Want};
use sluice_store::{Changes, Collection, CollectionName, Left, PointId, Points, Store, StoreError, With};

use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::held::Held;
use crate::index::arguments;
use crate::job;
use crate::store::{NativePoints, NativeStore, StoreState, parse_name, parsed_payload, passing, watch};

/// Vectors of one page of changes, in bytes: what catching up takes besides the index.
const PAGE_BYTES: usize = 16 << 20;
/// Points of one page, whatever their size.
const PAGE_POINTS_MAX: usize = 16_384;
/// Points from which on a page goes into the index on several threads.
const PARALLEL_FROM: usize = 1_024;
/// So many dead slots are no reason to rebuild, however few live.
const DEAD_SLOTS_KEPT: usize = 1_024;
/// Searches that are tried while a writer changes what they find.
const ROUNDS_MAX: usize = 3;

/// What a search through a view found.
#[napi(object)]
pub struct NativeViewFound {
    /// The points, the best first; ties go to the smaller id.
    pub points: NativePoints,
    /// Their scores.
    pub scores: Float64Array,
    /// The way the search took.
    pub strategy: String,
    /// Points that pass the filter.
    pub matching: f64,
    /// Changes that the view had to catch up with.
    pub caught_up: f64,
}

/// What a view says of itself.
#[napi(object)]
pub struct NativeViewInfo {
    /// Points that can be found.
    pub live: f64,
    /// Rows held, those of points that are gone included.
    pub slots: f64,
    /// Memory of the index.
    pub bytes: f64,
}

/// A view of one collection.
#[napi]
pub struct NativeView {
    store: Arc<Held<StoreState>>,
    kind: Arc<Kind>,
    view: Arc<Held<Option<View>>>,
}

type Promise = napi::Result<Object<'static>>;

#[napi]
impl NativeView {
    /// A view that has seen nothing yet. `args` are those of the backend.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        store: &NativeStore,
        collection: String,
        backend: String,
        args: HashMap<String, f64>,
    ) -> napi::Result<Self> {
        let kind = Kind { name: parse_name(&collection)?, backend, args: arguments(args) };
        Ok(Self { store: Arc::clone(&store.state), kind: Arc::new(kind), view: Held::new(None) })
    }

    /// Catches up and gives the best `k` points that score at least `threshold` and pass the filter, JSON. `threads` serve
    /// catching up.
    #[allow(clippy::too_many_arguments, reason = "Node-API takes a flat list")]
    #[napi(catch_unwind, ts_return_type = "Promise<NativeViewFound>")]
    pub fn search(
        &self,
        env: &Env,
        query: Float32Array,
        k: u32,
        threshold: Option<f64>,
        filter: String,
        vectors: bool,
        threads: u32,
        control: &NativeControl,
    ) -> Promise {
        let search = Search {
            query: query.to_vec(),
            k: k as usize,
            threshold: threshold.unwrap_or(f64::NEG_INFINITY),
            filter: Filter::parse(&filter).map_err(Failure::from)?,
            with: With { vector: vectors, text: true },
        };
        let follower = Follower {
            kind: Arc::clone(&self.kind),
            view: Arc::clone(&self.view),
            signals: control.signals(),
            threads,
        };
        let store = Arc::clone(&self.store);
        let work = move || {
            store.look(|state| {
                state.read(|store| {
                    watch(store, &follower.signals);
                    let answer = follower.answer(store, &search);
                    follower.signals.finish();
                    answer
                })
            })
        };
        job::spawn(env, 1, work, |answer| NativeViewFound {
            points: NativePoints::new(answer.points, None),
            scores: answer.scores.into(),
            strategy: answer.strategy.to_owned(),
            matching: answer.matching as f64,
            caught_up: answer.caught_up as f64,
        })
    }

    /// What it holds now; nothing before the first search.
    #[napi(catch_unwind)]
    pub fn info(&self) -> napi::Result<NativeViewInfo> {
        Ok(self.view.look(|view| {
            let index = view.as_ref().map(|view| &view.index);
            Ok(NativeViewInfo {
                live: index.map_or(0, Index::len) as f64,
                slots: index.map_or(0, Index::slots) as f64,
                bytes: index.map_or(0, Index::bytes) as f64,
            })
        })?)
    }

    /// Gives the memory back once running searches are done with it; later calls are refused. Waits for nothing.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.view.close();
    }
}

/// Of what collection, and by which backend.
struct Kind {
    name: CollectionName,
    backend: String,
    args: BackendArgs,
}

/// What is asked for.
struct Search {
    query: Vec<f32>,
    k: usize,
    threshold: f64,
    filter: Filter,
    with: With,
}

/// What is answered: points and scores in the same order.
struct Answer {
    points: Points,
    scores: Vec<f64>,
    strategy: &'static str,
    matching: u64,
    caught_up: u64,
}

/// An index of all points up to a change.
struct View {
    generation: u64,
    change: u64,
    index: Index,
    /// Which point lies, or lay, in a slot.
    ids: Vec<PointId>,
    /// In which slot a point lies.
    slots: HashMap<PointId, u32>,
}

/// One search, with all it needs.
struct Follower {
    kind: Arc<Kind>,
    view: Arc<Held<Option<View>>>,
    signals: Arc<Signals>,
    threads: u32,
}

impl Follower {
    /// Catches up, searches, and reads what was found.
    ///
    /// A writer may come between the steps. What is gone by then, or no longer passes the filter, is never told; a few
    /// times the search is done again so that others fill the places.
    fn answer(&self, store: &Store, search: &Search) -> Result<Answer, Failure> {
        let mut caught_up = 0;
        for round in 1.. {
            self.signals.report("view", 0, 0);
            caught_up += self.catch_up(store)?;
            self.signals.report("search", 0, 0);
            let found = self.view.look(|view| {
                let view = view.as_ref().ok_or_else(|| missing(&self.kind.name))?;
                view.search(search, &self.cancelled())
            })?;
            self.signals.report("read", 0, 0);
            let ids: Vec<PointId> = found.hits.iter().map(|(id, _)| *id).collect();
            let points = passing(store.get(&self.kind.name, &ids, search.with)?, &search.filter)?;
            if points.records.len() == ids.len() || round == ROUNDS_MAX {
                let scores: HashMap<PointId, f64> = found.hits.into_iter().collect();
                return Ok(Answer {
                    scores: points.records.iter().map(|record| scores[&record.id]).collect(),
                    points,
                    strategy: found.strategy,
                    matching: found.matching,
                    caught_up,
                });
            }
        }
        unreachable!("the last round answers")
    }

    /// Brings the view up to what the store holds now; gives how many changes that were.
    fn catch_up(&self, store: &Store) -> Result<u64, Failure> {
        let now = self.collection(store)?;
        if self.view.look(|view| Ok(view.as_ref().is_some_and(|view| view.has_seen(&now))))? {
            return Ok(0);
        }
        self.view.change(|held| {
            let view = match held {
                Some(view) => view,
                None => held.insert(View::new(&now, &self.kind)?),
            };
            let page =
                (PAGE_BYTES / (now.schema.dimension.get() * size_of::<f32>())).clamp(1, PAGE_POINTS_MAX);
            let mut applied = 0;
            loop {
                if self.signals.cancelled() {
                    return Err(Failure::aborted());
                }
                let changes = store.changes(&self.kind.name, view.change, page)?;
                if changes.generation != view.generation {
                    // Another collection has the name now.
                    *view = View::new(&self.collection(store)?, &self.kind)?;
                    continue;
                }
                let left = changes.left;
                applied += (changes.upserted.records.len() + changes.deleted.len()) as u64;
                if changes.upserted.records.len() < PARALLEL_FROM {
                    view.apply(&changes, &self.cancelled())?;
                } else {
                    job::now(self.threads, || view.apply(&changes, &self.cancelled()))?;
                }
                if left == Left::Nothing {
                    break;
                }
            }
            let dead = view.index.slots() - view.slots.len();
            if dead > DEAD_SLOTS_KEPT && dead > view.slots.len() {
                job::now(self.threads, || view.rebuild(&self.kind, &self.cancelled()))?;
            }
            Ok(applied)
        })
    }

    fn collection(&self, store: &Store) -> Result<Collection, Failure> {
        store.collection(&self.kind.name)?.ok_or_else(|| missing(&self.kind.name))
    }

    fn cancelled(&self) -> impl Fn() -> bool + Sync {
        || self.signals.cancelled()
    }
}

/// What an index found, by id.
struct Ranked {
    hits: Vec<(PointId, f64)>,
    strategy: &'static str,
    matching: u64,
}

impl View {
    fn new(collection: &Collection, kind: &Kind) -> Result<Self, Failure> {
        Ok(Self {
            generation: collection.generation,
            change: 0,
            index: Index::new(
                &kind.backend,
                &kind.args,
                collection.schema.metric,
                collection.schema.dimension,
            )?,
            ids: Vec::new(),
            slots: HashMap::new(),
        })
    }

    /// Whether nothing happened since it last caught up.
    fn has_seen(&self, now: &Collection) -> bool {
        self.generation == now.generation && self.change >= now.change
    }

    /// Takes one page of changes in: wholly or, on an error, not at all.
    fn apply(&mut self, changes: &Changes, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), Failure> {
        let records = &changes.upserted.records;
        let payloads =
            records.iter().map(|record| parsed_payload(&record.payload)).collect::<Result<Vec<_>, _>>()?;
        let first = self.index.add(&changes.upserted.vectors, &payloads, cancelled)?;
        for id in records.iter().map(|record| &record.id).chain(&changes.deleted) {
            if let Some(slot) = self.slots.remove(id) {
                self.index.remove(slot);
            }
        }
        for (record, slot) in records.iter().zip(first..) {
            self.ids.push(record.id);
            self.slots.insert(record.id, slot);
        }
        self.change = changes.last;
        Ok(())
    }

    /// Gives back what dead slots hold.
    fn rebuild(&mut self, kind: &Kind, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), Failure> {
        let (index, former) = self.index.rebuild(&kind.backend, &kind.args, cancelled)?;
        self.index = index;
        self.ids = former.iter().map(|&slot| self.ids[slot as usize]).collect();
        self.slots = self.ids.iter().copied().zip(0..).collect();
        Ok(())
    }

    fn search(&self, search: &Search, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Ranked, Failure> {
        let Search { query, k, threshold, filter, .. } = search;
        let ask = |want| {
            let found = self.index.search(query, want, filter, cancelled)?;
            let hits = found.hits.into_iter().next().unwrap_or_default();
            Ok::<_, Failure>((hits, found.strategy, found.matching))
        };
        // One more than asked for tells whether the last place is shared; an index breaks such ties by slot.
        let (mut hits, strategy, matching) = ask(Want::TopK(k.saturating_add(1)))?;
        if let [.., last, beyond] = hits[..]
            && hits.len() > *k
            && last.score.total_cmp(&beyond.score).is_eq()
        {
            hits.extend(ask(Want::AtLeast(last.score))?.0);
        }
        let id = |hit: &Hit| self.ids[hit.slot as usize];
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| id(a).cmp(&id(b))));
        hits.dedup_by_key(|hit| hit.slot);
        hits.truncate(*k);
        hits.retain(|hit| hit.score >= *threshold);
        let hits = hits.iter().map(|hit| (id(hit), hit.score)).collect();
        Ok(Ranked { hits, strategy: strategy.name(), matching })
    }
}

fn missing(name: &CollectionName) -> Failure {
    StoreError::CollectionMissing { name: name.to_string() }.into()
}
