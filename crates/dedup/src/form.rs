//! The form of a record: what the near stages see of it, and whether it says anything at all.

use std::borrow::Cow;

use sluice_text::NormalForm;

use crate::decoded;
use crate::keys::key_of;
use crate::texts::cells;
use crate::{DedupOptions, Empty, Records};

/// The normal form of a text that is new to the batch.
pub(crate) struct Form {
    /// The cells, where they differ from the text's own.
    pub(crate) cells: Option<Vec<Vec<u8>>>,
    /// Their key, if they differ.
    pub(crate) key: u128,
}

impl Form {
    /// The normal form of a record of a block.
    pub(crate) fn of(block: &dyn Records, record: usize, options: DedupOptions) -> Self {
        if options.texts_are_forms() {
            return Self { cells: None, key: 0 };
        }
        let normal: Vec<Cow<'_, [u8]>> =
            if options.empty == Empty::Collapse && cells(block, record).all(is_blank) {
                vec![Cow::Borrowed(&[]); block.columns()]
            } else {
                cells(block, record).map(|cell| normal_form(cell, options.normal_form)).collect()
            };
        if cells(block, record).eq(normal.iter().map(AsRef::as_ref)) {
            return Self { cells: None, key: 0 };
        }
        let key = key_of(normal.iter().map(AsRef::as_ref));
        Self { cells: Some(normal.into_iter().map(Cow::into_owned).collect()), key }
    }
}

/// The normal form of a text; bytes that are not UTF-8 are their own.
fn normal_form(bytes: &[u8], form: NormalForm) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes).map(|text| form.apply(text)) {
        Ok(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        Ok(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        Err(_) => Cow::Borrowed(bytes),
    }
}

/// Whether a text says nothing: its normal form [`NormalForm::Space`] is empty.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    if bytes.first().is_some_and(u8::is_ascii_graphic) {
        return false;
    }
    std::str::from_utf8(bytes).is_ok_and(|text| NormalForm::Space.apply(text).is_empty())
}

/// Characters of all cells. Counts the bytes that start one, which also counts lone surrogates.
pub(crate) fn characters<'a>(cells: impl Iterator<Item = &'a [u8]>) -> u32 {
    let starts = |cell: &[u8]| cell.iter().filter(|&&byte| !(0x80..0xC0).contains(&byte)).count();
    u32::try_from(cells.map(starts).sum::<usize>()).unwrap_or(u32::MAX)
}

/// Cells joined by a newline, decoded.
pub(crate) fn joined<'a>(mut cells: impl Iterator<Item = &'a [u8]>) -> Cow<'a, str> {
    let first = decoded(cells.next().unwrap_or_default());
    cells.fold(first, |text, cell| text + "\n" + decoded(cell))
}
