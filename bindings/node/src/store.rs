//! The store as JavaScript holds it: vectors in one flat array, ids as UUIDs, payloads as JSON.
//!
//! One handle writes; reads take a handle of their own from a small pool, so that they never wait for a write.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{Buffer, Float32Array, Object};
use napi_derive::napi;
use serde_json::Value;
use sluice_filter::Filter;
use sluice_store::{
    Access, Collection, CollectionName, Durability, Ensured, Left, Point, PointId, Points, Schema, Store,
    Upserted, Which, With,
};
use sluice_text::ContentId;
use sluice_vector::Dimension;

use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::held::Held;
use crate::job;
use crate::rules::{metric_named, named};

/// Idle readers that are kept open.
const READERS_KEPT: usize = 4;

/// An open store: the handle it was opened with, and readers that wait for work.
pub(crate) struct StoreState {
    readers: Mutex<Vec<Store>>,
    /// After the readers, so that it is dropped last: only a writer can leave one file behind.
    opened: Mutex<Store>,
}

impl StoreState {
    /// Works on the handle that may write.
    fn write<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, Failure>) -> Result<T, Failure> {
        work(&mut self.opened.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Works on a reader.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Store) -> Result<T, Failure>) -> Result<T, Failure> {
        let idle = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let reader = match waiting {
            Some(reader) => reader,
            None => self.write(|store| Ok(store.reader()?))?,
        };
        let result = work(&reader);
        let mut idle = idle();
        if idle.len() < READERS_KEPT {
            idle.push(reader);
        }
        result
    }
}

/// A collection.
#[napi(object)]
pub struct NativeCollection {
    /// Its name.
    pub name: String,
    /// Components of a vector.
    pub dimension: u32,
    /// `cosine`, `dot` or `l2`.
    pub metric: String,
    /// What makes the vectors, where it is known.
    pub embedder_id: Option<String>,
    /// Tells it from an earlier collection of the same name.
    pub generation: f64,
    /// Number of the last change.
    pub change: f64,
    /// Points in it.
    pub points: f64,
}

/// What an upsert did.
#[napi(object)]
pub struct NativeUpserted {
    /// New ids.
    pub inserted: f64,
    /// Ids whose point is another now.
    pub replaced: f64,
    /// Ids whose point was equal.
    pub unchanged: f64,
}

/// Points side by side.
#[napi(object)]
pub struct NativePoints {
    /// UUIDs.
    pub ids: Vec<String>,
    /// JSON objects.
    pub payloads: Vec<String>,
    /// Texts; `undefined` where there is none or none was asked for.
    pub texts: Vec<Option<String>>,
    /// Row after row; empty where none were asked for.
    pub vectors: Float32Array,
    /// The `after` of the next page.
    pub next: Option<String>,
}

/// Points and ids that changed.
#[napi(object)]
pub struct NativeChanges {
    /// Stored.
    pub upserted: NativePoints,
    /// Deleted.
    pub deleted: Vec<String>,
    /// Which collection of that name.
    pub generation: f64,
    /// The `after` of the next page.
    pub last: f64,
    /// Whether there is a next page.
    pub more: bool,
}

/// What full-text search found.
#[napi(object)]
pub struct NativeTextHits {
    /// The points, best first.
    pub points: NativePoints,
    /// BM25, higher is better.
    pub scores: Vec<f64>,
}

/// Points on their way in; row `i` of each belongs to one point.
#[napi(object)]
pub struct NativeStorePoints {
    /// UUIDs.
    pub ids: Vec<String>,
    /// Row after row.
    pub vectors: Float32Array,
    /// JSON objects.
    pub payloads: Vec<String>,
    /// Texts to search in.
    pub texts: Vec<Option<String>>,
}

/// A store in one file.
#[napi]
pub struct NativeStore {
    pub(crate) state: Arc<Held<StoreState>>,
}

type Promise = napi::Result<Object<'static>>;

#[napi]
impl NativeStore {
    /// Opens a store. `access` is `write` or `read`, `durability` is `process` or `power`.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeStore>")]
    pub fn open(env: &Env, path: String, access: String, durability: String) -> Promise {
        let access = named("access", &access, &[("write", Access::ReadWrite), ("read", Access::ReadOnly)])?;
        let durability = named(
            "durability",
            &durability,
            &[("process", Durability::Process), ("power", Durability::Power)],
        )?;
        let work = move || {
            let store = Store::open(Path::new(&path), access, durability)
                .map_err(|error| Failure::from(error).on(&path))?;
            Ok(StoreState { opened: Mutex::new(store), readers: Mutex::new(Vec::new()) })
        };
        job::spawn(env, 1, work, |state| Self { state: Held::new(state) })
    }

    /// All collections, by name.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeCollection[]>")]
    pub fn collections(&self, env: &Env, control: &NativeControl) -> Promise {
        self.reading(
            env,
            control,
            |store| Ok(store.collections()?),
            |collections| collections.into_iter().map(NativeCollection::from).collect::<Vec<_>>(),
        )
    }

    /// Makes a collection or compares its schema; `true` when it was made.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn ensure_collection(
        &self,
        env: &Env,
        collection: String,
        dimension: u32,
        metric: String,
        embedder_id: Option<String>,
        control: &NativeControl,
    ) -> Promise {
        let name = parse_name(&collection)?;
        let schema = Schema {
            dimension: Dimension::new(dimension as usize).map_err(Failure::from)?,
            metric: metric_named(&metric)?,
            embedder_id,
        };
        let work = move |store: &mut Store| Ok(store.ensure_collection(&name, &schema)? == Ensured::Created);
        self.writing(env, control, work, |created| created)
    }

    /// Removes a collection; gives how many points went, -1 where there was none.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn drop_collection(&self, env: &Env, collection: String, control: &NativeControl) -> Promise {
        let name = parse_name(&collection)?;
        self.writing(
            env,
            control,
            move |store| Ok(store.drop_collection(&name)?),
            |points| points.map_or(-1.0, |points| points as f64),
        )
    }

    /// Stores a batch, all or nothing.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeUpserted>")]
    pub fn upsert(
        &self,
        env: &Env,
        collection: String,
        points: NativeStorePoints,
        control: &NativeControl,
    ) -> Promise {
        let name = parse_name(&collection)?;
        let batch = Batch::new(points)?;
        let work = move |store: &mut Store| Ok(store.upsert(&name, &batch.points()?)?);
        self.writing(env, control, work, |Upserted { inserted, replaced, unchanged }| NativeUpserted {
            inserted: inserted as f64,
            replaced: replaced as f64,
            unchanged: unchanged as f64,
        })
    }

    /// The points with these ids, in their order; those that are not there are left out.
    #[napi(catch_unwind, ts_return_type = "Promise<NativePoints>")]
    pub fn get(
        &self,
        env: &Env,
        collection: String,
        ids: Vec<String>,
        vectors: bool,
        control: &NativeControl,
    ) -> Promise {
        let (name, ids) = (parse_name(&collection)?, parse_ids(&ids)?);
        let work = move |store: &Store| Ok(store.get(&name, &ids, With { vector: vectors, text: true })?);
        self.reading(env, control, work, |points| NativePoints::new(points, None))
    }

    /// A page of points by ascending id. `filter` is JSON.
    #[allow(clippy::too_many_arguments, reason = "Node-API takes a flat list")]
    #[napi(catch_unwind, ts_return_type = "Promise<NativePoints>")]
    pub fn scroll(
        &self,
        env: &Env,
        collection: String,
        after: Option<String>,
        limit: u32,
        filter: String,
        vectors: bool,
        control: &NativeControl,
    ) -> Promise {
        let (name, filter) = (parse_name(&collection)?, Filter::parse(&filter).map_err(Failure::from)?);
        let after = after.map(|id| parse_id(&id, 0)).transpose()?;
        let with = With { vector: vectors, text: true };
        let work = move |store: &Store| Ok(store.scroll(&name, after, limit as usize, &filter, with)?);
        self.reading(env, control, work, |page| NativePoints::new(page.points, page.next))
    }

    /// How many points pass a filter.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn count(&self, env: &Env, collection: String, filter: String, control: &NativeControl) -> Promise {
        let (name, filter) = (parse_name(&collection)?, Filter::parse(&filter).map_err(Failure::from)?);
        self.reading(env, control, move |store| Ok(store.count(&name, &filter)?), |count| count as f64)
    }

    /// Deletes points by id; gives how many there were.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn delete_ids(
        &self,
        env: &Env,
        collection: String,
        ids: Vec<String>,
        control: &NativeControl,
    ) -> Promise {
        let (name, ids) = (parse_name(&collection)?, parse_ids(&ids)?);
        let work = move |store: &mut Store| Ok(store.delete(&name, Which::Ids(&ids))?);
        self.writing(env, control, work, |deleted| deleted as f64)
    }

    /// Deletes points by filter; gives how many there were.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn delete_matching(
        &self,
        env: &Env,
        collection: String,
        filter: String,
        control: &NativeControl,
    ) -> Promise {
        let (name, filter) = (parse_name(&collection)?, Filter::parse(&filter).map_err(Failure::from)?);
        let work = move |store: &mut Store| Ok(store.delete(&name, Which::Matching(&filter))?);
        self.writing(env, control, work, |deleted| deleted as f64)
    }

    /// The best points by words.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeTextHits>")]
    pub fn search_text(
        &self,
        env: &Env,
        collection: String,
        query: String,
        k: u32,
        filter: String,
        control: &NativeControl,
    ) -> Promise {
        let (name, filter) = (parse_name(&collection)?, Filter::parse(&filter).map_err(Failure::from)?);
        let work = move |store: &Store| {
            let hits = store.search_text(&name, &query, k as usize, &filter)?;
            let ids: Vec<PointId> = hits.iter().map(|hit| hit.id).collect();
            let found = store.get(&name, &ids, With { vector: false, text: true })?;
            let points = passing(found, &filter)?;
            let scores: HashMap<PointId, f64> = hits.into_iter().map(|hit| (hit.id, hit.score)).collect();
            let scores = points.records.iter().map(|record| scores[&record.id]).collect::<Vec<_>>();
            Ok((points, scores))
        };
        self.reading(env, control, work, |(points, scores)| NativeTextHits {
            points: NativePoints::new(points, None),
            scores,
        })
    }

    /// What happened after a change.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeChanges>")]
    pub fn changes(
        &self,
        env: &Env,
        collection: String,
        after: f64,
        limit: u32,
        control: &NativeControl,
    ) -> Promise {
        let name = parse_name(&collection)?;
        let work = move |store: &Store| Ok(store.changes(&name, after as u64, limit as usize)?);
        self.reading(env, control, work, |changes| NativeChanges {
            upserted: NativePoints::new(changes.upserted, None),
            deleted: changes.deleted.iter().map(PointId::to_string).collect(),
            generation: changes.generation as f64,
            last: changes.last as f64,
            more: changes.left == Left::More,
        })
    }

    /// Copies the store to a new file.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn snapshot(&self, env: &Env, into: String, control: &NativeControl) -> Promise {
        let work = move |store: &Store| {
            store.snapshot(Path::new(&into)).map_err(|error| Failure::from(error).on(&into))
        };
        self.reading(env, control, work, |()| ())
    }

    /// Reads everything and verifies it.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn check(&self, env: &Env, control: &NativeControl) -> Promise {
        self.reading(env, control, |store| Ok(store.check()?), |()| ())
    }

    /// Writes a small value.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn put_value(
        &self,
        env: &Env,
        namespace: String,
        key: String,
        bytes: Buffer,
        control: &NativeControl,
    ) -> Promise {
        let bytes = bytes.to_vec();
        self.writing(env, control, move |store| Ok(store.put_value(&namespace, &key, &bytes)?), |()| ())
    }

    /// A small value, `null` where there is none.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn get_value(&self, env: &Env, namespace: String, key: String, control: &NativeControl) -> Promise {
        let work = move |store: &Store| Ok(store.get_value(&namespace, &key)?);
        self.reading(env, control, work, |value| value.map(Buffer::from))
    }

    /// Keys of a namespace in ascending order.
    #[napi(catch_unwind, ts_return_type = "Promise<string[]>")]
    pub fn value_keys(
        &self,
        env: &Env,
        namespace: String,
        after: Option<String>,
        limit: u32,
        control: &NativeControl,
    ) -> Promise {
        let work = move |store: &Store| Ok(store.value_keys(&namespace, after.as_deref(), limit as usize)?);
        self.reading(env, control, work, |keys| keys)
    }

    /// Removes a small value; `true` when there was one.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn delete_value(
        &self,
        env: &Env,
        namespace: String,
        key: String,
        control: &NativeControl,
    ) -> Promise {
        self.writing(env, control, move |store| Ok(store.delete_value(&namespace, &key)?), |gone| gone)
    }

    /// Closes the file once the jobs that use it are done; later calls are refused at once. When the promise resolves,
    /// the file is free for another writer.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close(&self, env: &Env) -> Promise {
        let state = Arc::clone(&self.state);
        let work = move || {
            state.close_and_wait();
            Ok(())
        };
        job::spawn(env, 1, work, |()| ())
    }
}

impl NativeStore {
    fn reading<T: Send + 'static, V: napi::bindgen_prelude::ToNapiValue + 'static>(
        &self,
        env: &Env,
        control: &NativeControl,
        work: impl FnOnce(&Store) -> Result<T, Failure> + Send + 'static,
        convert: impl FnOnce(T) -> V + Send + 'static,
    ) -> Promise {
        let (state, signals) = (Arc::clone(&self.state), control.signals());
        let work = move || {
            state.look(|state| {
                state.read(|store| {
                    watch(store, &signals);
                    work(store)
                })
            })
        };
        job::spawn(env, 1, work, convert)
    }

    fn writing<T: Send + 'static, V: napi::bindgen_prelude::ToNapiValue + 'static>(
        &self,
        env: &Env,
        control: &NativeControl,
        work: impl FnOnce(&mut Store) -> Result<T, Failure> + Send + 'static,
        convert: impl FnOnce(T) -> V + Send + 'static,
    ) -> Promise {
        let (state, signals) = (Arc::clone(&self.state), control.signals());
        let work = move || {
            state.look(|state| {
                state.write(|store| {
                    watch(store, &signals);
                    work(store)
                })
            })
        };
        job::spawn(env, 1, work, convert)
    }
}

/// The UUID of some content in a namespace: the same on every machine.
#[napi(catch_unwind)]
pub fn content_point_id(namespace: String, text: String) -> String {
    ContentId::of(&[namespace.as_bytes(), text.as_bytes()]).to_string()
}

pub(crate) fn watch(store: &Store, signals: &Signals) {
    store.cancel_by(signals.cancel_flag());
}

/// Points that were copied out of JavaScript.
struct Batch {
    ids: Vec<PointId>,
    vectors: Vec<f32>,
    payloads: Vec<String>,
    texts: Vec<Option<String>>,
}

impl Batch {
    fn new(points: NativeStorePoints) -> Result<Self, Failure> {
        let NativeStorePoints { ids, vectors, payloads, texts } = points;
        if payloads.len() != ids.len() || texts.len() != ids.len() {
            return Err(Failure::new("INTERNAL", "Ids, payloads and texts differ in number."));
        }
        Ok(Self { ids: parse_ids(&ids)?, vectors: vectors.to_vec(), payloads, texts })
    }

    fn points(&self) -> Result<Vec<Point<'_>>, Failure> {
        let count = self.ids.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        if !self.vectors.len().is_multiple_of(count) {
            return Err(Failure {
                received: Some(format!("{} numbers for {count} points", self.vectors.len())),
                ..Failure::new("DIMENSION_MISMATCH", "The vectors are not one row for each point.")
            });
        }
        let dimension = self.vectors.len() / count;
        Ok((0..count)
            .map(|at| Point {
                id: self.ids[at],
                vector: &self.vectors[at * dimension..(at + 1) * dimension],
                payload: &self.payloads[at],
                text: self.texts[at].as_deref(),
            })
            .collect())
    }
}

impl NativePoints {
    pub(crate) fn new(points: Points, next: Option<PointId>) -> Self {
        let mut native = Self {
            ids: Vec::with_capacity(points.records.len()),
            payloads: Vec::with_capacity(points.records.len()),
            texts: Vec::with_capacity(points.records.len()),
            vectors: points.vectors.into(),
            next: next.map(|id| id.to_string()),
        };
        for record in points.records {
            native.ids.push(record.id.to_string());
            native.payloads.push(record.payload);
            native.texts.push(record.text);
        }
        native
    }
}

impl From<Collection> for NativeCollection {
    fn from(Collection { name, schema, generation, change, points }: Collection) -> Self {
        Self {
            name: name.to_string(),
            dimension: schema.dimension.get() as u32,
            metric: schema.metric.name().to_owned(),
            embedder_id: schema.embedder_id,
            generation: generation as f64,
            change: change as f64,
            points: points as f64,
        }
    }
}

pub(crate) fn parse_name(name: &str) -> Result<CollectionName, Failure> {
    Ok(name.parse::<CollectionName>()?)
}

/// Those of some points that pass a filter: a writer may have come since it was asked.
pub(crate) fn passing(points: Points, filter: &Filter) -> Result<Points, Failure> {
    if filter.is_everything() {
        return Ok(points);
    }
    let dimension = points.vectors.len() / points.records.len().max(1);
    let mut kept = Points::default();
    for (position, record) in points.records.into_iter().enumerate() {
        if filter.matches(&parsed_payload(&record.payload)?) {
            kept.records.push(record);
            kept.vectors.extend_from_slice(&points.vectors[position * dimension..(position + 1) * dimension]);
        }
    }
    Ok(kept)
}

pub(crate) fn parsed_payload(payload: &str) -> Result<Value, Failure> {
    serde_json::from_str(payload)
        .map_err(|_| Failure::new("INTERNAL", "The store holds a payload that is no JSON."))
}

fn parse_id(id: &str, position: usize) -> Result<PointId, Failure> {
    id.parse::<PointId>().map_err(|error| Failure { position: Some(position as u64), ..Failure::from(error) })
}

fn parse_ids(ids: &[String]) -> Result<Vec<PointId>, Failure> {
    ids.iter().enumerate().map(|(position, id)| parse_id(id, position)).collect()
}
