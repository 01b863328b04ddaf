//! The format of the model2vec library: a table of floats, and the tokenizer of the model it was distilled from.
//!
//! `model.safetensors` holds `embeddings`, `F32`, `F16` or `I8 [rows, dimension]`, and sometimes `weights [tokens]`, by which
//! rows count, and `mapping [tokens]`, which lets tokens share rows. Of the tokenizers, uncased `WordPiece` is supported.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use safetensors::Dtype;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use sluice_text::WordPiece;

use crate::embed_error::EmbedError;
use crate::kernels::{Rows, Term};
use crate::safetensors::{Safetensors, Tensor};
use crate::static_model::{Scaling, StaticModel, checked_dimension, checked_values, model_id};

/// A struct that stands in JSON as an object. A plain struct is read from a list of its fields, too, and from an empty one where
/// all have defaults.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// `tokenizer.json`, as far as it says which tokenizer it is.
#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Option<Object<Normalizer>>,
    pre_tokenizer: Option<Object<Typed>>,
    model: Object<Model>,
}

#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

#[derive(Deserialize)]
struct Normalizer {
    r#type: String,
    clean_text: Option<bool>,
    handle_chinese_chars: Option<bool>,
    strip_accents: Option<bool>,
    lowercase: Option<bool>,
}

#[derive(Deserialize)]
struct Model {
    r#type: Option<String>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<u64>,
    /// An object in `WordPiece`, a list in other models.
    vocab: serde_json::Value,
}

/// `config.json`, as far as it changes the vectors.
#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    normalize: bool,
}

/// Reads a model from its three files.
pub(crate) fn read(
    weights: &[u8],
    tokenizer: &str,
    config: Option<&str>,
    name: &str,
) -> Result<StaticModel, EmbedError> {
    let file = Safetensors::parse(weights)?;
    let pieces = read_tokenizer(tokenizer)?;
    let normalizes = match config {
        None => true,
        Some(config) => {
            serde_json::from_str::<Object<Config>>(config)
                .map_err(|error| EmbedError::Unsupported {
                    field: "config.json",
                    expected: "an object",
                    received: error.to_string(),
                })?
                .0
                .normalize
        }
    };

    let table = file.tensor("embeddings")?;
    let [count, dimension] = table.shape[..] else {
        return Err(wrong_tensor("embeddings", "[rows, dimension]", &table));
    };
    let dimension = checked_dimension(dimension)?;
    let rows = match table.element {
        Dtype::I8 => Rows::Bytes(table.bytes.iter().map(|byte| byte.cast_signed()).collect()),
        Dtype::F16 | Dtype::F32 | Dtype::F64 => {
            Rows::Floats(checked_values("embeddings", table.floats().unwrap_or_default())?)
        }
        _ => return Err(wrong_tensor("embeddings", "F32, F16 or I8", &table)),
    };

    let tokens = pieces.len();
    let factors = if file.has("weights") {
        let tensor = file.tensor("weights")?;
        let floats = tensor.floats().filter(|_| tensor.shape == [tokens]);
        checked_values(
            "weights",
            floats.ok_or_else(|| wrong_tensor("weights", &format!("[{tokens}]"), &tensor))?,
        )?
    } else {
        vec![1.0; tokens]
    };
    let row_of = if file.has("mapping") {
        let tensor = file.tensor("mapping")?;
        tensor
            .positions()
            .filter(|rows| tensor.shape == [tokens] && rows.iter().all(|&row| (row as usize) < count))
            .ok_or_else(|| wrong_tensor("mapping", &format!("[{tokens}] of rows below {count}"), &tensor))?
    } else if count == tokens {
        (0..count as u32).collect()
    } else {
        return Err(wrong_tensor("embeddings", &format!("{tokens} rows"), &table));
    };
    let terms = row_of.into_iter().zip(factors).map(|(row, factor)| Term { row, factor }).collect();

    // Means are other vectors than unit rows, and vectors of two ids are never compared.
    let id = model_id(name, weights, tokenizer);
    let (scaling, id) =
        if normalizes { (Scaling::UnitLength, id) } else { (Scaling::Mean, format!("{id}-mean")) };
    Ok(StaticModel { id, dimension, pieces, rows, terms, scaling })
}

fn wrong_tensor(name: &'static str, expected: &str, tensor: &Tensor) -> EmbedError {
    let received = format!("{:?} {:?}", tensor.element, tensor.shape);
    EmbedError::Tensor { name, expected: expected.into(), received }
}

/// The tokenizer of a `tokenizer.json`, if it is uncased `WordPiece`.
fn read_tokenizer(json: &str) -> Result<WordPiece, EmbedError> {
    let unsupported =
        |field, expected, received: String| EmbedError::Unsupported { field, expected, received };
    let Object::<TokenizerFile>(file) = serde_json::from_str(json)
        .map_err(|error| unsupported("tokenizer.json", "a tokenizer", error.to_string()))?;
    let Model { r#type, unk_token, continuing_subword_prefix, max_input_chars_per_word, vocab } =
        file.model.0;
    let normalizer = file.normalizer.as_ref().map(|object| &object.0);
    let uncased = normalizer.is_some_and(|normalizer| {
        normalizer.lowercase == Some(true)
            && normalizer.clean_text == Some(true)
            && normalizer.handle_chinese_chars == Some(true)
            && normalizer.strip_accents != Some(false)
    });
    let or_none = |name: Option<&String>| name.map_or("none", String::as_str).to_owned();
    let longest = max_input_chars_per_word.map(|longest| longest.to_string());
    for (field, expected, received) in [
        ("tokenizer model", "WordPiece", or_none(r#type.as_ref())),
        ("tokenizer normalizer", "BertNormalizer", or_none(normalizer.map(|normalizer| &normalizer.r#type))),
        (
            "tokenizer pre_tokenizer",
            "BertPreTokenizer",
            or_none(file.pre_tokenizer.as_ref().map(|object| &object.0.r#type)),
        ),
        ("tokenizer unk_token", "[UNK]", or_none(unk_token.as_ref())),
        ("tokenizer continuing_subword_prefix", "##", or_none(continuing_subword_prefix.as_ref())),
        ("tokenizer max_input_chars_per_word", "100", or_none(longest.as_ref())),
        (
            "tokenizer normalizer options",
            "uncased, with cleaning and ideographs apart",
            if uncased { "uncased, with cleaning and ideographs apart" } else { "others" }.to_owned(),
        ),
    ] {
        if received != expected {
            return Err(unsupported(field, expected, received));
        }
    }
    let vocab: BTreeMap<String, u32> = serde_json::from_value(vocab)
        .map_err(|error| unsupported("tokenizer vocab", "ids by token", error.to_string()))?;
    let mut tokens = vec![None; vocab.len()];
    for (token, id) in &vocab {
        if let Some(slot) = tokens.get_mut(*id as usize) {
            *slot = Some(token.as_str());
        }
    }
    let tokens = tokens.into_iter().collect::<Option<Vec<&str>>>().ok_or_else(|| {
        unsupported("tokenizer vocab", "every id from zero on, once", format!("gaps among {}", vocab.len()))
    })?;
    Ok(WordPiece::from_tokens(&tokens)?)
}
