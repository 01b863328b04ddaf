//! Decodes a line of JSON into the fields that are wanted.
//!
//! Where a key occurs twice the last one counts, as in `JSON.parse`; keys are compared decoded, so `"\u0069d"` is `id`.

use std::borrow::Cow;

use crate::block::Span;
use crate::decode::{Piece, Place};
use crate::fields::Fields;
use crate::json::{JsonError, Kind, Scanner, StringForm, Value, scan_object, unescape};
use crate::{CorpusError, priority};

/// Decodes line after line, reusing its memory.
pub(crate) struct LineDecoder<'f> {
    fields: &'f Fields,
    scanner: Scanner,
    /// The value of each wanted name in the line at hand.
    slots: Vec<Option<Value>>,
}

impl<'f> LineDecoder<'f> {
    pub fn new(fields: &'f Fields) -> Self {
        LineDecoder { fields, scanner: Scanner::default(), slots: vec![None; fields.names.len()] }
    }

    pub fn decode(&mut self, place: Place, piece: &mut Piece) -> Result<(), CorpusError> {
        let line = place.text();
        let base = place.span().start;
        let LineDecoder { fields, scanner, slots } = self;
        slots.fill(None);
        scan_object(scanner, line, |key, value| {
            if let Some(slot) = string(line, key).ok().and_then(|name| fields.position(&name)) {
                slots[slot] = Some(value);
            }
        })
        .map_err(|error| json_error(place, error))?;

        for &slot in &fields.columns {
            let name = &fields.names[slot].text;
            let received = slots[slot].map_or("missing", |value| value.kind.name());
            let Some(Value { span, kind: Kind::String(form) }) = slots[slot] else {
                return Err(place.field_error(name, "string", received));
            };
            let inside = Span { start: span.start + 1, end: span.end - 1 };
            let text = match form {
                StringForm::Plain => Span { start: base + inside.start, end: base + inside.end },
                StringForm::Escaped => {
                    let from = piece.decoded.len();
                    unescape(&line[inside.start..inside.end], &mut piece.decoded).map_err(|error| {
                        json_error(place, JsonError { at: inside.start + error.at, ..error })
                    })?;
                    piece.decoded_since(from)
                }
            };
            piece.push_text(text);
        }
        let id = slots[fields.id].map_or(Span::default(), |Value { span, .. }| Span {
            start: base + span.start,
            end: base + span.end,
        });
        piece.push_id(id);
        if let Some(slot) = fields.priority {
            let name = &fields.names[slot].text;
            piece.push_priority(slots[slot].map_or(Ok(None), |value| read_priority(place, name, value))?);
        }
        Ok(())
    }
}

fn read_priority(place: Place, name: &str, value: Value) -> Result<Option<f64>, CorpusError> {
    let raw = &place.text()[value.span.start..value.span.end];
    let number = match value.kind {
        Kind::Null => return Ok(None),
        Kind::Number => priority::number(raw),
        Kind::String(_) => string(place.text(), value).ok().and_then(|text| priority::date(&text)),
        Kind::Boolean | Kind::Object | Kind::Array => None,
    };
    place.priority(name, number, value.kind.name())
}

/// What a string value means; only escapes cost a copy.
fn string(line: &str, value: Value) -> Result<Cow<'_, str>, JsonError> {
    let inside = &line[value.span.start + 1..value.span.end - 1];
    if value.kind == Kind::String(StringForm::Plain) {
        return Ok(Cow::Borrowed(inside));
    }
    let mut decoded = String::new();
    unescape(inside, &mut decoded).map(|()| Cow::Owned(decoded))
}

fn json_error(place: Place, JsonError { at, expected }: JsonError) -> CorpusError {
    CorpusError::Json { line: place.line(), byte: at, expected }
}
