//! A condition: a test that one value of a field has to pass.

use std::ops::{Bound, RangeBounds};

use serde_json::{Map, Value, json};

use crate::field::Field;
use crate::instant::{self, Instant};
use crate::scalar::{Number, Scalar, number_of};

/// A field, and what one of its values has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub field: Field,
    pub test: Test,
}

/// What a value has to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    Equals(Scalar),
    /// One of two or more.
    OneOf(Vec<Scalar>),
    Numbers(Range<Number>),
    Instants(Range<Instant>),
    /// Anything but null.
    Exists,
    Contains(Box<str>),
    /// The text is folded already.
    ContainsFolded(Box<str>),
}

/// The values between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<T> {
    pub lower: Bound<T>,
    pub upper: Bound<T>,
}

impl Condition {
    pub fn matches(&self, payload: &Value) -> bool {
        self.field.values(payload).any(|value| self.test.holds(value))
    }

    /// The leaf of the normal form.
    pub fn to_json(&self) -> Value {
        let (name, operand) = match &self.test {
            Test::Equals(scalar) => ("eq", scalar.to_json()),
            Test::OneOf(scalars) => ("in", scalars.iter().map(Scalar::to_json).collect()),
            Test::Numbers(range) => ("range", range.to_json(|number| number.get().into())),
            Test::Instants(range) => ("instants", range.to_json(|&instant| instant::write(instant).into())),
            Test::Exists => ("exists", true.into()),
            Test::Contains(needle) => ("contains", Value::from(&**needle)),
            Test::ContainsFolded(needle) => ("icontains", Value::from(&**needle)),
        };
        json!({"field": self.field.as_str(), name: operand})
    }
}

impl Test {
    /// Whether a value, which is not null, passes.
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Equals(scalar) => scalar.equals(value),
            Self::OneOf(scalars) => scalars.iter().any(|scalar| scalar.equals(value)),
            Self::Numbers(range) => number_of(value).is_some_and(|number| range.contains(&number)),
            Self::Instants(range) => {
                value.as_str().and_then(instant::read).is_some_and(|instant| range.contains(&instant))
            }
            Self::Exists => true,
            Self::Contains(needle) => value.as_str().is_some_and(|text| text.contains(&**needle)),
            Self::ContainsFolded(needle) => {
                value.as_str().is_some_and(|text| folded(text).contains(&**needle))
            }
        }
    }
}

impl<T: Copy + Ord> Range<T> {
    /// Everything.
    pub const EVERYTHING: Self = Self { lower: Bound::Unbounded, upper: Bound::Unbounded };

    pub fn contains(&self, value: &T) -> bool {
        (self.lower, self.upper).contains(value)
    }

    /// The values in both ranges.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            lower: tighter(self.lower, other.lower, |bound| (other.lower, Bound::Unbounded).contains(bound)),
            upper: tighter(self.upper, other.upper, |bound| (Bound::Unbounded, other.upper).contains(bound)),
        }
    }

    /// Whether no value can be between the bounds.
    pub fn is_empty(&self) -> bool {
        use Bound::{Excluded, Included, Unbounded};
        match (self.lower, self.upper) {
            (Unbounded, _) | (_, Unbounded) => false,
            (Included(lower), Included(upper)) => lower > upper,
            (Included(lower) | Excluded(lower), Included(upper) | Excluded(upper)) => lower >= upper,
        }
    }

    fn to_json(self, write: impl Fn(&T) -> Value) -> Value {
        let lower = match &self.lower {
            Bound::Included(bound) => Some(("gte", bound)),
            Bound::Excluded(bound) => Some(("gt", bound)),
            Bound::Unbounded => None,
        };
        let upper = match &self.upper {
            Bound::Included(bound) => Some(("lte", bound)),
            Bound::Excluded(bound) => Some(("lt", bound)),
            Bound::Unbounded => None,
        };
        let bounds = lower.into_iter().chain(upper);
        Value::Object(bounds.map(|(name, bound)| (name.to_owned(), write(bound))).collect::<Map<_, _>>())
    }
}

/// The first of two bounds if the second lets its value through, else the second.
fn tighter<T>(first: Bound<T>, second: Bound<T>, lets_through: impl Fn(&T) -> bool) -> Bound<T> {
    match &first {
        Bound::Included(value) | Bound::Excluded(value) if lets_through(value) => first,
        _ => second,
    }
}

/// A text in lower case, character by character.
///
/// Lower-casing a whole text looks at neighbours (the Greek sigma at the end of a word): a part of a text would then not
/// always be a part of its lower case.
pub fn folded(text: &str) -> String {
    let mut into = String::with_capacity(text.len());
    fold_into(text, &mut into);
    into
}

/// As [`folded`], into a text that is there.
pub fn fold_into(text: &str, into: &mut String) {
    into.clear();
    if text.is_ascii() {
        into.push_str(text);
        into.make_ascii_lowercase();
    } else {
        into.extend(text.chars().flat_map(char::to_lowercase));
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Bound::{Excluded, Included, Unbounded};

    use super::*;

    #[test]
    fn a_part_of_a_text_is_a_part_of_its_lower_case() {
        for (text, part) in [("ΟΔΟΣΑ", "ΟΔΟΣ"), ("İstanbul", "İ"), ("STRASSE", "SS"), ("Größe", "ÖSSE")]
        {
            assert_eq!(folded(text).contains(&folded(part)), text.contains(part), "{text}");
        }
        assert_eq!(folded("ÜBER"), "über");
    }

    #[test]
    fn the_tighter_bound_wins() {
        for (a, b, both) in [
            (Included(1), Included(2), Included(2)),
            (Included(2), Excluded(2), Excluded(2)),
            (Excluded(2), Included(3), Included(3)),
            (Unbounded, Excluded(2), Excluded(2)),
            (Unbounded, Unbounded, Unbounded),
        ] {
            let lower = |lower| Range { lower, upper: Unbounded };
            assert_eq!(lower(a).and(lower(b)), lower(both));
            assert_eq!(lower(b).and(lower(a)), lower(both));
        }
        for (a, b, both) in [
            (Included(1), Included(2), Included(1)),
            (Included(2), Excluded(2), Excluded(2)),
            (Excluded(2), Included(1), Included(1)),
            (Unbounded, Included(2), Included(2)),
        ] {
            let upper = |upper| Range { lower: Unbounded, upper };
            assert_eq!(upper(a).and(upper(b)), upper(both));
            assert_eq!(upper(b).and(upper(a)), upper(both));
        }
    }

    #[test]
    fn a_range_is_empty_when_its_bounds_cross() {
        for (lower, upper, is_empty) in [
            (Included(1), Included(1), false),
            (Included(1), Excluded(1), true),
            (Excluded(1), Included(1), true),
            (Excluded(1), Excluded(1), true),
            (Included(2), Included(1), true),
            (Included(1), Excluded(2), false),
            (Unbounded, Excluded(1), false),
            (Included(1), Unbounded, false),
        ] {
            assert_eq!(Range { lower, upper }.is_empty(), is_empty, "{lower:?} {upper:?}");
        }
    }
}
