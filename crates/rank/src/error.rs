//! What can be wrong with a ranking, as data: a stable code, what was expected, what came.

use sluice_vector::VectorError;

/// Why scores or options were refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// A share or a diversity is not between 0 and 1.
    #[error("{option} is between 0 and 1, received {received}")]
    ShareOutOfRange {
        /// What the number is.
        option: &'static str,
        /// The refused number.
        received: f64,
    },
    /// There is not one row for each score.
    #[error("{expected} numbers are needed for one row a score, received {received}")]
    Shape {
        /// The numbers that would fit.
        expected: usize,
        /// Those that came.
        received: usize,
    },
    /// The rows have another dimension than those they are compared with.
    #[error("the rows have {received} components, those they are compared with {expected}")]
    Dimension {
        /// The dimension of the fitted rows.
        expected: usize,
        /// The dimension of the rows.
        received: usize,
    },
    /// A row cannot be searched for.
    #[error(transparent)]
    Vector(VectorError),
    /// A row holds NaN or infinity, or is too long to be a unit row.
    #[error("the row at position {position} is not a unit row")]
    NotUnit {
        /// The candidate.
        position: usize,
    },
    /// A relevance is NaN or infinite.
    #[error("the relevance at position {position} is not finite")]
    NotFinite {
        /// The candidate.
        position: usize,
    },
    /// More candidates than the strategy can compare with each other.
    #[error("the strategy takes at most {expected} candidates, received {received}")]
    TooManyCandidates {
        /// The most candidates.
        expected: usize,
        /// The candidates that came.
        received: usize,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl RankError {
    /// The stable name of this error, for tables and other languages.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ShareOutOfRange { .. } => "RANK_SHARE_OUT_OF_RANGE",
            Self::Shape { .. } => "RANK_SHAPE",
            Self::Dimension { .. } => "RANK_DIMENSION",
            Self::Vector(error) => error.code(),
            Self::NotUnit { .. } => "RANK_NOT_UNIT",
            Self::NotFinite { .. } => "RANK_NOT_FINITE",
            Self::TooManyCandidates { .. } => "RANK_TOO_MANY_CANDIDATES",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl From<VectorError> for RankError {
    fn from(error: VectorError) -> Self {
        match error {
            VectorError::Cancelled => Self::Cancelled,
            other => Self::Vector(other),
        }
    }
}
