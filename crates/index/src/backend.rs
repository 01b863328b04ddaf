//! What an index is over: rows by slot, and two questions about them.
//!
//! The one idea: a backend chooses which rows are worth scoring; the score itself is always
//! [`Metric::score`]. It knows nothing of payloads, filters or files: it is told which slots may be found.
//!
//! A new backend is one module with a [`BackendKind`] and one line in [`crate::backends`].

use std::io;

use rayon::prelude::*;
use roaring::RoaringBitmap;
use sluice_vector::{Dimension, Metric};

use crate::{BackendArgs, Hit, IndexError, exact};

/// Whole prepared rows of one dimension, one after the other: see [`Metric::prepare`].
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    flat: &'a [f32],
    dimension: Dimension,
}

impl<'a> Rows<'a> {
    /// Views a flat buffer as rows.
    ///
    /// # Errors
    /// [`IndexError::Vector`] if the buffer ends inside a row.
    pub fn new(flat: &'a [f32], dimension: Dimension) -> Result<Self, IndexError> {
        if !flat.len().is_multiple_of(dimension.get()) {
            let (expected, received) = (dimension.get(), flat.len());
            return Err(sluice_vector::VectorError::Ragged { expected, received }.into());
        }
        Ok(Self { flat, dimension })
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.flat.len() / self.dimension.get()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.flat.is_empty()
    }

    /// The rows in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, f32> {
        self.flat.chunks_exact(self.dimension.get())
    }

    /// All rows, one after the other.
    pub const fn as_flat(&self) -> &'a [f32] {
        self.flat
    }

    /// The number of components of every row.
    pub const fn dimension(&self) -> Dimension {
        self.dimension
    }
}

impl<'a> IntoIterator for &Rows<'a> {
    type Item = &'a [f32];
    type IntoIter = std::slice::ChunksExact<'a, f32>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Which slots may be found.
#[derive(Clone, Copy, Debug)]
pub enum Among<'a> {
    /// Every live slot: no filter was given.
    Live(&'a RoaringBitmap),
    /// Only these, all of them live.
    Only(&'a RoaringBitmap),
}

impl<'a> Among<'a> {
    /// The slots that may be found.
    pub const fn slots(self) -> &'a RoaringBitmap {
        match self {
            Self::Live(slots) | Self::Only(slots) => slots,
        }
    }
}

/// Whether a backend finds every hit, or almost every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Every answer is that of brute force.
    Exact,
    /// Hits may be missing; those that are there have their canonical score.
    Approximate,
}

/// Rows by slot, searchable.
///
/// Rows and queries come prepared and with the right dimension. Slots are consecutive from zero, in order of
/// adding, and are never reused; a row whose slot may no longer be found stays until a rebuild.
pub trait Backend: Send + Sync {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// Whether every hit is found.
    fn quality(&self) -> Quality;

    /// The arguments it was made with, defaults included: what a rebuild of the same kind is given.
    fn args(&self) -> BackendArgs;

    /// The number of rows ever added.
    fn len(&self) -> usize;

    /// Whether no row was ever added.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The prepared row of a slot.
    ///
    /// # Panics
    /// If the slot is not below [`Backend::len`].
    fn row(&self, slot: u32) -> &[f32];

    /// The memory held, in bytes.
    fn bytes(&self) -> usize;

    /// About how many rows a search for the best `k` compares.
    fn compared(&self, _k: usize) -> usize {
        self.len()
    }

    /// Adds rows at the next slots, all of them or, on an error, none.
    fn add(&mut self, rows: &Rows<'_>, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), IndexError>;

    /// The best `k` of `among`, or all of them where there are fewer, the best first.
    fn top_k(&self, query: &[f32], k: usize, among: Among<'_>) -> Result<Vec<Hit>, IndexError>;

    /// Everything in `among` that scores at least `threshold`, the best first. No hidden cap.
    fn at_least(&self, query: &[f32], threshold: f64, among: Among<'_>) -> Result<Vec<Hit>, IndexError>;

    /// The best `k` of `slots`, every one of them: what a search does instead of [`Backend::top_k`] where few may be found.
    fn top_k_exactly(
        &self,
        metric: Metric,
        query: &[f32],
        k: usize,
        slots: &RoaringBitmap,
    ) -> Result<Vec<Hit>, IndexError> {
        Ok(exact::top_k(metric, query, k, slots.iter(), |slot| self.row(slot)))
    }

    /// Everything in `slots` that scores at least `threshold`, every one of it.
    fn at_least_exactly(
        &self,
        metric: Metric,
        query: &[f32],
        threshold: f64,
        slots: &RoaringBitmap,
    ) -> Result<Vec<Hit>, IndexError> {
        Ok(exact::at_least(metric, query, threshold, slots.iter(), |slot| self.row(slot)))
    }

    /// [`Backend::top_k`] for many queries, on the rayon pool of the caller.
    fn top_k_each(
        &self,
        queries: &Rows<'_>,
        k: usize,
        among: Among<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<Hit>>, IndexError> {
        each(queries, cancelled, |query| self.top_k(query, k, among))
    }

    /// [`Backend::at_least`] for many queries, on the rayon pool of the caller.
    fn at_least_each(
        &self,
        queries: &Rows<'_>,
        threshold: f64,
        among: Among<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<Hit>>, IndexError> {
        each(queries, cancelled, |query| self.at_least(query, threshold, among))
    }

    /// Writes the body of a file: everything but what [`BackendKind::read`] is told.
    fn write(&self, into: &mut dyn io::Write) -> io::Result<()>;
}

/// Answers every query with `answer`, in parallel.
pub(crate) fn each(
    queries: &Rows<'_>,
    cancelled: &(dyn Fn() -> bool + Sync),
    answer: impl Fn(&[f32]) -> Result<Vec<Hit>, IndexError> + Sync,
) -> Result<Vec<Vec<Hit>>, IndexError> {
    let rows = queries.as_flat().par_chunks_exact(queries.dimension().get());
    rows.map(|query| if cancelled() { Err(IndexError::Cancelled) } else { answer(query) }).collect()
}

/// Makes a backend without rows; checks the arguments and whether it knows the metric.
pub type Create = fn(&BackendArgs, Metric, Dimension) -> Result<Box<dyn Backend>, IndexError>;

/// Reads what [`Backend::write`] wrote. The bytes may be anything: no length or offset in them is trusted.
pub type Read = fn(Metric, Dimension, &[u8]) -> Result<Box<dyn Backend>, IndexError>;

/// A backend by name: how it is made, and how it is read back.
#[derive(Clone, Copy)]
pub struct BackendKind {
    /// The name.
    pub name: &'static str,
    /// Makes one without rows.
    pub create: Create,
    /// Reads one back.
    pub read: Read,
}
