//! Is the file whole? Everything in it is read and compared with what was written beside it.

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::layout::words_table;
use crate::payload::{Scope, scopes};
use crate::point::{Points, With};
use crate::read::read_deletion;
use crate::seal::unseal;
use crate::table::list;
use crate::words::spaced;
use crate::{Collection, Store, StoreError};

impl Store {
    /// Reads the whole store: pages and indexes as SQLite checks them, then every checksum, count and scope column, and the
    /// index of words. `Ok` means that every read gives what was written.
    ///
    /// # Errors
    /// [`StoreError::Damaged`].
    pub fn check(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            demand(verdict == "ok", "pages or indexes do not fit together")?;
            check_values(connection)?;
            // Held as a whole: what `check_words` sets aside cannot be dropped beside an open list.
            for collection in list(connection)? {
                check_collection(connection, &collection)?;
            }
            Ok(())
        })
    }
}

fn check_values(connection: &Connection) -> Result<(), StoreError> {
    let mut statement = connection.prepare("SELECT namespace, key, bytes, seal FROM value")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (namespace, key): (String, String) = (row.get(0)?, row.get(1)?);
        let bytes = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        unseal(row.get(3)?, &[namespace.as_bytes(), key.as_bytes(), bytes])?;
    }
    Ok(())
}

fn check_collection(connection: &Connection, collection: &Collection) -> Result<(), StoreError> {
    let Collection { generation, change: last, points: expected, .. } = collection;
    let with = With { vector: true, text: true };
    let mut statement = connection.prepare(&format!(
        "SELECT {}, run_id, user_id, agent_id, tenant_id FROM point_{generation}",
        with.columns()
    ))?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let mut points = Points::default();
        points.push(row, with, collection.schema.dimension)?;
        let record = &points.records[0];
        let payload: Value = serde_json::from_str(&record.payload)
            .map_err(|_| StoreError::Damaged { what: "a payload is no JSON" })?;
        for (at, scope) in scopes(&payload).iter().enumerate() {
            demand(holds(row.get_ref(7 + at)?, scope), "a scope column does not fit its payload")?;
        }
        demand(row.get::<_, u64>(1)? <= *last, "a change is later than the last")?;
        count += 1;
    }
    demand(count == *expected, "points are missing, or too many")?;
    let mut deletions = connection.prepare(&format!("SELECT id, change, seal FROM deletion_{generation}"))?;
    let mut rows = deletions.query([])?;
    while let Some(row) = rows.next()? {
        demand(read_deletion(row)?.1 <= *last, "a change is later than the last")?;
    }
    check_words(connection, *generation)
}

/// Indexes all texts once more, aside, and compares the two word by word: FTS5 keeps no texts to compare its index with.
fn check_words(connection: &Connection, generation: u64) -> Result<(), StoreError> {
    connection.execute_batch(&format!(
        "{}
         CREATE VIRTUAL TABLE temp.held_words USING fts5vocab(main, text_{generation}, instance);
         CREATE VIRTUAL TABLE temp.again_words USING fts5vocab(temp, again, instance);",
        words_table("temp.again")
    ))?;
    index_again(connection, generation)?;
    let occurrences =
        |table: &str| format!("SELECT term, doc, offset FROM {table} ORDER BY term, doc, offset");
    same_rows(connection, &occurrences("temp.held_words"), &occurrences("temp.again_words"))?;
    // What BM25 reckons with: the length of each text, and the totals.
    let lengths = |tables: &str| format!("SELECT id, sz FROM {tables}_docsize ORDER BY id");
    same_rows(connection, &lengths(&format!("text_{generation}")), &lengths("temp.again"))?;
    // Without a text there are none: an index that was emptied says so in another way than one that was always empty.
    let totals = |tables: &str| {
        format!("SELECT block FROM {tables}_data WHERE id = 1 AND EXISTS (SELECT 1 FROM {tables}_docsize)")
    };
    same_rows(connection, &totals(&format!("text_{generation}")), &totals("temp.again"))?;
    connection
        .execute_batch("DROP TABLE temp.held_words; DROP TABLE temp.again_words; DROP TABLE temp.again;")?;
    Ok(())
}

fn index_again(connection: &Connection, generation: u64) -> Result<(), StoreError> {
    let mut add = connection.prepare("INSERT INTO temp.again (rowid, words) VALUES (?1, ?2)")?;
    let mut texts =
        connection.prepare(&format!("SELECT row, text FROM point_{generation} WHERE text IS NOT NULL"))?;
    let mut rows = texts.query([])?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        add.execute(params![row.get::<_, i64>(0)?, spaced(text)])?;
    }
    Ok(())
}

fn same_rows(connection: &Connection, held: &str, again: &str) -> Result<(), StoreError> {
    let (mut held, mut again) = (connection.prepare(held)?, connection.prepare(again)?);
    let columns = held.column_count();
    let (mut held, mut again) = (held.query([])?, again.query([])?);
    loop {
        let same = match (held.next()?, again.next()?) {
            (None, None) => return Ok(()),
            (Some(held), Some(again)) => {
                let mut same = true;
                for column in 0..columns {
                    same &= held.get_ref(column)? == again.get_ref(column)?;
                }
                same
            }
            _ => false,
        };
        demand(same, "the index of words does not fit the texts")?;
    }
}

fn holds(column: rusqlite::types::ValueRef<'_>, scope: &Scope) -> bool {
    use rusqlite::types::ValueRef;
    match (column, scope) {
        (ValueRef::Null, Scope::Absent) => true,
        (ValueRef::Text(held), Scope::One(text)) => held == text.as_bytes(),
        (ValueRef::Blob(held), Scope::List) => held.is_empty(),
        _ => false,
    }
}

fn demand(holds: bool, what: &'static str) -> Result<(), StoreError> {
    if holds { Ok(()) } else { Err(StoreError::Damaged { what }) }
}
