//! Sums of weighted rows of a token table: the inner loop of a static model.
//!
//! One idea makes every instruction set give the same bits: an element of the sum adds its products one after the other, in
//! the order of the tokens, each product and each addition rounded once. Sets differ only in how many elements they hold at
//! a time. The portable kernel is the specification; a property test compares the others with it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::line_bytes::LineBytes;

/// The rows of a token table.
pub(crate) enum Rows {
    /// Four bits an element, offset by eight. In each group of 16 bytes, byte `k` holds element `k` in its low half and element
    /// `k + 16` in its high half.
    Nibbles(LineBytes),
    /// Eight bits an element.
    Bytes(Vec<i8>),
    /// 32 bits an element.
    Floats(Vec<f32>),
}

/// One row of the table and the factor it counts with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) row: u32,
    pub(crate) factor: f32,
}

impl Rows {
    /// Writes the sum of the terms.
    pub(crate) fn sum(&self, terms: &[Term], out: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if let Self::Nibbles(bytes) = self
            && out.len().is_multiple_of(avx512::BLOCK)
            && is_x86_feature_detected!("avx512f")
        {
            // SAFETY: the CPU has AVX-512F.
            return unsafe { avx512::sum_nibbles(bytes, terms, out) };
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2.
            return unsafe { avx2::sum(self, terms, out) };
        }
        portable::sum(self, terms, out);
    }
}
