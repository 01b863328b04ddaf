//! The identity of stored content: equal content has an equal id on every machine, forever.
//!
//! An id is the BLAKE3 hash of a tuple of parts, truncated to 128 bits and written as a UUID, so that storing the same content
//! twice is an update. It is not a secret: whoever can guess the content can compute the id.

use std::fmt;

use uuid::Uuid;

/// The BLAKE3 hash of some content, set as a UUID of version 8 (RFC 9562: a UUID with a custom layout).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(Uuid);

impl ContentId {
    /// The id of a tuple of parts.
    ///
    /// Every part is preceded by its length, so that `["ab", "c"]` and `["a", "bc"]` differ. Of the 128 bits, six hold the
    /// version and the variant.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The sixteen bytes of the UUID, in network order.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for ContentId {
    /// Writes the UUID as 36 lower-case characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::ContentId;

    #[test]
    fn is_a_uuid_of_version_eight() {
        for content in ["", "a", "the same paragraph"] {
            let id = ContentId::of(&[content.as_bytes()]).to_string();
            assert_eq!(id.len(), 36);
            assert_eq!(&id[14..15], "8", "{id}");
            assert!("89ab".contains(&id[19..20]), "{id}");
            assert_eq!([8, 13, 18, 23].map(|at| &id[at..=at]), ["-"; 4]);
        }
    }

    #[test]
    fn depends_on_where_the_parts_end() {
        let ids = [
            ContentId::of(&[]),
            ContentId::of(&[b""]),
            ContentId::of(&[b"abc"]),
            ContentId::of(&[b"ab", b"c"]),
            ContentId::of(&[b"a", b"bc"]),
            ContentId::of(&[b"a", b"bc", b""]),
        ];
        for (position, id) in ids.iter().enumerate() {
            assert!(!ids[..position].contains(id));
        }
    }
}
