//! Everything that can be wrong with an input, as one enum.
//!
//! The one idea: an error says where (record, line, byte), what was expected and what came, in words of the format. It never
//! carries text of a record: corpora hold secrets, errors end up in logs.

use std::io;
use std::path::PathBuf;

use crate::Extent;

/// Why reading or copying records stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The file could not be opened.
    #[error("cannot open {}: {kind}", path.display())]
    Open {
        /// The path as given.
        path: PathBuf,
        /// What the operating system said.
        kind: io::ErrorKind,
    },
    /// The path names something else than a regular file: reading it could wait for ever, and a second time gives nothing.
    #[error("cannot read {}: it is {received}, expected a file", path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
        /// What it names: a directory, or no regular file.
        received: &'static str,
    },
    /// The input failed while it was read.
    #[error("cannot read the input: {kind}")]
    Io {
        /// What the operating system said.
        kind: io::ErrorKind,
    },
    /// The compressed stream is damaged or ends early.
    #[error("the {format} stream is {damage}")]
    Compressed {
        /// `"gzip"` or `"zstd"`.
        format: &'static str,
        /// What is wrong with it.
        damage: Damage,
    },
    /// A zstd frame was packed with so large a window that unpacking it takes more memory than is given.
    #[error("the zstd stream needs a window of {received} bytes, expected at most {expected}")]
    Window {
        /// The largest window.
        expected: u64,
        /// The window of the frame.
        received: u64,
    },
    /// The bytes are not UTF-8.
    #[error("line {line}: byte {byte} is not valid UTF-8")]
    Encoding {
        /// The line, from 1.
        line: u64,
        /// The first bad byte of that line, from 0.
        byte: usize,
    },
    /// A line is not one JSON object.
    #[error("line {line}, byte {byte}: expected {expected}, received: {received}")]
    Json {
        /// The line, from 1.
        line: u64,
        /// Where the parser stopped, a byte of the line from 0: the one that does not fit or a neighbour of it.
        byte: usize,
        /// What the line must be.
        expected: &'static str,
        /// What is wrong with it, in the words of `serde_json`, which quote nothing; or the kind of the value.
        received: String,
    },
    /// A field is missing or has the wrong type.
    #[error("record {position} (line {line}): field \"{column}\": expected {expected}, received {received}")]
    Field {
        /// The record, from 0.
        position: u32,
        /// The line where the record starts, from 1.
        line: u64,
        /// The field's name.
        column: String,
        /// What the field must be.
        expected: &'static str,
        /// What it is: a kind such as `"null"` or `"missing"`, never its value.
        received: &'static str,
    },
    /// A row does not follow RFC 4180.
    #[error("line {line}: expected {expected}")]
    Csv {
        /// The line where the row starts, from 1.
        line: u64,
        /// The rule that is broken.
        expected: &'static str,
    },
    /// A row has another number of fields than the header.
    #[error("line {line}: expected {expected} fields as in the header, received {received}")]
    Ragged {
        /// The line where the row starts, from 1.
        line: u64,
        /// Fields in the header.
        expected: usize,
        /// Fields in this row.
        received: usize,
    },
    /// The format, or the CSV header, has no such column, or has it twice.
    #[error("column \"{column}\": expected once, received {received} times")]
    Column {
        /// The column asked for.
        column: String,
        /// How often it is there.
        received: usize,
    },
    /// One record is longer than `record_bytes_max`.
    #[error("line {line}: the record is longer than {expected} bytes")]
    RecordTooLong {
        /// The line where the record starts, from 1.
        line: u64,
        /// The limit, `ReadOptions::record_bytes_max`.
        expected: usize,
    },
    /// The reader's buffers would hold more than `memory_bytes_max`.
    #[error("line {line}: reading on needs {received} bytes of memory, more than {expected}")]
    Memory {
        /// The line where the record or block starts that has no room, from 1.
        line: u64,
        /// The limit, `ReadOptions::memory_bytes_max`.
        expected: usize,
        /// What the buffers would hold.
        received: usize,
    },
    /// There are more records than positions.
    #[error("more than {expected} records")]
    TooManyRecords {
        /// The limit, [`RECORDS_MAX`](crate::RECORDS_MAX).
        expected: u32,
    },
    /// The positions to copy are not strictly ascending, or lie past the last record.
    #[error("positions[{index}]: expected an ascending position below {expected}, received {received}")]
    Positions {
        /// Where in the list, from 0.
        index: usize,
        /// The number of records of the first pass.
        expected: u32,
        /// The position found there.
        received: u32,
    },
    /// The second pass found another input than the first.
    #[error("the input changed between the two passes: expected {expected}, received {received}")]
    ChangedUnderneath {
        /// What the first pass read.
        expected: Extent,
        /// What the second pass read.
        received: Extent,
    },
    /// The caller raised the cancel flag.
    #[error("cancelled")]
    Cancelled,
}

/// What is wrong with a compressed stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It ends in the middle: bytes are missing.
    Truncated,
    /// It is not the format it should be, or its checksum does not fit.
    Corrupt,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Damage::Truncated => "truncated",
            Damage::Corrupt => "corrupt",
        })
    }
}

impl CorpusError {
    /// The stable name of this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            CorpusError::Open { .. } => "CORPUS_OPEN",
            CorpusError::NotAFile { .. } => "CORPUS_NOT_A_FILE",
            CorpusError::Io { .. } => "CORPUS_IO",
            CorpusError::Compressed { damage: Damage::Truncated, .. } => "CORPUS_TRUNCATED",
            CorpusError::Compressed { damage: Damage::Corrupt, .. } => "CORPUS_CORRUPT",
            CorpusError::Window { .. } => "CORPUS_WINDOW",
            CorpusError::Encoding { .. } => "CORPUS_ENCODING",
            CorpusError::Json { .. } => "CORPUS_JSON",
            CorpusError::Field { .. } => "CORPUS_FIELD",
            CorpusError::Csv { .. } => "CORPUS_CSV",
            CorpusError::Ragged { .. } => "CORPUS_RAGGED",
            CorpusError::Column { .. } => "CORPUS_COLUMN",
            CorpusError::RecordTooLong { .. } => "CORPUS_RECORD_TOO_LONG",
            CorpusError::Memory { .. } => "CORPUS_MEMORY",
            CorpusError::TooManyRecords { .. } => "CORPUS_TOO_MANY_RECORDS",
            CorpusError::Positions { .. } => "CORPUS_POSITIONS",
            CorpusError::ChangedUnderneath { .. } => "CORPUS_CHANGED_UNDERNEATH",
            CorpusError::Cancelled => "CORPUS_CANCELLED",
        }
    }
}
