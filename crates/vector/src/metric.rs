//! What a score means: three metrics, higher is better in all of them.

use std::fmt;

use crate::normalize::check_finite;
use crate::{Dimension, Instructions, VectorError, normalize};

/// How two rows are compared. A score is higher-better, in the natural unit of the metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The cosine, in [-1, 1]. Rows are held at length one; a zero row has no direction and is refused.
    Cosine,
    /// The product of the rows as they are.
    Dot,
    /// Minus the Euclidean distance: 0 for equal rows.
    L2,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Self; 3] = [Self::Cosine, Self::Dot, Self::L2];

    /// The name: `cosine`, `dot`, `l2`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Dot => "dot",
            Self::L2 => "l2",
        }
    }

    /// The metric of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The canonical score of two prepared rows: the same bits on every CPU.
    ///
    /// A cosine is at most one and at least minus one: what rounding adds beyond that is cut off.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn score(self, a: &[f32], b: &[f32]) -> f64 {
        let instructions = Instructions::detect();
        match self {
            Self::Cosine => instructions.dot(a, b).clamp(-1.0, 1.0),
            Self::Dot => instructions.dot(a, b),
            // Minus nothing is written as a difference, because `-0.0` and `0.0` would not tie.
            Self::L2 => 0.0 - instructions.squared_distance(a, b).sqrt(),
        }
    }

    /// Makes rows ready to be held or asked for: whole rows, finite, and for the cosine at length one.
    ///
    /// # Errors
    /// [`VectorError`] at the first bad row.
    pub fn prepare(self, mut flat: Vec<f32>, dimension: Dimension) -> Result<Vec<f32>, VectorError> {
        dimension.check_flat(&flat)?;
        for (position, row) in flat.chunks_exact_mut(dimension.get()).enumerate() {
            match self {
                Self::Cosine => normalize(row, position)?,
                Self::Dot | Self::L2 => check_finite(row, position)?,
            }
        }
        Ok(flat)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
