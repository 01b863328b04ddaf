//! What can be wrong with the files this crate reads.

/// Why a vocabulary is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The vocabulary lacks the token that stands for every unknown word.
    #[error("the vocabulary has no {expected} among its {received} tokens")]
    NoUnknownToken {
        /// The token that must be there.
        expected: &'static str,
        /// How many tokens there are.
        received: usize,
    },
    /// The vocabulary is larger than its tables can be.
    #[error("the vocabulary has {received} bytes, more than {expected}")]
    VocabularyTooLarge {
        /// The most bytes it may have.
        expected: usize,
        /// The bytes it has, with one for the end of each line.
        received: usize,
    },
}

impl TextError {
    /// The stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoUnknownToken { .. } => "VOCABULARY_NO_UNKNOWN_TOKEN",
            Self::VocabularyTooLarge { .. } => "VOCABULARY_TOO_LARGE",
        }
    }
}
