//! What can be wrong with a tokenizer file or a call.

/// Why a tokenizer is refused, or texts have no tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// The file cannot be read.
    #[error("cannot read the tokenizer: {source}")]
    File {
        /// What the system says.
        #[from]
        source: std::io::Error,
    },
    /// The file is of another kind or size than such files are.
    #[error("the tokenizer: expected {expected}, received {received}")]
    Kind {
        /// What must be there.
        expected: String,
        /// What is there.
        received: String,
    },
    /// The content is no description of a tokenizer.
    #[error("the tokenizer cannot be understood: {reason}")]
    Content {
        /// What the library says.
        reason: String,
    },
    /// The tokenizer does not say how two texts become one input.
    #[error("the tokenizer: expected {expected}, received {received}")]
    NoPairs {
        /// What must be there.
        expected: &'static str,
        /// What is there.
        received: &'static str,
    },
    /// No token of either text would be left.
    #[error("expected at least {expected} tokens a pair, received {received}")]
    TokensMax {
        /// The least bound.
        expected: usize,
        /// The bound asked for.
        received: usize,
    },
    /// All pairs together have more tokens than positions can name.
    #[error("expected at most {expected} tokens in one call, received more")]
    TooManyTokens {
        /// The most tokens.
        expected: u32,
    },
    /// The library failed on a text.
    #[error("the tokenizer failed on a text: {reason}")]
    Text {
        /// The position of the text; none for the query.
        position: Option<usize>,
        /// What the library says.
        reason: String,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl TokenizerError {
    /// The stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "TOKENIZER_FILE",
            Self::Kind { .. } => "TOKENIZER_FILE_KIND",
            Self::Content { .. } => "TOKENIZER_CONTENT",
            Self::NoPairs { .. } => "TOKENIZER_NO_PAIRS",
            Self::TokensMax { .. } => "TOKENIZER_TOKENS_MAX",
            Self::TooManyTokens { .. } => "TOKENIZER_TOO_MANY_TOKENS",
            Self::Text { .. } => "TOKENIZER_TEXT",
            Self::Cancelled => "CANCELLED",
        }
    }
}
