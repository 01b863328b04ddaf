//! The key of a text in a table that lives in memory.
//!
//! Fast, and not meant to withstand an adversary: whoever relies on equality compares the bytes too. Keys never leave the
//! process; what is stored carries a [`ContentId`](crate::ContentId).

/// The xxh3 hash of the bytes, 128 bits wide.
pub fn content_key(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

#[cfg(test)]
mod tests {
    use super::content_key;

    #[test]
    fn is_the_published_xxh3() {
        // The empty input is the first vector of the xxHash specification.
        assert_eq!(content_key(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
    }

    #[test]
    fn differs_when_the_bytes_differ() {
        assert_ne!(content_key(b"a"), content_key(b"b"));
        assert_ne!(content_key(b"a"), content_key(b"a\0"));
    }
}
