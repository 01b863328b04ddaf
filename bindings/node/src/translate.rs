//! From the error enums of the core to the one table of codes in `src/errors.ts`.

use sluice_corpus::CorpusError;
use sluice_dedup::DedupError;
use sluice_rank::RankError;
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

/// The error's text as a sentence: capital first letter, full stop.
fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return text };
    let full_stop = if text.ends_with('.') { "" } else { "." };
    first.to_uppercase().chain(letters).collect::<String>() + full_stop
}
