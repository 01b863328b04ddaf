//! What can be wrong with a model or a call.

use sluice_text::TextError;

/// Why a model is refused, or a batch has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A file of the model cannot be read.
    #[error("cannot read {name}: {source}")]
    File {
        /// The name of the file, without its folder.
        name: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file of the model is of another kind or size than files of models are.
    #[error("{name}: expected {expected}, received {received}")]
    Kind {
        /// The name of the file, without its folder.
        name: String,
        /// What must be there.
        expected: String,
        /// What is there.
        received: String,
    },
    /// The weights are not a safetensors file.
    #[error("the weights are no safetensors file: expected {expected}, received {received}")]
    Header {
        /// What must be there.
        expected: &'static str,
        /// What is there.
        received: String,
    },
    /// A tensor is missing or has another shape or type.
    #[error("tensor {name}: expected {expected}, received {received}")]
    Tensor {
        /// The name of the tensor.
        name: &'static str,
        /// What must be there.
        expected: String,
        /// What is there.
        received: String,
    },
    /// A tensor holds a number that no sum survives: not finite, or beyond the bound.
    #[error(
        "tensor {name}, element {position}: expected a number of at most {expected}, received {received}"
    )]
    Value {
        /// The name of the tensor.
        name: &'static str,
        /// The position of the first such element.
        position: usize,
        /// The largest magnitude there may be.
        expected: f32,
        /// The element.
        received: f32,
    },
    /// The vocabulary is another than the one the weights were made for.
    #[error("the vocabulary belongs to other weights: expected SHA-256 {expected}, received {received}")]
    OtherVocabulary {
        /// The hash that the weights hold.
        expected: String,
        /// The hash of the vocabulary.
        received: String,
    },
    /// The model asks for something that is not built in.
    #[error("{field}: expected {expected}, received {received}")]
    Unsupported {
        /// The field of the model's description.
        field: &'static str,
        /// What is supported.
        expected: &'static str,
        /// What is there.
        received: String,
    },
    /// The vocabulary is refused.
    #[error(transparent)]
    Vocabulary(#[from] TextError),
    /// The dimension of a model is out of range.
    #[error("expected a dimension from 1 to {expected}, received {received}")]
    Dimension {
        /// The largest dimension.
        expected: usize,
        /// The dimension asked for.
        received: usize,
    },
    /// The buffer for the rows has another length.
    #[error("expected a buffer of {expected} numbers, received {received}")]
    Buffer {
        /// Rows times dimension.
        expected: usize,
        /// The length of the buffer.
        received: usize,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EmbedError {
    /// The stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "MODEL_FILE",
            Self::Kind { .. } => "MODEL_FILE_KIND",
            Self::Header { .. } => "MODEL_HEADER",
            Self::Tensor { .. } => "MODEL_TENSOR",
            Self::Value { .. } => "MODEL_VALUE",
            Self::Unsupported { .. } => "MODEL_UNSUPPORTED",
            Self::OtherVocabulary { .. } => "MODEL_VOCABULARY",
            Self::Vocabulary(error) => error.code(),
            Self::Dimension { .. } => "MODEL_DIMENSION",
            Self::Buffer { .. } => "EMBED_BUFFER",
            Self::Cancelled => "CANCELLED",
        }
    }
}
