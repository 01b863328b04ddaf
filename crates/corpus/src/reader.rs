//! Reads an input block by block.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::mem;
use std::path::Path;

use crate::block::Span;
use crate::csv_row::RowDecoder;
use crate::decode::Decoder;
use crate::fields::{Fields, Presence};
use crate::records::{RawBlock, Records, encoding_error};
use crate::{Block, CorpusError, Format, ReadOptions};

/// The only column of [`Format::Txt`].
const TXT_COLUMN: &str = "text";

/// What one pass over an input saw: enough to notice, in a second pass, that the input changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Records so far.
    pub records: u32,
    /// Uncompressed bytes so far.
    pub bytes: u64,
    /// 64-bit xxh3 of those bytes.
    pub digest: u64,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records in {} bytes (xxh3 {:016x})", self.records, self.bytes, self.digest)
    }
}

/// Reads records from an input, a block at a time, in one pass and bounded memory.
///
/// Blocks are parsed in parallel on the rayon pool that `next_block` is called in; the result is the same for any number of
/// threads and any `block_bytes`. See the crate's first page for an example.
pub struct CorpusReader<R: Read> {
    records: Records<R>,
    memory_bytes_max: usize,
    /// `None` after the end and after an error.
    state: Option<State>,
}

enum State {
    /// The header of the CSV is not read yet.
    HeaderDue {
        fields: Fields,
        delimiter: u8,
    },
    Ready(Decoder),
}

impl CorpusReader<File> {
    /// Opens a file; `.gz` and `.zst` in its name are promises that the content must keep.
    ///
    /// The format is that of the options, never guessed: see [`Format::from_name`].
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, CorpusError> {
        CorpusReader::with_records(Records::open(path.as_ref(), options)?, options)
    }
}

impl<R: Read> CorpusReader<R> {
    /// Reads any input; needs no buffering below.
    pub fn new(input: R, options: &ReadOptions) -> Result<Self, CorpusError> {
        CorpusReader::with_records(Records::new(input, options)?, options)
    }

    fn with_records(records: Records<R>, options: &ReadOptions) -> Result<Self, CorpusError> {
        let fields = Fields::new(options);
        let state = match options.format.delimiter() {
            Some(delimiter) => State::HeaderDue { fields, delimiter },
            None if options.format == Format::Txt => {
                check_txt_columns(&fields)?;
                State::Ready(Decoder::Txt { columns: fields.columns.len() })
            }
            None => State::Ready(Decoder::Jsonl(fields)),
        };
        let memory_bytes_max = options.memory_bytes_max;
        Ok(CorpusReader { records, memory_bytes_max, state: Some(state) })
    }

    /// Fills `block` with the next records; `false`, with an empty block, at the end.
    ///
    /// Reads until `block_bytes` are there and a record has ended. Of a block with an error in it nothing is returned; after
    /// an error the reader is at its end.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool, CorpusError> {
        let result = self.try_next_block(block);
        if !matches!(result, Ok(true)) {
            block.clear();
        }
        result
    }

    /// As `next_block`; leaves some of a failed block behind.
    fn try_next_block(&mut self, block: &mut Block) -> Result<bool, CorpusError> {
        // Put back at the end: whatever returns early has ended the reader.
        let Some(state) = self.state.take() else { return Ok(false) };
        let held = block.bytes() - block.raw.capacity();
        self.records.set_memory_bytes_max(self.memory_bytes_max.saturating_sub(held));
        let mut raw = RawBlock {
            bytes: mem::take(&mut block.raw).into_bytes(),
            records: mem::take(&mut block.records),
            ..RawBlock::default()
        };
        let more = self.records.next_block(&mut raw)?;
        let decoder = match state {
            State::Ready(decoder) => decoder,
            State::HeaderDue { fields, delimiter } => {
                let missing = CorpusError::Csv { line: 1, expected: "a header row" };
                let (header, line) = self.records.header().ok_or(missing)?;
                Decoder::Rows(RowDecoder::new(fields, delimiter, header, line)?)
            }
        };
        if !more {
            return Ok(false);
        }
        let first_line = raw.first_line;
        block.first_position = raw.first_position;
        block.column_count = decoder.column_count();
        let encoding_error = take_text(raw, block);
        decoder.decode(block, first_line)?;
        self.check_memory(block, first_line)?;
        if let Some(error) = encoding_error {
            return Err(error);
        }
        self.state = Some(State::Ready(decoder));
        Ok(true)
    }

    /// Memory held beside the block.
    pub fn bytes(&self) -> usize {
        self.records.bytes()
    }

    /// Sets `ReadOptions::memory_bytes_max` anew: what was read so far may take more and more of what there is.
    pub fn set_memory_bytes_max(&mut self, bytes: usize) {
        self.memory_bytes_max = bytes;
    }

    fn check_memory(&self, block: &Block, line: u64) -> Result<(), CorpusError> {
        let (expected, received) = (self.memory_bytes_max, self.bytes() + block.bytes());
        if received <= expected { Ok(()) } else { Err(CorpusError::Memory { line, expected, received }) }
    }

    /// What was read so far; after the end, the whole input. Cost: finishes a hash, so ask per block, not per record.
    pub fn extent(&self) -> Extent {
        self.records.extent()
    }

    /// Bytes taken from the input so far, still compressed: compare with the size of the file for progress.
    pub fn input_bytes(&self) -> u64 {
        self.records.input_bytes()
    }
}

/// Moves records and bytes into `block` up to the first byte that is not UTF-8, and returns the error for that byte.
fn take_text(raw: RawBlock, block: &mut Block) -> Option<CorpusError> {
    block.records = raw.records;
    let error = match String::from_utf8(raw.bytes) {
        Ok(text) => {
            block.raw = text;
            return None;
        }
        Err(error) => error,
    };
    let bad = error.utf8_error().valid_up_to();
    let mut bytes = error.into_bytes();
    let intact = block.records.partition_point(|record| record.end <= bad);
    let error = encoding_error(raw.first_line, &bytes, bad);
    block.records.truncate(intact);
    bytes.truncate(block.records.last().map_or(0, |Span { end, .. }| *end));
    block.raw = String::from_utf8(bytes).unwrap_or_default();
    Some(error)
}

fn check_txt_columns(fields: &Fields) -> Result<(), CorpusError> {
    match fields.names.iter().find(|name| name.text != TXT_COLUMN && name.presence == Presence::Required) {
        Some(name) => Err(CorpusError::Column { column: name.text.clone(), received: 0 }),
        None => Ok(()),
    }
}
