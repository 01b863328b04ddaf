//! What a collection is called and what it demands of its points.

use std::fmt;
use std::str::FromStr;

use sluice_vector::{Dimension, Metric};

use crate::StoreError;

/// The longest name of a collection, in bytes.
pub const COLLECTION_NAME_BYTES_MAX: usize = 255;

/// A checked name: 1 to 255 bytes, no control characters, none of `< > : " / \ | ? *`.
///
/// The rule is the strictest of the stores Sluice speaks to, so that a name good here is good everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionName(String);

impl CollectionName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CollectionName {
    type Err = StoreError;

    fn from_str(name: &str) -> Result<Self, StoreError> {
        let refused = |expected, received| Err(StoreError::CollectionName { expected, received });
        if name.is_empty() || name.len() > COLLECTION_NAME_BYTES_MAX {
            return refused("1 to 255 bytes long", format!("{} bytes", name.len()));
        }
        let forbidden = |letter: char| letter.is_control() || r#"<>:"/\|?*"#.contains(letter);
        match name.find(forbidden) {
            Some(byte) => {
                refused("without control characters and < > : \" / \\ | ? *", format!("one at byte {byte}"))
            }
            None => Ok(Self(name.to_owned())),
        }
    }
}

impl fmt::Display for CollectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a collection demands of its points; fixed when the collection is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Components of every vector.
    pub dimension: Dimension,
    /// How vectors are compared. The store only records it, and refuses zero vectors under cosine.
    pub metric: Metric,
    /// Name and fingerprint of the model that makes the vectors, where it is known.
    pub embedder_id: Option<String>,
}

impl Schema {
    /// Whether `self`, which is asked for, is what `held` is. Asking for no embedder accepts any.
    pub(crate) fn check_against(&self, held: &Self, name: &CollectionName) -> Result<(), StoreError> {
        let text = |id: &Option<String>| id.clone().unwrap_or_else(|| "unknown".to_owned());
        let (asked, has) = (self.dimension.get().to_string(), held.dimension.get().to_string());
        let differing = [
            ("dimension", self.dimension == held.dimension, asked, has),
            (
                "metric",
                self.metric == held.metric,
                self.metric.name().to_owned(),
                held.metric.name().to_owned(),
            ),
            (
                "embedder_id",
                self.embedder_id.is_none() || self.embedder_id == held.embedder_id,
                text(&self.embedder_id),
                text(&held.embedder_id),
            ),
        ]
        .into_iter()
        .find(|(_, equal, ..)| !equal);
        match differing {
            None => Ok(()),
            Some((field, _, expected, received)) => {
                Err(StoreError::SchemaMismatch { name: name.to_string(), field, expected, received })
            }
        }
    }
}

/// A collection as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// Its name.
    pub name: CollectionName,
    /// What it demands.
    pub schema: Schema,
    /// Tells a collection from an earlier one of the same name: never used twice in one file.
    pub generation: u64,
    /// Number of the last change; 0 before the first.
    pub change: u64,
    /// Points in it.
    pub points: u64,
}

/// What [`ensure_collection`](crate::Store::ensure_collection) found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ensured {
    /// The collection was made.
    Created,
    /// It was there, with the same schema.
    Present,
}
