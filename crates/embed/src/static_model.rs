//! A static model: every token has a row, a text is the sum of its rows, set to length one.
//!
//! There is no network to run: the whole model is a table, and what it knows of word order is nothing. The files it is made
//! of are read in `static_wordpiece` and `model2vec`; here it only embeds.

use std::path::Path;

use sluice_text::WordPiece;
use sluice_vector::{Dimension, dot};

use crate::embed_error::EmbedError;
use crate::embedder::{Coverage, Embedder, Scratch};
use crate::kernels::{Rows, Term};
use crate::{model_folder, static_wordpiece};

/// A model that is a table with one row for each token.
///
/// Texts are not truncated; embedding is linear in their length. Unknown tokens are left out of the sum.
pub struct StaticModel {
    pub(crate) id: String,
    pub(crate) dimension: usize,
    pub(crate) pieces: WordPiece,
    pub(crate) rows: Rows,
    /// What each token adds, by its id.
    pub(crate) terms: Vec<Term>,
    pub(crate) scaling: Scaling,
}

/// What happens to the sum of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scaling {
    /// It is set to length one.
    UnitLength,
    /// It is divided by the number of rows.
    Mean,
}

impl StaticModel {
    /// Reads a model in the format `static-wordpiece-1` from memory: a safetensors file and its vocabulary, one token a line.
    ///
    /// Takes milliseconds: it copies the table and builds the tokenizer.
    ///
    /// # Errors
    ///
    /// Every [`EmbedError`] that names a part of a model, never a panic: the bytes may be anything.
    pub fn from_bytes(weights: &[u8], vocabulary: &str) -> Result<Self, EmbedError> {
        static_wordpiece::read(weights.into(), vocabulary, "static")
    }

    /// Reads a model from a folder: `static-wordpiece-1` with its `vocab.txt`, or model2vec with a `WordPiece` `tokenizer.json`.
    ///
    /// The weights are `model.safetensors`, or the only other safetensors file. The model is named by its metadata, or else
    /// by its folder. A model2vec model keeps its meaning but for two things: texts are not truncated to 512 tokens, and
    /// a special token spelled out in a text is text.
    ///
    /// # Errors
    ///
    /// [`EmbedError::File`], [`EmbedError::Unsupported`] for another tokenizer, and what [`StaticModel::from_bytes`] refuses.
    pub fn load(folder: &Path) -> Result<Self, EmbedError> {
        model_folder::load(folder)
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, text: &str, scratch: &mut Scratch, out: &mut [f32]) -> Coverage {
        assert_eq!(out.len(), self.dimension, "a row has the dimension of its model");
        scratch.ids.clear();
        self.pieces.encode(text, &mut scratch.ids);
        let unknown_id = self.pieces.unknown_id();
        let known = scratch.ids.iter().filter(|&&id| id != unknown_id);
        scratch.terms.clear();
        scratch.terms.extend(known.map(|&id| self.terms[id as usize]));
        self.rows.sum(&scratch.terms, out);
        match self.scaling {
            Scaling::UnitLength => scale_to_unit_length(out),
            Scaling::Mean => scale(out, 1.0 / scratch.terms.len().max(1) as f32),
        }
        let (tokens, known) = (scratch.ids.len() as u64, scratch.terms.len() as u64);
        Coverage { tokens, unknown: tokens - known }
    }
}

/// Sets a row to length one; a zero row stays zero.
pub(crate) fn scale_to_unit_length(row: &mut [f32]) {
    let length = dot(row, row).sqrt();
    let factor = length.recip() as f32;
    if length > 0.0 && factor.is_finite() {
        scale(row, factor);
    } else if length > 0.0 {
        // The factor of a row this short is beyond an f32; the row itself is not.
        for element in row {
            *element = (f64::from(*element) / length) as f32;
        }
    }
}

fn scale(row: &mut [f32], factor: f32) {
    for element in row {
        *element *= factor;
    }
}

/// The name of a model with the fingerprint of the files it is made of.
pub(crate) fn model_id(name: &str, weights: &[u8], vocabulary: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(weights).update(vocabulary.as_bytes());
    let fingerprint = hasher.finalize().to_hex();
    format!("{name}@{}", &fingerprint[..16])
}

/// The dimension of a table, which is one that vectors may have.
pub(crate) fn checked_dimension(dimension: usize) -> Result<usize, EmbedError> {
    Dimension::new(dimension)
        .map(|_| dimension)
        .map_err(|_| EmbedError::Dimension { expected: Dimension::MAX, received: dimension })
}

/// The numbers of a tensor, if sums of them stay finite.
pub(crate) fn checked_values(name: &'static str, values: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    // A text of 1 GiB has fewer than 2^30 tokens: (1e12)^2 times that is still an f32.
    const VALUE_MAX: f32 = 1e12;
    match values.iter().position(|value| value.is_nan() || value.abs() > VALUE_MAX) {
        None => Ok(values),
        Some(position) => {
            Err(EmbedError::Value { name, position, expected: VALUE_MAX, received: values[position] })
        }
    }
}
