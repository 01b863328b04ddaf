//! The shingle sets of the classes, as sorted hashes in one flat array.
//!
//! A shingle is its 64-bit xxh3: two different shingles of a corpus of `n` share one with odds of about `n^2 / 2^65`.

use std::borrow::Cow;

use sluice_text::words;
use xxhash_rust::xxh3::xxh3_64;

use crate::{Shingles, Unit};

/// One set a class, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sets {
    hashes: Vec<u64>,
    ends: Vec<u64>,
}

impl Sets {
    /// Appends a set: ascending, each hash once.
    pub(crate) fn push(&mut self, set: &[u64]) {
        debug_assert!(set.is_sorted_by(|a, b| a < b));
        self.hashes.extend_from_slice(set);
        self.ends.push(self.hashes.len() as u64);
    }

    pub(crate) fn get(&self, class: u32) -> &[u64] {
        let class = class as usize;
        let start = if class == 0 { 0 } else { self.ends[class - 1] as usize };
        &self.hashes[start..self.ends[class] as usize]
    }

    /// All hashes of all sets.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        (self.hashes.capacity() + self.ends.capacity()) * size_of::<u64>()
    }
}

/// The shingle set of a normal form: ascending, each hash once, never empty.
pub(crate) fn shingle_set(normal: &str, shingles: Shingles) -> Vec<u64> {
    let lowered = lower_case(normal);
    let mut set = match shingles.unit {
        Unit::Word => word_shingles(&lowered, shingles.size.get()),
        Unit::Character => character_shingles(&lowered, shingles.size.get()),
    };
    set.sort_unstable();
    set.dedup();
    set
}

/// The lower-cased text; borrowed when it is ASCII without capitals.
fn lower_case(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(text.to_lowercase());
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

/// Runs of `size` words, joined by one space. All words are written once, so that every shingle is a slice of one buffer.
fn word_shingles(text: &str, size: usize) -> Vec<u64> {
    let mut joined = String::with_capacity(text.len() + 1);
    let mut starts = Vec::with_capacity(text.len() / 4 + 1);
    for word in words(text) {
        starts.push(joined.len());
        joined.push_str(word);
        joined.push(' ');
    }
    starts.push(joined.len());
    let count = starts.len() - 1;
    if count == 0 {
        return vec![xxh3_64(text.as_bytes())];
    }
    let size = size.min(count);
    let joined = joined.as_bytes();
    let hash = |window: &[usize]| xxh3_64(&joined[window[0]..window[size] - 1]);
    starts.windows(size + 1).map(hash).collect()
}

/// Runs of `size` characters.
fn character_shingles(text: &str, size: usize) -> Vec<u64> {
    let mut starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    starts.push(text.len());
    let size = size.min(starts.len() - 1);
    let hash = |window: &[usize]| xxh3_64(&text.as_bytes()[window[0]..window[size]]);
    starts.windows(size + 1).map(hash).collect()
}
