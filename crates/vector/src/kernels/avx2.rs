//! AVX2 and FMA, 16 registers of 256 bits. Equal to the scalar twin to the bit: products in `f64` are exact,
//! so a fused multiply-add rounds like an addition; the join is integer arithmetic, then the same two `f32`
//! operations.
//!
//! Bytes have no good product here (`vpmaddubsw` saturates), so that both sides are widened to 16 bits: the
//! queries when they are packed, the targets when they are loaded. `vpmaddwd` then makes 16 products an
//! instruction, twice what `f32` does.

use std::arch::x86_64::{
    __m256, __m256d, __m256i, _CMP_GE_OQ, _mm_add_epi32, _mm_cvtsi128_si32, _mm_hadd_epi32, _mm_loadu_ps,
    _mm_loadu_si128, _mm256_abs_epi8, _mm256_add_epi32, _mm256_add_pd, _mm256_castsi256_si128, _mm256_cmp_ps,
    _mm256_cvtepi8_epi16, _mm256_cvtepi32_ps, _mm256_cvtps_pd, _mm256_extracti128_si256, _mm256_fmadd_pd,
    _mm256_hadd_epi32, _mm256_load_si256, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_movemask_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_permute4x64_epi64, _mm256_set1_epi16,
    _mm256_set1_epi64x, _mm256_set1_ps, _mm256_setzero_pd, _mm256_setzero_si256, _mm256_sign_epi8,
    _mm256_storeu_pd, _mm256_sub_pd,
};

use super::{
    BlockStep, ByteBlock, Kernel, LANES, PanelHead, PanelStep, QUERIES, ROWS_AHEAD, STEP, TARGETS, fetch,
    padded,
};

/// The lanes of a dot product: four registers of four.
///
/// # Safety
/// The CPU has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn dot_lanes(a: &[f32], b: &[f32]) -> [f64; LANES] {
    let mut sums = [_mm256_setzero_pd(); 4];
    let (a, a_tail) = a.as_chunks::<LANES>();
    let (b, b_tail) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        add(&mut sums, a, b);
    }
    add(&mut sums, &padded(a_tail), &padded(b_tail));
    stored(sums)
}

/// The lanes of a squared distance. Squares are rounded before they are added, as in the scalar twin: fused,
/// they would have other bits.
///
/// # Safety
/// The CPU has AVX2.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn square_lanes(a: &[f32], b: &[f32]) -> [f64; LANES] {
    let mut sums = [_mm256_setzero_pd(); 4];
    let (a, a_tail) = a.as_chunks::<LANES>();
    let (b, b_tail) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        add_squares(&mut sums, a, b);
    }
    add_squares(&mut sums, &padded(a_tail), &padded(b_tail));
    stored(sums)
}

/// Adds the squares of sixteen differences to the lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn add_squares(sums: &mut [__m256d; 4], a: &[f32; LANES], b: &[f32; LANES]) {
    for (quarter, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `quarter` is below 4, so both loads stay inside their sixteen components.
        let (a, b) =
            unsafe { (_mm_loadu_ps(a.as_ptr().add(quarter * 4)), _mm_loadu_ps(b.as_ptr().add(quarter * 4))) };
        let difference = _mm256_sub_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(b));
        *sum = _mm256_add_pd(*sum, _mm256_mul_pd(difference, difference));
    }
}

/// The four registers of lanes, in order.
#[inline]
#[target_feature(enable = "avx2")]
fn stored(sums: [__m256d; 4]) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    for (lanes, sum) in lanes.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: `lanes` holds four f64.
        unsafe { _mm256_storeu_pd(lanes.as_mut_ptr(), sum) };
    }
    lanes
}

/// Adds sixteen products to the lanes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add(sums: &mut [__m256d; 4], a: &[f32; LANES], b: &[f32; LANES]) {
    for (quarter, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `quarter` is below 4, so both loads stay inside their sixteen components.
        let (a, b) =
            unsafe { (_mm_loadu_ps(a.as_ptr().add(quarter * 4)), _mm_loadu_ps(b.as_ptr().add(quarter * 4))) };
        *sum = _mm256_fmadd_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(b), *sum);
    }
}

/// The integer products of a coded row with others, told in the order of `positions`. Rows lie one after the other.
///
/// # Safety
/// The CPU has AVX2.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn byte_products(
    row: &[ByteBlock],
    rows: &[ByteBlock],
    positions: &[u32],
    tell: &mut impl FnMut(u32, i32),
) {
    let at = |position: u32| &rows[position as usize * row.len()..][..row.len()];
    positions.iter().take(ROWS_AHEAD).for_each(|&position| fetch(at(position)));
    for (place, &position) in positions.iter().enumerate() {
        if let Some(&ahead) = positions.get(place + ROWS_AHEAD) {
            fetch(at(ahead));
        }
        tell(position, byte_product(row, at(position)));
    }
}

/// The integer product of two coded rows. `vpmaddubsw` takes one side unsigned, so that the signs go over to the other;
/// two products of codes of at most 127 fit its 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn byte_product(a: &[ByteBlock], b: &[ByteBlock]) -> i32 {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); 2];
    for (a, b) in a.iter().zip(b) {
        for (half, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a block is two registers of 32 bytes, aligned to 64.
            let (a, b) = unsafe {
                let (a, b): (*const __m256i, *const __m256i) = (a.0.as_ptr().cast(), b.0.as_ptr().cast());
                (_mm256_load_si256(a.add(half)), _mm256_load_si256(b.add(half)))
            };
            let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(b, a));
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
        }
    }
    let sum = _mm256_add_epi32(sums[0], sums[1]);
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let sum = _mm_hadd_epi32(sum, sum);
    _mm_cvtsi128_si32(_mm_hadd_epi32(sum, sum))
}

/// The queries and targets of a tile: 6 x 8 products, in twelve registers of which each lane holds half a
/// product.
const TILE_QUERIES: usize = 6;
const TILE_TARGETS: usize = 8;

/// The join with AVX2.
pub(crate) struct Avx2;

impl Kernel for Avx2 {
    type Word = [i16; STEP];

    fn word(codes: [i8; STEP]) -> Self::Word {
        codes.map(i16::from)
    }

    unsafe fn masks(
        block: &[BlockStep<Self::Word>],
        panel: &[PanelStep],
        head: &PanelHead,
        floors: &[f32; QUERIES],
    ) -> [u32; QUERIES] {
        // SAFETY: the caller says that the CPU has AVX2 and FMA.
        unsafe { masks(block, panel, head, floors) }
    }
}

#[target_feature(enable = "avx2,fma")]
fn masks(
    block: &[BlockStep<[i16; STEP]>],
    panel: &[PanelStep],
    head: &PanelHead,
    floors: &[f32; QUERIES],
) -> [u32; QUERIES] {
    let mut masks = [0; QUERIES];
    for target in (0..TARGETS).step_by(TILE_TARGETS) {
        // SAFETY: eight scales begin at `target`, which is at most 24.
        let scales = unsafe { _mm256_loadu_ps(head.scales.as_ptr().add(target)) };
        for query in (0..QUERIES).step_by(TILE_QUERIES) {
            let products = tile(block, panel, query, target);
            for (offset, product) in products.into_iter().enumerate() {
                masks[query + offset] |= reached(product, scales, floors[query + offset]) << target;
            }
        }
    }
    masks
}

/// The products of six queries with eight targets.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn tile(
    block: &[BlockStep<[i16; STEP]>],
    panel: &[PanelStep],
    query: usize,
    target: usize,
) -> [__m256i; TILE_QUERIES] {
    let mut sums = [[_mm256_setzero_si256(); 2]; TILE_QUERIES];
    for (words, step) in block.iter().zip(panel) {
        // SAFETY: 32 bytes begin at `target`, which is at most 24 of 32 targets.
        let targets = unsafe {
            let codes = step.0.as_ptr().add(target).cast();
            [
                _mm256_cvtepi8_epi16(_mm_loadu_si128(codes)),
                _mm256_cvtepi8_epi16(_mm_loadu_si128(codes.add(1))),
            ]
        };
        for (offset, sums) in sums.iter_mut().enumerate() {
            // SAFETY: `query + offset` is at most 11 of 12 words, and a word is 8 bytes.
            let word = unsafe { words.as_ptr().add(query + offset).cast::<i64>().read_unaligned() };
            let word = _mm256_set1_epi64x(word);
            for (sum, targets) in sums.iter_mut().zip(targets) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(targets, word));
            }
        }
    }
    // Lanes hold half products: targets 0 0 1 1 | 2 2 3 3 and 4 4 5 5 | 6 6 7 7. Adding neighbours gives
    // 0 1 4 5 | 2 3 6 7, and the permutation puts them in order.
    sums.map(|[low, high]| _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high)))
}

/// Bit `t` says whether product `t`, scaled, reaches the floor.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn reached(products: __m256i, scales: __m256, floor: f32) -> u32 {
    let values = _mm256_mul_ps(_mm256_cvtepi32_ps(products), scales);
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(values, _mm256_set1_ps(floor))).cast_unsigned()
}
