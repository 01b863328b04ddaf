//! A copy of the store while it is in use.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::fresh::Fresh;
use crate::lock::WriterLock;
use crate::store::resolved;
use crate::{Store, StoreError};

/// Pages copied between two looks at the flag that cancels.
const PAGES_PER_STEP: i32 = 256;

impl Store {
    /// Copies the store as it is now to a new file, which appears under its name whole or not at all. Readers and, on other
    /// handles, the writer go on meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the name is taken; [`StoreError::SecondWriter`] when another snapshot is being written
    /// there.
    pub fn snapshot(&self, into: &Path) -> Result<(), StoreError> {
        let into = resolved(into)?;
        if into.exists() {
            return Err(StoreError::Exists { path: into });
        }
        let fresh = Fresh::begin(&into, WriterLock::take(&into)?)?;
        match self.copy(fresh.unfinished()) {
            Ok(()) => fresh.publish().map(drop),
            Err(error) => Err(fresh.abandon(error)),
        }
    }

    fn copy(&self, into: &Path) -> Result<(), StoreError> {
        let mut copy = Connection::open(into)?;
        // The read holds one state of the file through all steps.
        self.read(|connection| {
            connection.query_row("SELECT count(*) FROM collection", [], |_| Ok(()))?;
            let backup = Backup::new(connection, &mut copy)?;
            loop {
                match backup.step(PAGES_PER_STEP)? {
                    StepResult::Done => return Ok(()),
                    StepResult::More => self.check_cancelled()?,
                    _ => return Err(StoreError::Busy),
                }
            }
        })?;
        copy.close().map_err(|(_, error)| error.into())
    }
}
