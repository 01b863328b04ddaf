//! The list of collections: seeing it, adding to it, dropping from it.

use crate::collection::Ensured;
use crate::layout;
use crate::table::{find, insert, list};
use crate::{Collection, CollectionName, Schema, Store, StoreError};

impl Store {
    /// All collections, in the order of their names.
    pub fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        self.read(list)
    }

    /// The collection of a name, if there is one.
    pub fn collection(&self, name: &CollectionName) -> Result<Option<Collection>, StoreError> {
        self.read(|connection| find(connection, name))
    }

    /// Makes a collection, or finds it with the same schema. Asking for no embedder accepts any.
    ///
    /// # Errors
    /// [`StoreError::SchemaMismatch`] when it is there with another one.
    pub fn ensure_collection(
        &mut self,
        name: &CollectionName,
        schema: &Schema,
    ) -> Result<Ensured, StoreError> {
        if let Some(held) = self.collection(name)? {
            return schema.check_against(&held.schema, name).map(|()| Ensured::Present);
        }
        self.write(|transaction| {
            let generation = insert(transaction, name, schema)?;
            transaction.execute_batch(&layout::collection(generation))?;
            Ok(Ensured::Created)
        })
    }

    /// Removes a collection with everything in it; gives how many points it had, `None` where there was none.
    pub fn drop_collection(&mut self, name: &CollectionName) -> Result<Option<u64>, StoreError> {
        let dropped = self.write(|transaction| {
            let Some(collection) = find(transaction, name)? else { return Ok(None) };
            transaction.execute_batch(&layout::drop_collection(collection.generation))?;
            transaction.execute("DELETE FROM collection WHERE generation = ?1", [collection.generation])?;
            Ok(Some(collection.points))
        })?;
        if dropped.is_some() {
            self.settle_log();
        }
        Ok(dropped)
    }
}
