//! The handle of a store: opening, making, and the transactions that all work runs in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::fresh::Fresh;
use crate::layout::{self, APPLICATION_ID, LAYOUT, PAGE_BYTES};
use crate::lock::WriterLock;

/// What a handle may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and write; makes the file where there is none. One such handle a store.
    ReadWrite,
    /// Read, as many handles as one likes, also while a writer writes.
    ReadOnly,
}

/// What an acknowledged write outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The death of the process. A power cut may take back the last writes, whole batches in order, never half of one.
    #[default]
    Process,
    /// A power cut: every write waits for the disk, some hundred times slower for single points.
    Power,
}

/// How long a statement waits for a lock of SQLite, such as that of another program.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long emptying the log waits for readers.
const LOG_PATIENCE: Duration = Duration::from_millis(200);
/// Steps of SQLite between two looks at the flag that cancels: about a millisecond.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;
/// Page cache of a handle, in KiB (SQLite wants it negative).
const CACHE_KIB: i64 = -32_768;
/// Statements a handle keeps prepared.
const STATEMENTS_KEPT: usize = 128;
/// What the write-ahead log shrinks to once it has been copied into the file.
const LOG_BYTES_KEPT: i64 = 64 << 20;

type Flag = Arc<AtomicBool>;

/// An open store. Dropping it closes it; a `Store` may move between threads but serves one at a time.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    /// After the connection, so that it is dropped last.
    lock: Option<WriterLock>,
    path: PathBuf,
    cancel: Arc<Mutex<Option<Flag>>>,
}

impl Store {
    /// Opens the store at `path`.
    ///
    /// `durability` concerns writes only.
    ///
    /// # Errors
    /// [`StoreError::Open`] and [`StoreError::IsDirectory`] about the path; [`StoreError::SecondWriter`] at once when the
    /// store has a writer; [`StoreError::ForeignFile`], [`StoreError::Version`] and [`StoreError::Damaged`] about the
    /// file; [`StoreError::ReadOnly`] when it cannot be written to.
    pub fn open(path: &Path, access: Access, durability: Durability) -> Result<Self, StoreError> {
        let path = resolved(path)?;
        match access {
            Access::ReadOnly => {
                Found::at(&path)?.or_missing(&path)?;
                Self::connect(path, None, durability)
            }
            Access::ReadWrite => {
                Found::at(&path)?;
                let mut lock = WriterLock::take(&path)?;
                // Looked at again under the lock: the writer before may just have made it.
                if matches!(Found::at(&path)?, Found::Nothing) {
                    lock = make(&path, lock)?;
                }
                Self::connect(path, Some(lock), durability)
            }
        }
    }

    /// Another handle on the same file, which reads beside this one.
    pub fn reader(&self) -> Result<Self, StoreError> {
        Self::open(&self.path, Access::ReadOnly, Durability::Process)
    }

    /// Where the file lies, as an absolute path without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on work on this handle stops with [`StoreError::Cancelled`] within milliseconds once `flag` is raised; the
    /// flag given before is forgotten. What is stopped has changed nothing.
    pub fn cancel_by(&self, flag: Arc<AtomicBool>) {
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = Some(flag);
    }

    /// Whether the flag of [`Self::cancel_by`] is raised.
    pub(crate) fn check_cancelled(&self) -> Result<(), StoreError> {
        if raised(&self.cancel) { Err(StoreError::Cancelled) } else { Ok(()) }
    }

    /// Runs a read that sees one state of the file throughout.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.check_cancelled()?;
        let snapshot = self.connection.unchecked_transaction()?;
        let result = work(&snapshot)?;
        snapshot.commit()?;
        Ok(result)
    }

    /// Runs a write that happens wholly or not at all.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.lock.is_none() {
            return Err(StoreError::ReadOnly);
        }
        self.check_cancelled()?;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Copies the log into the file and empties it, as far as readers let it be: what was deleted is in neither then.
    pub(crate) fn settle_log(&self) {
        // Waiting for a reader that reads for long is not worth it: the next time will do, at the latest when closing.
        let patience = self.connection.busy_timeout(LOG_PATIENCE);
        let settled = patience
            .and_then(|()| self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        // A failure leaves the log as it is, which is a sound state.
        _ = settled.and(self.connection.busy_timeout(BUSY_TIMEOUT));
    }

    fn connect(path: PathBuf, lock: Option<WriterLock>, durability: Durability) -> Result<Self, StoreError> {
        let mut connection = connection(&path, lock.is_some())?;
        identify(&connection, &path)?;
        if lock.is_some() {
            if connection.is_readonly("main")? {
                return Err(StoreError::ReadOnly);
            }
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "journal_size_limit", LOG_BYTES_KEPT)?;
            connection.pragma_update(None, "secure_delete", "on")?; // forgotten texts do not linger in free pages
        }
        let synchronous = match durability {
            Durability::Process => "normal",
            Durability::Power => "full",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        let cancel = Arc::new(Mutex::new(None));
        let watched = Arc::clone(&cancel);
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || raised(&watched)))?;
        Ok(Self { connection, lock, path, cancel })
    }
}

impl Drop for Store {
    /// Leaves one file: what the log holds is copied into it, even where somebody else still reads.
    fn drop(&mut self) {
        if self.lock.is_some() {
            *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.settle_log();
        }
    }
}

fn raised(cancel: &Mutex<Option<Flag>>) -> bool {
    let flag = cancel.lock().unwrap_or_else(PoisonError::into_inner);
    flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// What lies under a name.
enum Found {
    Nothing,
    File,
}

impl Found {
    /// Only asks for facts: opening and closing the file here would take away the locks that SQLite holds on it.
    fn at(path: &Path) -> Result<Self, StoreError> {
        match fs::metadata(path) {
            Ok(facts) if facts.is_dir() => Err(StoreError::IsDirectory { path: path.to_owned() }),
            // Stores appear whole: an empty file is a store that lost everything, or never was one.
            Ok(facts) if facts.len() == 0 => {
                Err(StoreError::ForeignFile { path: path.to_owned(), received: "an empty file" })
            }
            Ok(_) => Ok(Self::File),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Nothing),
            Err(error) => Err(StoreError::open(path, &error)),
        }
    }

    fn or_missing(self, path: &Path) -> Result<(), StoreError> {
        match self {
            Self::File => Ok(()),
            Self::Nothing => Err(StoreError::Open { path: path.to_owned(), kind: io::ErrorKind::NotFound }),
        }
    }
}

/// One name for a file that has several through links, so that they share one lock.
pub(crate) fn resolved(path: &Path) -> Result<PathBuf, StoreError> {
    if let Ok(whole) = fs::canonicalize(path) {
        return Ok(whole);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).map_err(|error| StoreError::open(path, &error))?;
    match path.file_name() {
        Some(name) => Ok(folder.join(name)),
        None => Err(StoreError::IsDirectory { path: path.to_owned() }),
    }
}

/// Makes an empty store.
fn make(path: &Path, lock: WriterLock) -> Result<WriterLock, StoreError> {
    let fresh = Fresh::begin(path, lock)?;
    match lay_out(fresh.unfinished()) {
        Ok(()) => fresh.publish(),
        Err(error) => Err(fresh.abandon(error)),
    }
}

fn lay_out(path: &Path) -> Result<(), StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.execute_batch(&format!(
        "BEGIN; {} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {LAYOUT}; COMMIT;",
        layout::STORE
    ))?;
    // Closing copies the log into the file.
    connection.close().map_err(|(_, error)| error.into())
}

/// A connection with everything set that concerns readers and writers alike.
fn connection(path: &Path, writes: bool) -> Result<Connection, StoreError> {
    let mode = if writes { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| refused(path, error))?;
    let Err(error) = settle(&connection) else { return Ok(connection) };
    // On a read-only file system SQLite cannot make the files it coordinates by, nor does anyone write: read as it lies.
    if writes || !on_read_only_file_system(path) {
        return Err(refused(path, error));
    }
    drop(connection);
    if fs::metadata(crate::lock::beside(path, "-wal")).is_ok_and(|log| log.len() > 0) {
        return Err(StoreError::LogUnread { path: path.to_owned() });
    }
    let uri = format!("file:{}?immutable=1", percent_encoded(path)?);
    let connection = Connection::open_with_flags(
        uri,
        mode | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI,
    )?;
    settle(&connection)?;
    Ok(connection)
}

/// What SQLite said of the first look at a file, in our words.
fn refused(path: &Path, error: rusqlite::Error) -> StoreError {
    let path = || path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::ForeignFile { path: path(), received: "a file of another kind" }
        }
        Some(ErrorCode::CannotOpen) => {
            StoreError::Open { path: path(), kind: io::ErrorKind::PermissionDenied }
        }
        _ => error.into(),
    }
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // A file from a stranger runs nothing and cannot make SQLite trust what it says about itself.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", "on")?;
    connection.pragma_update(None, "cache_size", CACHE_KIB)?;
    // The first read of the file: fails where it cannot be read.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

fn on_read_only_file_system(path: &Path) -> bool {
    let probe = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(crate::lock::beside(path, "-shm"));
    matches!(probe, Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem)
}

fn percent_encoded(path: &Path) -> Result<String, StoreError> {
    let text = path
        .to_str()
        .ok_or_else(|| StoreError::Open { path: path.to_owned(), kind: io::ErrorKind::InvalidFilename })?;
    Ok(text.replace('%', "%25").replace('?', "%3f").replace('#', "%23"))
}

/// Refuses what is not ours, or not of this version.
fn identify(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let path = || path.to_owned();
    if number("application_id")? != APPLICATION_ID {
        return Err(StoreError::ForeignFile { path: path(), received: "a database of another program" });
    }
    match number("user_version")? {
        LAYOUT => Ok(()),
        received => Err(StoreError::Version { path: path(), expected: LAYOUT, received }),
    }
}
