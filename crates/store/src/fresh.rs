//! A file that appears under its name whole, or not at all.
//!
//! New stores and snapshots are written beside their name, flushed and then linked to it, so that whoever finds the name
//! finds a complete store. Nothing is overwritten.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::lock::{WriterLock, beside};

/// A file in the making.
pub struct Fresh {
    path: PathBuf,
    unfinished: PathBuf,
    lock: WriterLock,
}

impl Fresh {
    /// Begins a file; what a killed process left unfinished is cleared away.
    pub fn begin(path: &Path, lock: WriterLock) -> Result<Self, StoreError> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(StoreError::Exists { path: path.to_owned() });
        }
        let unfinished = beside(path, "-new");
        // Journals of a file that is gone would be replayed into the new one.
        for base in [path, &unfinished] {
            for suffix in ["-wal", "-shm", "-journal"] {
                remove(&beside(base, suffix))?;
            }
        }
        remove(&unfinished)?;
        Ok(Self { path: path.to_owned(), unfinished, lock })
    }

    /// Where to write.
    pub fn unfinished(&self) -> &Path {
        &self.unfinished
    }

    /// Gives the file its name, once nobody has it open any more.
    pub fn publish(self) -> Result<WriterLock, StoreError> {
        File::open(&self.unfinished)?.sync_all()?;
        match fs::hard_link(&self.unfinished, &self.path) {
            Ok(()) => remove(&self.unfinished)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Exists { path: self.path });
            }
            // A file system without links.
            Err(_) => fs::rename(&self.unfinished, &self.path)?,
        }
        sync_folder(&self.path)?;
        Ok(self.lock)
    }

    /// Clears away what was written; the error is the one that is told.
    pub fn abandon(self, error: StoreError) -> StoreError {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(beside(&self.unfinished, suffix));
        }
        error
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Makes a new name last through a power cut.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
