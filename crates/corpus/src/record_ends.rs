//! Where do records end? Fed with bytes in pieces of any size.
//!
//! The one idea: line ends are found with memchr; rows of CSV, whose line ends may lie in quotes, with the parser that decodes
//! them later, its output thrown away. So both passes agree on what a row is. What is wrong inside a record is not seen here.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use crate::Format;

/// Room for what the parser of rows writes and nobody reads.
const SCRATCH_BYTES: usize = 1 << 14;
const SCRATCH_CELLS: usize = 1 << 9;

/// Finds record ends; keeps its state from piece to piece.
pub(crate) enum RecordEnds {
    Lines,
    Rows(Box<Rows>),
}

pub(crate) struct Rows {
    parser: Reader,
    content: Vec<u8>,
    cells: Vec<usize>,
    at_row_start: bool,
}

/// A parser at the start of a row, for rows that end with a line feed.
///
/// A carriage return is left to the caller: it belongs to a line end only before a line feed.
pub(crate) fn row_parser(delimiter: u8) -> Reader {
    let mut parser = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
    // A byte order mark is one at the start of a file only, which the caller knows: the parser must not see its first read.
    parser.read_record(b"\n", &mut [0], &mut [0]);
    parser
}

impl RecordEnds {
    pub fn new(format: Format) -> Self {
        match format.delimiter() {
            Some(delimiter) => RecordEnds::Rows(Box::new(Rows {
                parser: row_parser(delimiter),
                content: vec![0; SCRATCH_BYTES],
                cells: vec![0; SCRATCH_CELLS],
                at_row_start: true,
            })),
            None => RecordEnds::Lines,
        }
    }

    /// Appends the end, one past its line feed, of every record and empty line that ends in `bytes[from..]`.
    pub fn scan(&mut self, bytes: &[u8], from: usize, ends: &mut Vec<usize>) {
        match self {
            RecordEnds::Lines => {
                ends.extend(memchr::memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1));
            }
            RecordEnds::Rows(rows) => {
                let mut at = from;
                while at < bytes.len() {
                    at += rows.read(&bytes[at..]);
                    if rows.at_row_start {
                        ends.push(at);
                    }
                }
            }
        }
    }

    /// The line feeds in `bytes`, of which `ends` are all record ends; a last line without one counts too.
    pub fn line_feeds(&self, bytes: &[u8], ends: &[usize]) -> u64 {
        match self {
            RecordEnds::Lines => ends.len() as u64,
            RecordEnds::Rows(_) => memchr::memchr_iter(b'\n', bytes).count() as u64,
        }
    }

    /// Whether the input, of which nothing follows, may end here: not inside quotes.
    pub fn is_complete(&mut self) -> bool {
        match self {
            RecordEnds::Lines => true,
            RecordEnds::Rows(rows) => {
                rows.read(b"\n");
                rows.at_row_start
            }
        }
    }
}

impl Rows {
    /// Reads on to the end of a row, or less; returns how many bytes that were.
    fn read(&mut self, bytes: &[u8]) -> usize {
        // The parser would take an empty line as part of the row behind it.
        if self.at_row_start && bytes.first() == Some(&b'\n') {
            return 1;
        }
        let (result, read, ..) = self.parser.read_record(bytes, &mut self.content, &mut self.cells);
        self.at_row_start = matches!(result, ReadRecordResult::Record);
        read
    }
}
