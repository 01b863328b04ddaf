//! Checksums of rows: what is read is what was written, or the read fails.
//!
//! SQLite notices pages that are malformed, not contents that changed. Every row carries an xxh3 sum of what it holds and of
//! the id it belongs to. A sum finds accidents; it is no signature.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::StoreError;

/// The sum of a tuple of parts, as SQLite stores it. Each part goes in with its length.
pub fn seal(parts: &[&[u8]]) -> i64 {
    let sum = parts.iter().fold(0, |seed, part| xxh3_64_with_seed(part, seed));
    sum.cast_signed()
}

/// Compares a stored sum.
pub fn unseal(stored: i64, parts: &[&[u8]]) -> Result<(), StoreError> {
    if stored == seal(parts) { Ok(()) } else { Err(StoreError::Damaged { what: "a row fails its checksum" }) }
}

/// An optional text as parts of a seal: absent and empty differ.
pub fn optional(text: Option<&str>) -> [&[u8]; 2] {
    match text {
        Some(text) => [b"some", text.as_bytes()],
        None => [b"none", b""],
    }
}
