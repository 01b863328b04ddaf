//! Reading points: by id, page by page, and how many there are.

use rusqlite::{Connection, Row, params};
use sluice_filter::Filter;
use sluice_vector::Dimension;

use crate::candidates::{Candidates, Order, passes};
use crate::point::{Page, Points, Record, With};
use crate::seal::unseal;
use crate::table::{payload_seal, read_vector, required};
use crate::{CollectionName, PointId, Store, StoreError};

/// Columns of [`PointRow`], and behind them those of its vector.
pub const PAYLOAD_COLUMNS: &str = "id, change, payload_seal, payload, text";
const VECTOR_COLUMNS: &str = "id, change, payload_seal, payload, text, vector_seal, vector";

impl With {
    /// The columns that a read with these wishes selects.
    pub(crate) const fn columns(self) -> &'static str {
        if self.vector { VECTOR_COLUMNS } else { PAYLOAD_COLUMNS }
    }
}

impl Store {
    /// The points with these ids, in the order of the ids; those that are not there are left out.
    pub fn get(&self, name: &CollectionName, ids: &[PointId], with: With) -> Result<Points, StoreError> {
        self.read(|connection| {
            let collection = required(connection, name)?;
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {} FROM point_{} WHERE id = ?1",
                with.columns(),
                collection.generation
            ))?;
            let mut points = Points::default();
            for id in ids {
                let mut rows = statement.query([id.as_bytes()])?;
                if let Some(row) = rows.next()? {
                    points.push(row, with, collection.schema.dimension)?;
                }
            }
            Ok(points)
        })
    }

    /// Up to `limit` points that pass the filter, in ascending order of their ids, from the first after `after`.
    ///
    /// Pages are states of their own: between two of them a writer may have written.
    pub fn scroll(
        &self,
        name: &CollectionName,
        after: Option<PointId>,
        limit: usize,
        filter: &Filter,
        with: With,
    ) -> Result<Page, StoreError> {
        self.read(|connection| {
            let collection = required(connection, name)?;
            let candidates = Candidates::new(connection, collection.generation, filter)?;
            let mut statement = connection.prepare_cached(&candidates.select(with.columns(), Order::ById))?;
            let after_bytes: &[u8] = after.as_ref().map_or(&[], |id| id.as_bytes());
            let mut rows = statement.query(params![after_bytes, candidates.scope()])?;
            let mut page = Page::default();
            while let Some(row) = rows.next()? {
                if !passes(filter, PointRow::of(row)?.payload)? {
                    continue;
                }
                if page.points.records.len() == limit {
                    page.next = page.points.records.last().map(|record| record.id).or(after);
                    break;
                }
                page.points.push(row, with, collection.schema.dimension)?;
            }
            Ok(page)
        })
    }

    /// How many points pass the filter. Costs nothing for [`Filter::everything`], else a look at every candidate.
    pub fn count(&self, name: &CollectionName, filter: &Filter) -> Result<u64, StoreError> {
        self.read(|connection| {
            let collection = required(connection, name)?;
            if filter.is_everything() {
                return Ok(collection.points);
            }
            let mut count = 0;
            each_match(connection, collection.generation, filter, "", |_, _| {
                count += 1;
                Ok(())
            })?;
            Ok(count)
        })
    }
}

/// Calls `found` with every point that passes a filter, in no particular order; `more` are columns of the caller's own.
pub fn each_match(
    connection: &Connection,
    generation: u64,
    filter: &Filter,
    more: &str,
    mut found: impl FnMut(PointRow<'_>, &Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let candidates = Candidates::new(connection, generation, filter)?;
    let columns = format!("{PAYLOAD_COLUMNS}{more}");
    let mut statement = connection.prepare_cached(&candidates.select(&columns, Order::Any))?;
    let mut rows = statement.query(params![[].as_slice(), candidates.scope()])?;
    while let Some(row) = rows.next()? {
        let point = PointRow::of(row)?;
        if passes(filter, point.payload)? {
            found(point, row)?;
        }
    }
    Ok(())
}

/// What [`PAYLOAD_COLUMNS`] hold, with the checksum verified; borrowed from the row.
pub struct PointRow<'r> {
    /// The id.
    pub id: PointId,
    /// The number of the change that wrote it.
    pub change: u64,
    /// The JSON object.
    pub payload: &'r str,
    /// The text.
    pub text: Option<&'r str>,
}

impl<'r> PointRow<'r> {
    /// Reads a row.
    pub fn of(row: &'r Row<'_>) -> Result<Self, StoreError> {
        let id: [u8; 16] = row.get(0)?;
        let payload = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
        let text = row.get_ref(4)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        let (change, stored): (u64, i64) = (row.get(1)?, row.get(2)?);
        if payload_seal(&id, change, payload, text) != stored {
            return Err(StoreError::Damaged { what: "a point fails its checksum" });
        }
        Ok(Self { id: PointId::from_bytes(id), change, payload, text })
    }
}

impl Points {
    /// Appends a row of [`With::columns`].
    pub(crate) fn push(&mut self, row: &Row<'_>, with: With, dimension: Dimension) -> Result<(), StoreError> {
        let PointRow { id, payload, text, .. } = PointRow::of(row)?;
        if with.vector {
            let bytes = row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?;
            read_vector(bytes, id.as_bytes(), row.get(5)?, dimension, &mut self.vectors)?;
        }
        let text = text.filter(|_| with.text).map(str::to_owned);
        self.records.push(Record { id, payload: payload.to_owned(), text });
        Ok(())
    }
}

/// A deletion, with the checksum verified: `id, change, seal`.
pub fn read_deletion(row: &Row<'_>) -> Result<(PointId, u64), StoreError> {
    let (id, change): ([u8; 16], u64) = (row.get(0)?, row.get(1)?);
    unseal(row.get(2)?, &[&id, &change.to_le_bytes()])?;
    Ok((PointId::from_bytes(id), change))
}
