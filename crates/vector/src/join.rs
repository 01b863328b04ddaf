//! Every pair of a query and a target that scores at least a threshold: exact, by a bound on bytes.
//!
//! The one idea: byte products are many times cheaper than scores, and [`crate::code`] proves how wrong they
//! can be. A pair that could reach the threshold is scored by the canonical dot, the others are never looked
//! at again. Byte products are tested in registers; no matrix of them is written.
//!
//! *Tiling.* A panel of 32 targets stays in the first cache while all blocks of 12 queries of a chunk pass
//! by; a chunk of queries stays in the second. A task, the unit of parallelism, is one chunk against one
//! group of panels.

use rayon::prelude::*;

use crate::chunk::Chunk;
use crate::code::{Code, Floor};
use crate::instructions::Set;
use crate::kernels::{Kernel, QUERIES, scalar::Scalar};
#[cfg(target_arch = "x86_64")]
use crate::kernels::{avx2::Avx2, avx512_vnni::Avx512Vnni};
use crate::normalize::check_unit;
use crate::targets::{Panel, Targets};
use crate::{Admitted, Dimension, Instructions, VectorError};

/// A chunk of queries holds about this many components, so that it stays in a second-level cache.
const CHUNK_COMPONENTS: usize = 256 * 1024;
/// A group of panels: enough work for a task, few enough that tasks share well.
const GROUP_PANELS: usize = 16;

/// A query and a target that reach the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The position of the query in the call.
    pub query: u32,
    /// The position of the target, in order of [`CosineJoin::append`].
    pub target: u32,
    /// Their canonical [`crate::dot()`].
    pub score: f64,
}

/// The targets of an exact threshold search over unit rows. Rows can be appended between searches.
///
/// Costs about five bytes a component: the row and its code.
pub struct CosineJoin {
    dimension: Dimension,
    pub(crate) instructions: Instructions,
    pub(crate) targets: Targets,
    code: Code,
}

impl CosineJoin {
    /// The largest number of targets, and of queries in one call.
    pub const ROWS_MAX: usize = u32::MAX as usize;

    /// A join without targets. The instruction set changes its speed, never its answer.
    pub fn new(dimension: Dimension, instructions: Instructions) -> Self {
        Self { dimension, instructions, targets: Targets::new(dimension.get()), code: Code::default() }
    }

    /// Appends a target; its position is the number of targets before.
    ///
    /// # Errors
    /// [`VectorError::Dimension`], [`VectorError::NotFinite`], [`VectorError::ZeroVector`],
    /// [`VectorError::NotUnit`], [`VectorError::TooManyRows`], at that position. Nothing is appended then.
    pub fn append(&mut self, unit_row: &[f32]) -> Result<(), VectorError> {
        let position = self.len();
        if position == Self::ROWS_MAX {
            return Err(VectorError::TooManyRows { expected: Self::ROWS_MAX, received: position + 1 });
        }
        self.dimension.check(unit_row, position)?;
        check_unit(unit_row, position)?;
        self.code.encode(unit_row);
        self.targets.append(unit_row, &self.code);
        Ok(())
    }

    /// The number of targets.
    pub const fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are no targets.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A target as it came.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn row(&self, target: u32) -> &[f32] {
        self.targets.row(target as usize)
    }

    /// All targets as they came, one after the other.
    pub fn as_flat(&self) -> &[f32] {
        self.targets.rows()
    }

    /// A join over some of the targets, in the order given; nothing is coded again.
    ///
    /// # Panics
    /// If there is no such target.
    #[must_use]
    pub fn gather(&self, targets: impl IntoIterator<Item = u32>) -> Self {
        Self {
            dimension: self.dimension,
            instructions: self.instructions,
            targets: self.targets.gather(targets.into_iter()),
            code: Code::default(),
        }
    }

    /// The memory held, in bytes.
    pub const fn bytes(&self) -> usize {
        self.targets.bytes()
    }

    /// The number of components of every row.
    pub const fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Finds every pair whose canonical [`crate::dot()`] is at least `threshold`, and puts it into `hits` in
    /// place of what was there: by query, then the highest score, then the first target.
    ///
    /// `queries` holds unit rows, one after the other. Runs on the rayon pool of the caller; the result does
    /// not depend on its size. Every thread asks `cancelled` every few milliseconds, except while the hits
    /// are sorted at the end.
    ///
    /// Memory: one or two bytes a component of the queries, and at most three times the hits while they are
    /// gathered. A low threshold makes as many hits as there are pairs.
    ///
    /// # Errors
    /// [`VectorError::ThresholdOutOfRange`]; [`VectorError::Ragged`], [`VectorError::NotFinite`],
    /// [`VectorError::ZeroVector`], [`VectorError::NotUnit`], [`VectorError::TooManyRows`] for the queries;
    /// [`VectorError::Cancelled`]. `hits` is empty then.
    pub fn search(
        &self,
        queries: &[f32],
        threshold: f64,
        cancelled: &(dyn Fn() -> bool + Sync),
        hits: &mut Vec<Hit>,
    ) -> Result<(), VectorError> {
        self.search_in(queries, threshold, None, cancelled, hits)
    }

    /// [`CosineJoin::search`], where only some targets may be found.
    ///
    /// # Errors
    /// Those of [`CosineJoin::search`].
    pub fn search_among(
        &self,
        queries: &[f32],
        threshold: f64,
        admitted: &Admitted,
        cancelled: &(dyn Fn() -> bool + Sync),
        hits: &mut Vec<Hit>,
    ) -> Result<(), VectorError> {
        self.search_in(queries, threshold, Some(admitted), cancelled, hits)
    }

    fn search_in(
        &self,
        queries: &[f32],
        threshold: f64,
        admitted: Option<&Admitted>,
        cancelled: &(dyn Fn() -> bool + Sync),
        hits: &mut Vec<Hit>,
    ) -> Result<(), VectorError> {
        hits.clear();
        if !(-1.0..=1.0).contains(&threshold) {
            return Err(VectorError::ThresholdOutOfRange {
                expected: "between -1 and 1",
                received: threshold,
            });
        }
        self.check_queries(queries)?;
        let (targets, instructions) = (&self.targets, self.instructions);
        let search = Search { targets, instructions, threshold, admitted, cancelled };
        match self.instructions.set() {
            Set::Scalar => search.run::<Scalar>(queries, hits),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => search.run::<Avx2>(queries, hits),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => search.run::<Avx512Vnni>(queries, hits),
        }
    }

    /// Checks that `queries` are whole rows, and not too many.
    pub(crate) fn check_queries(&self, queries: &[f32]) -> Result<(), VectorError> {
        self.dimension.check_flat(queries)?;
        let received = queries.len() / self.dimension.get();
        if received > Self::ROWS_MAX {
            return Err(VectorError::TooManyRows { expected: Self::ROWS_MAX, received });
        }
        Ok(())
    }
}

/// One call of [`CosineJoin::search`]. `instructions` is the set of the kernel that it runs.
struct Search<'a> {
    targets: &'a Targets,
    instructions: Instructions,
    threshold: f64,
    admitted: Option<&'a Admitted>,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    fn run<K: Kernel>(&self, queries: &[f32], hits: &mut Vec<Hit>) -> Result<(), VectorError> {
        let width = self.targets.dimension();
        let chunk_rows = (CHUNK_COMPONENTS / width).next_multiple_of(QUERIES);
        // Coded in parallel, checked in order, so that the first bad row is the one reported.
        let chunks: Vec<_> = queries
            .par_chunks(chunk_rows * width)
            .enumerate()
            .map(|(chunk, rows)| {
                let chunk = Chunk::encode::<K>(chunk * chunk_rows, rows, width)?;
                let floors = chunk.floors(|precision| precision.floor(self.threshold));
                Ok((chunk, floors))
            })
            .collect();
        let chunks = chunks.into_iter().collect::<Result<Vec<_>, VectorError>>()?;

        let groups = self.targets.panel_count().div_ceil(GROUP_PANELS);
        let found = (0..chunks.len() * groups)
            .into_par_iter()
            .map(|task| {
                let (chunk, floors) = &chunks[task / groups];
                self.task::<K>(chunk, floors, task % groups)
            })
            .collect::<Result<Vec<_>, _>>()?;
        hits.reserve(found.iter().map(Vec::len).sum());
        hits.extend(found.into_iter().flatten());
        hits.par_sort_unstable_by(|a, b| {
            a.query.cmp(&b.query).then(b.score.total_cmp(&a.score)).then(a.target.cmp(&b.target))
        });
        Ok(())
    }

    /// One chunk against one group of panels.
    fn task<K: Kernel>(
        &self,
        chunk: &Chunk<K::Word>,
        floors: &[[Floor; QUERIES]],
        group: usize,
    ) -> Result<Vec<Hit>, VectorError> {
        let mut hits = Vec::new();
        for panel in self.targets.panels(group * GROUP_PANELS..(group + 1) * GROUP_PANELS) {
            if (self.cancelled)() {
                return Err(VectorError::Cancelled);
            }
            let admitted = panel.admitted(self.admitted);
            if admitted == 0 {
                continue;
            }
            let blocks = chunk.blocks().zip(floors);
            for (block, (steps, floors)) in blocks.enumerate() {
                let floors = floors.map(|floor| floor.at(panel.head.residual));
                // SAFETY: `K` is the kernel of `self.instructions`, which proves that the CPU has the set.
                let masks = unsafe { K::masks(steps, panel.steps, panel.head, &floors) };
                for (query, mask) in (block * QUERIES..).zip(masks) {
                    self.verify(chunk, query, panel, mask & admitted, &mut hits);
                }
            }
        }
        Ok(hits)
    }

    /// Scores the targets of `panel` that `mask` names.
    #[inline]
    fn verify<Word>(
        &self,
        chunk: &Chunk<Word>,
        query: usize,
        panel: Panel,
        mut mask: u32,
        hits: &mut Vec<Hit>,
    ) {
        while mask != 0 {
            let target = panel.first + mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let score = self.instructions.dot(chunk.row(query), self.targets.row(target));
            if score >= self.threshold {
                hits.push(Hit { query: (chunk.first + query) as u32, target: target as u32, score });
            }
        }
    }
}
