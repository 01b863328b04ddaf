//! Copies chosen records unchanged, in a second pass.
//!
//! The one idea: a corpus need not fit into memory. The first pass remembers positions only; the second finds the same records
//! by their ends and copies bytes, parsing nothing. At its end it proves that it saw what the first pass saw.

use std::fs::File;
use std::io::Read;
use std::mem;
use std::path::Path;

use crate::records::{RawBlock, Records};
use crate::{CorpusError, Extent, ReadOptions};

/// Bytes after which a chunk is handed out.
const CHUNK_BYTES: usize = 1 << 20;

/// A second pass over an input that yields the bytes of chosen records, for CSV the header row first.
///
/// Every record comes with its own line end; only the last of an input may have none. A byte order mark is copied with a CSV
/// header and dropped elsewhere. What was copied is to be trusted only when [`next_chunk`](SelectedCopy::next_chunk) has
/// returned `false`: an input that changed between the passes shows at the end.
pub struct SelectedCopy<R: Read, P: AsRef<[u32]>> {
    records: Records<R>,
    positions: P,
    /// How many of the positions were copied.
    copied: usize,
    expected: Extent,
    block: RawBlock,
    header: HeaderCopy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderCopy {
    Due,
    Done,
}

impl<P: AsRef<[u32]>> SelectedCopy<File, P> {
    /// Opens the file again; `expected` is what the first pass saw. See [`SelectedCopy::new`].
    pub fn open(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        positions: P,
        expected: Extent,
    ) -> Result<Self, CorpusError> {
        SelectedCopy::with_records(Records::open(path.as_ref(), options)?, positions, expected)
    }
}

impl<R: Read, P: AsRef<[u32]>> SelectedCopy<R, P> {
    /// Reads the same input again, from its start, with the same options.
    ///
    /// `positions` must be strictly ascending and below `expected.records`.
    pub fn new(input: R, options: &ReadOptions, positions: P, expected: Extent) -> Result<Self, CorpusError> {
        SelectedCopy::with_records(Records::new(input, options)?, positions, expected)
    }

    fn with_records(records: Records<R>, positions: P, expected: Extent) -> Result<Self, CorpusError> {
        check_positions(positions.as_ref(), expected.records)?;
        let (block, header) = (RawBlock::default(), HeaderCopy::Due);
        Ok(SelectedCopy { records, positions, copied: 0, expected, block, header })
    }

    /// Replaces `chunk` by the next bytes, about 1 MiB or one record; `false`, with an empty chunk, at the end.
    pub fn next_chunk(&mut self, chunk: &mut Vec<u8>) -> Result<bool, CorpusError> {
        chunk.clear();
        loop {
            while let Some(record) = self.next_in_block() {
                chunk.extend_from_slice(record);
                if chunk.len() >= CHUNK_BYTES {
                    return Ok(true);
                }
            }
            let more = self.records.next_block(&mut self.block)?;
            if mem::replace(&mut self.header, HeaderCopy::Done) == HeaderCopy::Due
                && let Some((header, _)) = self.records.header()
            {
                chunk.extend_from_slice(header);
            }
            if !more {
                self.check_extent()?;
                return Ok(!chunk.is_empty());
            }
        }
    }

    /// The next chosen record, if it lies in the block at hand.
    fn next_in_block(&mut self) -> Option<&[u8]> {
        let position = *self.positions.as_ref().get(self.copied)?;
        let index = position.checked_sub(self.block.first_position)? as usize;
        let record = self.block.records.get(index)?;
        self.copied += 1;
        Some(&self.block.bytes[record.start..record.end])
    }

    fn check_extent(&self) -> Result<(), CorpusError> {
        let received = self.records.extent();
        if received == self.expected {
            return Ok(());
        }
        Err(CorpusError::ChangedUnderneath { expected: self.expected, received })
    }
}

fn check_positions(positions: &[u32], records: u32) -> Result<(), CorpusError> {
    let mut least = 0;
    for (index, &position) in positions.iter().enumerate() {
        if position < least || position >= records {
            return Err(CorpusError::Positions { index, expected: records, received: position });
        }
        least = position + 1;
    }
    Ok(())
}
