//! What happened since a change: how a view catches up, and how an index is rebuilt.

use rusqlite::params;

use crate::point::{Points, With};
use crate::read::{PointRow, read_deletion};
use crate::table::required;
use crate::{CollectionName, PointId, Store, StoreError};

/// One page of changes. An id is in it once, as what it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Points that were stored, with vectors, in the order of their changes.
    pub upserted: Points,
    /// Points that were deleted, in the order of their changes.
    pub deleted: Vec<PointId>,
    /// The collection these are changes of. Where it is not the one that the view was made from, the view starts anew.
    pub generation: u64,
    /// The `after` of the next page; when nothing is left, the number of the last change.
    pub last: u64,
    /// Changes after `last` that are there already.
    pub left: Left,
}

/// Whether a page was the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Left {
    /// The view is up to date.
    #[default]
    Nothing,
    /// There is another page.
    More,
}

impl Store {
    /// Up to `limit` changes after the change `after`; 0 starts from nothing. A point that changed often is told once.
    pub fn changes(&self, name: &CollectionName, after: u64, limit: usize) -> Result<Changes, StoreError> {
        self.read(|connection| {
            let collection = required(connection, name)?;
            let generation = collection.generation;
            let with = With { vector: true, text: true };
            let mut upserted = connection.prepare_cached(&format!(
                "SELECT {} FROM point_{generation} INDEXED BY point_{generation}_change
                 WHERE change > ?1 ORDER BY change",
                with.columns()
            ))?;
            let mut deleted = connection.prepare_cached(&format!(
                "SELECT id, change, seal FROM deletion_{generation} WHERE change > ?1 ORDER BY change"
            ))?;
            let mut upserted = upserted.query(params![after])?;
            let mut deleted = deleted.query(params![after])?;
            let mut changes = Changes { generation, last: after, ..Changes::default() };
            let mut deletion = deleted.next()?.map(read_deletion).transpose()?;
            let mut point = upserted.next()?;
            for _ in 0..limit {
                let change = point.map(PointRow::of).transpose()?.map(|row| row.change);
                match (change, deletion) {
                    (Some(change), deleted) if deleted.is_none_or(|(_, later)| change < later) => {
                        if let Some(row) = point {
                            changes.upserted.push(row, with, collection.schema.dimension)?;
                        }
                        changes.last = change;
                        point = upserted.next()?;
                    }
                    (_, Some((id, change))) => {
                        changes.deleted.push(id);
                        changes.last = change;
                        deletion = deleted.next()?.map(read_deletion).transpose()?;
                    }
                    _ => break,
                }
            }
            if point.is_some() || deletion.is_some() {
                changes.left = Left::More;
            } else {
                changes.last = changes.last.max(collection.change);
            }
            Ok(changes)
        })
    }
}
