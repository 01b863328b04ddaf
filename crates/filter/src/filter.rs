//! The filter as others hold it.

use serde_json::Value;

use crate::FilterError;
use crate::json::Json;
use crate::parse;
use crate::tree::Tree;

/// A checked condition over payloads.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    tree: Tree,
}

impl Filter {
    /// The filter that matches everything, as `{}` does.
    pub const fn everything() -> Self {
        Self { tree: Tree::EVERYTHING }
    }

    /// Reads a filter from its JSON text. Limits: 1 MiB of text, 8 lists within lists, 256 conditions, 1,000 values a list,
    /// field names of 16 parts and 256 bytes.
    ///
    /// # Errors
    /// Every [`Fault`](crate::Fault) but those of a scope, at the first place that is wrong.
    pub fn parse(json: &str) -> Result<Self, FilterError> {
        parse::tree(&Json::read(json)?).map(Self::from)
    }

    /// Whether it matches everything, whatever the payload.
    pub fn is_everything(&self) -> bool {
        self.tree.is_everything()
    }

    /// What both match.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Tree::all([self.tree, other.tree]).into()
    }

    /// Whether a payload matches. This is what a filter means; every other way to ask agrees with it.
    pub fn matches(&self, payload: &Value) -> bool {
        self.tree.matches(payload)
    }

    /// The checked tree in JSON, for translators.
    ///
    /// `{"all": [..]}`, `{"any": [..]}` and `{"none": [..]}` over leaves with a `field` and one of `eq`, `in` (of two or more),
    /// `range` (`gt` or `gte`, `lt` or `lte`, numbers), `instants` (likewise, RFC 3339 in UTC), `exists`, `contains`, and
    /// `icontains` (in lower case). Everything is `{"all": []}`, nothing `{"any": []}`, and neither occurs further down.
    pub fn normal_form(&self) -> String {
        self.tree.to_json().to_string()
    }

    pub(crate) const fn tree(&self) -> &Tree {
        &self.tree
    }
}

impl From<Tree> for Filter {
    fn from(tree: Tree) -> Self {
        Self { tree }
    }
}
