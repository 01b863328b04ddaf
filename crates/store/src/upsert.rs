//! Storing points: one batch, one transaction.

use std::collections::HashMap;

use rusqlite::{Transaction, params};

use crate::payload::{Scopes, check};
use crate::point::Upserted;
use crate::table::{payload_seal, required, update, vector_bytes, vector_seal};
use crate::words::spaced;
use crate::{CollectionName, Point, Store, StoreError};

/// What the store holds under the id of a point that comes in.
enum Standing {
    Absent,
    Equal,
    Other { row: i64, text: Change },
}

/// What happens to the words of a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Stays,
    Replaced,
}

impl Store {
    /// Stores points: new ids are added, known ones replaced where they differ. All of the batch, or nothing; of points with
    /// equal ids the last wins. When this returns, the batch outlives what [`Durability`](crate::Durability) says.
    ///
    /// # Errors
    /// [`StoreError::Dimension`], [`StoreError::NotFinite`], [`StoreError::ZeroVector`], [`StoreError::Payload`],
    /// [`StoreError::TextTooLong`] by position in the batch; [`StoreError::CollectionMissing`].
    pub fn upsert(&mut self, name: &CollectionName, points: &[Point<'_>]) -> Result<Upserted, StoreError> {
        // One writer: what is read here is still so below.
        let mut collection = self.read(|connection| required(connection, name))?;
        let scopes = points
            .iter()
            .enumerate()
            .map(|(position, point)| check(point, position, &collection.schema))
            .collect::<Result<Vec<Scopes>, _>>()?;
        let last: HashMap<_, _> =
            points.iter().enumerate().map(|(position, point)| (point.id, position)).collect();
        self.write(|transaction| {
            let mut writer = Writer::new(transaction, collection.generation)?;
            let mut done = Upserted::default();
            for (position, (point, scopes)) in points.iter().zip(&scopes).enumerate() {
                if last.get(&point.id) != Some(&position) {
                    continue;
                }
                let change = collection.change + 1;
                match writer.standing(point)? {
                    Standing::Equal => {
                        done.unchanged += 1;
                        continue;
                    }
                    Standing::Absent => {
                        writer.insert(point, scopes, change)?;
                        done.inserted += 1;
                    }
                    Standing::Other { row, text } => {
                        writer.replace(row, point, scopes, change, text)?;
                        done.replaced += 1;
                    }
                }
                collection.change = change;
            }
            collection.points += done.inserted;
            if done.inserted + done.replaced > 0 {
                update(transaction, &collection)?;
            }
            Ok(done)
        })
    }
}

/// The statements of one batch, prepared.
struct Writer<'t> {
    find: rusqlite::CachedStatement<'t>,
    insert: rusqlite::CachedStatement<'t>,
    replace: rusqlite::CachedStatement<'t>,
    revive: rusqlite::CachedStatement<'t>,
    add_words: rusqlite::CachedStatement<'t>,
    drop_words: rusqlite::CachedStatement<'t>,
    /// The vector at hand, as bytes.
    bytes: Vec<u8>,
}

impl<'t> Writer<'t> {
    fn new(transaction: &'t Transaction<'_>, generation: u64) -> Result<Self, StoreError> {
        let prepare = |sql: String| transaction.prepare_cached(&sql);
        Ok(Self {
            find: prepare(format!("SELECT row, payload, text, vector FROM point_{generation} WHERE id = ?1"))?,
            insert: prepare(format!(
                "INSERT INTO point_{generation}
                 (id, change, run_id, user_id, agent_id, tenant_id, payload_seal, vector_seal, payload, text, vector)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            ))?,
            replace: prepare(format!(
                "UPDATE point_{generation} SET change = ?2, run_id = ?3, user_id = ?4, agent_id = ?5, tenant_id = ?6,
                 payload_seal = ?7, vector_seal = ?8, payload = ?9, text = ?10, vector = ?11 WHERE id = ?1"
            ))?,
            revive: prepare(format!("DELETE FROM deletion_{generation} WHERE id = ?1"))?,
            add_words: prepare(format!("INSERT INTO text_{generation} (rowid, words) VALUES (?1, ?2)"))?,
            drop_words: prepare(format!("DELETE FROM text_{generation} WHERE rowid = ?1"))?,
            bytes: Vec::new(),
        })
    }

    fn standing(&mut self, point: &Point<'_>) -> Result<Standing, StoreError> {
        vector_bytes(point.vector, &mut self.bytes);
        let mut rows = self.find.query([point.id.as_bytes()])?;
        let Some(row) = rows.next()? else { return Ok(Standing::Absent) };
        let text_stays = row.get_ref(2)?.as_str_or_null().map_err(rusqlite::Error::from)? == point.text;
        let equal = text_stays
            && row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)? == point.payload
            && row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)? == self.bytes;
        if equal {
            return Ok(Standing::Equal);
        }
        let text = if text_stays { Change::Stays } else { Change::Replaced };
        Ok(Standing::Other { row: row.get(0)?, text })
    }

    fn insert(&mut self, point: &Point<'_>, scopes: &Scopes, change: u64) -> Result<(), StoreError> {
        let row = self.put(Put::Insert, point, scopes, change)?;
        self.revive.execute([point.id.as_bytes()])?;
        self.add_words(row, point.text)
    }

    fn replace(
        &mut self,
        row: i64,
        point: &Point<'_>,
        scopes: &Scopes,
        change: u64,
        text: Change,
    ) -> Result<(), StoreError> {
        self.put(Put::Replace, point, scopes, change)?;
        if text == Change::Stays {
            return Ok(());
        }
        self.drop_words.execute([row])?;
        self.add_words(row, point.text)
    }

    /// Writes the row of a point whose vector is at hand; gives its number when it is new.
    fn put(&mut self, put: Put, point: &Point<'_>, scopes: &Scopes, change: u64) -> Result<i64, StoreError> {
        let id = point.id.as_bytes();
        let [run, user, agent, tenant] = scopes;
        let seals = (payload_seal(id, change, point.payload, point.text), vector_seal(id, &self.bytes));
        let columns = params![
            id,
            change,
            run,
            user,
            agent,
            tenant,
            seals.0,
            seals.1,
            point.payload,
            point.text,
            self.bytes
        ];
        match put {
            Put::Insert => Ok(self.insert.insert(columns)?),
            Put::Replace => Ok(self.replace.execute(columns).map(|_| 0)?),
        }
    }

    fn add_words(&mut self, row: i64, text: Option<&str>) -> Result<(), StoreError> {
        if let Some(text) = text {
            self.add_words.execute(params![row, spaced(text)])?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Put {
    Insert,
    Replace,
}
