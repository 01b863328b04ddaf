//! From JSON to the checked tree: the only place that knows how a filter is written.

use std::collections::BTreeSet;
use std::fmt;

use crate::condition::{Condition, Range, Test, folded};
use crate::field::{FIELD_BYTES_MAX, Field, PARTS_MAX};
use crate::instant::{self, Instant};
use crate::json::Json;
use crate::scalar::{Number, Scalar};
use crate::tree::Tree;
use crate::{Fault, FilterError};

/// How many of `AND`, `OR` and `NOT` may lie within each other.
pub const DEPTH_MAX: usize = 8;

/// The most conditions of a filter. Each operator of a field is one.
pub const CONDITIONS_MAX: usize = 256;

/// The most values of one `in` or `nin`.
pub const VALUES_MAX: usize = 1000;

const OPERATORS: &str = "eq, ne, gt, gte, lt, lte, in, nin, contains or icontains";
const SCALAR: &str = "a string, a number or a boolean";

/// The tree of a whole filter.
pub fn tree(json: &Json) -> Result<Tree, FilterError> {
    let Json::Object(entries) = json else {
        return Err(FilterError::new(Fault::Shape, &Place::Root, "an object", json.kind()));
    };
    entries_tree(entries.iter().map(|(key, value)| (key.as_str(), value)))
}

/// The tree of the entries of a filter.
pub fn entries_tree<'a>(entries: impl Iterator<Item = (&'a str, &'a Json)>) -> Result<Tree, FilterError> {
    Parser { conditions: 0 }.entries(entries, &Place::Root, 0)
}

/// Where in a filter something is, written when it is needed.
enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(Self::Root, key) => write!(formatter, "{key}"),
            Self::Key(before, key) => write!(formatter, "{before}.{key}"),
            Self::Item(before, index) => write!(formatter, "{before}[{index}]"),
        }
    }
}

struct Parser {
    conditions: usize,
}

impl Parser {
    fn entries<'a>(
        &mut self,
        entries: impl Iterator<Item = (&'a str, &'a Json)>,
        at: &Place<'_>,
        depth: usize,
    ) -> Result<Tree, FilterError> {
        let parts = entries.map(|(key, value)| match key {
            "AND" => Ok(Tree::all(self.list(value, &Place::Key(at, key), depth)?)),
            "OR" => Ok(Tree::any(self.list(value, &Place::Key(at, key), depth)?)),
            "NOT" => Ok(Tree::none(self.list(value, &Place::Key(at, key), depth)?)),
            name => {
                let field = Field::new(name).ok_or_else(|| bad_name(at))?;
                self.field(&field, value, &Place::Key(at, name))
            }
        });
        Ok(Tree::all(parts.collect::<Result<Vec<_>, _>>()?))
    }

    /// The filters that `AND`, `OR` or `NOT` combines.
    fn list(&mut self, json: &Json, at: &Place<'_>, depth: usize) -> Result<Vec<Tree>, FilterError> {
        let expected = "a list of one or more filters";
        let items = match json {
            Json::List(items) if items.is_empty() => {
                return Err(FilterError::new(Fault::LogicalList, at, expected, "an empty list"));
            }
            Json::List(items) => items,
            other => return Err(FilterError::new(Fault::LogicalList, at, expected, other.kind())),
        };
        if depth == DEPTH_MAX {
            let expected = format!("at most {DEPTH_MAX} lists within lists");
            return Err(FilterError::new(Fault::TooDeep, at, expected, "another"));
        }
        let parts = items.iter().enumerate().map(|(index, item)| {
            let at = Place::Item(at, index);
            match item {
                Json::Object(entries) if !entries.is_empty() => {
                    self.entries(entries.iter().map(|(key, value)| (key.as_str(), value)), &at, depth + 1)
                }
                // It would match everything, out of sight.
                Json::Object(_) => {
                    Err(FilterError::new(Fault::Shape, &at, "an object with a condition", "an empty object"))
                }
                other => Err(FilterError::new(Fault::Shape, &at, "an object", other.kind())),
            }
        });
        parts.collect()
    }

    /// What a field has to be.
    fn field(&mut self, field: &Field, json: &Json, at: &Place<'_>) -> Result<Tree, FilterError> {
        let leaf = |test| Tree::leaf(Condition { field: field.clone(), test });
        match json {
            Json::Object(operators) if operators.is_empty() => {
                Err(FilterError::new(Fault::EmptyCondition, at, OPERATORS, "an empty object"))
            }
            Json::Object(operators) => self.operators(field, operators, at),
            Json::Text(star) if star == "*" => {
                self.count(at)?;
                Ok(leaf(Test::Exists))
            }
            Json::List(values) => {
                self.count(at)?;
                Ok(one_of(field, scalars(values, at)?))
            }
            other => {
                self.count(at)?;
                let expected = "a string, a number, a boolean, a list or an object of operators";
                let scalar = scalar_of(other)
                    .ok_or_else(|| FilterError::new(Fault::OperandType, at, expected, other.kind()))?;
                Ok(leaf(Test::Equals(scalar)))
            }
        }
    }

    /// The operators of one field, all of which have to hold. The bounds make one range.
    fn operators(
        &mut self,
        field: &Field,
        operators: &[(String, Json)],
        at: &Place<'_>,
    ) -> Result<Tree, FilterError> {
        let leaf = |test| Tree::leaf(Condition { field: field.clone(), test });
        let (mut parts, mut bounds) = (Vec::new(), None);
        for (name, operand) in operators {
            let operator = Operator::named(name).ok_or_else(|| unknown_operator(name, at))?;
            let at = &Place::Key(at, name);
            self.count(at)?;
            parts.push(match operator {
                Operator::Eq => leaf(Test::Equals(scalar(operand, at)?)),
                Operator::Ne => Tree::none([leaf(Test::Equals(scalar(operand, at)?))]),
                Operator::In => one_of(field, scalars(list(operand, at)?, at)?),
                Operator::Nin => Tree::none([one_of(field, scalars(list(operand, at)?, at)?)]),
                Operator::Contains => leaf(Test::Contains(needle(operand, at)?.into())),
                Operator::Icontains => leaf(Test::ContainsFolded(folded(needle(operand, at)?).into())),
                Operator::Bound(side) => {
                    let bound = Bounds::read(side, operand, at)?;
                    bounds = Some(match bounds {
                        None => bound,
                        Some(before) => Bounds::and(before, bound, at)?,
                    });
                    continue;
                }
            });
        }
        let range = bounds.map(|bounds| match bounds {
            Bounds::Numbers(range) => leaf(Test::Numbers(range)),
            Bounds::Instants(range) => leaf(Test::Instants(range)),
        });
        Ok(Tree::all(parts.into_iter().chain(range)))
    }

    fn count(&mut self, at: &Place<'_>) -> Result<(), FilterError> {
        self.conditions += 1;
        if self.conditions > CONDITIONS_MAX {
            let expected = format!("at most {CONDITIONS_MAX} conditions");
            return Err(FilterError::new(Fault::TooLarge, at, expected, "another"));
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Operator {
    Eq,
    Ne,
    In,
    Nin,
    Contains,
    Icontains,
    Bound(Side),
}

/// Which end of a range an operator sets, and whether the end belongs to it.
#[derive(Clone, Copy)]
enum Side {
    Gt,
    Gte,
    Lt,
    Lte,
}

impl Operator {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "in" => Self::In,
            "nin" => Self::Nin,
            "contains" => Self::Contains,
            "icontains" => Self::Icontains,
            "gt" => Self::Bound(Side::Gt),
            "gte" => Self::Bound(Side::Gte),
            "lt" => Self::Bound(Side::Lt),
            "lte" => Self::Bound(Side::Lte),
            _ => return None,
        })
    }
}

impl Side {
    fn range<T: Copy + Ord>(self, bound: T) -> Range<T> {
        use std::ops::Bound::{Excluded, Included};
        match self {
            Self::Gt => Range { lower: Excluded(bound), ..Range::EVERYTHING },
            Self::Gte => Range { lower: Included(bound), ..Range::EVERYTHING },
            Self::Lt => Range { upper: Excluded(bound), ..Range::EVERYTHING },
            Self::Lte => Range { upper: Included(bound), ..Range::EVERYTHING },
        }
    }
}

/// The bounds that the operators of a field have set so far.
enum Bounds {
    Numbers(Range<Number>),
    Instants(Range<Instant>),
}

impl Bounds {
    fn read(side: Side, operand: &Json, at: &Place<'_>) -> Result<Self, FilterError> {
        let refused =
            |received| FilterError::new(Fault::RangeOperand, at, "a number, or a date in ISO form", received);
        match operand {
            Json::Number(number) => Ok(Self::Numbers(side.range(Number::new(*number)))),
            Json::Text(text) => {
                let instant = instant::read(text).ok_or_else(|| refused("a string that is no date"))?;
                Ok(Self::Instants(side.range(instant)))
            }
            other => Err(refused(other.kind())),
        }
    }

    fn and(before: Self, bound: Self, at: &Place<'_>) -> Result<Self, FilterError> {
        match (before, bound) {
            (Self::Numbers(a), Self::Numbers(b)) => Ok(Self::Numbers(a.and(b))),
            (Self::Instants(a), Self::Instants(b)) => Ok(Self::Instants(a.and(b))),
            (Self::Numbers(_), _) => {
                Err(FilterError::new(Fault::RangeMixed, at, "a number, as before", "a date"))
            }
            (Self::Instants(_), _) => {
                Err(FilterError::new(Fault::RangeMixed, at, "a date, as before", "a number"))
            }
        }
    }
}

/// One of some values, each taken once.
fn one_of(field: &Field, mut scalars: Vec<Scalar>) -> Tree {
    let mut seen = BTreeSet::new();
    scalars.retain(|scalar| seen.insert(scalar.clone()));
    let test = match <[Scalar; 1]>::try_from(scalars) {
        Ok([single]) => Test::Equals(single),
        Err(none) if none.is_empty() => return Tree::NOTHING,
        Err(several) => Test::OneOf(several),
    };
    Tree::leaf(Condition { field: field.clone(), test })
}

fn list<'a>(json: &'a Json, at: &Place<'_>) -> Result<&'a [Json], FilterError> {
    match json {
        Json::List(values) => Ok(values),
        other => Err(FilterError::new(Fault::OperandType, at, "a list", other.kind())),
    }
}

fn scalars(values: &[Json], at: &Place<'_>) -> Result<Vec<Scalar>, FilterError> {
    if values.len() > VALUES_MAX {
        let expected = format!("at most {VALUES_MAX} values");
        return Err(FilterError::new(Fault::TooLarge, at, expected, "more values"));
    }
    values.iter().enumerate().map(|(index, value)| scalar(value, &Place::Item(at, index))).collect()
}

fn scalar(json: &Json, at: &Place<'_>) -> Result<Scalar, FilterError> {
    scalar_of(json).ok_or_else(|| FilterError::new(Fault::OperandType, at, SCALAR, json.kind()))
}

fn scalar_of(json: &Json) -> Option<Scalar> {
    match json {
        Json::Text(text) => Some(Scalar::Text(text.as_str().into())),
        Json::Number(number) => Some(Scalar::Number(Number::new(*number))),
        Json::Truth(truth) => Some(Scalar::Truth(*truth)),
        Json::Null | Json::List(_) | Json::Object(_) => None,
    }
}

fn needle<'a>(json: &'a Json, at: &Place<'_>) -> Result<&'a str, FilterError> {
    let received = match json {
        Json::Text(text) if !text.is_empty() => return Ok(text),
        Json::Text(_) => "an empty string",
        other => other.kind(),
    };
    Err(FilterError::new(Fault::OperandType, at, "a string of one or more characters", received))
}

fn bad_name(at: &Place<'_>) -> FilterError {
    let expected = format!(
        "names of letters, digits, _ and -, with dots between up to {PARTS_MAX} parts, of up to {FIELD_BYTES_MAX} bytes"
    );
    FilterError::new(Fault::FieldName, at, expected, "another name")
}

fn unknown_operator(name: &str, at: &Place<'_>) -> FilterError {
    let received = if name.starts_with('$') { "an operator that starts with $" } else { "another operator" };
    FilterError::new(Fault::UnknownOperator, at, OPERATORS, received)
}
