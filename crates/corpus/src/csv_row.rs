//! Decodes a row of CSV into the fields that are wanted.
//!
//! The one idea: `csv-core` splits and unquotes a row; this picks the cells by the names of the header. A row must have as many
//! cells as the header. Quotes are read leniently, as that parser does: a quote inside a cell that does not start with one is
//! an ordinary character, and what follows a closing quote belongs to the cell (`"a"b` is `ab`).

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader};

use crate::block::Span;
use crate::decode::{Piece, Place};
use crate::fields::{Fields, Name, Presence};
use crate::record_ends::row_parser;
use crate::records::{encoding_error, without_line_end};
use crate::{CorpusError, priority};

/// Room for the cells of an ordinary row; more is made when a row needs it.
const CELLS: usize = 64;

/// Decodes rows of a file whose header is known.
pub(crate) struct RowDecoder {
    fields: Fields,
    delimiter: u8,
    cell_count: usize,
    /// The cell of each wanted name; `None` where an optional one is not in the header.
    cells: Vec<Option<usize>>,
}

/// The cells of one row, in memory that is used again for the next.
pub(crate) struct Row {
    parser: Reader,
    content: Vec<u8>,
    /// Where each cell ends in `content`.
    ends: Vec<usize>,
}

impl RowDecoder {
    /// Finds the wanted names in the header, which starts on the given line.
    pub fn new(fields: Fields, delimiter: u8, header: &[u8], line: u64) -> Result<Self, CorpusError> {
        let header =
            std::str::from_utf8(header).map_err(|error| encoding_error(line, header, error.valid_up_to()))?;
        let mut row = Row::new(delimiter);
        let cell_count = row.read(header.strip_prefix('\u{feff}').unwrap_or(header));
        let names: Vec<String> = (0..cell_count).map(|cell| row.cell(cell).into_owned()).collect();
        let find = |wanted: &Name| {
            let mut found =
                names.iter().enumerate().filter(|(_, name)| **name == wanted.text).map(|(cell, _)| cell);
            let first = found.next();
            let received = usize::from(first.is_some()) + found.count();
            if received > 1 || (received == 0 && wanted.presence == Presence::Required) {
                return Err(CorpusError::Column { column: wanted.text.clone(), received });
            }
            Ok(first)
        };
        let cells = fields.names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(RowDecoder { fields, delimiter, cell_count, cells })
    }

    /// Texts a record.
    pub fn column_count(&self) -> usize {
        self.fields.columns.len()
    }

    /// Memory to decode with.
    pub fn row(&self) -> Row {
        Row::new(self.delimiter)
    }

    pub fn decode(&self, place: Place, row: &mut Row, piece: &mut Piece) -> Result<(), CorpusError> {
        let (expected, received) = (self.cell_count, row.read(place.text()));
        if received != expected {
            return Err(CorpusError::Ragged { line: place.line(), expected, received });
        }
        let cell = |slot: usize| self.cells[slot].map(|index| row.cell(index));
        for &slot in &self.fields.columns {
            let name = &self.fields.names[slot].text;
            let text = cell(slot).ok_or_else(|| place.field_error(name, "string", "missing"))?;
            let span = piece.append(&text);
            piece.push_text(span);
        }
        let id = cell(self.fields.id)
            .map_or(Span::default(), |text| piece.append(&serde_json::Value::from(text).to_string()));
        piece.push_id(id);
        if let Some((slot, text)) = self.fields.priority.and_then(|slot| Some((slot, cell(slot)?))) {
            let number = priority::number(&text).or_else(|| priority::date(&text));
            let name = &self.fields.names[slot].text;
            let value = if text.is_empty() { None } else { place.priority(name, number, "text")? };
            piece.push_priority(value);
        }
        Ok(())
    }
}

impl Row {
    fn new(delimiter: u8) -> Self {
        Row { parser: row_parser(delimiter), content: Vec::new(), ends: vec![0; CELLS] }
    }

    /// Replaces the cells by those of a row, with or without its line end; returns how many there are.
    fn read(&mut self, row: &str) -> usize {
        let row = without_line_end(row);
        // What the cells hold is never longer than the row, so only `ends` can be too small.
        if self.content.len() <= row.len() {
            self.content.resize(row.len() + 1, 0);
        }
        let (mut written, mut count) = (0, 0);
        for mut rest in [row.as_bytes(), b"\n"] {
            while !rest.is_empty() {
                let (result, read, bytes, cells) =
                    self.parser.read_record(rest, &mut self.content[written..], &mut self.ends[count..]);
                rest = &rest[read..];
                written += bytes;
                count += cells;
                if matches!(result, ReadRecordResult::OutputEndsFull) {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
            }
        }
        count
    }

    /// A cell of the row that was read last.
    fn cell(&self, index: usize) -> Cow<'_, str> {
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        // Never lossy: the row is UTF-8, and only ASCII characters were taken out.
        String::from_utf8_lossy(&self.content[start..self.ends[index]])
    }
}
