//! Every way deduplication can refuse, as data. No error holds a record's text: a position and a kind are enough to find it.

use std::ops::Range;

use thiserror::Error;

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DedupError {
    /// A threshold lies outside its range.
    #[error("the {what} threshold must be {expected}; received {received}")]
    Threshold {
        /// Which threshold.
        what: &'static str,
        /// The range it must lie in.
        expected: &'static str,
        /// The value that came.
        received: f64,
    },
    /// A record has another number of columns than the options say.
    #[error("record {position} has {received} columns; expected {expected}")]
    Columns {
        /// Position of the record.
        position: u64,
        /// Columns in the options.
        expected: usize,
        /// Columns that came.
        received: usize,
    },
    /// A priority is not a number, so it has no place in an order.
    #[error("the priority of record {position} is not a number")]
    Priority {
        /// Position of the record.
        position: u64,
    },
    /// More records than positions fit in 32 bits.
    #[error("a batch holds at most {expected} records; received {received}")]
    TooManyRecords {
        /// The limit.
        expected: u64,
        /// How many there would be.
        received: u64,
    },
    /// A walk needs something the batch did not keep while records came in.
    #[error("{rule} needs {expected}, which the options of the batch did not ask to keep")]
    NotKept {
        /// The rule that needs it.
        rule: &'static str,
        /// The option to set.
        expected: &'static str,
    },
    /// A semantic rule came without vectors.
    #[error("the semantic rule needs a vector for every class of the {of}; none came")]
    VectorsMissing {
        /// `batch` or `reference`.
        of: &'static str,
    },
    /// The vectors are not `rows * dimension` numbers.
    #[error("expected {expected} numbers (classes times dimension); received {received}")]
    VectorShape {
        /// Numbers wanted.
        expected: usize,
        /// Numbers that came.
        received: usize,
    },
    /// A vector is neither zero (meaning "none") nor of length one.
    #[error("the vector of class {class} has length {received}; expected 1, or 0 for none")]
    VectorLength {
        /// The class.
        class: u32,
        /// Its length.
        received: f64,
    },
    /// Batch and reference were not prepared alike.
    #[error("batch and reference differ in {option}: the reference has {expected}, the batch {received}")]
    Unlike {
        /// The option that differs.
        option: &'static str,
        /// The reference's value.
        expected: String,
        /// The batch's value.
        received: String,
    },
    /// The reference was fitted for a higher lexical threshold than the rules ask for.
    #[error("the reference was fitted for a Jaccard threshold of {expected} or more; received {received}")]
    ReferenceThreshold {
        /// The lowest threshold the reference answers.
        expected: f64,
        /// The threshold of the rules.
        received: f64,
    },
    /// Positions of records to take over do not ascend strictly, or lie outside their batch.
    #[error(
        "position {received}, number {index} of those given, must ascend strictly and lie in the batch: in {expected:?}"
    )]
    Positions {
        /// Which of the positions.
        index: usize,
        /// Where it must lie: behind the one before it, and below the number of records.
        expected: Range<u32>,
        /// The position that came.
        received: u32,
    },
    /// The vector crate refused.
    #[error(transparent)]
    Vector(sluice_vector::VectorError),
    /// The walk would hold more than its watcher allows.
    #[error("the walk needs {received} bytes beside its batch, more than it may hold")]
    Memory {
        /// Bytes that it would hold.
        received: usize,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<sluice_vector::VectorError> for DedupError {
    fn from(error: sluice_vector::VectorError) -> Self {
        match error {
            sluice_vector::VectorError::Cancelled => Self::Cancelled,
            other => Self::Vector(other),
        }
    }
}

impl DedupError {
    /// The stable code of this error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Threshold { .. } => "DEDUP_THRESHOLD",
            Self::Columns { .. } => "DEDUP_COLUMNS",
            Self::Priority { .. } => "DEDUP_PRIORITY",
            Self::TooManyRecords { .. } => "DEDUP_TOO_MANY_RECORDS",
            Self::NotKept { .. } => "DEDUP_NOT_KEPT",
            Self::VectorsMissing { .. } => "DEDUP_VECTORS_MISSING",
            Self::VectorShape { .. } => "DEDUP_VECTOR_SHAPE",
            Self::VectorLength { .. } => "DEDUP_VECTOR_LENGTH",
            Self::Unlike { .. } => "DEDUP_UNLIKE",
            Self::ReferenceThreshold { .. } => "DEDUP_REFERENCE_THRESHOLD",
            Self::Positions { .. } => "DEDUP_POSITIONS",
            Self::Vector(inner) => inner.code(),
            Self::Memory { .. } => "DEDUP_MEMORY",
            Self::Cancelled => "CANCELLED",
        }
    }
}
