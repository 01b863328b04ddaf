//! What every embedder promises: a text becomes one row, with an honest count of what was understood.

use crate::kernels::Term;

/// Turns texts into rows, of unit length unless a model says otherwise.
///
/// A row depends on the text and the model alone: not on the CPU, the threads, or what was embedded before.
pub trait Embedder: Send + Sync {
    /// The name and the fingerprint of the model. Rows of different ids are never comparable.
    fn id(&self) -> &str;

    /// The length of a row.
    fn dimension(&self) -> usize;

    /// Writes the row of a text: all zero if the model understands nothing in it, else of length one; a model2vec folder that
    /// does not normalize gives means, of any length.
    ///
    /// # Panics
    ///
    /// If `out` is not as long as a row.
    fn embed(&self, text: &str, scratch: &mut Scratch, out: &mut [f32]) -> Coverage;
}

/// How much of the text a model understood. Sums up over texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// How many tokens the text has.
    pub tokens: u64,
    /// How many of them the model does not know; they do not count in the row.
    pub unknown: u64,
}

impl std::ops::Add for Coverage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { tokens: self.tokens + other.tokens, unknown: self.unknown + other.unknown }
    }
}

impl std::iter::Sum for Coverage {
    fn sum<I: Iterator<Item = Self>>(coverages: I) -> Self {
        coverages.fold(Self::default(), std::ops::Add::add)
    }
}

/// Memory that an embedder uses again from text to text. Any scratch fits any model.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The tokens of one text.
    pub(crate) ids: Vec<u32>,
    /// What the known ones of them add.
    pub(crate) terms: Vec<Term>,
    /// The characters of one word.
    pub(crate) characters: Vec<char>,
    /// The features of one text.
    pub(crate) features: Vec<u64>,
}
