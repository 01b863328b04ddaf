//! The table of distinct texts: which texts have been seen.
//!
//! One table holds raw texts and normal forms alike. Most texts are their own normal form, so that one entry serves as both;
//! a normal form that never came in as a text is an entry without records. An entry costs 16 bytes of key and, in the hash
//! tables, 5.7 to 7.6.

use hashbrown::HashTable;
use sluice_text::content_key;

use crate::chunks::Chunks;

/// An entry of the table: a distinct text, raw or normal.
pub(crate) type Entry = u32;

/// Distinct texts by key.
///
/// A hash table that doubles is half empty after it did. So entries go to a table that is filled to the brim, and what is
/// beyond to a smaller one beside it, until that has grown as large: then both are one, and that is full again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    full: HashTable<Entry>,
    /// The entries after those of `full`.
    beside: HashTable<Entry>,
    /// The key of each entry.
    of_entries: Chunks<u128>,
}

impl Keys {
    /// The entry of a key, if `same` confirms that it holds the same text.
    pub(crate) fn find(&self, key: u128, same: impl Fn(Entry) -> bool) -> Option<Entry> {
        let holds = |&entry: &Entry| self.of_entries[entry as usize] == key && same(entry);
        let hash = hash_of(key);
        self.full.find(hash, holds).or_else(|| self.beside.find(hash, holds)).copied()
    }

    /// Adds an entry that [`Keys::find`] did not find.
    pub(crate) fn insert(&mut self, key: u128) -> Entry {
        let entry = self.of_entries.len() as Entry;
        self.of_entries.push(key);
        let of_entries = &self.of_entries;
        let hash_at = |&other: &Entry| hash_of(of_entries[other as usize]);
        if self.full.len() < self.full.capacity() {
            self.full.insert_unique(hash_of(key), entry, hash_at);
            return entry;
        }
        self.beside.insert_unique(hash_of(key), entry, hash_at);
        if self.beside.len() >= self.full.len() {
            let first_beside = self.full.len() as Entry;
            self.full.reserve(self.beside.len(), hash_at);
            self.beside = HashTable::new();
            for other in first_beside..=entry {
                self.full.insert_unique(hash_at(&other), other, hash_at);
            }
        }
        entry
    }

    pub(crate) fn key(&self, entry: Entry) -> u128 {
        self.of_entries[entry as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.of_entries.len()
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.of_entries.bytes() + self.full.allocation_size() + self.beside.allocation_size()
    }
}

/// The hash of a key is a part of it: keys are hashes already.
fn hash_of(key: u128) -> u64 {
    key as u64
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
