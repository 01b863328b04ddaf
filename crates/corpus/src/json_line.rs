//! Decodes a line of JSON into the fields that are wanted.
//!
//! The one idea: the line is checked to its last byte, as `JSON.parse` would, and its members are slices of it; only a wanted
//! string with escapes is decoded. What is not wanted is checked, never built, at any depth. A lone surrogate (`"\ud800"`) is
//! valid JSON and becomes an error only in a wanted text.
//!
//! `json_members` is asked first, for speed; what it does not take, `serde_json` judges and explains.
//!
//! Where a key occurs twice the last one counts; keys are compared decoded, so `"\u0069d"` is `id`.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::block::Span;
use crate::decode::{Piece, Place};
use crate::fields::Fields;
use crate::json_members::{Escapes, Written, for_each_member};
use crate::records::without_line_end;
use crate::{CorpusError, priority};

/// Decodes line after line, reusing its memory.
pub(crate) struct LineDecoder<'f, 'l> {
    fields: &'f Fields,
    /// The value of each wanted name in the line at hand.
    slots: Vec<Option<Written<'l>>>,
}

impl<'f, 'l> LineDecoder<'f, 'l> {
    pub fn new(fields: &'f Fields) -> Self {
        LineDecoder { fields, slots: vec![None; fields.names.len()] }
    }

    pub fn decode(&mut self, place: Place<'l>, piece: &mut Piece) -> Result<(), CorpusError> {
        let line = without_line_end(place.text());
        self.find(line).map_err(|error| line_error(place, line, &error))?;

        let LineDecoder { fields, slots } = self;
        for &slot in &fields.columns {
            let name = &fields.names[slot].text;
            let value = slots[slot].ok_or_else(|| place.field_error(name, "string", "missing"))?;
            if !value.text.starts_with('"') {
                return Err(place.field_error(name, "string", kind(value.text)));
            }
            let inner = &value.text[1..value.text.len() - 1];
            let text = match value.escapes {
                Escapes::None => span_in(place, inner),
                Escapes::Some => {
                    piece.append_unescaped(inner).ok_or_else(|| surrogate_error(place, value.text))?
                }
            };
            piece.push_text(text);
        }
        piece.push_id(slots[fields.id].map_or(Span::default(), |value| span_in(place, value.text)));
        if let Some(slot) = fields.priority {
            let name = &fields.names[slot].text;
            piece
                .push_priority(slots[slot].map_or(Ok(None), |value| read_priority(place, name, value.text))?);
        }
        Ok(())
    }

    /// Fills the slots from a line, which must be one object and nothing else.
    fn find(&mut self, line: &'l str) -> serde_json::Result<()> {
        self.slots.fill(None);
        let LineDecoder { fields, slots } = self;
        let quick = for_each_member(line, |key, value| {
            if let Some(slot) = fields.position(key) {
                slots[slot] = Some(value);
            }
        });
        if quick.is_some() {
            return Ok(());
        }
        slots.fill(None);
        let mut json = serde_json::Deserializer::from_str(line);
        json.deserialize_map(Members(self))?;
        json.end()
    }
}

/// Puts the members of an object into their slots.
struct Members<'d, 'f, 'l>(&'d mut LineDecoder<'f, 'l>);

impl<'l> Visitor<'l> for Members<'_, '_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut members: A) -> Result<(), A::Error> {
        // A key is taken as written: one that is no Unicode is not wanted, but no error either.
        while let Some(key) = members.next_key::<&RawValue>()? {
            let slot = string(key.get()).ok().and_then(|name| self.0.fields.position(&name));
            if let Some(slot) = slot {
                let text = members.next_value::<&RawValue>()?.get();
                let escapes = if text.contains('\\') { Escapes::Some } else { Escapes::None };
                self.0.slots[slot] = Some(Written { text, escapes });
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

fn read_priority(place: Place, name: &str, value: &str) -> Result<Option<f64>, CorpusError> {
    let kind = kind(value);
    let number = match kind {
        "null" => return Ok(None),
        "number" => priority::number(value),
        "string" => string(value).ok().and_then(|text| priority::date(&text)),
        _ => None,
    };
    place.priority(name, number, kind)
}

/// What a string, given in its quotes, means; only escapes cost a copy.
fn string(quoted: &str) -> serde_json::Result<Cow<'_, str>> {
    if quoted.contains('\\') {
        return serde_json::from_str(quoted).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1]))
}

/// The word for a JSON value, by its first byte.
fn kind(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// The error of a text that holds half of a surrogate pair.
fn surrogate_error(place: Place, quoted: &str) -> CorpusError {
    let (byte, received) = match string(quoted) {
        Ok(_) => (0, "an escape".to_owned()),
        Err(error) => (offset(&error), words(&error)),
    };
    let start = span_in(place, quoted).start - place.span().start;
    json_error(place, start + byte, "valid Unicode", received)
}

/// Where a part of a record lies in the block.
fn span_in(place: Place, part: &str) -> Span {
    let start = place.span().start + (part.as_ptr().addr() - place.text().as_ptr().addr());
    Span { start, end: start + part.len() }
}

/// The error of a line that is not one JSON object.
fn line_error(place: Place, line: &str, error: &serde_json::Error) -> CorpusError {
    // Another value than an object: the only error whose words would quote it.
    if error.is_data() {
        let value = line.trim_start();
        return json_error(place, line.len() - value.len(), "an object", kind(value).to_owned());
    }
    json_error(place, offset(error), "one JSON object", words(error))
}

fn json_error(place: Place, byte: usize, expected: &'static str, received: String) -> CorpusError {
    CorpusError::Json { line: place.line(), byte, expected, received }
}

/// Where the parser stopped in a text without line feeds: at or beside the first byte that does not fit, or at the end.
fn offset(error: &serde_json::Error) -> usize {
    if error.is_eof() { error.column() } else { error.column().saturating_sub(1) }
}

/// What the parser says, without the place that it appends.
fn words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    words.strip_suffix(&place).map_or(words.clone(), str::to_owned)
}
