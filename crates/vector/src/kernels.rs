//! What a kernel computes, in one place; each file below computes it with one instruction set.
//!
//! Three operations. *Dot lanes*: sixteen `f64` sums, lane `i % 16` taking the products `i` in order. *Masks*:
//! the integer products of twelve coded queries with thirty-two coded targets, and which of them reach a
//! floor. *Byte products*: the integer products of one coded row with some others, wherever they lie. All are
//! defined to the bit, so that a kernel is right exactly when it equals [`scalar`].

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_vnni;
pub(crate) mod scalar;

/// The lanes of a dot product.
pub(crate) const LANES: usize = 16;
/// The queries of a block: 12 x 32 products fill 24 of the 32 registers of AVX-512.
pub(crate) const QUERIES: usize = 12;
/// The targets of a panel.
pub(crate) const TARGETS: usize = 32;
/// The components a step takes at once: what one lane of a byte dot product instruction adds up.
pub(crate) const STEP: usize = 4;

/// Some codes of a row, in one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ByteBlock(pub [i8; Self::CODES]);

impl ByteBlock {
    /// The codes of a block.
    pub(crate) const CODES: usize = 64;
}

/// So many rows are fetched ahead of the one that is multiplied: enough to hide the way to memory.
#[cfg(target_arch = "x86_64")]
const ROWS_AHEAD: usize = 4;
/// So many cache lines of a row are fetched ahead; the CPU sees the pattern of those after them by itself.
#[cfg(target_arch = "x86_64")]
const LINES_AHEAD: usize = 8;

/// Has a row fetched into the first cache. Every x86-64 CPU can.
#[cfg(target_arch = "x86_64")]
#[inline]
fn fetch(row: &[ByteBlock]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for block in row.iter().take(LINES_AHEAD) {
        // SAFETY: it reads nothing; the instruction is part of the baseline.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(block).cast()) };
    }
}

/// One step of a panel: four components of each of its targets. Aligned so that no load straddles a cache
/// line.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct PanelStep(pub [[i8; STEP]; TARGETS]);

/// One step of a block of queries: four components of each, in the form its kernel broadcasts.
pub(crate) type BlockStep<Word> = [Word; QUERIES];

/// What a kernel needs to know of the targets of a panel besides their codes.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct PanelHead {
    /// The scale of each target; NaN for a place without one, which reaches no floor.
    pub scales: [f32; TARGETS],
    /// The sum of the codes of each target, for kernels that shift the queries to unsigned numbers.
    pub sums: [i32; TARGETS],
    /// The largest residual of the targets.
    pub residual: f32,
}

/// The join with one instruction set.
pub(crate) trait Kernel {
    /// Four components of a query, as the kernel broadcasts them.
    type Word: Copy + Default + Send + Sync;

    /// Puts four codes into a word.
    fn word(codes: [i8; STEP]) -> Self::Word;

    /// Bit `t` of mask `q` says whether `product(q, t) as f32 * scales[t] >= floors[q]`, where the product is
    /// the exact sum over all steps. With at most [`crate::Dimension::MAX`] components it fits an `i32`.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn masks(
        block: &[BlockStep<Self::Word>],
        panel: &[PanelStep],
        head: &PanelHead,
        floors: &[f32; QUERIES],
    ) -> [u32; QUERIES];
}

/// The last, incomplete sixteen components, filled up with zeros, which change no sum.
pub(crate) fn padded(tail: &[f32]) -> [f32; LANES] {
    let mut full = [0.0; LANES];
    full[..tail.len()].copy_from_slice(tail);
    full
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A block and a panel of any codes, in rows.
    #[derive(Debug)]
    struct Case {
        queries: Vec<[[i8; STEP]; QUERIES]>,
        panel: Vec<[[i8; STEP]; TARGETS]>,
        scales: [f32; TARGETS],
        floors: [f32; QUERIES],
    }

    fn cases() -> impl Strategy<Value = Case> {
        let scale = prop_oneof![9 => 1e-5_f32..1e-2, 1 => Just(f32::NAN)];
        let floor = prop_oneof![9 => -50.0_f32..50.0, 1 => Just(f32::INFINITY)];
        // Past 64 steps the portable kernel begins a second window.
        (1_usize..150, any::<u64>(), prop::array::uniform(scale), prop::array::uniform(floor)).prop_map(
            |(steps, seed, scales, floors)| {
                let mut code = codes(seed);
                let mut codes = |_| std::array::from_fn(|_| code());
                let queries = (0..steps).map(|_| std::array::from_fn(&mut codes)).collect();
                let panel = (0..steps).map(|_| std::array::from_fn(&mut codes)).collect();
                Case { queries, panel, scales, floors }
            },
        )
    }

    /// Any codes, the extremes often. Drawn from one seed, because a strategy for each of ten thousand codes
    /// is slow.
    fn codes(mut state: u64) -> impl FnMut() -> i8 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match (state >> 40) as u8 % 8 {
                0 => 127,
                1 => -127,
                _ => ((state >> 56) as i8).max(-127),
            }
        }
    }

    fn product(case: &Case, query: usize, target: usize) -> i32 {
        let steps = case.queries.iter().zip(&case.panel);
        let pairs = steps.flat_map(|(queries, targets)| queries[query].into_iter().zip(targets[target]));
        pairs.map(|(a, b)| i32::from(a) * i32::from(b)).sum()
    }

    fn masks<K: Kernel>(case: &Case, floors: &[f32; QUERIES]) -> [u32; QUERIES] {
        let block: Vec<_> = case.queries.iter().map(|step| step.map(K::word)).collect();
        let panel: Vec<_> = case.panel.iter().copied().map(PanelStep).collect();
        let sum = |target: usize| case.panel.iter().flat_map(|step| step[target]).map(i32::from).sum();
        let head = PanelHead { scales: case.scales, sums: std::array::from_fn(sum), residual: 0.0 };
        // SAFETY: the tests below ask only for sets that this CPU has.
        unsafe { K::masks(&block, &panel, &head, floors) }
    }

    /// The masks of every set of this CPU.
    fn all_masks(case: &Case, floors: &[f32; QUERIES]) -> Vec<[u32; QUERIES]> {
        use crate::instructions::Set;
        let available = crate::Instructions::available().into_iter();
        let masks = available.map(|instructions| match instructions.set() {
            Set::Scalar => masks::<scalar::Scalar>(case, floors),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => masks::<avx2::Avx2>(case, floors),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => masks::<avx512_vnni::Avx512Vnni>(case, floors),
        });
        masks.collect()
    }

    /// The definition, word for word.
    fn expected(case: &Case, floors: &[f32; QUERIES]) -> [u32; QUERIES] {
        std::array::from_fn(|query| {
            let reached = |target| product(case, query, target) as f32 * case.scales[target] >= floors[query];
            (0..TARGETS).map(|target| u32::from(reached(target)) << target).sum()
        })
    }

    proptest! {
        #[test]
        fn every_kernel_is_the_definition_to_the_bit(case in cases()) {
            for masks in all_masks(&case, &case.floors) {
                prop_assert_eq!(masks, expected(&case, &case.floors));
            }
        }

        #[test]
        fn a_product_equal_to_the_floor_reaches_it_and_the_next_number_is_out_of_reach(
            case in cases(),
            target in 0..TARGETS,
        ) {
            let value = |query| product(&case, query, target) as f32 * case.scales[target];
            let equal = std::array::from_fn(value);
            let above = equal.map(f32::next_up);
            for (equal, above) in all_masks(&case, &equal).into_iter().zip(all_masks(&case, &above)) {
                for query in 0..QUERIES {
                    prop_assert_eq!(equal[query] >> target & 1, u32::from(!case.scales[target].is_nan()));
                    prop_assert_eq!(above[query] >> target & 1, 0);
                }
            }
        }
    }

    #[test]
    fn the_longest_rows_of_the_largest_codes_do_not_overflow() {
        let steps = crate::Dimension::MAX / STEP;
        for (query, target) in [(127, 127), (-127, -127), (127, -127), (-127, 127)] {
            let case = Case {
                queries: vec![[[query; STEP]; QUERIES]; steps],
                panel: vec![[[target; STEP]; TARGETS]; steps],
                scales: [1.0; TARGETS],
                floors: [1e9; QUERIES],
            };
            let all = if query == target { u32::MAX } else { 0 };
            for masks in all_masks(&case, &case.floors) {
                assert_eq!(masks, [all; QUERIES]);
            }
        }
    }
}
