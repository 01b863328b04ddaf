//! The pieces of a vocabulary, and which of them is the longest at the start of a word.
//!
//! Nearly all pieces fit sixteen bytes, which are one integer: a probe of a hash table compares the whole piece at once, and a
//! shorter prefix is a mask away. A small table tells, by the first four bytes, which lengths can occur at all, so that few are
//! tried. Against a trie, which steps through the letters, this is faster to ask and several times faster to build.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::leading_word::{WINDOW, first_bytes, pack};

/// How many bytes choose an entry of [`PieceTable::lengths`]. Shorter pieces are always tried.
const PREFIX: usize = 4;
/// The lengths that are always tried: those below [`PREFIX`], the bit `n - 1` for the length `n`.
const SHORT_LENGTHS: u16 = (1 << (PREFIX - 1)) - 1;
/// The logarithm of the size of [`PieceTable::lengths`].
const LENGTHS_BITS: u32 = 13;
/// The bits of a slot that hold the position of a piece, plus one. The bits above are its tag.
const POSITION_BITS: u32 = 24;
/// The most pieces of a table.
pub(crate) const PIECES_MAX: usize = (1 << POSITION_BITS) - 1;

/// A set of byte strings, each with a number, that finds the longest one at the start of a word.
///
/// The short ones sit in an open hash table with linear probing, at most half full. Vocabularies begin with their frequent
/// tokens, which therefore sit in their first slot, and close together in memory.
pub(crate) struct PieceTable {
    /// The position of a piece plus one, and a tag of its hash that spares most comparisons; zero in a free slot.
    slots: Vec<u32>,
    /// The logarithm of the number of slots.
    slots_bits: u32,
    /// The short pieces by position, packed, and their numbers.
    keys: Vec<u128>,
    ids: Vec<u32>,
    /// Which lengths pieces have that start with some bytes, by the hash of these.
    lengths: Vec<u16>,
    /// The pieces that are longer than a window.
    long: BTreeMap<Box<[u8]>, u32>,
}

impl PieceTable {
    /// An empty table, with room for some pieces.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let slots_bits = (2 * count).max(2).next_power_of_two().ilog2();
        Self {
            slots: vec![0; 1 << slots_bits],
            slots_bits,
            keys: Vec::with_capacity(count),
            ids: Vec::with_capacity(count),
            lengths: vec![SHORT_LENGTHS; 1 << LENGTHS_BITS],
            long: BTreeMap::new(),
        }
    }

    /// Adds a piece, which is not empty and has no zero byte; of equal pieces, the last one counts.
    ///
    /// There are at most [`PIECES_MAX`].
    pub(crate) fn insert(&mut self, piece: &[u8], id: u32) {
        if piece.len() > WINDOW {
            self.long.insert(piece.into(), id);
            return;
        }
        let key = pack(piece);
        self.lengths[prefix_hash(key)] |= 1 << (piece.len() - 1);
        match self.slot(key) {
            Ok(position) => self.ids[position] = id,
            Err(slot) => {
                self.keys.push(key);
                self.ids.push(id);
                self.slots[slot] = tag(hash(key)) | self.keys.len() as u32;
                if 2 * self.keys.len() > self.slots.len() {
                    self.grow();
                }
            }
        }
    }

    /// The number of the piece that is this packed word.
    #[inline]
    pub(crate) fn find(&self, key: u128) -> Option<u32> {
        self.slot(key).ok().map(|position| self.ids[position])
    }

    /// The longest piece at the start of a packed word of at most [`WINDOW`] bytes: its number and its length.
    #[inline]
    pub(crate) fn longest_packed(&self, word: u128, length: usize) -> Option<(u32, usize)> {
        let mut lengths = self.lengths[prefix_hash(word)] & (u16::MAX >> (WINDOW - length));
        while let Some(last) = lengths.checked_ilog2() {
            let length = last as usize + 1;
            if let Some(id) = self.find(first_bytes(word, length)) {
                return Some((id, length));
            }
            lengths ^= 1 << last;
        }
        None
    }

    /// The longest piece at the start of a word, which is not empty: its number and its length.
    pub(crate) fn longest(&self, word: &[u8]) -> Option<(u32, usize)> {
        let window = &word[..word.len().min(WINDOW)];
        self.longest_long(word).or_else(|| self.longest_packed(pack(window), window.len()))
    }

    /// The longest piece at the start of a word, if it is longer than a window.
    fn longest_long(&self, mut word: &[u8]) -> Option<(u32, usize)> {
        while word.len() > WINDOW {
            // Between a prefix of the word and the word, all strings start with that prefix: what the greatest of them
            // has in common with the word is at least as long as every piece that is left to find.
            let (piece, id) =
                self.long.range::<[u8], _>((Bound::Unbounded, Bound::Included(word))).next_back()?;
            let common = piece.iter().zip(word).take_while(|(a, b)| a == b).count();
            if common == piece.len() {
                return Some((*id, common));
            }
            word = &word[..common];
        }
        None
    }

    /// The position of a short piece, or else the free slot in which it would be.
    #[inline]
    fn slot(&self, key: u128) -> Result<usize, usize> {
        let hash = hash(key);
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> (u64::BITS - self.slots_bits)) as usize;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            if (entry ^ tag(hash)) >> POSITION_BITS == 0 {
                let position = (entry & PIECES_MAX as u32) as usize - 1;
                if self.keys[position] == key {
                    return Ok(position);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Doubles the number of slots.
    fn grow(&mut self) {
        self.slots_bits += 1;
        self.slots = vec![0; 1 << self.slots_bits];
        for (position, &key) in self.keys.iter().enumerate() {
            if let Err(slot) = self.slot(key) {
                self.slots[slot] = tag(hash(key)) | (position as u32 + 1);
            }
        }
    }
}

/// A hash whose highest bits depend on every byte of the key.
#[inline]
fn hash(key: u128) -> u64 {
    // Two multiplications where `xxh3` would do: with it, static-en embeds some 4 % fewer texts a second (median of ten pairs of
    // runs of `crates/embed/examples/throughput.rs` over the etcd passages). The numbers are odd and without a pattern:
    // fractional parts of the golden ratio and of the square root of two.
    (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ ((key >> 64) as u64).wrapping_mul(0x6a09_e667_f3bc_c909)
}

/// The tag of a hash, in the place where a slot has it: bits below those that choose the slot.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 8) as u32 & !(PIECES_MAX as u32)
}

/// The entry of [`PieceTable::lengths`] for a packed word, by one multiplication for the reason given at [`hash`].
#[inline]
fn prefix_hash(word: u128) -> usize {
    ((word as u32).wrapping_mul(0x9e37_79b9) >> (u32::BITS - LENGTHS_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{PieceTable, WINDOW, pack};

    proptest! {
        #[test]
        fn finds_the_longest_piece_and_nothing_else(
            pieces in proptest::collection::vec("[a-c\u{e9}\u{6f22}]{1,7}|a{1,40}|(abc){4,8}b?", 0..300),
            words in proptest::collection::vec("[a-d\u{e9}]{1,9}|a{1,50}b|(abc){3,9}[ab]?", 0..50),
            capacity in 0..300_usize,
        ) {
            let mut table = PieceTable::with_capacity(capacity);
            let mut expected = BTreeMap::new();
            for (piece, id) in pieces.iter().zip(0..) {
                table.insert(piece.as_bytes(), id);
                expected.insert(piece.as_bytes(), id);
            }
            for word in words.iter().chain(&pieces).map(String::as_bytes) {
                let longest =
                    (1..=word.len()).rev().find_map(|length| Some((*expected.get(&word[..length])?, length)));
                prop_assert_eq!(table.longest(word), longest);
                if word.len() <= WINDOW {
                    prop_assert_eq!(table.find(pack(word)), expected.get(word).copied());
                    prop_assert_eq!(table.longest_packed(pack(word), word.len()), longest);
                }
            }
        }
    }
}
