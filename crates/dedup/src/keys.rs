//! The table of distinct texts: which texts have been seen, and which class each belongs to.
//!
//! One table holds raw texts and normal forms alike. Most texts are their own normal form, so that one entry serves as both;
//! a normal form that never came in as a text is an entry without records. An entry costs 16 bytes of key, 4 of class and,
//! in the hash table, 5 / load factor.

use hashbrown::HashTable;
use sluice_text::content_key;

/// An entry of the table: a distinct text, raw or normal.
pub(crate) type Entry = u32;

/// The class of an entry whose class is not known yet.
pub(crate) const NO_CLASS: u32 = u32::MAX;

/// Distinct texts by key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    table: HashTable<Entry>,
    /// The key of each entry.
    of_entries: Vec<u128>,
    classes: Vec<u32>,
}

impl Keys {
    /// The entry of a key, if `same` confirms that it holds the same text.
    pub(crate) fn find(&self, key: u128, same: impl Fn(Entry) -> bool) -> Option<Entry> {
        let holds = |&entry: &Entry| self.of_entries[entry as usize] == key && same(entry);
        self.table.find(slot(key), holds).copied()
    }

    /// Adds an entry that [`Keys::find`] did not find.
    pub(crate) fn insert(&mut self, key: u128) -> Entry {
        let entry = self.of_entries.len() as Entry;
        grow_gently(&mut self.of_entries);
        grow_gently(&mut self.classes);
        self.of_entries.push(key);
        self.classes.push(NO_CLASS);
        let of_entries = &self.of_entries;
        self.table.insert_unique(slot(key), entry, |&other| slot(of_entries[other as usize]));
        entry
    }

    pub(crate) fn key(&self, entry: Entry) -> u128 {
        self.of_entries[entry as usize]
    }

    pub(crate) fn class(&self, entry: Entry) -> u32 {
        self.classes[entry as usize]
    }

    pub(crate) fn set_class(&mut self, entry: Entry, class: u32) {
        self.classes[entry as usize] = class;
    }

    pub(crate) fn len(&self) -> usize {
        self.of_entries.len()
    }

    /// Memory held.
    pub(crate) fn size_bytes(&self) -> usize {
        self.of_entries.capacity() * size_of::<u128>()
            + self.classes.capacity() * size_of::<u32>()
            + self.table.allocation_size()
    }
}

/// The hash of a key is a part of it: keys are hashes already.
fn slot(key: u128) -> u64 {
    key as u64
}

/// Makes room by an eighth instead of doubling, so that little memory stays unused.
pub(crate) fn grow_gently<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 8 + 64);
    }
}

/// The key of a row of cells: of one column its content key, of several the key of their keys.
pub(crate) fn key_of<'a>(mut cells: impl ExactSizeIterator<Item = &'a [u8]>) -> u128 {
    if cells.len() == 1
        && let Some(only) = cells.next()
    {
        return content_key(only);
    }
    let keys: Vec<u8> = cells.flat_map(|cell| content_key(cell).to_le_bytes()).collect();
    content_key(&keys)
}
