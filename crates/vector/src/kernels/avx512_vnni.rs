//! AVX-512 F and VNNI, 32 registers of 512 bits. Equal to the scalar twin to the bit, for the reasons of
//! [`super::avx2`].
//!
//! `vpdpbusd` multiplies unsigned by signed bytes and adds four products to a lane, 64 products an
//! instruction. The queries are therefore shifted by 128 when they are packed, and `128 * sum(target)` is
//! taken off before the first step: additions wrap, so only the end result has to fit.

use std::arch::x86_64::{
    __m512d, _CMP_GE_OQ, _mm256_loadu_ps, _mm512_add_pd, _mm512_cmp_ps_mask, _mm512_cvtepi32_ps,
    _mm512_cvtps_pd, _mm512_dpbusd_epi32, _mm512_fmadd_pd, _mm512_load_si512, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mul_pd, _mm512_mul_ps, _mm512_reduce_add_epi32, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_pd, _mm512_setzero_si512, _mm512_slli_epi32, _mm512_storeu_pd,
    _mm512_sub_epi32, _mm512_sub_pd, _mm512_xor_si512,
};

use super::{
    BlockStep, ByteBlock, Kernel, LANES, PanelHead, PanelStep, QUERIES, ROWS_AHEAD, STEP, fetch, padded,
};

/// The lanes of a dot product: two registers of eight.
///
/// # Safety
/// The CPU has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn dot_lanes(a: &[f32], b: &[f32]) -> [f64; LANES] {
    let mut sums = [_mm512_setzero_pd(); 2];
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
/// The CPU has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn square_lanes(a: &[f32], b: &[f32]) -> [f64; LANES] {
    let mut sums = [_mm512_setzero_pd(); 2];
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
#[target_feature(enable = "avx512f")]
fn add_squares(sums: &mut [__m512d; 2], a: &[f32; LANES], b: &[f32; LANES]) {
    for (half, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `half` is below 2, so both loads stay inside their sixteen components.
        let (a, b) =
            unsafe { (_mm256_loadu_ps(a.as_ptr().add(half * 8)), _mm256_loadu_ps(b.as_ptr().add(half * 8))) };
        let difference = _mm512_sub_pd(_mm512_cvtps_pd(a), _mm512_cvtps_pd(b));
        *sum = _mm512_add_pd(*sum, _mm512_mul_pd(difference, difference));
    }
}

/// Both registers of lanes, in order.
#[inline]
#[target_feature(enable = "avx512f")]
fn stored(sums: [__m512d; 2]) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    for (lanes, sum) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        // SAFETY: `lanes` holds eight f64.
        unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), sum) };
    }
    lanes
}

/// Adds sixteen products to the lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn add(sums: &mut [__m512d; 2], a: &[f32; LANES], b: &[f32; LANES]) {
    for (half, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `half` is below 2, so both loads stay inside their sixteen components.
        let (a, b) =
            unsafe { (_mm256_loadu_ps(a.as_ptr().add(half * 8)), _mm256_loadu_ps(b.as_ptr().add(half * 8))) };
        *sum = _mm512_fmadd_pd(_mm512_cvtps_pd(a), _mm512_cvtps_pd(b), *sum);
    }
}

/// The integer products of a coded row with others, told in the order of `positions`. Rows lie one after the other.
///
/// # Safety
/// The CPU has AVX-512 F and VNNI.
#[target_feature(enable = "avx512f,avx512vnni")]
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

/// The integer product of two coded rows. The first is shifted to unsigned codes on the way; 128 times the second is
/// taken off again, by an instruction a block: cheaper than a sum beside every row, which would be one more line to fetch.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn byte_product(a: &[ByteBlock], b: &[ByteBlock]) -> i32 {
    let top_bits = _mm512_set1_epi32(i32::from_ne_bytes([0x80; 4]));
    let (mut sum, mut shift) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (a, b) in a.iter().zip(b) {
        // SAFETY: a block is 64 bytes, aligned to 64.
        let (a, b) =
            unsafe { (_mm512_load_si512(a.0.as_ptr().cast()), _mm512_load_si512(b.0.as_ptr().cast())) };
        sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(a, top_bits), b);
        shift = _mm512_dpbusd_epi32(shift, top_bits, b);
    }
    _mm512_reduce_add_epi32(_mm512_sub_epi32(sum, shift))
}

/// The join with AVX-512 VNNI.
pub(crate) struct Avx512Vnni;

impl Kernel for Avx512Vnni {
    type Word = i32;

    fn word(codes: [i8; STEP]) -> Self::Word {
        // Flipping the top bit of a signed byte adds 128 to it.
        i32::from_le_bytes(codes.map(|code| code.cast_unsigned() ^ 0x80))
    }

    unsafe fn masks(
        block: &[BlockStep<Self::Word>],
        panel: &[PanelStep],
        head: &PanelHead,
        floors: &[f32; QUERIES],
    ) -> [u32; QUERIES] {
        // SAFETY: the caller says that the CPU has AVX-512 F and VNNI.
        unsafe { masks(block, panel, head, floors) }
    }
}

#[target_feature(enable = "avx512f,avx512vnni")]
fn masks(
    block: &[BlockStep<i32>],
    panel: &[PanelStep],
    head: &PanelHead,
    floors: &[f32; QUERIES],
) -> [u32; QUERIES] {
    // SAFETY: both arrays hold 32 numbers, two registers.
    let (sums, scales) = unsafe {
        let sums: *const i32 = head.sums.as_ptr();
        let scales: *const f32 = head.scales.as_ptr();
        (
            [_mm512_loadu_si512(sums.cast()), _mm512_loadu_si512(sums.add(16).cast())],
            [_mm512_loadu_ps(scales), _mm512_loadu_ps(scales.add(16))],
        )
    };
    let start = sums.map(|sums| _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32::<7>(sums)));
    let mut products = [start; QUERIES];
    for (words, step) in block.iter().zip(panel) {
        // SAFETY: a step is 128 bytes, aligned to 128.
        let targets = unsafe {
            let codes: *const [i8; STEP] = step.0.as_ptr();
            [_mm512_load_si512(codes.cast()), _mm512_load_si512(codes.add(16).cast())]
        };
        for (products, &word) in products.iter_mut().zip(words) {
            let word = _mm512_set1_epi32(word);
            for (product, targets) in products.iter_mut().zip(targets) {
                *product = _mm512_dpbusd_epi32(*product, word, targets);
            }
        }
    }
    let mut masks = [0; QUERIES];
    for ((mask, products), &floor) in masks.iter_mut().zip(products).zip(floors) {
        let floor = _mm512_set1_ps(floor);
        for (half, (product, scales)) in products.into_iter().zip(scales).enumerate() {
            let values = _mm512_mul_ps(_mm512_cvtepi32_ps(product), scales);
            *mask |= u32::from(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(values, floor)) << (half * 16);
        }
    }
    masks
}
