//! Everything that can go wrong with a store, as one enum.
//!
//! The one idea: an error says where (path, position in the batch), what was expected and what came, as kinds and sizes. It
//! never carries a payload, a text or a query.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a store refused or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file cannot be opened or made.
    #[error("cannot open {}: {kind}", path.display())]
    Open {
        /// The path as given.
        path: PathBuf,
        /// What the operating system said.
        kind: io::ErrorKind,
    },
    /// The path names a directory.
    #[error("cannot open {}: it is a directory, expected a file", path.display())]
    IsDirectory {
        /// The path as given.
        path: PathBuf,
    },
    /// There is something under the name of the new file already; nothing is ever overwritten.
    #[error("cannot make {}: it exists already", path.display())]
    Exists {
        /// The path that is taken.
        path: PathBuf,
    },
    /// Another handle, in this process or in another, has the store open for writing.
    #[error("cannot open {}: it is open for writing elsewhere; a store has one writer", path.display())]
    SecondWriter {
        /// The store.
        path: PathBuf,
    },
    /// The file is no store of ours.
    #[error("the file {} is not a Sluice store: {received}", path.display())]
    ForeignFile {
        /// The path as given.
        path: PathBuf,
        /// What it looks like.
        received: &'static str,
    },
    /// The file was written by a version with another layout.
    #[error("the store {} has layout {received}, this version reads layout {expected}", path.display())]
    Version {
        /// The store.
        path: PathBuf,
        /// The layout that this version reads.
        expected: i64,
        /// The layout of the file.
        received: i64,
    },
    /// The file is damaged.
    #[error("the store is damaged: {what}")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
    /// The handle, the file or its folder is read-only.
    #[error("the store is read-only here")]
    ReadOnly,
    /// The store was not closed, its log holds changes, and on a read-only file system nobody can read them.
    #[error(
        "cannot read {}: its log holds changes that were never copied into it; open it once where it can be written to",
        path.display()
    )]
    LogUnread {
        /// The store.
        path: PathBuf,
    },
    /// Someone outside holds SQLite's own lock for longer than the store waits.
    #[error("the store is locked by another program")]
    Busy,
    /// No space left.
    #[error("no space is left for the store")]
    DiskFull,
    /// Reading or writing failed.
    #[error("the store cannot be read or written: {kind}")]
    Io {
        /// What the operating system said.
        kind: io::ErrorKind,
    },
    /// The name is no name of a collection.
    #[error("a collection name is {expected}, received {received}")]
    CollectionName {
        /// The rule that is broken.
        expected: &'static str,
        /// What came: a size or a kind.
        received: String,
    },
    /// There is no such collection.
    #[error("there is no collection \"{name}\"")]
    CollectionMissing {
        /// The name asked for.
        name: String,
    },
    /// The collection has another schema than asked for.
    #[error("collection \"{name}\" has {field} {received}, expected {expected}")]
    SchemaMismatch {
        /// The collection.
        name: String,
        /// `"dimension"`, `"metric"` or `"embedder_id"`.
        field: &'static str,
        /// What was asked for.
        expected: String,
        /// What the collection has.
        received: String,
    },
    /// A vector has another dimension than the collection.
    #[error("point {position}: expected {expected} components, received {received}")]
    Dimension {
        /// The point in its batch, from 0.
        position: usize,
        /// The dimension of the collection.
        expected: usize,
        /// The length of the vector.
        received: usize,
    },
    /// A component is NaN or infinite.
    #[error("point {position}: component {component} is not finite")]
    NotFinite {
        /// The point in its batch, from 0.
        position: usize,
        /// The first such component.
        component: usize,
    },
    /// All components are zero, which has no direction under cosine.
    #[error("point {position}: the vector is all zero and has no direction")]
    ZeroVector {
        /// The point in its batch, from 0.
        position: usize,
    },
    /// A payload is not a JSON object within the limits.
    #[error("point {position}: expected {expected}, received {received}")]
    Payload {
        /// The point in its batch, from 0.
        position: usize,
        /// The rule that is broken.
        expected: String,
        /// What came: a kind, a size or a place.
        received: String,
    },
    /// A text is longer than [`TEXT_BYTES_MAX`](crate::TEXT_BYTES_MAX).
    #[error("point {position}: expected a text of at most {expected} bytes, received {received}")]
    TextTooLong {
        /// The point in its batch, from 0.
        position: usize,
        /// The limit.
        expected: usize,
        /// The length.
        received: usize,
    },
    /// The text is no UUID.
    #[error("a point id is a UUID of 32 hexadecimal digits, received {received}")]
    PointId {
        /// What came: a size or a kind.
        received: String,
    },
    /// A query has more words than [`QUERY_WORDS_MAX`](crate::QUERY_WORDS_MAX).
    #[error("expected at most {expected} different words in a query, received {received}")]
    QueryTooLong {
        /// The limit.
        expected: usize,
        /// The words.
        received: usize,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// SQLite failed in a way that is neither damage nor the machine: a defect, or no memory.
    #[error("SQLite failed: {what}")]
    Engine {
        /// SQLite's name for it.
        what: &'static str,
    },
}

impl StoreError {
    /// The stable name of this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Open { .. } => "STORE_OPEN",
            Self::IsDirectory { .. } => "STORE_IS_DIRECTORY",
            Self::Exists { .. } => "STORE_EXISTS",
            Self::SecondWriter { .. } => "STORE_SECOND_WRITER",
            Self::ForeignFile { .. } => "STORE_FOREIGN",
            Self::Version { .. } => "STORE_VERSION",
            Self::Damaged { .. } => "STORE_DAMAGED",
            Self::ReadOnly => "STORE_READ_ONLY",
            Self::LogUnread { .. } => "STORE_LOG_UNREAD",
            Self::Busy => "STORE_BUSY",
            Self::DiskFull => "STORE_DISK_FULL",
            Self::Io { .. } => "STORE_IO",
            Self::CollectionName { .. } => "STORE_COLLECTION_NAME",
            Self::CollectionMissing { .. } => "STORE_COLLECTION_MISSING",
            Self::SchemaMismatch { .. } => "STORE_SCHEMA_MISMATCH",
            Self::Dimension { .. } => "STORE_DIMENSION",
            Self::NotFinite { .. } => "STORE_NOT_FINITE",
            Self::ZeroVector { .. } => "STORE_ZERO_VECTOR",
            Self::Payload { .. } => "STORE_PAYLOAD",
            Self::TextTooLong { .. } => "STORE_TEXT_TOO_LONG",
            Self::PointId { .. } => "STORE_POINT_ID",
            Self::QueryTooLong { .. } => "STORE_QUERY_TOO_LONG",
            Self::Cancelled => "STORE_CANCELLED",
            Self::Engine { .. } => "STORE_ENGINE",
        }
    }

    /// An error of the operating system about one path.
    pub(crate) fn open(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull,
            kind => Self::Open { path: path.to_owned(), kind },
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            kind => Self::Io { kind },
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let Some(failure) = error.sqlite_error() else {
            // A column of another type, or a row that must be there: our statements fit our layout.
            return Self::Damaged { what: "a row does not have the shape it was written with" };
        };
        match failure.code {
            ErrorCode::OperationInterrupted => Self::Cancelled,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
                Self::Busy
            }
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly,
            ErrorCode::DiskFull => Self::DiskFull,
            ErrorCode::SystemIoFailure => match failure.extended_code {
                rusqlite::ffi::SQLITE_IOERR_SHORT_READ => Self::Damaged { what: "the file is cut short" },
                rusqlite::ffi::SQLITE_IOERR_CORRUPTFS => Self::Damaged { what: "the file system is damaged" },
                _ => Self::Io { kind: io::ErrorKind::Other },
            },
            ErrorCode::CannotOpen => Self::Io { kind: io::ErrorKind::NotFound },
            ErrorCode::DatabaseCorrupt => Self::Damaged { what: "a page is malformed" },
            ErrorCode::NotADatabase => Self::Damaged { what: "the header is malformed" },
            // Every statement fits our layout: these mean that the file does not have it any more.
            ErrorCode::Unknown
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::SchemaChanged
            | ErrorCode::NotFound => Self::Damaged { what: "the tables are not as they were made" },
            _ => Self::Engine { what: rusqlite::ffi::code_to_str(failure.extended_code) },
        }
    }
}
