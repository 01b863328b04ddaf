//! What can be wrong with a vector, as data: a stable code, what was expected, what came, and where.

/// Why a vector, a dimension or a search was refused.
///
/// `row` is the position of the row in the call, `column` the component inside the row, both from zero. A variant without
/// `expected` and `received` says both by its name.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The dimension is zero or beyond [`crate::Dimension::MAX`].
    #[error("a dimension is between 1 and {expected}, received {received}")]
    DimensionOutOfRange {
        /// The largest dimension.
        expected: usize,
        /// The refused number.
        received: usize,
    },
    /// A row has another length than the rows it meets.
    #[error("row {row} has {received} components, expected {expected}")]
    Dimension {
        /// The position of the row.
        row: usize,
        /// The dimension asked for.
        expected: usize,
        /// The length of the row.
        received: usize,
    },
    /// A flat buffer ends inside a row.
    #[error("{received} components are not a whole number of rows of {expected}")]
    Ragged {
        /// The dimension of one row.
        expected: usize,
        /// The length of the buffer.
        received: usize,
    },
    /// A component is NaN or infinite.
    #[error("row {row}, component {column} is not a finite number")]
    NotFinite {
        /// The position of the row.
        row: usize,
        /// The first such component.
        column: usize,
    },
    /// All components are zero: the row has no direction, a cosine is undefined.
    #[error("row {row} is all zero: it has no direction")]
    ZeroVector {
        /// The position of the row.
        row: usize,
    },
    /// The length of the row is not one; [`normalize()`](crate::normalize()) makes it so.
    #[error("row {row} has length {received}, expected {expected} within {tolerance}")]
    NotUnit {
        /// The position of the row.
        row: usize,
        /// The length of a unit row.
        expected: f64,
        /// How far from it a length may be.
        tolerance: f64,
        /// The length of the row.
        received: f64,
    },
    /// The threshold is no cosine.
    #[error("a threshold is {expected}, received {received}")]
    ThresholdOutOfRange {
        /// The range of a cosine.
        expected: &'static str,
        /// The refused number.
        received: f64,
    },
    /// More rows than a `u32` can name.
    #[error("at most {expected} rows can be held, received {received}")]
    TooManyRows {
        /// The largest number of rows.
        expected: usize,
        /// How many there would be.
        received: usize,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl VectorError {
    /// The stable name of this error, for tables and other languages.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::DimensionOutOfRange { .. } => "VECTOR_DIMENSION_OUT_OF_RANGE",
            Self::Dimension { .. } => "VECTOR_DIMENSION",
            Self::Ragged { .. } => "VECTOR_RAGGED",
            Self::NotFinite { .. } => "VECTOR_NOT_FINITE",
            Self::ZeroVector { .. } => "VECTOR_ZERO",
            Self::NotUnit { .. } => "VECTOR_NOT_UNIT",
            Self::ThresholdOutOfRange { .. } => "VECTOR_THRESHOLD_OUT_OF_RANGE",
            Self::TooManyRows { .. } => "VECTOR_TOO_MANY_ROWS",
            Self::Cancelled => "CANCELLED",
        }
    }
}
