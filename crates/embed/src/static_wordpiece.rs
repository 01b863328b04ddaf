//! The format of the shipped models, `static-wordpiece-1`: a quantised table with one scale a row, and a vocabulary.
//!
//! The safetensors file holds `table`, `U8 [tokens, dimension / 2]` (see [`Rows::Nibbles`]) or `I8 [tokens, dimension]`, and
//! `scale`, `F16 [tokens]`. Row `i` times scale `i` is the vector of the token in line `i` of the vocabulary. Where the
//! metadata holds `vocab_sha256`, the vocabulary must be that one: with another every vector is that of other tokens.

use std::borrow::Cow;
use std::fmt::Write;

use safetensors::Dtype;
use sha2::{Digest, Sha256};
use sluice_text::WordPiece;

use crate::embed_error::EmbedError;
use crate::kernels::{Rows, Term};
use crate::line_bytes::LineBytes;
use crate::safetensors::Safetensors;
use crate::static_model::{Scaling, StaticModel, checked_dimension, checked_values, model_id};

/// The name of the format in the metadata.
const FORMAT: &str = "static-wordpiece-1";
/// With nibbles, a dimension is a multiple of this.
const NIBBLE_GROUP: usize = 32;

/// The SHA-256 of a text, in hexadecimal digits.
fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string cannot fail.
        _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Reads a model; it is called `name` unless its metadata has a name.
pub(crate) fn read(weights: Cow<[u8]>, vocabulary: &str, name: &str) -> Result<StaticModel, EmbedError> {
    let file = Safetensors::parse(&weights)?;
    for (key, field, expected) in [
        ("format", "metadata format", FORMAT),
        ("pooling", "metadata pooling", "mean"),
        ("normalise", "metadata normalise", "l2"),
        ("tokenizer", "metadata tokenizer", "bert-uncased-wordpiece"),
    ] {
        let received = file.metadata(key).unwrap_or("none");
        if received != expected {
            return Err(EmbedError::Unsupported { field, expected, received: received.into() });
        }
    }
    if let Some(expected) = file.metadata("vocab_sha256") {
        let received = sha256(vocabulary);
        if received != expected {
            return Err(EmbedError::OtherVocabulary { expected: expected.into(), received });
        }
    }
    let pieces = WordPiece::from_vocabulary(vocabulary)?;

    let table = file.tensor("table")?;
    let wrong_table = || EmbedError::Tensor {
        name: "table",
        expected: format!(
            "U8 [{0}, dimension / 2] with whole groups of 16 bytes, or I8 [{0}, dimension]",
            pieces.len()
        ),
        received: format!("{:?} {:?}", table.element, table.shape),
    };
    let [count, width] = table.shape[..] else { return Err(wrong_table()) };
    if count != pieces.len() {
        return Err(wrong_table());
    }
    let dimension = match table.element {
        Dtype::U8 if width % (NIBBLE_GROUP / 2) == 0 => checked_dimension(width.saturating_mul(2))?,
        Dtype::I8 => checked_dimension(width)?,
        _ => return Err(wrong_table()),
    };

    let scale = file.tensor("scale")?;
    if scale.element != Dtype::F16 || scale.shape != [count] {
        return Err(EmbedError::Tensor {
            name: "scale",
            expected: format!("F16 [{count}]"),
            received: format!("{:?} {:?}", scale.element, scale.shape),
        });
    }
    let scales = checked_values("scale", scale.floats().unwrap_or_default())?;
    let terms = scales.into_iter().zip(0..).map(|(factor, row)| Term { row, factor }).collect();

    let id = model_id(file.metadata("name").unwrap_or(name), &weights, vocabulary);
    let (element, range) = (table.element, table.range);
    let rows = match element {
        Dtype::I8 => Rows::Bytes(table.bytes.iter().map(|byte| byte.cast_signed()).collect()),
        _ => Rows::Nibbles(LineBytes::from_file(weights, range)),
    };
    Ok(StaticModel { id, dimension, pieces, rows, terms, scaling: Scaling::UnitLength })
}
