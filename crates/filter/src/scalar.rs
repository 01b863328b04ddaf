//! What a value can be equal to.

use std::cmp::Ordering;

use serde_json::Value;

/// A finite number with an order, in which the two zeros are one.
#[derive(Clone, Copy, Debug)]
pub struct Number(f64);

impl Number {
    pub fn new(number: f64) -> Self {
        // Adding zero makes minus zero plus zero, and changes nothing else.
        Self(number + 0.0)
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A text, a number or a truth value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    Text(Box<str>),
    Number(Number),
    Truth(bool),
}

impl Scalar {
    /// Whether a value of a payload is this one. Types are strict.
    pub fn equals(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text(text), Value::String(value)) => **text == **value,
            (Self::Number(number), value) => number_of(value) == Some(*number),
            (Self::Truth(truth), Value::Bool(value)) => truth == value,
            _ => false,
        }
    }

    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(&**text),
            Self::Number(number) => Value::from(number.get()),
            Self::Truth(truth) => Value::from(*truth),
        }
    }
}

/// The number that a value of a payload is.
pub fn number_of(value: &Value) -> Option<Number> {
    value.as_f64().map(Number::new)
}
