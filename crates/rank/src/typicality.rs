//! How typical rows are of a fitted set: the mean cosine to their nearest neighbours in it.
//!
//! The one idea: this is the k-nearest-neighbour score of outlier detection (Angiulli and Pizzuti, "Fast Outlier Detection in
//! High Dimensional Spaces", 2002), with cosines in place of distances, so that higher is more typical. It knows rows, not
//! records: copies of a text are one row, and the caller decides what a row stands for.

use std::num::NonZeroUsize;

use sluice_vector::{CosineJoin, Dimension, Instructions, Own, VectorError, mean_score};

use crate::RankError;

/// Rows that are searched for between two reports of progress.
const SEARCHED_AT_ONCE: usize = 4096;

/// Unit rows, one after the other; a row of zeros has no direction, and is near nothing.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    flat: &'a [f32],
    dimension: Dimension,
    /// The rows with a direction, ascending.
    directed: Vec<u32>,
}

impl<'a> Rows<'a> {
    /// Takes rows. Whether they are of length one is checked when they are searched.
    ///
    /// # Errors
    /// [`RankError::Vector`] when the last row is cut.
    pub fn new(flat: &'a [f32], dimension: Dimension) -> Result<Self, RankError> {
        let (expected, received) = (dimension.get(), flat.len());
        if !received.is_multiple_of(expected) {
            return Err(VectorError::Ragged { expected, received }.into());
        }
        let rows = flat.chunks_exact(dimension.get());
        let directed = (0..).zip(rows).filter(|(_, row)| row.iter().any(|&x| x != 0.0));
        Ok(Self { flat, dimension, directed: directed.map(|(position, _)| position).collect() })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.flat.len() / self.dimension.get()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.flat.is_empty()
    }

    pub(crate) const fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Some rows, one after the other.
    pub(crate) fn gather(&self, positions: &[u32]) -> Vec<f32> {
        positions.iter().flat_map(|&position| self.row(position)).copied().collect()
    }

    fn row(&self, position: u32) -> &'a [f32] {
        &self.flat[position as usize * self.dimension.get()..][..self.dimension.get()]
    }
}

/// The set that rows are typical of.
#[derive(Clone, Copy, Debug)]
pub enum Fitted<'a> {
    /// The rows themselves: none is its own neighbour.
    Themselves,
    /// Other rows.
    Others(&'a Rows<'a>),
}

/// The typicality of every row: its mean cosine to the `neighbours` nearest rows of the fitted set, or to all there are.
///
/// None for a row of zeros, and where the fitted set has no other row. Exact; runs on the rayon pool of the caller, and the
/// result does not depend on its size. `progress` hears how many rows of how many have their score, `cancelled` is asked every
/// few milliseconds by every thread. Cost: see [`CosineJoin::nearest`].
///
/// # Errors
/// [`RankError::Dimension`] when the fitted rows have another; [`RankError::Vector`] for rows that are not of length one;
/// [`RankError::Cancelled`].
pub fn typicality(
    rows: &Rows<'_>,
    fitted: Fitted<'_>,
    neighbours: NonZeroUsize,
    cancelled: &(dyn Fn() -> bool + Sync),
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<Option<f64>>, RankError> {
    let targets = match fitted {
        Fitted::Themselves => rows,
        Fitted::Others(others) => others,
    };
    if targets.dimension != rows.dimension {
        let (expected, received) = (targets.dimension.get(), rows.dimension.get());
        return Err(RankError::Dimension { expected, received });
    }
    let mut join = CosineJoin::new(targets.dimension, Instructions::detect());
    for &position in &targets.directed {
        join.append(targets.row(position))?;
    }
    let mut scores = vec![None; rows.len()];
    for (block, asked) in rows.directed.chunks(SEARCHED_AT_ONCE).enumerate() {
        let first = block * SEARCHED_AT_ONCE;
        progress(first, rows.directed.len());
        let own = match fitted {
            Fitted::Themselves => Own::Skipped { first: first as u32 },
            Fitted::Others(_) => Own::Counted,
        };
        let means = join.nearest(&rows.gather(asked), neighbours, own, cancelled, mean_score)?;
        for (position, mean) in asked.iter().zip(means) {
            scores[*position as usize] = mean;
        }
    }
    Ok(scores)
}
