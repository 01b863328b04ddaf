//! The sum of nibble rows with AVX-512: every product is looked up, none is computed.
//!
//! A row has one factor and its elements have sixteen values, so the sixteen products fit one register, and one permutation
//! fetches sixteen of them by the nibbles. They are the products of the portable kernel, rounded the same way, and are added
//! in the same order: the result has the same bits. Needs AVX-512F, and a dimension of whole blocks.

use std::arch::x86_64::{
    __m512, _mm_loadu_si128, _mm512_add_ps, _mm512_cvtepu8_epi32, _mm512_loadu_ps, _mm512_mul_ps,
    _mm512_permutexvar_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_srli_epi32, _mm512_storeu_ps,
};

use super::Term;

/// The columns of one pass: eight registers of sums.
pub(super) const BLOCK: usize = 128;
/// The columns of one register.
const LANES: usize = 16;
/// What each nibble stands for.
const VALUES: [f32; 16] = [-8., -7., -6., -5., -4., -3., -2., -1., 0., 1., 2., 3., 4., 5., 6., 7.];

/// Writes the sum of the terms, for a whole number of blocks.
///
/// # Safety
///
/// The CPU has AVX-512F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn sum_nibbles(bytes: &[u8], terms: &[Term], out: &mut [f32]) {
    let dimension = out.len();
    // SAFETY: there are sixteen values.
    let values = unsafe { _mm512_loadu_ps(VALUES.as_ptr()) };
    for start in (0..dimension).step_by(BLOCK) {
        let mut sums = [_mm512_setzero_ps(); BLOCK / LANES];
        for term in terms {
            let row = &bytes[term.row as usize * (dimension / 2) + start / 2..][..BLOCK / 2];
            let products = _mm512_mul_ps(values, _mm512_set1_ps(term.factor));
            for (sums, group) in sums.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
                add_group(sums, group, products);
            }
        }
        for (sum, out) in sums.iter().zip(out[start..].as_chunks_mut::<LANES>().0) {
            // SAFETY: `out` has sixteen elements.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), *sum) };
        }
    }
}

/// Adds the products of the low and of the high nibbles of a group.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_group([low, high]: &mut [__m512; 2], group: &[u8; 16], products: __m512) {
    // SAFETY: a group has 16 bytes.
    let bytes = _mm512_cvtepu8_epi32(unsafe { _mm_loadu_si128(group.as_ptr().cast()) });
    // The permutation reads the lowest four bits of each index only.
    *low = _mm512_add_ps(*low, _mm512_permutexvar_ps(bytes, products));
    *high = _mm512_add_ps(*high, _mm512_permutexvar_ps(_mm512_srli_epi32::<4>(bytes), products));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Rows, Term, portable};
    use super::BLOCK;
    use crate::line_bytes::LineBytes;

    /// How many rows the tables of the test have, and how many blocks each.
    const ROWS: u32 = 5;
    const BLOCKS_MAX: usize = 3;

    proptest! {
        #[test]
        fn has_the_bits_of_the_portable_kernel(
            blocks in 1..=BLOCKS_MAX,
            bytes in proptest::collection::vec(any::<u8>(), BLOCKS_MAX * BLOCK / 2 * ROWS as usize),
            terms in proptest::collection::vec((0..ROWS, -2.0..2.0_f32), 0..40),
        ) {
            if !is_x86_feature_detected!("avx512f") {
                return Ok(());
            }
            let terms: Vec<Term> = terms.into_iter().map(|(row, factor)| Term { row, factor }).collect();
            let (mut ours, mut expected) = (vec![7.0; blocks * BLOCK], vec![0.0; blocks * BLOCK]);
            // SAFETY: checked above.
            unsafe { super::sum_nibbles(&bytes, &terms, &mut ours) };
            let range = 0..bytes.len();
            let rows = Rows::Nibbles(LineBytes::from_file(bytes.into(), range));
            portable::sum(&rows, &terms, &mut expected);
            let bits = |sums: &[f32]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&ours), bits(&expected));
        }
    }
}
