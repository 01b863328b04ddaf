//! What can be wrong with a filter or a scope, as data: which rule, where, what was expected, what came.

use std::borrow::Cow;
use std::fmt::Display;

/// The rule that a filter or a scope breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The text is no JSON, or a part of it is no object where one is needed.
    Shape,
    /// The name of a field is empty, too long, or has a character that names do not have.
    FieldName,
    /// What `AND`, `OR` or `NOT` holds is no list, or an empty one.
    LogicalList,
    /// A condition without an operator.
    EmptyCondition,
    /// There is no such operator.
    UnknownOperator,
    /// The operator does not take an operand of that type.
    OperandType,
    /// The bound of a range is neither a number nor a date.
    RangeOperand,
    /// The bounds of one range are of different kinds.
    RangeMixed,
    /// Lists within lists beyond the limit.
    TooDeep,
    /// More text, conditions or values than the limit.
    TooLarge,
    /// There is no user, no agent and no run.
    ScopeRequired,
    /// An id is neither a text nor a whole number.
    ScopeIdType,
    /// Nothing is left of an id without the blanks around it.
    ScopeIdEmpty,
    /// An id has a blank or a control character inside.
    ScopeIdWhitespace,
    /// An id has a `*` in it.
    ScopeIdWildcard,
    /// An id is too long.
    ScopeIdLong,
}

impl Fault {
    /// The stable name of the rule, for tables and other languages.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Shape => "FILTER_SHAPE",
            Self::FieldName => "FIELD_NAME",
            Self::LogicalList => "LOGICAL_LIST",
            Self::EmptyCondition => "EMPTY_CONDITION",
            Self::UnknownOperator => "UNKNOWN_OPERATOR",
            Self::OperandType => "OPERAND_TYPE",
            Self::RangeOperand => "RANGE_OPERAND",
            Self::RangeMixed => "RANGE_MIXED",
            Self::TooDeep => "TOO_DEEP",
            Self::TooLarge => "FILTER_TOO_LARGE",
            Self::ScopeRequired => "SCOPE_REQUIRED",
            Self::ScopeIdType => "SCOPE_ID_TYPE",
            Self::ScopeIdEmpty => "SCOPE_ID_EMPTY",
            Self::ScopeIdWhitespace => "SCOPE_ID_WHITESPACE",
            Self::ScopeIdWildcard => "SCOPE_ID_WILDCARD",
            Self::ScopeIdLong => "SCOPE_ID_LONG",
        }
    }
}

/// Why a filter or a scope was refused. It names fields and kinds, never a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} expected {expected}, received {received}", place(.path))]
pub struct FilterError {
    fault: Fault,
    path: String,
    expected: Cow<'static, str>,
    received: &'static str,
}

impl FilterError {
    pub(crate) fn new(
        fault: Fault,
        path: &impl Display,
        expected: impl Into<Cow<'static, str>>,
        received: &'static str,
    ) -> Self {
        Self { fault, path: path.to_string(), expected: expected.into(), received }
    }

    /// The rule that was broken.
    pub const fn fault(&self) -> Fault {
        self.fault
    }

    /// The stable name of the rule that was broken.
    pub const fn code(&self) -> &'static str {
        self.fault.code()
    }

    /// Where in the filter, such as `AND[1].priority.gte`; empty for the whole of it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What would have been right.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// The kind of what came.
    pub const fn received(&self) -> &'static str {
        self.received
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { "the filter:".to_owned() } else { format!("the filter at {path}:") }
}
