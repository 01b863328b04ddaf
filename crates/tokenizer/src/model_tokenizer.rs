//! A tokenizer as its file describes it, without what the file says about cutting and padding: those are the caller's.

use std::path::Path;

use tokenizers::{PostProcessor, Tokenizer};

use crate::error::TokenizerError;
use crate::tokenizer_file;

/// The tokenizer of a model.
pub struct ModelTokenizer {
    pub(crate) inner: Tokenizer,
    /// Tokens that stand around and between two texts.
    pub(crate) around_pair: usize,
    own_tokens_max: Option<usize>,
}

impl ModelTokenizer {
    /// Reads a `tokenizer.json`.
    pub fn load(path: &Path) -> Result<Self, TokenizerError> {
        Self::from_json(&tokenizer_file::read(path)?)
    }

    /// Takes the content of a `tokenizer.json`.
    pub fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        let mut inner = Tokenizer::from_bytes(json)
            .map_err(|error| TokenizerError::Content { reason: error.to_string() })?;
        let own_tokens_max = inner.get_truncation().map(|truncation| truncation.max_length);
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|error| TokenizerError::Content { reason: error.to_string() })?;
        let around_pair = inner.get_post_processor().map_or(0, |processor| processor.added_tokens(true));
        if around_pair == 0 {
            return Err(TokenizerError::NoPairs {
                expected: "a post_processor that sets two texts apart",
                received: "none",
            });
        }
        Ok(Self { inner, around_pair, own_tokens_max })
    }

    /// The least bound on the tokens of a pair: one token of each text is left.
    pub fn pair_tokens_least(&self) -> usize {
        self.around_pair + 2
    }

    /// The bound that the file itself names, if it does.
    pub fn own_tokens_max(&self) -> Option<usize> {
        self.own_tokens_max
    }
}
