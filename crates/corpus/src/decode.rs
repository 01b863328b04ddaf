//! Decodes the records of a block, in parallel, in order.
//!
//! The one idea: a run of records is decoded into a `Piece` whose offsets start at its own beginning; pieces are then appended
//! in order. So neither the result nor the error (the first of the input) depends on the number of threads.

use rayon::prelude::*;

use crate::block::{Block, Span};
use crate::csv_row::RowDecoder;
use crate::fields::Fields;
use crate::json_line::LineDecoder;
use crate::json_members::unescape;
use crate::records::{line_at, without_line_end};
use crate::{CorpusError, priority};

/// Records decoded in a row by one thread: enough to make a task worth its cost, and few enough to stay in its cache.
const PIECE_RECORDS: usize = 128;

/// How the records of an input are decoded.
pub(crate) enum Decoder {
    Jsonl(Fields),
    Rows(RowDecoder),
    /// The line, once for every time its only column is asked for.
    Txt {
        columns: usize,
    },
}

/// Where the decoder is: for error messages.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    block: &'a Block,
    first_line: u64,
    record: usize,
}

/// What a run of records was decoded to; spans from `raw_length` on lie in `decoded`.
pub(crate) struct Piece {
    raw_length: usize,
    decoded: String,
    texts: Vec<Span>,
    ids: Vec<Span>,
    priorities: Vec<Option<f64>>,
}

impl Decoder {
    /// Texts a record.
    pub fn column_count(&self) -> usize {
        match self {
            Decoder::Jsonl(fields) => fields.columns.len(),
            Decoder::Rows(rows) => rows.column_count(),
            Decoder::Txt { columns } => *columns,
        }
    }

    /// Decodes all `records` of the block, which hold `raw` already.
    pub fn decode(&self, block: &mut Block, first_line: u64) -> Result<(), CorpusError> {
        block.decoded.clear();
        block.texts.clear();
        block.ids.clear();
        block.priorities.clear();
        let shared: &Block = block;
        let pieces: Vec<_> = (0..block.records.len().div_ceil(PIECE_RECORDS))
            .into_par_iter()
            .map(|piece| {
                let first = piece * PIECE_RECORDS;
                let past = shared.records.len().min(first + PIECE_RECORDS);
                let places = (first..past).map(|record| Place { block: shared, first_line, record });
                self.decode_piece(Piece::new(shared.raw.len(), past - first, shared.column_count), places)
            })
            .collect();
        for piece in pieces {
            block.append(piece?);
        }
        Ok(())
    }

    fn decode_piece<'a>(
        &self,
        mut piece: Piece,
        mut places: impl Iterator<Item = Place<'a>>,
    ) -> Result<Piece, CorpusError> {
        match self {
            Decoder::Jsonl(fields) => {
                let mut line = LineDecoder::new(fields);
                places.try_for_each(|place| line.decode(place, &mut piece))?;
            }
            Decoder::Rows(decoder) => {
                let mut row = decoder.row();
                places.try_for_each(|place| decoder.decode(place, &mut row, &mut piece))?;
            }
            Decoder::Txt { columns } => places.for_each(|place| {
                let Span { start, .. } = place.span();
                let line = Span { start, end: start + without_line_end(place.text()).len() };
                (0..*columns).for_each(|_| piece.push_text(line));
            }),
        }
        Ok(piece)
    }
}

impl<'a> Place<'a> {
    pub fn span(&self) -> Span {
        self.block.records[self.record]
    }

    /// The record with its line end.
    pub fn text(&self) -> &'a str {
        let Span { start, end } = self.span();
        &self.block.raw[start..end]
    }

    pub fn line(&self) -> u64 {
        line_at(self.first_line, &self.block.raw.as_bytes()[..self.span().start])
    }

    pub fn field_error(&self, column: &str, expected: &'static str, received: &'static str) -> CorpusError {
        let position = self.block.first_position + self.record as u32;
        CorpusError::Field { position, line: self.line(), column: column.to_owned(), expected, received }
    }

    /// The priority that a text means, by the given reading of it.
    pub fn priority(
        &self,
        column: &str,
        value: Option<f64>,
        received: &'static str,
    ) -> Result<Option<f64>, CorpusError> {
        value.map(Some).ok_or_else(|| self.field_error(column, priority::EXPECTED, received))
    }
}

impl Piece {
    fn new(raw_length: usize, records: usize, columns: usize) -> Self {
        Piece {
            raw_length,
            decoded: String::new(),
            texts: Vec::with_capacity(records * columns),
            ids: Vec::with_capacity(records),
            priorities: Vec::new(),
        }
    }

    pub fn push_text(&mut self, span: Span) {
        self.texts.push(span);
    }

    pub fn push_id(&mut self, span: Span) {
        self.ids.push(span);
    }

    pub fn push_priority(&mut self, priority: Option<f64>) {
        self.priorities.push(priority);
    }

    /// Appends to `decoded`; returns where.
    pub fn append(&mut self, text: &str) -> Span {
        let start = self.raw_length + self.decoded.len();
        self.decoded.push_str(text);
        Span { start, end: start + text.len() }
    }

    /// Appends what a checked string, given without its quotes, means; `None` for a lone surrogate: the piece is of no use then.
    pub fn append_unescaped(&mut self, string: &str) -> Option<Span> {
        let start = self.raw_length + self.decoded.len();
        unescape(string, &mut self.decoded)?;
        Some(Span { start, end: self.raw_length + self.decoded.len() })
    }
}

impl Block {
    fn append(&mut self, piece: Piece) {
        let decoded_before = self.decoded.len();
        let moved = |span: Span| {
            let shift = if span.start < piece.raw_length { 0 } else { decoded_before };
            Span { start: span.start + shift, end: span.end + shift }
        };
        self.decoded.push_str(&piece.decoded);
        self.texts.extend(piece.texts.into_iter().map(moved));
        self.ids.extend(piece.ids.into_iter().map(moved));
        self.priorities.extend(piece.priorities);
    }
}
