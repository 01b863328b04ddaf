//! Decodes a row of CSV into the fields that are wanted, by RFC 4180.
//!
//! Stricter than most readers where leniency hides damage: a row must have as many fields as the header, and nothing may
//! follow a closing quote. A quote inside a field that does not start with one is an ordinary character.

use std::fmt::Write;

use crate::block::Span;
use crate::decode::{Piece, Place};
use crate::fields::{Fields, Name, Presence};
use crate::records::{encoding_error, without_line_end};
use crate::{CorpusError, priority};

const AFTER_QUOTE: &str = "a delimiter or the end of the row after a closing quote";

/// A field of a row: where its content is, and whether quotes in it are doubled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    span: Span,
    form: CellForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellForm {
    Plain,
    /// Holds `""`, each meaning one quote.
    DoubledQuotes,
}

/// Decodes rows of a file whose header is known.
pub(crate) struct RowDecoder {
    fields: Fields,
    delimiter: u8,
    cell_count: usize,
    /// The cell of each wanted name; `None` where an optional one is not in the header.
    cells: Vec<Option<usize>>,
}

impl RowDecoder {
    /// Finds the wanted names in the header, which starts on the given line.
    pub fn new(fields: Fields, delimiter: u8, header: &[u8], line: u64) -> Result<Self, CorpusError> {
        let header =
            std::str::from_utf8(header).map_err(|error| encoding_error(line, header, error.valid_up_to()))?;
        let header = header.strip_prefix('\u{feff}').unwrap_or(header);
        let mut cells = Vec::new();
        split_row(header, delimiter, &mut cells).map_err(|expected| CorpusError::Csv { line, expected })?;
        let names: Vec<String> = cells
            .iter()
            .map(|&cell| {
                let mut name = String::new();
                cell.append_to(header, &mut name);
                name
            })
            .collect();
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
        Ok(RowDecoder { cell_count: names.len(), fields, delimiter, cells })
    }

    /// Texts a record.
    pub fn column_count(&self) -> usize {
        self.fields.columns.len()
    }

    pub fn decode(&self, place: Place, cells: &mut Vec<Cell>, piece: &mut Piece) -> Result<(), CorpusError> {
        let row = place.text();
        split_row(row, self.delimiter, cells)
            .map_err(|expected| CorpusError::Csv { line: place.line(), expected })?;
        if cells.len() != self.cell_count {
            let (expected, received) = (self.cell_count, cells.len());
            return Err(CorpusError::Ragged { line: place.line(), expected, received });
        }
        let base = place.span().start;
        let cell = |slot: usize| self.cells[slot].map(|index| cells[index]);
        for &slot in &self.fields.columns {
            let name = &self.fields.names[slot].text;
            let cell = cell(slot).ok_or_else(|| place.field_error(name, "string", "missing"))?;
            let text = match cell.form {
                CellForm::Plain => Span { start: base + cell.span.start, end: base + cell.span.end },
                CellForm::DoubledQuotes => {
                    let from = piece.decoded.len();
                    cell.append_to(row, &mut piece.decoded);
                    piece.decoded_since(from)
                }
            };
            piece.push_text(text);
        }
        let id = cell(self.fields.id).map_or(Span::default(), |cell| {
            let mut text = String::new();
            cell.append_to(row, &mut text);
            let from = piece.decoded.len();
            append_json_string(&text, &mut piece.decoded);
            piece.decoded_since(from)
        });
        piece.push_id(id);
        if let Some((slot, cell)) = self.fields.priority.and_then(|slot| Some((slot, cell(slot)?))) {
            let mut text = String::new();
            cell.append_to(row, &mut text);
            let number = priority::number(&text).or_else(|| priority::date(&text));
            let name = &self.fields.names[slot].text;
            let value = if text.is_empty() { None } else { place.priority(name, number, "text")? };
            piece.push_priority(value);
        }
        Ok(())
    }
}

impl Cell {
    fn append_to(self, row: &str, into: &mut String) {
        let content = &row[self.span.start..self.span.end];
        match self.form {
            CellForm::Plain => into.push_str(content),
            CellForm::DoubledQuotes => {
                for (index, part) in content.split("\"\"").enumerate() {
                    into.push_str(if index == 0 { "" } else { "\"" });
                    into.push_str(part);
                }
            }
        }
    }
}

/// Replaces `cells` by those of a row; fails with the rule that is broken.
fn split_row(row: &str, delimiter: u8, cells: &mut Vec<Cell>) -> Result<(), &'static str> {
    let bytes = without_line_end(row).as_bytes();
    cells.clear();
    let mut start = 0;
    loop {
        let end = if bytes.get(start) == Some(&b'"') {
            let (cell, end) = quoted_cell(bytes, start + 1)?;
            cells.push(cell);
            end
        } else {
            let length = memchr::memchr(delimiter, &bytes[start..]).unwrap_or(bytes.len() - start);
            cells.push(Cell { span: Span { start, end: start + length }, form: CellForm::Plain });
            start + length
        };
        match bytes.get(end) {
            None => return Ok(()),
            Some(&byte) if byte == delimiter => start = end + 1,
            Some(_) => return Err(AFTER_QUOTE),
        }
    }
}

/// Reads a field from behind its opening quote; returns the offset behind its closing one, too.
fn quoted_cell(bytes: &[u8], start: usize) -> Result<(Cell, usize), &'static str> {
    let mut form = CellForm::Plain;
    let mut at = start;
    loop {
        at += memchr::memchr(b'"', &bytes[at..]).ok_or("a closing quote")?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Ok((Cell { span: Span { start, end: at }, form }, at + 1));
        }
        form = CellForm::DoubledQuotes;
        at += 2;
    }
}

fn append_json_string(text: &str, into: &mut String) {
    into.push('"');
    for character in text.chars() {
        match character {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\0'..'\u{20}' => {
                let _infallible = write!(into, "\\u{:04x}", u32::from(character));
            }
            _ => into.push(character),
        }
    }
    into.push('"');
}
