//! Rows of one dimension in one flat buffer. Every component is finite; lengths are the caller's until
//! [`Matrix::normalize`].

use crate::normalize::check_finite;
use crate::{Dimension, VectorError, normalize};

/// Rows of finite `f32` components, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    flat: Vec<f32>,
    dimension: Dimension,
}

impl Matrix {
    /// A matrix without rows.
    pub const fn new(dimension: Dimension) -> Self {
        Self { flat: Vec::new(), dimension }
    }

    /// Takes a flat buffer, without a copy.
    ///
    /// # Errors
    /// [`VectorError::Ragged`], [`VectorError::NotFinite`].
    pub fn from_flat(flat: Vec<f32>, dimension: Dimension) -> Result<Self, VectorError> {
        dimension.check_flat(&flat)?;
        for (position, row) in flat.chunks_exact(dimension.get()).enumerate() {
            check_finite(row, position)?;
        }
        Ok(Self { flat, dimension })
    }

    /// Appends one row.
    ///
    /// # Errors
    /// [`VectorError::Dimension`], [`VectorError::NotFinite`], both at the position the row would have had.
    pub fn push(&mut self, row: &[f32]) -> Result<(), VectorError> {
        self.dimension.check(row, self.len())?;
        check_finite(row, self.len())?;
        self.flat.extend_from_slice(row);
        Ok(())
    }

    /// Scales every row to length one.
    ///
    /// # Errors
    /// [`VectorError::ZeroVector`] at the first such row; the rows before it are scaled.
    pub fn normalize(&mut self) -> Result<(), VectorError> {
        let rows = self.flat.chunks_exact_mut(self.dimension.get());
        rows.enumerate().try_for_each(|(position, row)| normalize(row, position))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.flat.len() / self.dimension.get()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.flat.is_empty()
    }

    /// The number of components of every row.
    pub const fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Row `position`.
    ///
    /// # Panics
    /// If `position` is not below [`Matrix::len`], as a slice does.
    pub fn row(&self, position: usize) -> &[f32] {
        let width = self.dimension.get();
        &self.flat[position * width..][..width]
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.flat.chunks_exact(self.dimension.get())
    }

    /// All rows, one after the other.
    pub fn as_flat(&self) -> &[f32] {
        &self.flat
    }
}
