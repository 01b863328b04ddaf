//! A JSON text as it was written: keys keep their order and come as often as they came.
//!
//! `serde_json::Value` keeps the last of two equal keys. In a filter that would drop a condition without a word.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::{Fault, FilterError};

/// The longest text that is read, in bytes.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// How `serde_json` begins its message about nesting; it has no kind for it. A test holds it to that.
const RECURSION: &str = "recursion limit exceeded";

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text: `FILTER_TOO_LARGE`, `TOO_DEEP` beyond 128 levels, `FILTER_SHAPE` for anything else that is no JSON.
    pub fn read(text: &str) -> Result<Self, FilterError> {
        if text.len() > TEXT_BYTES_MAX {
            let expected = format!("at most {TEXT_BYTES_MAX} bytes");
            return Err(FilterError::new(Fault::TooLarge, &"", expected, "a longer text"));
        }
        serde_json::from_str(text).map_err(|error| {
            if error.to_string().starts_with(RECURSION) {
                return FilterError::new(Fault::TooDeep, &"", "at most 128 levels of JSON", "more levels");
            }
            FilterError::new(Fault::Shape, &"", "JSON", "a text that is no JSON")
        })
    }

    /// What kind of value this is, for errors.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Truth(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Object(_) => "object",
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Truth(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = access.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(entry) = access.next_entry()? {
            object.push(entry);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_their_number() {
        let read = Json::read(r#"{"b": 1, "a": null, "b": [true, "x"]}"#).unwrap();
        let list = Json::List(vec![Json::Truth(true), Json::Text("x".to_owned())]);
        let entry = |key: &str, value| (key.to_owned(), value);
        let expected = vec![entry("b", Json::Number(1.0)), entry("a", Json::Null), entry("b", list)];
        assert_eq!(read, Json::Object(expected));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (text, expected) in [
            (String::new(), Fault::Shape),
            ("{".to_owned(), Fault::Shape),
            ("1e999".to_owned(), Fault::Shape),
            ("{} {}".to_owned(), Fault::Shape),
            ("[".repeat(100_000), Fault::TooDeep),
            (r#"{"a":"#.repeat(129), Fault::TooDeep),
            (" ".repeat(TEXT_BYTES_MAX + 1), Fault::TooLarge),
        ] {
            assert_eq!(Json::read(&text).unwrap_err().fault(), expected, "{}", text.len());
        }
    }
}
