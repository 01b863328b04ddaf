//! What can be wrong with an index, as data: a stable code, what was expected, what came.

use std::io;
use std::path::PathBuf;

use sluice_vector::VectorError;

/// Why an index refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// There is no backend of that name.
    #[error("there is no index backend {received:?}; there are {expected}")]
    BackendUnknown {
        /// The names there are.
        expected: String,
        /// The name that came.
        received: String,
    },
    /// The backend does not search by that metric.
    #[error("the backend {backend} does not search by {received}; it knows {expected}")]
    MetricUnsupported {
        /// The backend.
        backend: &'static str,
        /// The metrics it knows.
        expected: &'static str,
        /// The metric that came.
        received: &'static str,
    },
    /// The backend takes no argument of that name.
    #[error("the backend {backend} takes no argument {received:?}; it takes {expected}")]
    ArgumentUnknown {
        /// The backend.
        backend: &'static str,
        /// The names it takes.
        expected: String,
        /// The name that came.
        received: String,
    },
    /// An argument is out of range.
    #[error("the argument {name} is {expected}, received {received}")]
    Argument {
        /// The argument.
        name: &'static str,
        /// Its range.
        expected: String,
        /// The value that came.
        received: f64,
    },
    /// A threshold is not a number.
    #[error("a threshold is a number, received NaN")]
    Threshold,
    /// There is not one payload for each row.
    #[error("{expected} rows need as many payloads, received {received}")]
    Payloads {
        /// The rows.
        expected: usize,
        /// The payloads.
        received: usize,
    },
    /// There is no live row in that slot.
    #[error("there is no live row in slot {received}; {expected} slots were ever used")]
    Slot {
        /// The slots ever used.
        expected: u64,
        /// The slot that came.
        received: u32,
    },
    /// A row, a query or a dimension was refused.
    #[error(transparent)]
    Vector(VectorError),
    /// A file is not an index, of another version, cut short, or damaged.
    #[error("the index file is not usable: expected {expected}, received {received}")]
    File {
        /// What an index file has there.
        expected: &'static str,
        /// What this one has.
        received: String,
    },
    /// The system refused to read or write a file.
    #[error("{action} {} failed: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason of the system.
        source: io::Error,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl IndexError {
    /// The stable name of this error, for tables and other languages.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::BackendUnknown { .. } => "BACKEND_UNKNOWN",
            Self::MetricUnsupported { .. } => "INDEX_METRIC_UNSUPPORTED",
            Self::ArgumentUnknown { .. } => "INDEX_ARGUMENT_UNKNOWN",
            Self::Argument { .. } => "INDEX_ARGUMENT",
            Self::Threshold => "INDEX_THRESHOLD",
            Self::Payloads { .. } => "INDEX_PAYLOADS",
            Self::Slot { .. } => "INDEX_SLOT",
            Self::Vector(error) => error.code(),
            Self::File { .. } => "INDEX_FILE",
            Self::Io { .. } => "IO",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// A body that does not hold what it should.
    #[expect(clippy::needless_pass_by_value, reason = "callers hand over numbers and texts alike")]
    pub(crate) fn damaged(expected: &'static str, received: impl ToString) -> Self {
        Self::File { expected, received: received.to_string() }
    }
}

impl From<VectorError> for IndexError {
    fn from(error: VectorError) -> Self {
        match error {
            VectorError::Cancelled => Self::Cancelled,
            other => Self::Vector(other),
        }
    }
}
