//! The sums with AVX2: 64 columns at a time stay in eight registers while all terms pass by.
//!
//! Needs AVX2, and deliberately no FMA: the product is rounded before it is added, as in the portable kernel, so that the
//! result has the same bits. Columns behind the last 64 are left to the portable kernel.

use std::arch::x86_64::{
    __m128i, __m256, _mm_and_si128, _mm_loadl_epi64, _mm_loadu_si128, _mm_set1_epi8, _mm_srli_epi16,
    _mm_srli_si128, _mm_sub_epi8, _mm256_add_ps, _mm256_cvtepi8_epi32, _mm256_cvtepi32_ps, _mm256_loadu_ps,
    _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use super::{Rows, Term, portable};

/// The columns of one pass.
const BLOCK: usize = 64;
/// The columns of one register.
const LANES: usize = 8;

/// Writes the sum of the terms.
///
/// # Safety
///
/// The CPU has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sum(rows: &Rows, terms: &[Term], out: &mut [f32]) {
    let dimension = out.len();
    let blocks_end = dimension - dimension % BLOCK;
    for start in (0..blocks_end).step_by(BLOCK) {
        let mut sums = [_mm256_setzero_ps(); BLOCK / LANES];
        match rows {
            Rows::Nibbles(bytes) => {
                for term in terms {
                    let row = &bytes[term.row as usize * (dimension / 2) + start / 2..][..BLOCK / 2];
                    add(&mut sums, nibbles(row.as_chunks().0), term.factor);
                }
            }
            Rows::Bytes(bytes) => {
                for term in terms {
                    let row = &bytes[term.row as usize * dimension + start..][..BLOCK];
                    add(&mut sums, signed_bytes(row.as_chunks().0), term.factor);
                }
            }
            Rows::Floats(floats) => {
                for term in terms {
                    let row = &floats[term.row as usize * dimension + start..][..BLOCK];
                    add(&mut sums, singles(row.as_chunks().0), term.factor);
                }
            }
        }
        for (sum, out) in sums.iter().zip(out[start..].as_chunks_mut::<LANES>().0) {
            // SAFETY: `out` has eight elements.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), *sum) };
        }
    }
    portable::sum_columns(rows, terms, blocks_end..dimension, out);
}

/// Adds one row times its factor.
#[inline]
#[target_feature(enable = "avx2")]
fn add(sums: &mut [__m256; BLOCK / LANES], row: [__m256; BLOCK / LANES], factor: f32) {
    let factor = _mm256_set1_ps(factor);
    for (sum, elements) in sums.iter_mut().zip(row) {
        *sum = _mm256_add_ps(*sum, _mm256_mul_ps(elements, factor));
    }
}

/// Unpacks two groups of 16 bytes: the low halves, then the high halves, less eight.
#[inline]
#[target_feature(enable = "avx2")]
fn nibbles(groups: &[[u8; 16]]) -> [__m256; BLOCK / LANES] {
    let mut row = [_mm256_setzero_ps(); BLOCK / LANES];
    let (half, offset) = (_mm_set1_epi8(15), _mm_set1_epi8(8));
    for (group, row) in groups.iter().zip(row.as_chunks_mut::<4>().0) {
        // SAFETY: a group has 16 bytes.
        let bytes = unsafe { _mm_loadu_si128(group.as_ptr().cast()) };
        let low = _mm_sub_epi8(_mm_and_si128(bytes, half), offset);
        let high = _mm_sub_epi8(_mm_and_si128(_mm_srli_epi16::<4>(bytes), half), offset);
        *row = [widen(low), widen(_mm_srli_si128::<8>(low)), widen(high), widen(_mm_srli_si128::<8>(high))];
    }
    row
}

/// Unpacks eight groups of eight bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn signed_bytes(groups: &[[i8; LANES]]) -> [__m256; BLOCK / LANES] {
    let mut row = [_mm256_setzero_ps(); BLOCK / LANES];
    for (group, row) in groups.iter().zip(&mut row) {
        // SAFETY: a group has eight bytes.
        *row = widen(unsafe { _mm_loadl_epi64(group.as_ptr().cast()) });
    }
    row
}

/// Loads eight groups of eight floats.
#[inline]
#[target_feature(enable = "avx2")]
fn singles(groups: &[[f32; LANES]]) -> [__m256; BLOCK / LANES] {
    let mut row = [_mm256_setzero_ps(); BLOCK / LANES];
    for (group, row) in groups.iter().zip(&mut row) {
        // SAFETY: a group has eight floats.
        *row = unsafe { _mm256_loadu_ps(group.as_ptr()) };
    }
    row
}

/// The eight lowest bytes as floats.
#[inline]
#[target_feature(enable = "avx2")]
fn widen(bytes: __m128i) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Rows, Term, portable};
    use crate::line_bytes::LineBytes;

    /// How many rows the tables of the test have.
    const ROWS: u32 = 5;

    proptest! {
        #[test]
        fn has_the_bits_of_the_portable_kernel(
            groups in 1..10_usize,
            odd in 1..300_usize,
            bytes in proptest::collection::vec(any::<u8>(), 300 * ROWS as usize),
            terms in proptest::collection::vec((0..ROWS, -2.0..2.0_f32), 0..40),
        ) {
            if !is_x86_feature_detected!("avx2") {
                return Ok(());
            }
            let terms: Vec<Term> = terms.into_iter().map(|(row, factor)| Term { row, factor }).collect();
            let signed: Vec<i8> = bytes.iter().map(|byte| byte.cast_signed()).collect();
            let floats = signed.iter().map(|&byte| f32::from(byte) / 3.0).collect();
            let range = 0..bytes.len();
            let nibbles = LineBytes::from_file(bytes.into(), range);
            for (dimension, rows) in
                [(groups * 32, Rows::Nibbles(nibbles)), (odd, Rows::Bytes(signed)), (odd, Rows::Floats(floats))]
            {
                let (mut ours, mut expected) = (vec![7.0; dimension], vec![0.0; dimension]);
                // SAFETY: checked above.
                unsafe { super::sum(&rows, &terms, &mut ours) };
                portable::sum(&rows, &terms, &mut expected);
                let bits = |sums: &[f32]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(&ours), bits(&expected));
            }
        }
    }
}
