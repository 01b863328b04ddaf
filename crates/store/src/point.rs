//! Points: an id, a vector, a payload, and perhaps a text to search in.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::StoreError;

/// The longest payload, in bytes of JSON.
pub const PAYLOAD_BYTES_MAX: usize = 1 << 20;
/// How deep objects and lists of a payload may nest; the payload itself is the first level.
pub const PAYLOAD_DEPTH_MAX: usize = 64;
/// The longest text, in bytes.
pub const TEXT_BYTES_MAX: usize = 16 << 20;

/// The 128 bits that name a point. Its text form is that of a UUID, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId(Uuid);

impl PointId {
    /// The id with these bytes, in network order.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// The bytes, in network order. Ids are ordered by them.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl FromStr for PointId {
    type Err = StoreError;

    /// Reads 32 hexadecimal digits of either case, with the four dashes of a UUID or without any; not the forms with
    /// braces or a URN, which are longer.
    fn from_str(text: &str) -> Result<Self, StoreError> {
        let refused = |received| Err(StoreError::PointId { received });
        if !matches!(text.len(), 32 | 36) {
            return refused(format!("{} bytes", text.len()));
        }
        Uuid::try_parse(text).map_or_else(|_| refused("other characters".to_owned()), |id| Ok(Self(id)))
    }
}

impl fmt::Display for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PointId({self})")
    }
}

/// A point on its way in.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Its name; storing a second point under it replaces the first.
    pub id: PointId,
    /// Its vector, stored bit by bit as given.
    pub vector: &'a [f32],
    /// A JSON object, stored byte by byte as given: at most [`PAYLOAD_BYTES_MAX`] and [`PAYLOAD_DEPTH_MAX`].
    pub payload: &'a str,
    /// What full-text search finds it by: at most [`TEXT_BYTES_MAX`].
    pub text: Option<&'a str>,
}

/// What an upsert did. The three add up to the different ids of the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Upserted {
    /// Ids that were not there.
    pub inserted: u64,
    /// Ids whose point is another now.
    pub replaced: u64,
    /// Ids whose point was equal already: nothing was written, the change number stays.
    pub unchanged: u64,
}

/// What a read gives beside ids and payloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// The vectors; off by default, since they are the bulk.
    pub vector: bool,
    /// The texts; off by default.
    pub text: bool,
}

/// A point on its way out; its vector lies in [`Points::vectors`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub id: PointId,
    /// The JSON object, as it was given.
    pub payload: String,
    /// The text, where there is one and it was asked for.
    pub text: Option<String>,
}

/// Points on their way out, with all vectors in one buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// The points, in the order that the call promises.
    pub records: Vec<Record>,
    /// Row after row in the order of `records`; empty where vectors were not asked for.
    pub vectors: Vec<f32>,
}

impl Points {
    /// The vector of one record; `None` where vectors were not asked for.
    pub fn vector(&self, position: usize) -> Option<&[f32]> {
        let dimension = self.vectors.len() / self.records.len().max(1);
        if dimension == 0 {
            return None;
        }
        self.vectors.get(position * dimension..(position + 1) * dimension)
    }
}

/// One page of a scroll.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Points in ascending order of their ids.
    pub points: Points,
    /// The `after` of the next page; `None` when nothing can follow.
    pub next: Option<PointId>,
}
