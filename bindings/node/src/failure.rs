//! Errors cross the border as data: one JSON object in the reason of a Node-API error.
//!
//! `src/native.ts` takes it apart again. The fields are those of `ErrorDetails` in `src/errors.ts`.

use serde::Serialize;

/// A failure of the core on its way to JavaScript.
#[derive(Debug, Default, Serialize)]
pub struct Failure {
    /// Stable code, a key of the table in `src/errors.ts`.
    pub code: &'static str,
    /// A full sentence for people.
    pub message: String,
    /// 0-based position of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// 1-based line of the input file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Byte within the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// Column or option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What would have been right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// The file it happened on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Failure {
    /// A failure with a code and a message and nothing else.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }

    /// The work was cancelled.
    pub fn aborted() -> Self {
        Self::new("ABORTED", "The work was aborted.")
    }

    /// Names the file it happened on, unless it names one already.
    pub fn on(mut self, path: &str) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }
}

impl From<Failure> for napi::Error {
    fn from(failure: Failure) -> Self {
        // Strings and numbers always have a JSON; without one, the message alone is taken for an `INTERNAL`.
        let reason = serde_json::to_string(&failure).unwrap_or(failure.message);
        napi::Error::new(napi::Status::GenericFailure, reason)
    }
}
