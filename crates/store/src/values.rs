//! Small values by namespace and key: journals and checkpoints that live and die with the store.

use rusqlite::{OptionalExtension, params};

use crate::seal::{seal, unseal};
use crate::{Store, StoreError};

impl Store {
    /// Writes a value, over the one that was there.
    pub fn put_value(&mut self, namespace: &str, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO value (namespace, key, bytes, seal) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (namespace, key) DO UPDATE SET bytes = excluded.bytes, seal = excluded.seal",
            )?;
            let seal = seal(&[namespace.as_bytes(), key.as_bytes(), bytes]);
            statement.execute(params![namespace, key, bytes, seal])?;
            Ok(())
        })
    }

    /// The value of a key, if there is one.
    pub fn get_value(&self, namespace: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT bytes, seal FROM value WHERE namespace = ?1 AND key = ?2")?;
            let found = statement
                .query_row(params![namespace, key], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?)))
                .optional()?;
            let Some((bytes, stored)) = found else { return Ok(None) };
            unseal(stored, &[namespace.as_bytes(), key.as_bytes(), &bytes])?;
            Ok(Some(bytes))
        })
    }

    /// Up to `limit` keys of a namespace in ascending order, from the first after `after`.
    pub fn value_keys(
        &self,
        namespace: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT key FROM value WHERE namespace = ?1 AND (?2 IS NULL OR key > ?2) ORDER BY key LIMIT ?3",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let keys = statement.query_map(params![namespace, after, limit], |row| row.get(0))?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }

    /// Removes a value; gives whether there was one.
    pub fn delete_value(&mut self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        self.write(|transaction| {
            let mut statement =
                transaction.prepare_cached("DELETE FROM value WHERE namespace = ?1 AND key = ?2")?;
            Ok(statement.execute(params![namespace, key])? > 0)
        })
    }
}
