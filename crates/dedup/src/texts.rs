//! An arena of texts: the bytes of every cell one after the other, and where each ends.
//!
//! A row has one cell a column. Nothing is ever removed.

use crate::Records;

/// Rows of texts in one allocation.
#[derive(Debug, Clone)]
pub(crate) struct Texts {
    columns: usize,
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Texts {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns, bytes: Vec::new(), ends: Vec::new() }
    }

    /// Appends the columns of one row.
    pub(crate) fn push<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) {
        let before = self.ends.len();
        for cell in cells {
            self.bytes.extend_from_slice(cell);
            self.ends.push(self.bytes.len() as u64);
        }
        debug_assert_eq!(self.ends.len(), before + self.columns);
    }

    /// One cell.
    pub(crate) fn cell(&self, row: usize, column: usize) -> &[u8] {
        let at = row * self.columns + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }

    /// The cells of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = &[u8]> {
        (0..self.columns).map(move |column| self.cell(row, column))
    }

    /// Whether a row holds exactly these cells.
    pub(crate) fn holds<'a>(&self, row: usize, cells: impl Iterator<Item = &'a [u8]>) -> bool {
        self.row(row).eq(cells)
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u64>()
    }
}

/// The columns of one record of a block.
pub(crate) fn cells(block: &dyn Records, record: usize) -> impl Iterator<Item = &[u8]> {
    (0..block.columns()).map(move |column| block.column(record, column))
}
