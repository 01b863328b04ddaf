//! The vectors of the classes, borrowed and checked: one row a class, of length one or all zero.

use rayon::prelude::*;
use sluice_vector::{Dimension, UNIT_TOLERANCE, dot};

use crate::DedupError;

/// One row a class, in class order; a row of zeros means that the class has no vector and is near nothing.
#[derive(Debug, Clone, Copy)]
pub struct Vectors<'a> {
    rows: &'a [f32],
    dimension: Dimension,
}

impl<'a> Vectors<'a> {
    /// Checks `classes * dimension` numbers: every row must be finite and of length one, or zero.
    pub fn new(rows: &'a [f32], dimension: usize, classes: usize) -> Result<Self, DedupError> {
        let dimension = Dimension::new(dimension)?;
        let vectors = Self { rows, dimension };
        vectors.check_classes(classes)?;
        let wrong = (0..classes as u32).into_par_iter().find_map_first(|class| {
            let row = vectors.row(class);
            let length = dot(row, row).sqrt();
            // Written so that a length that is not a number is wrong too.
            let right = (length - 1.0).abs() <= UNIT_TOLERANCE || row.iter().all(|&x| x == 0.0);
            (!right).then_some(DedupError::VectorLength { class, received: length })
        });
        wrong.map_or(Ok(vectors), Err)
    }

    /// Rows that were checked before.
    pub(crate) fn checked(rows: &'a [f32], dimension: Dimension) -> Self {
        Self { rows, dimension }
    }

    /// Refuses vectors that are not one a class.
    pub(crate) fn check_classes(&self, classes: usize) -> Result<(), DedupError> {
        let (expected, received) = (classes.saturating_mul(self.dimension.get()), self.rows.len());
        if expected == received { Ok(()) } else { Err(DedupError::VectorShape { expected, received }) }
    }

    /// The vector of a class, if it has one.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn of(&self, class: u32) -> Option<&'a [f32]> {
        let row = self.row(class);
        row.iter().any(|&x| x != 0.0).then_some(row)
    }

    /// All rows, one after the other.
    pub fn as_flat(&self) -> &'a [f32] {
        self.rows
    }

    /// Numbers of a row.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The row of a class, zero or not.
    pub(crate) fn row(&self, class: u32) -> &'a [f32] {
        let start = class as usize * self.dimension.get();
        &self.rows[start..start + self.dimension.get()]
    }
}
