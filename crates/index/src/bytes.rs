//! Reads numbers out of bytes that may be anything.
//!
//! The one idea: nothing is read, skipped or reserved before it is known that so many bytes are there.

use crate::IndexError;

/// The rest of some bytes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], IndexError> {
        let cut = || IndexError::damaged("more bytes", format!("{} of {count}", self.0.len()));
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], IndexError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, IndexError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, IndexError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length, which must not be more than the bytes that are left divided by `size`, the least size of one of
    /// what is counted.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, IndexError> {
        let count = self.u64()?;
        let most = self.0.len() / size.max(1);
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(IndexError::damaged("a count that fits the file", count)),
        }
    }

    /// The next `count` numbers.
    pub(crate) fn u32s(&mut self, count: usize) -> Result<Vec<u32>, IndexError> {
        let bytes = self.take(sized(count, 4)?)?;
        Ok(bytes.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number)).collect())
    }

    /// The next `count` numbers, which may be NaN.
    pub(crate) fn f32s(&mut self, count: usize) -> Result<Vec<f32>, IndexError> {
        let bytes = self.take(sized(count, 4)?)?;
        Ok(bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number)).collect())
    }

    /// The next `count` numbers.
    pub(crate) fn u64s(&mut self, count: usize) -> Result<Vec<u64>, IndexError> {
        let bytes = self.take(sized(count, 8)?)?;
        Ok(bytes.as_chunks().0.iter().map(|&number| u64::from_le_bytes(number)).collect())
    }

    /// Everything that is left.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Refuses bytes that nobody asked for.
    pub(crate) fn end(self) -> Result<(), IndexError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(IndexError::damaged("the end", format!("{} more bytes", self.0.len())))
        }
    }
}

/// The bytes of `count` numbers of `size` bytes.
fn sized(count: usize, size: usize) -> Result<usize, IndexError> {
    count.checked_mul(size).ok_or_else(|| IndexError::damaged("a count that fits the file", count))
}
