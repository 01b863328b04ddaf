//! Which records does this file hold, and where do their bytes lie?
//!
//! Reads JSON lines, CSV, TSV and plain text, as they are or packed with gzip or zstd, as a stream in bounded memory; and
//! copies chosen records, byte for byte, in a second pass.
//!
//! ```
//! use sluice_corpus::{Block, CorpusReader, ReadOptions, SelectedCopy};
//!
//! let input = b"{\"id\": 7, \"text\": \"one\"}\n\n{\"id\": 8, \"text\": \"t\\u0077o\"}\n".as_slice();
//! let options = ReadOptions::default();
//!
//! let mut reader = CorpusReader::new(input, &options)?;
//! let mut block = Block::new();
//! let mut texts = Vec::new();
//! while reader.next_block(&mut block)? {
//!     for record in 0..block.len() {
//!         texts.push(block.text(record, 0).to_owned());
//!         assert!(block.id(record).is_some());
//!     }
//! }
//! assert_eq!(texts, ["one", "two"]);
//!
//! // Position 1 is worth keeping: copy it as it stands.
//! let mut copy = SelectedCopy::new(input, &options, &[1], reader.extent())?;
//! let mut chunk = Vec::new();
//! assert!(copy.next_chunk(&mut chunk)?);
//! assert_eq!(chunk, b"{\"id\": 8, \"text\": \"t\\u0077o\"}\n");
//! assert!(!copy.next_chunk(&mut chunk)?);
//! # Ok::<(), sluice_corpus::CorpusError>(())
//! ```
//!
//! # How it is built
//!
//! `source` unpacks, `record_ends` finds ends, `records` cuts blocks of whole records; both passes share these three.
//! `decode` runs `json_line` (over `json_members` and `serde_json`), or `csv_row` (over `csv-core`), in parallel into a [`Block`].
//!
//! # What is a record
//!
//! - JSON lines: a line that is not blank; it must be one object, checked to the last byte.
//! - CSV and TSV: a row after the header; empty lines are skipped, line ends may lie in quotes.
//! - Text: every line, empty ones too.
//!
//! `\n` and `\r\n` end a line, the last one may lack its end, and a UTF-8 byte order mark is skipped. Files are never mapped
//! into memory: a file cut short under a map would kill the process.

mod block;
mod csv_row;
mod decode;
mod error;
mod fields;
mod format;
mod gzip_members;
mod json_line;
mod json_members;
mod options;
mod priority;
mod reader;
mod record_ends;
mod records;
mod selected_copy;
mod source;
mod zstd_frames;

pub use block::Block;
pub use error::{CorpusError, Damage};
pub use format::{Compression, Format};
pub use options::ReadOptions;
pub use priority::date as date_seconds;
pub use reader::{CorpusReader, Extent};
pub use records::require_file;
pub use selected_copy::SelectedCopy;

/// The most records of one input: positions are `u32`, and two values stay free for callers.
pub const RECORDS_MAX: u32 = u32::MAX - 1;
