//! A run of consecutive records, decoded, stored by column.
//!
//! The one idea: a text that is written as it reads, a line or a JSON string without escapes, is a range of the bytes that
//! were read. Decoded texts and cells of CSV lie in a second buffer; an offset past the end of the first means the second.
//! Buffers are reused from block to block.

/// A byte range of a [`Block`]: of `raw`, or of `decoded` once `raw.len()` is subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

/// Consecutive records of one input. Fill it with [`CorpusReader::next_block`](crate::CorpusReader::next_block).
///
/// Records are counted inside the block, from 0; `first_position() + record` is the position in the input.
/// All accessors cost O(1).
///
/// # Panics
///
/// `text` and `raw` panic when `record >= len()`, or when `column` was not asked for, as a slice does.
#[derive(Debug, Default)]
pub struct Block {
    pub(crate) first_position: u32,
    pub(crate) column_count: usize,
    pub(crate) raw: String,
    pub(crate) decoded: String,
    /// A span for each record.
    pub(crate) records: Vec<Span>,
    /// A span for each record and column, records first.
    pub(crate) texts: Vec<Span>,
    /// A span for each record, empty where it has no id (no JSON value is empty); or none at all when no record has one.
    pub(crate) ids: Vec<Span>,
    /// A number for each record, or none at all when there is no such field.
    pub(crate) priorities: Vec<Option<f64>>,
}

impl Block {
    /// An empty block without buffers.
    pub fn new() -> Self {
        Block::default()
    }

    /// The position of record 0 in the input.
    pub fn first_position(&self) -> u32 {
        self.first_position
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no records: the input has ended.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The text of a column (in the order of `ReadOptions::columns`), decoded.
    pub fn text(&self, record: usize, column: usize) -> &str {
        self.slice(self.texts[record * self.column_count..][..self.column_count][column])
    }

    /// The id as a JSON value in the bytes of the input, so that `7` and `"7"` stay different; a CSV cell becomes a JSON string.
    pub fn id(&self, record: usize) -> Option<&[u8]> {
        let id = self.slice(*self.ids.get(record)?);
        (!id.is_empty()).then_some(id.as_bytes())
    }

    /// The finite number of the priority field, a date as seconds since 1970 UTC; `None` where it is missing, null or an empty
    /// cell, or was not asked for.
    pub fn priority(&self, record: usize) -> Option<f64> {
        self.priorities.get(record).copied().flatten()
    }

    /// The record's exact bytes with its line end, if it has one.
    pub fn raw(&self, record: usize) -> &[u8] {
        self.slice(self.records[record]).as_bytes()
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        let spans = self.records.capacity() + self.texts.capacity() + self.ids.capacity();
        self.raw.capacity()
            + self.decoded.capacity()
            + spans * size_of::<Span>()
            + self.priorities.capacity() * size_of::<Option<f64>>()
    }

    /// Takes all records out, keeping the buffers.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.raw.clear();
        self.decoded.clear();
        self.texts.clear();
        self.ids.clear();
        self.priorities.clear();
    }

    fn slice(&self, span: Span) -> &str {
        match span.start.checked_sub(self.raw.len()) {
            Some(start) => &self.decoded[start..span.end - self.raw.len()],
            None => &self.raw[span.start..span.end],
        }
    }
}
