//! The checked tree. Its constructors fold constants, so that a tree is in normal form from the start.
//!
//! Only the root can be everything or nothing; a list has two or more parts (`none`: one or more), and no part of a list is a
//! list of the same kind.

use serde_json::{Value, json};

use crate::condition::{Condition, Test};

/// A tree of conditions.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// All hold. Of none: everything.
    All(Vec<Tree>),
    /// One holds. Of none: nothing.
    Any(Vec<Tree>),
    /// None holds.
    None(Vec<Tree>),
    Leaf(Condition),
}

impl Tree {
    pub const EVERYTHING: Self = Self::All(Vec::new());
    pub const NOTHING: Self = Self::Any(Vec::new());

    /// What all parts match.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                nothing if nothing.is_nothing() => return nothing,
                other => flat.push(other),
            }
        }
        Self::single_or(flat, Self::All)
    }

    /// What one of the parts matches.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                everything if everything.is_everything() => return everything,
                other => flat.push(other),
            }
        }
        Self::single_or(flat, Self::Any)
    }

    /// What none of the parts matches.
    pub fn none(parts: impl IntoIterator<Item = Self>) -> Self {
        match Self::any(parts) {
            nothing if nothing.is_nothing() => Self::EVERYTHING,
            everything if everything.is_everything() => Self::NOTHING,
            Self::Any(parts) => Self::None(parts),
            // None of "none of these" is one of these.
            Self::None(parts) => Self::single_or(parts, Self::Any),
            single => Self::None(vec![single]),
        }
    }

    /// The only part by itself, any other number of parts as a list.
    fn single_or(parts: Vec<Self>, list: fn(Vec<Self>) -> Self) -> Self {
        match <[Self; 1]>::try_from(parts) {
            Ok([single]) => single,
            Err(parts) => list(parts),
        }
    }

    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Any(parts) if parts.is_empty())
    }

    pub fn matches(&self, payload: &Value) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.matches(payload)),
            Self::Any(parts) => parts.iter().any(|part| part.matches(payload)),
            Self::None(parts) => !parts.iter().any(|part| part.matches(payload)),
            Self::Leaf(condition) => condition.matches(payload),
        }
    }

    pub fn to_json(&self) -> Value {
        let list = |parts: &[Self]| parts.iter().map(Self::to_json).collect::<Vec<_>>();
        match self {
            Self::All(parts) => json!({"all": list(parts)}),
            Self::Any(parts) => json!({"any": list(parts)}),
            Self::None(parts) => json!({"none": list(parts)}),
            Self::Leaf(condition) => condition.to_json(),
        }
    }

    /// A leaf, or nothing where no value can pass.
    pub fn leaf(condition: Condition) -> Self {
        let impossible = match &condition.test {
            Test::Numbers(range) => range.is_empty(),
            Test::Instants(range) => range.is_empty(),
            _ => false,
        };
        if impossible { Self::NOTHING } else { Self::Leaf(condition) }
    }
}
