//! Cuts an input into blocks of whole records, undecoded.
//!
//! The one idea: both passes over an input, decoding and copying, see the same records because both go through here. A block
//! ends where a record ends; the start of the next one is carried over. A failure is held back until the records before it
//! are handed out, so that the block size never changes what a caller sees.

use std::fs::File;
use std::io::Read;
use std::mem;
use std::path::Path;

use memchr::memchr_iter;
use xxhash_rust::xxh3::Xxh3Default;

use crate::block::Span;
use crate::record_ends::RecordEnds;
use crate::source::{INPUT_BUFFER_BYTES, Source};
use crate::{Compression, CorpusError, Extent, Format, RECORDS_MAX, ReadOptions};

/// The most bytes asked of the input at once: they are still in the cache when they are searched and hashed.
const READ_BYTES_MAX: usize = 1 << 18;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Whole records and the blank lines between them.
#[derive(Default)]
pub(crate) struct RawBlock {
    pub bytes: Vec<u8>,
    /// Each record with its line end.
    pub records: Vec<Span>,
    pub first_position: u32,
    /// The line of the first byte, from 1.
    pub first_line: u64,
}

impl RawBlock {
    /// The line on which the byte at `offset` lies.
    pub fn line_at(&self, offset: usize) -> u64 {
        line_at(self.first_line, &self.bytes[..offset])
    }
}

/// The line after `bytes`, when their first byte lies on `first`.
pub(crate) fn line_at(first: u64, bytes: &[u8]) -> u64 {
    first + memchr_iter(b'\n', bytes).count() as u64
}

/// The error for the byte at `bad`, when `bytes` start on a line of their own.
pub(crate) fn encoding_error(first_line: u64, bytes: &[u8], bad: usize) -> CorpusError {
    let line_start = memchr::memrchr(b'\n', &bytes[..bad]).map_or(0, |at| at + 1);
    CorpusError::Encoding { line: line_at(first_line, &bytes[..bad]), byte: bad - line_start }
}

/// Reads an input as blocks of whole records.
pub(crate) struct Records<R: Read> {
    source: Source<R>,
    format: Format,
    block_bytes: usize,
    record_bytes_max: usize,
    memory_bytes_max: usize,
    ends: RecordEnds,
    /// Where records end in the block at hand; kept to reuse its memory.
    end_offsets: Vec<usize>,
    /// The start of a record whose end was not read yet.
    carry: Vec<u8>,
    /// How much of `carry` was searched for ends.
    carry_scanned: usize,
    header: Header,
    line: u64,
    record_count: u32,
    byte_count: u64,
    digest: Xxh3Default,
    progress: Progress,
}

/// The row of column names.
enum Header {
    /// The format has none.
    None,
    Due,
    /// Its bytes with a byte order mark and line end, and its line.
    Read(Vec<u8>, u64),
}

enum Progress {
    Start,
    Running,
    /// Stops with this error once the records before it are handed out.
    Failed(CorpusError),
    Ended,
}

fn open_error(path: &Path, error: &std::io::Error) -> CorpusError {
    CorpusError::Open { path: path.into(), kind: error.kind() }
}

/// Refuses a path that names no regular file. It is looked at and not opened: to open a pipe waits for its writer.
pub fn require_file(path: impl AsRef<Path>) -> Result<(), CorpusError> {
    let path = path.as_ref();
    let found = std::fs::metadata(path).map_err(|error| open_error(path, &error))?;
    if found.is_file() {
        return Ok(());
    }
    let received = if found.is_dir() { "a directory" } else { "no regular file" };
    Err(CorpusError::NotAFile { path: path.into(), received })
}

impl Records<File> {
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, CorpusError> {
        require_file(path)?;
        let file = File::open(path).map_err(|error| open_error(path, &error))?;
        let promised = path.to_str().and_then(Compression::from_name);
        Records::with_compression(file, options, options.compression.or(promised))
    }
}

impl<R: Read> Records<R> {
    pub fn new(input: R, options: &ReadOptions) -> Result<Self, CorpusError> {
        Records::with_compression(input, options, options.compression)
    }

    fn with_compression(
        input: R,
        options: &ReadOptions,
        compression: Option<Compression>,
    ) -> Result<Self, CorpusError> {
        Ok(Records {
            source: Source::new(input, compression, options.cancel.clone())?,
            format: options.format,
            block_bytes: options.block_bytes.max(1),
            record_bytes_max: options.record_bytes_max,
            memory_bytes_max: options.memory_bytes_max,
            ends: RecordEnds::new(options.format),
            end_offsets: Vec::new(),
            carry: Vec::new(),
            carry_scanned: 0,
            header: if options.format.delimiter().is_some() { Header::Due } else { Header::None },
            line: 1,
            record_count: 0,
            byte_count: 0,
            digest: Xxh3Default::new(),
            progress: Progress::Start,
        })
    }

    /// Fills `block` with at least one record; `false`, with an empty block, at the end and after an error.
    pub fn next_block(&mut self, block: &mut RawBlock) -> Result<bool, CorpusError> {
        loop {
            block.records.clear();
            block.first_position = self.record_count;
            match mem::replace(&mut self.progress, Progress::Running) {
                Progress::Start => self.skip_byte_order_mark(),
                Progress::Running => {}
                Progress::Ended => {
                    self.progress = Progress::Ended;
                    block.bytes.clear();
                    return Ok(false);
                }
                Progress::Failed(error) => {
                    self.progress = Progress::Ended;
                    block.bytes.clear();
                    return Err(error);
                }
            }
            block.first_line = self.line;
            self.fill(block);
            self.collect_records(block);
            self.line += self.ends.line_feeds(&block.bytes, &self.end_offsets);
            if !block.records.is_empty() {
                return Ok(true);
            }
        }
    }

    /// The header row and its line, once the first block was asked for; `None` where the format has none.
    pub fn header(&self) -> Option<(&[u8], u64)> {
        match &self.header {
            Header::Read(bytes, line) => Some((bytes, *line)),
            Header::None | Header::Due => None,
        }
    }

    pub fn extent(&self) -> Extent {
        Extent { records: self.record_count, bytes: self.byte_count, digest: self.digest.digest() }
    }

    pub fn input_bytes(&self) -> u64 {
        self.source.input_bytes()
    }

    /// Memory held beside a block.
    pub fn bytes(&self) -> usize {
        INPUT_BUFFER_BYTES + self.carry.capacity() + self.end_offsets.capacity() * size_of::<usize>()
    }

    /// What the buffers may hold from now on, together with the bytes of the block.
    pub fn set_memory_bytes_max(&mut self, bytes: usize) {
        self.memory_bytes_max = bytes;
    }

    /// Refuses to grow `bytes` to `len` where that is beyond the bound on memory.
    fn check_memory(&self, bytes: &Vec<u8>, len: usize) -> Result<(), CorpusError> {
        let capacity = bytes.capacity();
        // A buffer that grows at least doubles.
        let grown = if len <= capacity { capacity } else { len.max(2 * capacity) };
        let (expected, received) = (self.memory_bytes_max, self.bytes().saturating_add(grown));
        if received <= expected {
            return Ok(());
        }
        let last_end = self.end_offsets.last().copied().unwrap_or(0);
        Err(CorpusError::Memory { line: line_at(self.line, &bytes[..last_end]), expected, received })
    }

    fn fail(&mut self, error: CorpusError) {
        self.progress = Progress::Failed(error);
    }

    /// Reads some bytes and returns how many; 0 at the end of the input or when it failed.
    fn read(&mut self, into: &mut [u8]) -> usize {
        let read = self.source.read(into).unwrap_or_else(|error| {
            self.fail(error);
            0
        });
        self.byte_count += read as u64;
        self.digest.update(&into[..read]);
        read
    }

    fn skip_byte_order_mark(&mut self) {
        let mut start = mem::take(&mut self.carry);
        while start.len() < BYTE_ORDER_MARK.len() {
            let from = start.len();
            start.resize(BYTE_ORDER_MARK.len(), 0);
            let read = self.read(&mut start[from..]);
            start.truncate(from + read);
            if read == 0 {
                break;
            }
        }
        // A CSV keeps its mark: it belongs to the header, which is copied unchanged.
        if start == BYTE_ORDER_MARK && self.format.delimiter().is_none() {
            start.clear();
        }
        self.carry = start;
        if matches!(self.header, Header::Due) && self.carry.starts_with(BYTE_ORDER_MARK) {
            self.carry_scanned = BYTE_ORDER_MARK.len();
        }
    }

    /// Puts the carry and then the input into `block.bytes`, up to the last record that is whole.
    ///
    /// What `bytes` hold from before is overwritten, not cleared: memory is made zero once, not for every block.
    fn fill(&mut self, block: &mut RawBlock) {
        let bytes = &mut block.bytes;
        let mut filled = self.carry.len();
        grow(bytes, filled)[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        self.end_offsets.clear();
        let mut scanned = mem::take(&mut self.carry_scanned);
        let mut running = matches!(self.progress, Progress::Running);
        loop {
            self.ends.scan(&bytes[..filled], scanned, &mut self.end_offsets);
            scanned = filled;
            let last_end = self.end_offsets.last().copied().unwrap_or(0);
            if scanned - last_end > self.record_bytes_max {
                let line = line_at(self.line, &bytes[..last_end]);
                self.fail(CorpusError::RecordTooLong { line, expected: self.record_bytes_max });
                running = false;
            }
            if !running || (last_end > 0 && scanned >= self.block_bytes) {
                break;
            }
            // A record longer than the block is read on in steps of the block.
            let wanted =
                if scanned < self.block_bytes { self.block_bytes - scanned } else { self.block_bytes };
            let mut past = filled + wanted.min(READ_BYTES_MAX);
            if let Err(error) = self.check_memory(bytes, past) {
                // Less will do, as long as a record ends in it.
                past = bytes.capacity();
                if last_end > 0 {
                    break;
                } else if past <= filled {
                    self.fail(error);
                    break;
                }
            }
            let read = self.read(&mut grow(bytes, past)[filled..past]);
            filled += read;
            running = read > 0;
            if !running && matches!(self.progress, Progress::Running) {
                bytes.truncate(filled);
                self.end(bytes, last_end);
                return;
            }
        }
        let last_end = self.end_offsets.last().copied().unwrap_or(0);
        self.carry.extend_from_slice(&bytes[last_end..filled]);
        self.carry_scanned = self.carry.len();
        bytes.truncate(last_end);
    }

    /// The input has ended: what follows the last record end is a record without line end.
    fn end(&mut self, bytes: &mut Vec<u8>, last_end: usize) {
        if last_end == bytes.len() {
            self.progress = Progress::Ended;
        } else if self.ends.is_complete() {
            self.end_offsets.push(bytes.len());
            self.progress = Progress::Ended;
        } else {
            let line = line_at(self.line, &bytes[..last_end]);
            self.fail(CorpusError::Csv { line, expected: "a closing quote before the end of the file" });
            bytes.truncate(last_end);
        }
    }

    /// Turns record ends into records, leaving out blank lines and the header.
    fn collect_records(&mut self, block: &mut RawBlock) {
        let mut start = 0;
        let ends = mem::take(&mut self.end_offsets);
        for &end in &ends {
            if let Err(error) = self.collect_record(block, Span { start, end }) {
                self.fail(error);
                block.bytes.truncate(start);
                break;
            }
            start = end;
        }
        self.end_offsets = ends;
    }

    fn collect_record(&mut self, block: &mut RawBlock, record: Span) -> Result<(), CorpusError> {
        let bytes = &block.bytes[record.start..record.end];
        if bytes.len() > self.record_bytes_max {
            let line = block.line_at(record.start);
            return Err(CorpusError::RecordTooLong { line, expected: self.record_bytes_max });
        }
        let is_header = matches!(self.header, Header::Due);
        let content = bytes.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_header).unwrap_or(bytes);
        if is_blank(content, self.format) {
            return Ok(());
        }
        if is_header {
            self.header = Header::Read(bytes.to_vec(), block.line_at(record.start));
            return Ok(());
        }
        if self.record_count == RECORDS_MAX {
            return Err(CorpusError::TooManyRecords { expected: RECORDS_MAX });
        }
        self.record_count += 1;
        block.records.push(record);
        Ok(())
    }
}

/// At least `len` bytes, whatever they are.
fn grow(bytes: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if bytes.len() < len {
        bytes.resize(len, 0);
    }
    bytes
}

/// Whether a line is no record.
fn is_blank(line: &[u8], format: Format) -> bool {
    match format {
        Format::Jsonl => line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')),
        Format::Csv | Format::Tsv => matches!(line, b"" | b"\n" | b"\r\n" | b"\r"),
        Format::Txt => false,
    }
}

/// A record without its line end.
pub(crate) fn without_line_end(record: &str) -> &str {
    let record = record.strip_suffix('\n').unwrap_or(record);
    record.strip_suffix('\r').unwrap_or(record)
}
