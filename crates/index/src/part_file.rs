//! A file that is written beside its name and gets the name when it is whole and on the disk.
//!
//! The one idea: whoever writes holds a lock on what is written, and the system lets go of it however the process ends.
//! A part that nobody holds is what a killed process left, and the next save of the same name removes it. Process numbers
//! would not tell: they come again, and mean nothing to another container over the same folder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What every part begins with, as far as it was written.
const MAGIC: &[u8] = &crate::file::MAGIC;
const SUFFIX: &str = ".part";
/// Names that are tried. One is taken where a part with our process number could not be removed.
const NAMES_TRIED: usize = 1_000;

/// A file in the making; it is removed unless it gets its name.
pub(crate) struct PartFile {
    path: PathBuf,
    /// Open, and with it locked, until the file has its name.
    file: File,
    is_renamed: bool,
}

impl PartFile {
    /// Makes an empty one, and removes what killed processes left of the same target.
    ///
    /// # Errors
    /// What the system says where no file can be made.
    pub(crate) fn beside(target: &Path) -> io::Result<Self> {
        remove_leftovers(target);
        let mut refused = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..NAMES_TRIED {
            let path = next_name(target);
            match File::options().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Where there are no locks, nobody can take one to remove the file either.
                    let _ = file.lock();
                    // Another save may have taken it for a leftover before it was locked.
                    if fs::symlink_metadata(&path).is_ok() {
                        return Ok(Self { path, file, is_renamed: false });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }

    /// Where to write.
    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// Brings all that was written to the disk and gives the file its name.
    ///
    /// # Errors
    /// What the system says; the part is removed then.
    pub(crate) fn rename(mut self, target: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, target)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // The name is free again once the file has another.
        if !self.is_renamed {
            // What could not be finished must not lie about; where even this fails, the first failure is told.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A name beside the target that no other save of this process has.
fn next_name(target: &Path) -> PathBuf {
    static SAVES: AtomicU64 = AtomicU64::new(0);
    let save = SAVES.fetch_add(1, Ordering::Relaxed);
    let mut name = prefix(target);
    name.push(format!("{}-{save}{SUFFIX}", std::process::id()));
    target.with_file_name(name)
}

/// What the names of all parts of a target begin with.
fn prefix(target: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".");
    name
}

/// Removes the parts of a target that nobody writes any more. What cannot be removed stays: the save does not need it.
fn remove_leftovers(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
    let prefix = prefix(target);
    for entry in entries.flatten() {
        if is_part_name(entry.file_name().as_encoded_bytes(), prefix.as_encoded_bytes()) {
            let _ = remove_leftover(&entry.path());
        }
    }
}

/// Whether a name is `prefix`, two numbers with a line between them, and the ending.
fn is_part_name(name: &[u8], prefix: &[u8]) -> bool {
    let numbers = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    let mut numbers = numbers.unwrap_or_default().split(|&byte| byte == b'-');
    let mut number = || numbers.next().is_some_and(|it| !it.is_empty() && it.iter().all(u8::is_ascii_digit));
    number() && number() && numbers.next().is_none()
}

/// Removes a part, unless somebody holds it or it is not ours.
fn remove_leftover(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(());
    }
    let file = File::options().read(true).write(true).open(path)?;
    file.try_lock()?;
    let mut begin = Vec::new();
    Read::by_ref(&mut &file).take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    if MAGIC.starts_with(&begin) { fs::remove_file(path) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_known_by_its_name() {
        for (name, expected) in [
            (".a.index.17-0.part", true),
            (".a.index.1-22.part", true),
            (".a.index.17.part", false),
            (".a.index.17-0-1.part", false),
            (".a.index.-0.part", false),
            (".a.index.17-.part", false),
            (".a.index.17-0.part.bak", false),
            (".b.index.17-0.part", false),
            ("a.index.17-0.part", false),
            (".a.index.v17-0.part", false),
            (".a.index.", false),
        ] {
            assert_eq!(is_part_name(name.as_bytes(), b".a.index."), expected, "{name}");
        }
    }
}
