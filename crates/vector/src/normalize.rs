//! Rows of length one, where the dot product is the cosine.

use crate::{VectorError, dot};

/// How far from one the length of a row may be where a unit row is asked for. [`normalize()`] stays a
/// thousand times closer.
pub const UNIT_TOLERANCE: f64 = 1e-4;

/// Scales `row` to length one; `position` only names the row in an error.
///
/// The length is computed in `f64`: squares of the largest and the smallest `f32` neither overflow nor
/// vanish. A row that is refused is left as it was.
///
/// # Errors
/// [`VectorError::NotFinite`] with the first bad component; [`VectorError::ZeroVector`], also for an empty
/// row.
pub fn normalize(row: &mut [f32], position: usize) -> Result<(), VectorError> {
    let length = length(row, position)?;
    for component in row {
        *component = (f64::from(*component) / length) as f32;
    }
    Ok(())
}

/// Checks that `row` has length one within [`UNIT_TOLERANCE`].
pub(crate) fn check_unit(row: &[f32], position: usize) -> Result<(), VectorError> {
    let length = length(row, position)?;
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        return Err(VectorError::NotUnit {
            row: position,
            expected: 1.0,
            tolerance: UNIT_TOLERANCE,
            received: length,
        });
    }
    Ok(())
}

/// Checks that every component is finite.
pub(crate) fn check_finite(row: &[f32], position: usize) -> Result<(), VectorError> {
    match row.iter().position(|component| !component.is_finite()) {
        Some(column) => Err(VectorError::NotFinite { row: position, column }),
        None => Ok(()),
    }
}

/// The Euclidean length of a row with a direction.
fn length(row: &[f32], position: usize) -> Result<f64, VectorError> {
    let square = dot(row, row);
    // Finite rows have a finite square in f64, so one comparison clears the common case.
    if !square.is_finite() {
        check_finite(row, position)?;
    }
    if square == 0.0 {
        return Err(VectorError::ZeroVector { row: position });
    }
    Ok(square.sqrt())
}
