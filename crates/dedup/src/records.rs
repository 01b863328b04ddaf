//! Records as the caller holds them: bytes by record and column, borrowed, never copied to be looked at.

/// A block of records to add to a batch.
///
/// Bytes are usually UTF-8. A column that is not (a lone surrogate in WTF-8) is its own normal form, byte for byte; its
/// words are those of [`decoded`](crate::decoded).
pub trait Records: Sync {
    /// How many records the block holds.
    fn len(&self) -> usize;

    /// Columns of each record.
    fn columns(&self) -> usize {
        1
    }

    /// One column of one record. `record < len()`, `column < columns()`.
    fn column(&self, record: usize, column: usize) -> &[u8];

    /// The priority of a record, for [`Keep::Highest`](crate::Keep::Highest) and [`Keep::Lowest`](crate::Keep::Lowest).
    fn priority(&self, record: usize) -> Option<f64> {
        let _ = record;
        None
    }

    /// Whether the block holds no record.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Records of one column.
impl<T: AsRef<[u8]> + Sync> Records for &[T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn column(&self, record: usize, _column: usize) -> &[u8] {
        self[record].as_ref()
    }
}

/// A single record of several columns.
pub(crate) struct One<'a> {
    pub(crate) columns: &'a [&'a [u8]],
    pub(crate) priority: Option<f64>,
}

impl Records for One<'_> {
    fn len(&self) -> usize {
        1
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn column(&self, _record: usize, column: usize) -> &[u8] {
        self.columns[column]
    }

    fn priority(&self, _record: usize) -> Option<f64> {
        self.priority
    }
}
