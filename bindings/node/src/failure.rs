//! Errors cross the border as data: one JSON object in the reason of a Node-API error.
//!
//! `src/native.ts` takes it apart again. The fields are those of `ErrorDetails` in `src/errors.ts`.

use std::fmt::Write as _;

/// A failure of the core on its way to JavaScript.
#[derive(Debug, Default)]
pub struct Failure {
    /// Stable code, a key of the table in `src/errors.ts`.
    pub code: &'static str,
    /// A full sentence for people.
    pub message: String,
    /// 0-based position of the record.
    pub position: Option<u64>,
    /// 1-based line of the input file.
    pub line: Option<u64>,
    /// Byte within the line.
    pub byte: Option<u64>,
    /// Column or option.
    pub field: Option<String>,
    /// What would have been right.
    pub expected: Option<String>,
    /// What came.
    pub received: Option<String>,
    /// The file it happened on.
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

    fn to_json(&self) -> String {
        let mut json = String::from("{");
        let mut text = |name: &str, value: &str| {
            let separator = if json.len() == 1 { "" } else { "," };
            let _ = write!(json, "{separator}\"{name}\":\"{}\"", escaped(value));
        };
        text("code", self.code);
        text("message", &self.message);
        for (name, value) in [
            ("field", &self.field),
            ("expected", &self.expected),
            ("received", &self.received),
            ("path", &self.path),
        ] {
            if let Some(value) = value {
                text(name, value);
            }
        }
        for (name, value) in [("position", self.position), ("line", self.line), ("byte", self.byte)] {
            if let Some(value) = value {
                let _ = write!(json, ",\"{name}\":{value}");
            }
        }
        json.push('}');
        json
    }
}

impl From<Failure> for napi::Error {
    fn from(failure: Failure) -> Self {
        napi::Error::new(napi::Status::GenericFailure, failure.to_json())
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
