//! The number of components of a row, checked once so that nobody below checks it again.

use crate::VectorError;

/// The number of components of every row of a set: between 1 and [`Dimension::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension(usize);

impl Dimension {
    /// The largest dimension. An integer product of two coded rows of this length still fits 32 bits.
    pub const MAX: usize = 65_536;

    /// Checks a number of components.
    ///
    /// # Errors
    /// [`VectorError::DimensionOutOfRange`].
    pub const fn new(components: usize) -> Result<Self, VectorError> {
        if components == 0 || components > Self::MAX {
            return Err(VectorError::DimensionOutOfRange { expected: Self::MAX, received: components });
        }
        Ok(Self(components))
    }

    /// The number of components.
    pub const fn get(self) -> usize {
        self.0
    }

    /// Checks that `row`, at position `position`, has this dimension.
    pub(crate) const fn check(self, row: &[f32], position: usize) -> Result<(), VectorError> {
        if row.len() != self.0 {
            return Err(VectorError::Dimension { row: position, expected: self.0, received: row.len() });
        }
        Ok(())
    }

    /// Checks that `flat` is a whole number of rows.
    pub(crate) const fn check_flat(self, flat: &[f32]) -> Result<(), VectorError> {
        if !flat.len().is_multiple_of(self.0) {
            return Err(VectorError::Ragged { expected: self.0, received: flat.len() });
        }
        Ok(())
    }
}
