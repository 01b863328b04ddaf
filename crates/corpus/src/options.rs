//! What to read, and how much of it at a time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::{Compression, Format};

/// What to read from an input, and its bounds.
///
/// ```
/// use sluice_corpus::{Format, ReadOptions};
/// let options = ReadOptions { format: Format::Csv, columns: vec!["title".into(), "body".into()], ..ReadOptions::default() };
/// assert_eq!(options.record_bytes_max, 1 << 30);
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// How records are written. Default: JSON lines.
    pub format: Format,
    /// How the bytes are packed. Default `None`: what the path says, otherwise what the first bytes say.
    pub compression: Option<Compression>,
    /// The text fields, each a string in every record. Default: `["text"]`.
    pub columns: Vec<String>,
    /// The field that names a record. Default `None`: `id`, where a record (or the CSV header) has it.
    /// A named CSV column must be in the header; a JSON record may lack the field.
    pub id: Option<String>,
    /// The field that [`Block::priority`](crate::Block::priority) reads: numbers, RFC 3339 times or `YYYY-MM-DD` dates.
    /// Default: none. A named CSV column must be in the header; a JSON record may lack the field.
    pub priority: Option<String>,
    /// The longest record, in bytes with its line end; a longer one is an error. Default: 1 GiB.
    pub record_bytes_max: usize,
    /// The most memory that the reader's buffers and its block may hold; more is an error of its own. Checked before the
    /// buffer of a block grows. Default: no bound. See [`CorpusReader::set_memory_bytes_max`](crate::CorpusReader::set_memory_bytes_max).
    pub memory_bytes_max: usize,
    /// How many bytes to gather before a block is cut. Default: 1 MiB, so that a block is still in the cache when its texts
    /// are used. It never changes a result.
    /// Memory is bounded by about three times this or the longest record, whichever is larger, and 100 bytes a record.
    pub block_bytes: usize,
    /// Raise it, from any thread, to stop with [`CorpusError::Cancelled`](crate::CorpusError::Cancelled); polled at every
    /// read. Default: none.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: Format::default(),
            compression: None,
            columns: vec!["text".into()],
            id: None,
            priority: None,
            record_bytes_max: 1 << 30,
            memory_bytes_max: usize::MAX,
            block_bytes: 1 << 20,
            cancel: None,
        }
    }
}
