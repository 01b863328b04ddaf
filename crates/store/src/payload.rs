//! What a batch must be before any of it is written.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use serde_json::Value;

use crate::layout::SCOPE_KEYS;
use crate::point::{PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX, TEXT_BYTES_MAX};
use crate::{Point, Schema, StoreError};
use sluice_vector::Metric;

/// The scope columns of a point, in the order of [`SCOPE_KEYS`].
pub type Scopes = [Scope; SCOPE_KEYS.len()];

/// What a scope column holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// No string to find the point by.
    #[default]
    Absent,
    /// The string.
    One(String),
    /// A list, which may hold any number of strings.
    List,
}

/// Stands for a list: no string equals a blob.
pub const LIST: &[u8] = b"";

impl ToSql for Scope {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Absent => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::One(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::List => ToSqlOutput::Borrowed(ValueRef::Blob(LIST)),
        })
    }
}

/// Checks a point against its collection; gives its scope columns.
pub fn check(point: &Point<'_>, position: usize, schema: &Schema) -> Result<Scopes, StoreError> {
    check_vector(point.vector, position, schema)?;
    let text_bytes = point.text.map_or(0, str::len);
    if text_bytes > TEXT_BYTES_MAX {
        return Err(StoreError::TextTooLong { position, expected: TEXT_BYTES_MAX, received: text_bytes });
    }
    let payload = parse(point.payload).map_err(|(expected, received)| StoreError::Payload {
        position,
        expected,
        received,
    })?;
    Ok(scopes(&payload))
}

/// The scope columns of a payload.
pub fn scopes(payload: &Value) -> Scopes {
    SCOPE_KEYS.map(|key| match payload.get(key) {
        Some(Value::String(text)) => Scope::One(text.clone()),
        Some(Value::Array(_)) => Scope::List,
        _ => Scope::Absent,
    })
}

fn check_vector(vector: &[f32], position: usize, schema: &Schema) -> Result<(), StoreError> {
    let expected = schema.dimension.get();
    if vector.len() != expected {
        return Err(StoreError::Dimension { position, expected, received: vector.len() });
    }
    if let Some(component) = vector.iter().position(|component| !component.is_finite()) {
        return Err(StoreError::NotFinite { position, component });
    }
    if schema.metric == Metric::Cosine && vector.iter().all(|component| *component == 0.0) {
        return Err(StoreError::ZeroVector { position });
    }
    Ok(())
}

/// The payload, or what was expected and what came.
fn parse(payload: &str) -> Result<Value, (String, String)> {
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err((format!("at most {PAYLOAD_BYTES_MAX} bytes"), format!("{} bytes", payload.len())));
    }
    let object = || "a JSON object".to_owned();
    let value: Value = serde_json::from_str(payload).map_err(|error| {
        (object(), format!("no JSON from line {}, column {}", error.line(), error.column()))
    })?;
    if !value.is_object() {
        return Err((object(), kind(&value).to_owned()));
    }
    let depth = depth(&value);
    if depth > PAYLOAD_DEPTH_MAX {
        return Err((format!("at most {PAYLOAD_DEPTH_MAX} levels"), format!("{depth} levels")));
    }
    Ok(value)
}

/// Levels of nesting. Recursion is bounded: the parser refuses more than 128 levels.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
