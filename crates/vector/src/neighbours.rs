//! The nearest targets of every query: exact, by the bound of [`crate::code`] with a floor that rises.
//!
//! The one idea: a query that has found enough neighbours has a threshold, the score of the worst of them, and
//! each better one raises it. From then on it is a threshold search like that of [`crate::join`]. A target that
//! ties with the worst comes later and stays out, so that the order of the work decides nothing.
//!
//! A chunk of queries sees all panels in order and is the unit of parallelism: neighbours need no merging.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;

use rayon::prelude::*;

use crate::chunk::Chunk;
use crate::code::Floor;
use crate::instructions::Set;
use crate::join::CosineJoin;
use crate::kernels::{Kernel, QUERIES, scalar::Scalar};
#[cfg(target_arch = "x86_64")]
use crate::kernels::{avx2::Avx2, avx512_vnni::Avx512Vnni};
use crate::targets::Panel;
use crate::{Admitted, Instructions, VectorError};

/// Queries of a chunk: enough that a panel is read for many pairs, few enough that tasks share well.
const CHUNK_QUERIES: usize = 8 * QUERIES;

/// A target and its score with a query. Less is nearer: the highest score, then the first target.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour {
    /// The position of the target, in order of [`CosineJoin::append`].
    pub target: u32,
    /// The canonical [`crate::dot()`].
    pub score: f64,
}

impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.target.cmp(&other.target))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Neighbour {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Neighbour {}

/// Whether a query is one of the targets, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// The queries are not among the targets: all of them count.
    Counted,
    /// Query `q` is target `first + q`, which is not its own neighbour.
    Skipped {
        /// The target that is the first query.
        first: u32,
    },
}

/// The mean score of neighbours, at most 1; none without a neighbour.
pub fn mean_score(neighbours: &[Neighbour]) -> Option<f64> {
    if neighbours.is_empty() {
        return None;
    }
    let sum: f64 = neighbours.iter().map(|neighbour| neighbour.score).sum();
    // A row made unit in f32 may score a little more than 1 with its copy.
    Some((sum / neighbours.len() as f64).min(1.0))
}

impl CosineJoin {
    /// Finds the `count` nearest targets of every query, or all there are, and gives what `summarize` makes of
    /// them, by query. It sees them nearest first; ties go to the first target.
    ///
    /// `queries` holds unit rows, one after the other. Runs on the rayon pool of the caller; the result does not
    /// depend on its size. Every thread asks `cancelled` every few milliseconds.
    ///
    /// Cost: every pair as bytes, and a score for each that may be nearer than the worst found so far: about
    /// `count * ln(targets / count)` a query, and those within the error of the bytes. Memory: `16 * count` bytes
    /// for each of 96 queries a thread.
    ///
    /// # Errors
    /// [`VectorError::Ragged`], [`VectorError::NotFinite`], [`VectorError::ZeroVector`],
    /// [`VectorError::NotUnit`], [`VectorError::TooManyRows`] for the queries; [`VectorError::Cancelled`].
    pub fn nearest<T: Send>(
        &self,
        queries: &[f32],
        count: NonZeroUsize,
        own: Own,
        cancelled: &(dyn Fn() -> bool + Sync),
        summarize: impl Fn(&[Neighbour]) -> T + Sync,
    ) -> Result<Vec<T>, VectorError> {
        let count = count.get().min(self.len());
        let search =
            Search { join: self, count, own, admitted: None, score_max: f64::MAX, cancelled, summarize };
        self.nearest_by(queries, &search)
    }

    /// Finds the `count` nearest of those targets that are admitted, or all of these there are, by query, the nearest
    /// first. A score is cut off at 1 and -1, before the order is decided: what rounding adds to a cosine of one
    /// breaks no tie. All else is as in [`CosineJoin::nearest`].
    ///
    /// # Errors
    /// Those of [`CosineJoin::nearest`].
    pub fn nearest_among(
        &self,
        queries: &[f32],
        count: NonZeroUsize,
        admitted: &Admitted,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<Neighbour>>, VectorError> {
        let (count, admitted) = (count.get().min(self.len()), Some(admitted));
        let summarize = <[Neighbour]>::to_vec;
        let own = Own::Counted;
        let search = Search { join: self, count, own, admitted, score_max: 1.0, cancelled, summarize };
        self.nearest_by(queries, &search)
    }

    fn nearest_by<T: Send, Summarize: Fn(&[Neighbour]) -> T + Sync>(
        &self,
        queries: &[f32],
        search: &Search<Summarize>,
    ) -> Result<Vec<T>, VectorError> {
        self.check_queries(queries)?;
        match self.instructions.set() {
            Set::Scalar => search.run::<T, Scalar>(queries),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => search.run::<T, Avx2>(queries),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => search.run::<T, Avx512Vnni>(queries),
        }
    }
}

/// One call of [`CosineJoin::nearest`] or [`CosineJoin::nearest_among`].
struct Search<'a, Summarize> {
    join: &'a CosineJoin,
    count: usize,
    own: Own,
    admitted: Option<&'a Admitted>,
    /// Scores beyond this, or below its negative, are cut off.
    score_max: f64,
    cancelled: &'a (dyn Fn() -> bool + Sync),
    summarize: Summarize,
}

impl<Summarize> Search<'_, Summarize> {
    fn run<T: Send, K: Kernel>(&self, queries: &[f32]) -> Result<Vec<T>, VectorError>
    where
        Summarize: Fn(&[Neighbour]) -> T + Sync,
    {
        let width = self.join.targets.dimension();
        // Collected before they are looked at, so that the first bad row is the one reported.
        let chunks: Vec<_> = queries
            .par_chunks(CHUNK_QUERIES * width)
            .enumerate()
            .map(|(chunk, rows)| {
                let chunk = Chunk::encode::<K>(chunk * CHUNK_QUERIES, rows, width)?;
                let found = self.chunk::<K>(&chunk)?;
                Ok(found.into_iter().map(|heap| (self.summarize)(&heap.into_sorted_vec())).collect())
            })
            .collect();
        let chunks = chunks.into_iter().collect::<Result<Vec<Vec<T>>, VectorError>>()?;
        Ok(chunks.into_iter().flatten().collect())
    }

    /// The neighbours of every query of a chunk; the worst is on top.
    fn chunk<K: Kernel>(&self, chunk: &Chunk<K::Word>) -> Result<Vec<BinaryHeap<Neighbour>>, VectorError> {
        let (targets, instructions) = (&self.join.targets, self.join.instructions);
        let heap = || BinaryHeap::with_capacity(self.count);
        let mut found: Vec<_> = chunk.precisions.iter().map(|_| heap()).collect();
        let mut floors = chunk.floors(|_| Floor::ANY);
        for panel in targets.panels(0..targets.panel_count()) {
            if (self.cancelled)() {
                return Err(VectorError::Cancelled);
            }
            let admitted = panel.admitted(self.admitted);
            if admitted == 0 {
                continue;
            }
            for (block, (steps, floors)) in chunk.blocks().zip(&mut floors).enumerate() {
                let reached = floors.map(|floor| floor.at(panel.head.residual));
                // SAFETY: `K` is the kernel of `instructions`, which proves that the CPU has the set.
                let masks = unsafe { K::masks(steps, panel.steps, panel.head, &reached) };
                for ((query, mask), floor) in (block * QUERIES..).zip(masks).zip(floors) {
                    let mask = mask & admitted;
                    if mask == 0 {
                        continue;
                    }
                    let own = match self.own {
                        Own::Counted => None,
                        Own::Skipped { first } => Some(first as usize + chunk.first + query),
                    };
                    let offers = Offers { panel, mask, own };
                    if let Some(worst) = self.offer(&mut found[query], chunk.row(query), offers, instructions)
                    {
                        *floor = chunk.precisions[query].floor(worst);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Takes those targets of a panel that are near enough; gives the threshold once there are enough.
    #[inline]
    fn offer(
        &self,
        found: &mut BinaryHeap<Neighbour>,
        row: &[f32],
        Offers { panel, mut mask, own }: Offers,
        instructions: Instructions,
    ) -> Option<f64> {
        while mask != 0 {
            let target = panel.first + mask.trailing_zeros() as usize;
            mask &= mask - 1;
            if own == Some(target) {
                continue;
            }
            let score = instructions.dot(row, self.join.targets.row(target));
            let score = score.clamp(-self.score_max, self.score_max);
            let neighbour = Neighbour { target: target as u32, score };
            if found.len() < self.count {
                found.push(neighbour);
            } else if let Some(mut worst) = found.peek_mut()
                && neighbour < *worst
            {
                *worst = neighbour;
            }
        }
        (found.len() == self.count).then(|| found.peek().map(|worst| worst.score)).flatten()
    }
}

/// The targets of a panel that `mask` names, without the query itself.
#[derive(Clone, Copy)]
struct Offers<'a> {
    panel: Panel<'a>,
    mask: u32,
    own: Option<usize>,
}
