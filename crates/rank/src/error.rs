//! What can be wrong with a ranking, as data: a stable code, what was expected, what came.

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
    /// There is not one row for each relevance.
    #[error("{expected} components are needed for one row a candidate, received {received}")]
    Shape {
        /// Candidates times dimension.
        expected: usize,
        /// The components that came.
        received: usize,
    },
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
            Self::NotUnit { .. } => "RANK_NOT_UNIT",
            Self::NotFinite { .. } => "RANK_NOT_FINITE",
            Self::TooManyCandidates { .. } => "RANK_TOO_MANY_CANDIDATES",
            Self::Cancelled => "CANCELLED",
        }
    }
}
