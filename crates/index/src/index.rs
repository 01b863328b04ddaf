//! The index: a backend, the payloads that filters ask for, and which slots are live.

use std::path::Path;
use std::sync::Arc;

use roaring::RoaringBitmap;
use serde_json::Value;
use sluice_filter::{Filter, PayloadTable};
use sluice_vector::{CosineJoin, Dimension, Metric, VectorError};

use crate::backend::{Among, Backend, Quality, Rows, each};
use crate::payload_texts::PayloadTexts;
use crate::plan::{Filtered, Strategy};
use crate::selections::Selections;
use crate::{BackendArgs, Hit, IndexError, backends, exact, file};

/// What a search asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want {
    /// The best so many, or all there are.
    TopK(usize),
    /// Everything that scores at least so much.
    AtLeast(f64),
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The hits of every query, the best first; ties go to the first slot.
    pub hits: Vec<Vec<Hit>>,
    /// The way it took.
    pub strategy: Strategy,
    /// How many live rows the filter leaves.
    pub matching: u64,
}

/// Rows by slot with a payload each. Slots count from zero in order of adding and are never reused.
pub struct Index {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) metric: Metric,
    pub(crate) dimension: Dimension,
    pub(crate) live: RoaringBitmap,
    pub(crate) texts: PayloadTexts,
    pub(crate) embedder: Option<String>,
    payloads: PayloadTable,
    selections: Selections,
}

impl Index {
    /// The most slots an index can ever use.
    pub const SLOTS_MAX: usize = CosineJoin::ROWS_MAX;

    /// An index without rows.
    ///
    /// # Errors
    /// [`IndexError::BackendUnknown`], [`IndexError::ArgumentUnknown`], [`IndexError::Argument`],
    /// [`IndexError::MetricUnsupported`].
    pub fn new(
        backend: &str,
        args: &BackendArgs,
        metric: Metric,
        dimension: Dimension,
    ) -> Result<Self, IndexError> {
        Ok(Self::over(backends::create(backend, args, metric, dimension)?, metric, dimension))
    }

    /// An index over a backend, whose slots have no payloads yet and are not live.
    pub(crate) fn over(backend: Box<dyn Backend>, metric: Metric, dimension: Dimension) -> Self {
        let (live, texts, payloads) = (RoaringBitmap::new(), PayloadTexts::default(), PayloadTable::new());
        let selections = Selections::default();
        Self { backend, metric, dimension, live, texts, embedder: None, payloads, selections }
    }

    /// Names the embedder that made the rows; a file keeps it.
    #[must_use]
    pub fn with_embedder(mut self, id: Option<String>) -> Self {
        self.embedder = id;
        self
    }

    /// The embedder that made the rows, if it was named.
    pub fn embedder(&self) -> Option<&str> {
        self.embedder.as_deref()
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// How rows are compared.
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// The number of components of every row.
    pub const fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The number of live rows.
    pub fn len(&self) -> u64 {
        self.live.len()
    }

    /// Whether there is no live row.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// The number of slots ever used.
    pub fn slots(&self) -> usize {
        self.backend.len()
    }

    /// The live slots.
    pub const fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    /// The memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let payloads = self.payloads.bytes() + self.texts.bytes();
        self.backend.bytes() + payloads + self.live.serialized_size() + self.selections.bytes()
    }

    /// Adds rows, one after the other in `rows`, with a payload each, all of them or none. Gives the first slot; the
    /// others follow. For the cosine, rows are brought to length one.
    ///
    /// # Errors
    /// [`IndexError::Vector`] at the first bad row, by its position in the call; [`IndexError::Payloads`];
    /// [`IndexError::Cancelled`].
    pub fn add(
        &mut self,
        rows: &[f32],
        payloads: &[Value],
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<u32, IndexError> {
        let prepared = self.metric.prepare(rows.to_vec(), self.dimension)?;
        self.add_prepared(&prepared, payloads, cancelled)
    }

    fn add_prepared(
        &mut self,
        prepared: &[f32],
        payloads: &[Value],
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<u32, IndexError> {
        let rows = Rows::new(prepared, self.dimension)?;
        if rows.len() != payloads.len() {
            return Err(IndexError::Payloads { expected: rows.len(), received: payloads.len() });
        }
        let first = self.slots();
        if rows.len() > Self::SLOTS_MAX - first {
            let received = first + rows.len();
            return Err(VectorError::TooManyRows { expected: Self::SLOTS_MAX, received }.into());
        }
        self.selections.forget();
        self.backend.add(&rows, cancelled)?;
        for payload in payloads {
            self.live.insert(self.payloads.push(payload));
            self.texts.push(payload);
        }
        Ok(first as u32)
    }

    /// Takes a slot out of every later answer. Tells whether it was live. The memory comes back with
    /// [`Index::rebuild`].
    pub fn remove(&mut self, slot: u32) -> bool {
        if !self.live.contains(slot) {
            return false;
        }
        self.selections.forget();
        self.live.remove(slot);
        self.payloads.clear(slot);
        true
    }

    /// The payload of a live slot.
    ///
    /// # Errors
    /// [`IndexError::Slot`].
    pub fn payload(&self, slot: u32) -> Result<Value, IndexError> {
        self.check_live(slot)?;
        self.texts.get(slot)
    }

    /// The prepared row of a live slot.
    ///
    /// # Errors
    /// [`IndexError::Slot`].
    pub fn row(&self, slot: u32) -> Result<&[f32], IndexError> {
        self.check_live(slot)?;
        Ok(self.backend.row(slot))
    }

    fn check_live(&self, slot: u32) -> Result<(), IndexError> {
        if self.live.contains(slot) {
            return Ok(());
        }
        Err(self.no_slot(slot))
    }

    fn no_slot(&self, slot: u32) -> IndexError {
        IndexError::Slot { expected: self.slots() as u64, received: slot }
    }

    /// Searches for every query, rows one after the other in `queries`, among the live rows whose payload matches.
    ///
    /// Always gives as many as were asked for, or all that match. Runs on the rayon pool of the caller, whose size
    /// changes nothing.
    ///
    /// # Errors
    /// [`IndexError::Vector`] at the first bad query; [`IndexError::Threshold`]; [`IndexError::Cancelled`].
    pub fn search(
        &self,
        queries: &[f32],
        want: Want,
        filter: &Filter,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Found, IndexError> {
        if matches!(want, Want::AtLeast(threshold) if threshold.is_nan()) {
            return Err(IndexError::Threshold);
        }
        let prepared = self.metric.prepare(queries.to_vec(), self.dimension)?;
        let queries = Rows::new(&prepared, self.dimension)?;
        let selected;
        let (among, filtered) = if filter.is_everything() {
            (Among::Live(&self.live), Filtered::No)
        } else {
            selected = self.select(filter);
            (Among::Only(&selected), Filtered::Yes)
        };
        let (matching, live) = (among.slots().len(), self.live.len());
        let wanted = match want {
            Want::TopK(k) => k as u64,
            Want::AtLeast(_) => 0,
        };
        let strategy = Strategy::choose(self.backend.quality(), filtered, wanted, matching, live);
        let hits = match (strategy, self.backend.quality()) {
            (Strategy::Exact | Strategy::ExactSubset, Quality::Approximate) => {
                each(&queries, cancelled, |query| match want {
                    Want::TopK(k) => self.backend.top_k_exactly(self.metric, query, k, among.slots()),
                    Want::AtLeast(threshold) => {
                        self.backend.at_least_exactly(self.metric, query, threshold, among.slots())
                    }
                })
            }
            _ => match want {
                Want::TopK(k) => self.backend.top_k_each(&queries, k, among, cancelled),
                Want::AtLeast(threshold) => self.backend.at_least_each(&queries, threshold, among, cancelled),
            },
        }?;
        Ok(Found { hits, strategy, matching })
    }

    /// About how many components a search compares: what its time grows with.
    pub fn compared(&self, queries: &[f32], want: Want, filter: &Filter) -> usize {
        let rows = match want {
            Want::TopK(k) if filter.is_everything() => self.backend.compared(k),
            // How many slots a filter leaves is known if it was asked before; else it looks at every payload.
            Want::TopK(k) => self
                .selections
                .known(filter)
                .map_or(self.slots(), |slots| self.compared_among(k, slots.len())),
            // A threshold may be passed by every row.
            Want::AtLeast(_) => self.slots(),
        };
        rows.saturating_mul(queries.len())
    }

    /// About how many rows a search for the best `k` compares where a filter leaves so many.
    fn compared_among(&self, k: usize, matching: u64) -> usize {
        let live = self.live.len();
        match Strategy::choose(self.backend.quality(), Filtered::Yes, k as u64, matching, live) {
            Strategy::Exact | Strategy::ExactSubset => matching as usize,
            // A walk goes on until it has met enough that match.
            Strategy::Graph | Strategy::FilteredGraph => {
                self.backend.compared(k).saturating_mul((live / matching.max(1)) as usize + 1)
            }
        }
    }

    /// The live slots whose payload matches.
    pub fn select(&self, filter: &Filter) -> Arc<RoaringBitmap> {
        if filter.is_everything() {
            return Arc::new(self.live.clone());
        }
        self.selections.of(filter, || self.payloads.select(filter) & &self.live)
    }

    /// Scores slots that somebody else chose among those that [`Index::select`] gave, and gives those that are wanted, the
    /// best first. A slot that comes twice counts once. One that was removed since then is scored: the answer is that of
    /// the moment when the slots were selected, as if the search had not taken any time.
    ///
    /// # Errors
    /// [`IndexError::Slot`] for a slot that was never used; [`IndexError::Vector`] for a bad query.
    pub fn score(&self, query: &[f32], slots: &[u32], want: Want) -> Result<Vec<Hit>, IndexError> {
        let slots: RoaringBitmap = slots.iter().copied().collect();
        if let Some(slot) = slots.max().filter(|&slot| slot as usize >= self.slots()) {
            return Err(self.no_slot(slot));
        }
        let query = self.metric.prepare(query.to_vec(), self.dimension)?;
        let (slots, row) = (slots.iter(), |slot| self.backend.row(slot));
        Ok(match want {
            Want::TopK(k) => exact::top_k(self.metric, &query, k, slots, row),
            Want::AtLeast(threshold) => exact::at_least(self.metric, &query, threshold, slots, row),
        })
    }

    /// The live rows in an index of their own, over any backend. Gives the former slot of each new one; the order stays,
    /// and so do the scores, to the bit.
    ///
    /// # Errors
    /// Those of [`Index::new`], and [`IndexError::Cancelled`].
    pub fn rebuild(
        &self,
        backend: &str,
        args: &BackendArgs,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Self, Vec<u32>), IndexError> {
        let mut index = Self::new(backend, args, self.metric, self.dimension)?;
        index.embedder.clone_from(&self.embedder);
        let former: Vec<u32> = self.live.iter().collect();
        let rows: Vec<f32> = former.iter().flat_map(|&slot| self.backend.row(slot)).copied().collect();
        let payloads = former.iter().map(|&slot| self.texts.get(slot)).collect::<Result<Vec<_>, _>>()?;
        index.add_prepared(&rows, &payloads, cancelled)?;
        Ok((index, former))
    }

    /// Writes the index and the caller's own bytes to a file: beside it first, then flushed, then renamed, so that the
    /// file is the old one or the new one, never half of one. The same index makes the same bytes.
    ///
    /// # Errors
    /// [`IndexError::Io`]; [`IndexError::File`] if something other than a file has the name.
    pub fn save(&self, path: &Path, attachment: &[u8]) -> Result<(), IndexError> {
        file::save(self, path, attachment)
    }

    /// Reads an index and the caller's bytes. The whole file is verified before anything in it is believed.
    ///
    /// Memory: the file and the index, while it is read.
    ///
    /// # Errors
    /// [`IndexError::Io`]; [`IndexError::File`] for anything but a whole, undamaged file of this version.
    pub fn load(path: &Path) -> Result<(Self, Vec<u8>), IndexError> {
        file::load(path)
    }

    /// Takes the payloads of all slots and clears those of slots that are not live.
    pub(crate) fn restore(&mut self, texts: PayloadTexts, live: RoaringBitmap) -> Result<(), IndexError> {
        self.selections.forget();
        for slot in 0..self.slots() as u32 {
            if live.contains(slot) {
                self.payloads.push(&texts.get(slot)?);
            } else {
                self.payloads.push(&Value::Null);
                self.payloads.clear(slot);
            }
        }
        (self.texts, self.live) = (texts, live);
        Ok(())
    }
}
