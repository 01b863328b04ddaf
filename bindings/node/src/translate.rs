//! From the error enums of the core to the one table of codes in `src/errors.ts`.

use sluice_corpus::CorpusError;
use sluice_dedup::DedupError;
use sluice_filter::FilterError;
use sluice_index::IndexError;
use sluice_rank::RankError;
use sluice_store::StoreError;
use sluice_tokenizer::TokenizerError;
use sluice_vector::VectorError;

use crate::failure::Failure;

impl From<DedupError> for Failure {
    fn from(error: DedupError) -> Self {
        let message = sentence(&error);
        let failure = |code| Self::new(code, message.clone());
        match error {
            DedupError::Threshold { expected, received, .. } => Self {
                expected: Some(expected.to_owned()),
                received: Some(received.to_string()),
                ..failure("OPTION_INVALID")
            },
            DedupError::ReferenceThreshold { expected, received } => Self {
                field: Some("jaccard".to_owned()),
                expected: Some(format!("at least {expected}")),
                received: Some(received.to_string()),
                ..failure("OPTION_INVALID")
            },
            DedupError::Unlike { option, expected, received } => Self {
                field: Some(option.to_owned()),
                expected: Some(expected),
                received: Some(received),
                ..failure("OPTION_INVALID")
            },
            DedupError::TooManyRecords { expected, received } => Self {
                expected: Some(format!("at most {expected} records")),
                received: Some(received.to_string()),
                ..failure("INPUT_TOO_LARGE")
            },
            DedupError::VectorShape { expected, received } => Self {
                expected: Some(format!("{expected} numbers")),
                received: Some(received.to_string()),
                ..failure("DIMENSION_MISMATCH")
            },
            DedupError::Vector(inner) => inner.into(),
            DedupError::Cancelled => Self::aborted(),
            DedupError::Memory { received } => Self {
                field: Some("memoryBytes".to_owned()),
                expected: Some("no more than it leaves beside the records".to_owned()),
                received: Some(format!("{received} bytes beside the records")),
                ..Self::new(
                    "MEMORY_LIMIT",
                    "Comparing the records needs more memory than memoryBytes allows.",
                )
            },
            DedupError::Priority { position } => {
                Self { position: Some(position), ..failure("COLUMN_NOT_ORDERED") }
            }
            // The binding sets these up itself: meeting one is our own fault.
            _ => failure("INTERNAL"),
        }
    }
}

impl From<VectorError> for Failure {
    fn from(error: VectorError) -> Self {
        let message = sentence(&error);
        let failure = |code| Self::new(code, message.clone());
        match error {
            VectorError::NotFinite { row, .. } => {
                Self { position: Some(row as u64), ..failure("VECTOR_NOT_FINITE") }
            }
            VectorError::ZeroVector { row } => Self { position: Some(row as u64), ..failure("VECTOR_ZERO") },
            VectorError::DimensionOutOfRange { .. }
            | VectorError::Dimension { .. }
            | VectorError::Ragged { .. } => failure("DIMENSION_MISMATCH"),
            VectorError::TooManyRows { .. } => failure("INPUT_TOO_LARGE"),
            VectorError::Cancelled => Self::aborted(),
            // The binding makes unit rows and checks thresholds itself: meeting one is our own fault.
            _ => failure("INTERNAL"),
        }
    }
}

impl From<RankError> for Failure {
    fn from(error: RankError) -> Self {
        let message = sentence(&error);
        let failure = |code| Self::new(code, message.clone());
        match error {
            RankError::ShareOutOfRange { received, .. } => Self {
                expected: Some("0 to 1".to_owned()),
                received: Some(received.to_string()),
                ..failure("OPTION_INVALID")
            },
            RankError::TooManyCandidates { expected, received } => Self {
                field: Some("candidateLimit".to_owned()),
                expected: Some(format!("at most {expected}")),
                received: Some(received.to_string()),
                ..failure("OPTION_INVALID")
            },
            RankError::Dimension { expected, received } => Self {
                expected: Some(format!("{expected} components")),
                received: Some(format!("{received} components")),
                ..Self::new("DIMENSION_MISMATCH", "The batch and the reference have other dimensions.")
            },
            RankError::Vector(inner) => inner.into(),
            RankError::Cancelled => Self::aborted(),
            // The binding checks rows and scores itself: meeting one is our own fault.
            _ => failure("INTERNAL"),
        }
    }
}

impl From<TokenizerError> for Failure {
    fn from(error: TokenizerError) -> Self {
        let failure = |code| Self::new(code, format!("The tokenizer failed: {error}."));
        match &error {
            TokenizerError::Kind { expected, received } => Self {
                expected: Some(expected.clone()),
                received: Some(received.clone()),
                ..failure("MODEL_INVALID")
            },
            TokenizerError::NoPairs { expected, received } => Self {
                expected: Some((*expected).to_owned()),
                received: Some((*received).to_owned()),
                ..failure("MODEL_INVALID")
            },
            TokenizerError::File { .. } | TokenizerError::Content { .. } => failure("MODEL_INVALID"),
            TokenizerError::TokensMax { expected, received } => Self {
                field: Some("maxTokens".to_owned()),
                expected: Some(format!("at least {expected}")),
                received: Some(received.to_string()),
                ..failure("OPTION_INVALID")
            },
            TokenizerError::TooManyTokens { .. } => failure("INPUT_TOO_LARGE"),
            TokenizerError::Text { position, .. } => {
                Self { position: position.map(|at| at as u64), ..failure("MODEL_INVALID") }
            }
            TokenizerError::Cancelled => Self::aborted(),
            // The enum may grow: what is new is our own fault until it has its arm.
            _ => failure("INTERNAL"),
        }
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        let message = sentence(&error);
        let failure = |code| Self::new(code, message.clone());
        let option = |field: &str, expected: String, received: String| Self {
            field: Some(field.to_owned()),
            expected: Some(expected),
            received: Some(received),
            ..failure("OPTION_INVALID")
        };
        match error {
            IndexError::BackendUnknown { expected, received } => {
                Self { code: "BACKEND_UNKNOWN", ..option("backend", expected, received) }
            }
            IndexError::MetricUnsupported { expected, received, .. } => {
                option("metric", expected.to_owned(), received.to_owned())
            }
            IndexError::ArgumentUnknown { expected, received, .. } => {
                option(&received, expected, received.clone())
            }
            IndexError::Argument { name, expected, received } => option(name, expected, received.to_string()),
            IndexError::Vector(inner) => inner.into(),
            IndexError::File { expected, received } => Self {
                expected: Some(expected.to_owned()),
                received: Some(received),
                ..failure("INDEX_FILE")
            },
            IndexError::Io { action: "reading", path, source } if is_out_of_reach(&source) => {
                Self { path: Some(path.to_string_lossy().into_owned()), ..failure("INPUT_NOT_FOUND") }
            }
            IndexError::Io { path, .. } => {
                Self { path: Some(path.to_string_lossy().into_owned()), ..failure("IO") }
            }
            IndexError::Cancelled => Self::aborted(),
            // The binding checks slots, payloads and thresholds itself: meeting one is our own fault.
            _ => failure("INTERNAL"),
        }
    }
}

impl From<FilterError> for Failure {
    fn from(error: FilterError) -> Self {
        Self {
            field: (!error.path().is_empty()).then(|| error.path().to_owned()),
            expected: Some(error.expected().to_owned()),
            received: Some(error.received().to_owned()),
            ..Self::new(error.code(), sentence(&error))
        }
    }
}

/// Whether a file is not there or may not be read.
fn is_out_of_reach(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied)
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Self {
        let message = sentence(&error);
        let failure = |code| Self::new(code, message.clone());
        let text = |value: &str| Some(value.to_owned());
        match error {
            CorpusError::Open { path, .. } => {
                Self { path: text(&path.to_string_lossy()), ..failure("INPUT_NOT_FOUND") }
            }
            CorpusError::NotAFile { path, received } => Self {
                path: text(&path.to_string_lossy()),
                expected: text("a file"),
                received: text(received),
                ..failure("INPUT_NOT_FOUND")
            },
            CorpusError::Compressed { .. } => failure("INPUT_COMPRESSED"),
            CorpusError::Window { expected, received } => Self {
                expected: Some(format!("a window of at most {expected} bytes, as of zstd --long=27")),
                received: Some(format!("a window of {received} bytes")),
                ..failure("INPUT_TOO_LARGE")
            },
            CorpusError::Encoding { line, byte } => {
                Self { line: Some(line), byte: Some(byte as u64), ..failure("INPUT_ENCODING") }
            }
            CorpusError::Json { line, byte, expected, received } => Self {
                line: Some(line),
                byte: Some(byte as u64),
                expected: text(expected),
                received: Some(received),
                ..failure("INPUT_JSON")
            },
            CorpusError::Field { position, line, column, expected, received } => Self {
                position: Some(position.into()),
                line: Some(line),
                field: Some(column),
                expected: text(expected),
                received: text(received),
                ..failure(match (received, expected) {
                    ("missing", _) => "COLUMN_MISSING",
                    (_, "string") => "COLUMN_NOT_TEXT",
                    // Only a field to order by is anything but text.
                    _ => "COLUMN_NOT_ORDERED",
                })
            },
            CorpusError::Csv { line, expected } => {
                Self { line: Some(line), expected: text(expected), ..failure("INPUT_CSV") }
            }
            CorpusError::Ragged { line, expected, received } => Self {
                line: Some(line),
                expected: Some(format!("{expected} fields")),
                received: Some(received.to_string()),
                ..failure("INPUT_CSV")
            },
            CorpusError::Column { column, received } => Self {
                field: Some(column),
                received: Some(received.to_string()),
                ..failure("COLUMN_MISSING")
            },
            CorpusError::RecordTooLong { line, expected } => Self {
                line: Some(line),
                expected: Some(format!("at most {expected} bytes")),
                ..failure("INPUT_TOO_LARGE")
            },
            CorpusError::Memory { line, expected, received } => Self {
                line: Some(line),
                field: text("memoryBytes"),
                expected: Some(format!("at most the {expected} bytes that the records before leave")),
                received: Some(format!("{received} bytes to read on")),
                ..Self::new("MEMORY_LIMIT", "Reading the input needs more memory than memoryBytes allows.")
            },
            CorpusError::TooManyRecords { expected } => {
                Self { expected: Some(format!("at most {expected} records")), ..failure("INPUT_TOO_LARGE") }
            }
            CorpusError::ChangedUnderneath { .. } => failure("INPUT_CHANGED"),
            CorpusError::Cancelled => Self::aborted(),
            CorpusError::Io { .. } => failure("IO"),
            _ => failure("INTERNAL"),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let message = sentence(&error);
        let failure = |code| Self::new(code, message.clone());
        let at = |position: usize| Some(position as u64);
        let on = |code, path: &std::path::Path| failure(code).on(&path.to_string_lossy());
        match error {
            StoreError::Open { path, .. } | StoreError::IsDirectory { path } => on("INPUT_NOT_FOUND", &path),
            StoreError::Exists { path } => on("STORE_EXISTS", &path),
            StoreError::SecondWriter { path } => on("STORE_LOCKED", &path),
            StoreError::Busy => failure("STORE_LOCKED"),
            StoreError::ForeignFile { path, received } => {
                Self { received: Some(received.to_owned()), ..on("STORE_FOREIGN", &path) }
            }
            StoreError::Version { path, expected, received } => Self {
                expected: Some(format!("layout {expected}")),
                received: Some(format!("layout {received}")),
                ..on("STORE_VERSION", &path)
            },
            StoreError::Damaged { .. } => failure("STORE_DAMAGED"),
            StoreError::ReadOnly => failure("STORE_READ_ONLY"),
            StoreError::LogUnread { path } => {
                Self { path: Some(path.to_string_lossy().into_owned()), ..failure("STORE_READ_ONLY") }
            }
            StoreError::DiskFull => failure("STORE_FULL"),
            StoreError::Io { .. } => failure("IO"),
            StoreError::CollectionName { expected, received } => Self {
                expected: Some(expected.to_owned()),
                received: Some(received),
                ..failure("COLLECTION_NAME_INVALID")
            },
            StoreError::CollectionMissing { .. } => failure("COLLECTION_MISSING"),
            StoreError::SchemaMismatch { field, expected, received, .. } => Self {
                field: Some(field.to_owned()),
                expected: Some(expected),
                received: Some(received),
                ..failure("COLLECTION_MISMATCH")
            },
            StoreError::Dimension { position, expected, received } => Self {
                position: at(position),
                expected: Some(format!("{expected} components")),
                received: Some(format!("{received} components")),
                ..failure("DIMENSION_MISMATCH")
            },
            StoreError::NotFinite { position, .. } => {
                Self { position: at(position), ..failure("VECTOR_NOT_FINITE") }
            }
            StoreError::ZeroVector { position } => Self { position: at(position), ..failure("VECTOR_ZERO") },
            StoreError::Payload { position, expected, received } => Self {
                position: at(position),
                expected: Some(expected),
                received: Some(received),
                ..failure("PAYLOAD_INVALID")
            },
            StoreError::TextTooLong { position, expected, received } => Self {
                position: at(position),
                expected: Some(format!("at most {expected} bytes")),
                received: Some(format!("{received} bytes")),
                ..failure("POINT_TOO_LARGE")
            },
            StoreError::PointId { received } => Self {
                expected: Some("a UUID".to_owned()),
                received: Some(received),
                ..failure("POINT_ID_INVALID")
            },
            StoreError::QueryTooLong { expected, received } => Self {
                field: Some("query".to_owned()),
                expected: Some(format!("at most {expected} different words")),
                received: Some(received.to_string()),
                ..failure("OPTION_INVALID")
            },
            StoreError::Cancelled => Self::aborted(),
            // SQLite out of memory, or used wrongly by us.
            _ => failure("INTERNAL"),
        }
    }
}

/// The error's text as a sentence: capital first letter, full stop.
fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return text };
    let full_stop = if text.ends_with('.') { "" } else { "." };
    first.to_uppercase().chain(letters).collect::<String>() + full_stop
}
