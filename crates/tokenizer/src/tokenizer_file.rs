//! Reads a tokenizer file, and refuses what cannot be one before it costs anything.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::error::TokenizerError;

/// The largest file: some times the size of those with a quarter of a million tokens.
pub(crate) const FILE_BYTES_MAX: u64 = 256 << 20;

/// Reads a regular file. It is looked at before it is opened: to open a pipe waits for its writer.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, TokenizerError> {
    let refused = |expected: String, received: String| Err(TokenizerError::Kind { expected, received });
    let found = fs::metadata(path)?;
    if !found.is_file() {
        let received = if found.is_dir() { "a directory" } else { "no regular file" };
        return refused("a file".to_owned(), received.to_owned());
    }
    if found.len() > FILE_BYTES_MAX {
        return refused(format!("at most {FILE_BYTES_MAX} bytes"), format!("{} bytes", found.len()));
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    // A file that grows meanwhile is read no further either.
    File::open(path)?.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}
