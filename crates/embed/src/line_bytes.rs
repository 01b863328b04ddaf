//! The bytes of a table, so placed that every row of whole cache lines touches no other line.
//!
//! The table stays in the memory into which its file was read: fresh memory for another copy would cost more than all else
//! that happens when a model is loaded.

use std::borrow::Cow;
use std::ops::{Deref, Range};

/// The bytes that a CPU fetches at a time.
const LINE: usize = 64;

/// Bytes that start with a cache line.
pub(crate) struct LineBytes {
    memory: Vec<u8>,
    /// Where they start in the memory; they end with it.
    start: usize,
}

impl LineBytes {
    /// Takes a range, which is inside the file, out of a file. Copies only a file that is borrowed.
    pub(crate) fn from_file(file: Cow<[u8]>, range: Range<usize>) -> Self {
        let length = range.len();
        let (mut memory, from) = match file {
            Cow::Owned(file) if range.start >= LINE => (file, range),
            file => {
                let mut memory = Vec::with_capacity(LINE + length);
                memory.resize(LINE, 0);
                memory.extend_from_slice(&file[range]);
                (memory, LINE..LINE + length)
            }
        };
        let start = from.start - (memory.as_ptr().addr() + from.start) % LINE;
        memory.copy_within(from, start);
        memory.truncate(start + length);
        Self { memory, start }
    }
}

impl Deref for LineBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cow, LINE, LineBytes};

    proptest! {
        #[test]
        fn are_the_range_at_the_start_of_a_line(
            file in proptest::collection::vec(any::<u8>(), 1..400),
            ends in any::<[prop::sample::Index; 2]>(),
        ) {
            let ends = ends.map(|end| end.index(file.len() + 1));
            let range = ends[0].min(ends[1])..ends[0].max(ends[1]);
            for whole in [Cow::Borrowed(&file[..]), Cow::Owned(file.clone())] {
                let bytes = LineBytes::from_file(whole, range.clone());
                prop_assert_eq!(&bytes[..], &file[range.clone()]);
                prop_assert_eq!(bytes.as_ptr().addr() % LINE, 0);
            }
        }
    }
}
