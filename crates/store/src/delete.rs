//! Deleting points: by id or by filter. Their ids are remembered, so that a view can follow.

use rusqlite::{OptionalExtension, params};
use sluice_filter::Filter;

use crate::read::each_match;
use crate::table::{deletion_seal, required, update};
use crate::{CollectionName, PointId, Store, StoreError};

/// Which points to delete.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// Those with these ids, where they are there.
    Ids(&'a [PointId]),
    /// Those that pass a filter.
    Matching(&'a Filter),
}

impl Store {
    /// Deletes points and gives how many there were: all of them in one transaction. Words, payloads and vectors go; the ids
    /// stay on the list of deletions, until they are stored again or the collection is dropped.
    pub fn delete(&mut self, name: &CollectionName, which: Which<'_>) -> Result<u64, StoreError> {
        let deleted = self.delete_in_log(name, which)?;
        if deleted > 0 {
            // Until then what was deleted still stands in the log, word for word.
            self.settle_log();
        }
        Ok(deleted)
    }

    fn delete_in_log(&mut self, name: &CollectionName, which: Which<'_>) -> Result<u64, StoreError> {
        self.write(|transaction| {
            let mut collection = required(transaction, name)?;
            let generation = collection.generation;
            let mut doomed: Vec<(i64, PointId)> = Vec::new();
            match which {
                Which::Ids(ids) => {
                    let mut find = transaction
                        .prepare_cached(&format!("SELECT row FROM point_{generation} WHERE id = ?1"))?;
                    for id in ids {
                        let row = find.query_row([id.as_bytes()], |row| row.get(0)).optional()?;
                        doomed.extend(row.map(|row| (row, *id)));
                    }
                }
                Which::Matching(filter) => {
                    each_match(transaction, generation, filter, ", row", |point, row| {
                        doomed.push((row.get(5)?, point.id));
                        Ok(())
                    })?;
                }
            }
            // The order of the ids: the change numbers depend on no plan of SQLite. An id may be named twice.
            doomed.sort_unstable_by_key(|(_, id)| *id);
            doomed.dedup();
            let prepare = |sql: String| transaction.prepare_cached(&sql);
            let mut forget = prepare(format!("DELETE FROM point_{generation} WHERE row = ?1"))?;
            let mut forget_words = prepare(format!("DELETE FROM text_{generation} WHERE rowid = ?1"))?;
            let mut remember =
                prepare(format!("INSERT INTO deletion_{generation} (id, change, seal) VALUES (?1, ?2, ?3)"))?;
            for (row, id) in &doomed {
                collection.change += 1;
                forget.execute([row])?;
                forget_words.execute([row])?;
                let seal = deletion_seal(id.as_bytes(), collection.change);
                remember.execute(params![id.as_bytes(), collection.change, seal])?;
            }
            let deleted = doomed.len() as u64;
            collection.points = collection
                .points
                .checked_sub(deleted)
                .ok_or(StoreError::Damaged { what: "more points than were counted" })?;
            if deleted > 0 {
                update(transaction, &collection)?;
            }
            Ok(deleted)
        })
    }
}
