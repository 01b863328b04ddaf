//! Texts as JavaScript packs them: one buffer and the positions where each begins.

use crate::failure::Failure;

/// Borrowed packed texts, checked once: every offset lies in the buffer and none goes back.
#[derive(Clone, Copy)]
pub struct Packed<'a> {
    data: &'a [u8],
    offsets: &'a [u32],
}

impl<'a> Packed<'a> {
    /// Checks the offsets: one more than there are texts, ascending, within the buffer.
    pub fn new(data: &'a [u8], offsets: &'a [u32]) -> Result<Self, Failure> {
        let ascending = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let inside = offsets.last().is_none_or(|end| *end as usize <= data.len());
        if ascending && inside {
            return Ok(Self { data, offsets });
        }
        Err(Failure::new("INTERNAL", "Packed texts have offsets that do not fit their buffer."))
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The bytes of one text.
    pub fn get(&self, index: usize) -> &'a [u8] {
        &self.data[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}
