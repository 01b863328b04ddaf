//! What is picked from: one unit row and one relevance a candidate, checked once.

use sluice_vector::{Dimension, Instructions, UNIT_TOLERANCE};

use crate::RankError;

/// Candidates by position.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    rows: &'a [f32],
    dimension: Dimension,
    relevance: &'a [f64],
}

impl<'a> Candidates<'a> {
    /// Takes unit rows, one after the other, and as many relevances.
    ///
    /// # Errors
    /// [`RankError::Shape`], [`RankError::NotUnit`], [`RankError::NotFinite`].
    pub fn new(rows: &'a [f32], dimension: Dimension, relevance: &'a [f64]) -> Result<Self, RankError> {
        let (expected, received) = (relevance.len().saturating_mul(dimension.get()), rows.len());
        if expected != received {
            return Err(RankError::Shape { expected, received });
        }
        if let Some(position) = relevance.iter().position(|relevance| !relevance.is_finite()) {
            return Err(RankError::NotFinite { position });
        }
        let candidates = Self { rows, dimension, relevance };
        // Negated, so that NaN is refused too.
        let unit = |position: &usize| {
            (candidates.similarity(*position, *position).sqrt() - 1.0).abs() <= UNIT_TOLERANCE
        };
        match (0..candidates.len()).find(|position| !unit(position)) {
            Some(position) => Err(RankError::NotUnit { position }),
            None => Ok(candidates),
        }
    }

    /// How many candidates there are.
    pub const fn len(&self) -> usize {
        self.relevance.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.relevance.is_empty()
    }

    pub(crate) const fn relevance(&self) -> &'a [f64] {
        self.relevance
    }

    pub(crate) fn row(&self, candidate: usize) -> &'a [f32] {
        &self.rows[candidate * self.dimension.get()..][..self.dimension.get()]
    }

    pub(crate) const fn dimension(&self) -> usize {
        self.dimension.get()
    }

    /// The cosine of two candidates.
    pub(crate) fn similarity(&self, a: usize, b: usize) -> f64 {
        Instructions::detect().dot(self.row(a), self.row(b))
    }

    /// The relevances brought to mean 0 and deviation 1; only to mean 0 where all are equal.
    pub(crate) fn standard_relevance(&self) -> Vec<f64> {
        let count = self.len() as f64;
        let mean = self.relevance.iter().sum::<f64>() / count;
        let variance = self.relevance.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / count;
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        self.relevance.iter().map(|r| (r - mean) / deviation).collect()
    }
}
