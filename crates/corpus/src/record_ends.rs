//! Where do records end? Fed with bytes in pieces of any size.
//!
//! The one idea: finding ends needs far less than parsing: line ends for most formats, and for CSV whether a line end is inside
//! quotes. So blocks are cut, and chosen records copied, at the speed of memchr. What is wrong inside a record is not seen here.

use crate::Format;

/// Finds record ends; keeps its state from piece to piece.
pub(crate) enum RecordEnds {
    Lines,
    Rows { delimiter: u8, state: RowState },
}

/// Where in a row of CSV the next byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowState {
    FieldStart,
    Bare,
    Quoted,
    /// After a quote inside quotes: the end of the field, or the first half of an escaped quote.
    Quote,
}

impl RecordEnds {
    pub fn new(format: Format) -> Self {
        match format.delimiter() {
            Some(delimiter) => RecordEnds::Rows { delimiter, state: RowState::FieldStart },
            None => RecordEnds::Lines,
        }
    }

    /// Appends the end, one past its line feed, of every record that ends in `bytes[from..]`.
    pub fn scan(&mut self, bytes: &[u8], from: usize, ends: &mut Vec<usize>) {
        match self {
            RecordEnds::Lines => {
                ends.extend(memchr::memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1));
            }
            RecordEnds::Rows { delimiter, state } => scan_rows(*delimiter, state, bytes, from, ends),
        }
    }

    /// Whether the input may end here.
    pub fn is_complete(&self) -> bool {
        !matches!(self, RecordEnds::Rows { state: RowState::Quoted, .. })
    }
}

fn scan_rows(delimiter: u8, state: &mut RowState, bytes: &[u8], from: usize, ends: &mut Vec<usize>) {
    let mut at = from;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        *state = match (*state, byte) {
            (RowState::FieldStart | RowState::Quote, b'"') => RowState::Quoted,
            (RowState::Quoted, b'"') => RowState::Quote,
            (RowState::Quoted, _) => {
                at += memchr::memchr(b'"', &bytes[at..]).unwrap_or(bytes.len() - at);
                RowState::Quoted
            }
            (_, b'\n') => {
                ends.push(at);
                RowState::FieldStart
            }
            (_, byte) if byte == delimiter => RowState::FieldStart,
            _ => {
                at += memchr::memchr2(delimiter, b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                RowState::Bare
            }
        };
    }
}
