//! Which tokens does a model see of this text? Answered by the `tokenizer.json` that comes with the model.
//!
//! The tokens are those of the Hugging Face library, to the id: `WordPiece` of the BERT family, Unigram of the XLM-R family, BPE.
//! Around it stand bounds: on the file, on the tokens, and on how far a long text is read. It knows no model and no graph.
//!
//! ```
//! use sluice_tokenizer::ModelTokenizer;
//!
//! let json = r#"{
//!   "version": "1.0", "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "BertPreTokenizer"},
//!   "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]}, "decoder": null,
//!   "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "\#\#",
//!             "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "pump": 3, "stop": 4}}
//! }"#.replace("\\#", "#");
//! let tokenizer = ModelTokenizer::from_json(json.as_bytes())?;
//! let pairs = tokenizer.encode_pairs("stop", &["pump", "stop pump"], 16, &|| false)?;
//!
//! assert_eq!(pairs.ids, [1, 4, 2, 3, 2, 1, 4, 2, 4, 3, 2]);
//! assert_eq!(pairs.ends, [5, 11]);
//! # Ok::<(), sluice_tokenizer::TokenizerError>(())
//! ```

mod encode_pairs;
mod error;
mod model_tokenizer;
mod read_ahead;
mod tokenizer_file;

pub use encode_pairs::Pairs;
pub use error::TokenizerError;
pub use model_tokenizer::ModelTokenizer;
