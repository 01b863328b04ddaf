//! One writer: an operating-system lock on a file beside the store.
//!
//! SQLite itself lets writers queue up. A store that owns its change numbers wants the second one refused at once, across
//! processes and inside one. The lock is held by the open file, so it vanishes with the process, however that ends; the
//! file `<store>-lock` means nothing by itself.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;

/// The right to write one store, for as long as it lives.
#[derive(Debug)]
pub struct WriterLock {
    /// Holds the lock by being open.
    _file: File,
    path: PathBuf,
}

impl WriterLock {
    /// Takes the lock of a store, or fails at once.
    pub fn take(store: &Path) -> Result<Self, StoreError> {
        let path = beside(store, "-lock");
        loop {
            let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let file = match opened {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(StoreError::open(store, &error)); // the folder is missing
                }
                Err(error) => return Err(error.into()),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::SecondWriter { path: store.to_owned() });
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // The holder before may have removed the name between our opening and our locking.
            if same_file(&file, &path)? {
                return Ok(Self { _file: file, path });
            }
        }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Only where `same_file` can tell; elsewhere the file stays, which does no harm.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> Result<bool, StoreError> {
    use std::os::unix::fs::MetadataExt;
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn same_file(_: &File, _: &Path) -> Result<bool, StoreError> {
    Ok(true)
}

/// The path with something behind its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
