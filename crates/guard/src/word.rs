//! One word of a text: where its lower-cased letters lie, and what was seen of it while reading.
//!
//! Words of two texts are compared often, so each carries a hash; equal hashes are always confirmed by the letters.

use xxhash_rust::xxh3::xxh3_64;

/// What reading noticed about a word, as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Traits(u16);

impl Traits {
    pub(crate) const NONE: Self = Self(0);
    /// The letters are a number in canonical form.
    pub(crate) const NUMBER: Self = Self(1);
    /// Denies what it stands beside.
    pub(crate) const NEGATION: Self = Self(1 << 1);
    /// Has a capital where an ordinary word would not.
    pub(crate) const NAME: Self = Self(1 << 2);
    /// Written as programs write names: `camelCase`, `snake_case`, `call()`, a hex id.
    pub(crate) const IDENTIFIER: Self = Self(1 << 3);
    /// A month or a weekday.
    pub(crate) const CALENDAR: Self = Self(1 << 4);
    /// First of its clause.
    pub(crate) const CLAUSE: Self = Self(1 << 5);
    /// First of its sentence.
    pub(crate) const SENTENCE: Self = Self(1 << 6);
    /// Stands where any word may have a capital.
    pub(crate) const OPENING: Self = Self(1 << 7);
    /// The word "one", which is a number only if the other text says so.
    pub(crate) const ONE: Self = Self(1 << 8);
    /// A multiple of ten in letters, which a unit may follow.
    pub(crate) const TENS: Self = Self(1 << 9);
    /// Begins with a capital.
    pub(crate) const CAPITAL: Self = Self(1 << 10);

    /// What is in one of the two sets.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set less the other.
    pub(crate) const fn less(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether one of these is in the set.
    pub(crate) const fn has_any(self, wanted: Self) -> bool {
        self.0 & wanted.0 != 0
    }
}

/// A word as a span of its text's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    start: u32,
    length: u32,
    hash: u32,
    pub(crate) traits: Traits,
}

impl Word {
    /// The word whose letters are the end of `letters`, from `start` on.
    pub(crate) fn ending(letters: &str, start: usize, traits: Traits) -> Self {
        let bytes = &letters.as_bytes()[start..];
        Self { start: start as u32, length: bytes.len() as u32, hash: xxh3_64(bytes) as u32, traits }
    }

    /// Its letters, taken from the letters of its text.
    pub(crate) fn letters(self, letters: &str) -> &str {
        &letters[self.start as usize..(self.start + self.length) as usize]
    }

    pub(crate) const fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) const fn hash(self) -> u32 {
        self.hash
    }

    /// Whether one of these was noticed about it.
    pub(crate) const fn has_any(self, wanted: Traits) -> bool {
        self.traits.has_any(wanted)
    }
}
