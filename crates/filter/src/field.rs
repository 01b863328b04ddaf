//! The name of a field, and the values it has in a payload.

use std::slice;

use serde_json::Value;

/// The longest name, in bytes.
pub const FIELD_BYTES_MAX: usize = 256;

/// The most parts of a name.
pub const PARTS_MAX: usize = 16;

/// A name of parts between dots, each a key of the object before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field(Box<str>);

impl Field {
    /// A name, if it is one: parts of letters, digits, `_` and `-`, up to [`PARTS_MAX`] and [`FIELD_BYTES_MAX`].
    pub fn new(name: &str) -> Option<Self> {
        let fits = name.len() <= FIELD_BYTES_MAX && name.split('.').count() <= PARTS_MAX;
        (fits && name.split('.').all(is_part)).then(|| Self(name.into()))
    }

    /// The name with its dots.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The values of the field in a payload. There are none if it is absent, null, or an empty array.
    pub fn values<'a>(&self, payload: &'a Value) -> impl Iterator<Item = &'a Value> {
        let found = self.0.split('.').try_fold(payload, |object, part| object.as_object()?.get(part));
        found.into_iter().flat_map(values_of)
    }
}

/// Whether a key can be a part of a name.
pub fn is_part(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-'))
}

/// The values that something in a payload stands for.
pub fn values_of(value: &Value) -> impl Iterator<Item = &Value> {
    let values = match value {
        Value::Array(elements) => elements.as_slice(),
        single => slice::from_ref(single),
    };
    values.iter().filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_has_parts_of_letters_digits_underscores_and_hyphens() {
        for (name, is_name) in [
            ("a", true),
            ("project.name", true),
            ("created_at", true),
            ("x-1", true),
            ("größe", true),
            ("and", true),
            ("", false),
            (".", false),
            ("a.", false),
            (".a", false),
            ("a..b", false),
            ("$a", false),
            ("a b", false),
            ("a[0]", false),
            ("a\"", false),
            (&"a".repeat(FIELD_BYTES_MAX), true),
            (&"a".repeat(FIELD_BYTES_MAX + 1), false),
            (&["a"; PARTS_MAX].join("."), true),
            (&["a"; PARTS_MAX + 1].join("."), false),
        ] {
            assert_eq!(Field::new(name).is_some(), is_name, "{name}");
        }
    }

    #[test]
    fn the_values_are_what_is_there_or_the_elements_of_it() {
        let payload = json!({
            "text": "x", "null": null, "none": [], "nulls": [null], "some": [1, null, [2]], "object": {"in": {"side": true}},
            "objects": [{"a": 1}], "dotted.key": 1,
        });
        for (name, values) in [
            ("text", json!(["x"])),
            ("absent", json!([])),
            ("null", json!([])),
            ("none", json!([])),
            ("nulls", json!([])),
            ("some", json!([1, [2]])),
            ("object", json!([{"in": {"side": true}}])),
            ("object.in.side", json!([true])),
            ("object.out.side", json!([])),
            ("text.inside", json!([])),
            ("objects.a", json!([])),
            ("dotted.key", json!([])),
        ] {
            let found: Vec<Value> = Field::new(name).unwrap().values(&payload).cloned().collect();
            assert_eq!(Value::from(found), values, "{name}");
        }
    }
}
