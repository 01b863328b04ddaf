//! A model without a model: hashed runs of characters, for every language and without a byte of weights.
//!
//! A text is the set of its runs of three to five characters inside words, each added to one of the elements with a sign,
//! both chosen by its hash (feature hashing: Weinberger et al. 2009). It sees spelling, not meaning: near-duplicates are near,
//! paraphrases are not.

use sluice_text::NormalForm;
use sluice_vector::Dimension;

use crate::embed_error::EmbedError;
use crate::embedder::{Coverage, Embedder, Scratch};
use crate::static_model::scale_to_unit_length;

/// The lengths of the runs, in characters.
const RUN_MIN: usize = 3;
const RUN_MAX: usize = 5;
/// Counts the changes of meaning: it is part of the id.
const VERSION: u32 = 1;
/// Mixes one character into a hash: an odd number without a pattern (the fractional part of the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashed character runs, in any language.
///
/// Words are what white space separates in the lower-cased normal form, with a space put before and behind. A run that occurs
/// `n` times counts the square root of `n`. Every word is known; a text without words has the zero row.
pub struct HashModel {
    id: String,
    dimension: usize,
}

impl HashModel {
    /// The dimension unless another is asked for.
    pub const DIMENSION: usize = 512;

    /// A model with rows of a dimension: the larger, the fewer runs share an element.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Dimension`] if vectors cannot have it.
    pub fn new(dimension: usize) -> Result<Self, EmbedError> {
        match Dimension::new(dimension) {
            Ok(_) => Ok(Self { id: format!("hash-{dimension}@{VERSION}"), dimension }),
            Err(_) => Err(EmbedError::Dimension { expected: Dimension::MAX, received: dimension }),
        }
    }
}

impl Embedder for HashModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, text: &str, scratch: &mut Scratch, out: &mut [f32]) -> Coverage {
        assert_eq!(out.len(), self.dimension, "a row has the dimension of its model");
        let normal = NormalForm::Case.apply(text);
        let runs = &mut scratch.features;
        runs.clear();
        let mut words = 0;
        for word in normal.split(' ').filter(|word| !word.is_empty()) {
            words += 1;
            push_runs(word, &mut scratch.characters, runs);
        }
        runs.sort_unstable();
        out.fill(0.0);
        for same in runs.chunk_by(u64::eq) {
            let (element, is_negative) = place(same[0], self.dimension);
            let weight = (same.len() as f32).sqrt();
            out[element] += if is_negative { -weight } else { weight };
        }
        scale_to_unit_length(out);
        Coverage { tokens: words, unknown: 0 }
    }
}

/// Appends the hashes of the runs of a word between two spaces; of a word of one character, the whole is the only run.
fn push_runs(word: &str, characters: &mut Vec<char>, runs: &mut Vec<u64>) {
    characters.clear();
    characters.push(' ');
    characters.extend(word.chars());
    characters.push(' ');
    for start in 0..=characters.len() - RUN_MIN {
        let mut hash = MULTIPLIER;
        for (c, length) in characters[start..].iter().zip(1..=RUN_MAX) {
            hash = (hash ^ u64::from(*c)).wrapping_mul(MULTIPLIER);
            hash ^= hash >> 32;
            if length >= RUN_MIN {
                runs.push(hash);
            }
        }
    }
}

/// The element that a hash falls on, and whether it counts negative there.
fn place(hash: u64, dimension: usize) -> (usize, bool) {
    // The high half of the product spreads hashes evenly over any dimension (Lemire 2019); the lowest bit has no part in it.
    let element = (u128::from(hash) * dimension as u128) >> 64;
    (element as usize, hash & 1 == 1)
}
