//! The portable kernels: what the others must equal to the bit. Needs nothing; written so that compilers
//! vectorise it.

use std::array;

use super::{BlockStep, ByteBlock, Kernel, LANES, PanelHead, PanelStep, QUERIES, STEP, TARGETS, padded};

/// The lanes of a dot product.
pub(crate) fn dot_lanes(a: &[f32], b: &[f32]) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    let (a, a_tail) = a.as_chunks::<LANES>();
    let (b, b_tail) = b.as_chunks::<LANES>();
    let mut add = |a: &[f32; LANES], b: &[f32; LANES]| {
        for lane in 0..LANES {
            lanes[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    };
    for (a, b) in a.iter().zip(b) {
        add(a, b);
    }
    add(&padded(a_tail), &padded(b_tail));
    lanes
}

/// The lanes of a squared distance.
pub(crate) fn square_lanes(a: &[f32], b: &[f32]) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    let (a, a_tail) = a.as_chunks::<LANES>();
    let (b, b_tail) = b.as_chunks::<LANES>();
    let mut add = |a: &[f32; LANES], b: &[f32; LANES]| {
        for lane in 0..LANES {
            let difference = f64::from(a[lane]) - f64::from(b[lane]);
            lanes[lane] += difference * difference;
        }
    };
    for (a, b) in a.iter().zip(b) {
        add(a, b);
    }
    add(&padded(a_tail), &padded(b_tail));
    lanes
}

/// The integer products of a coded row with others, told in the order of `positions`. Rows lie one after the other.
pub(crate) fn byte_products(
    row: &[ByteBlock],
    rows: &[ByteBlock],
    positions: &[u32],
    tell: &mut impl FnMut(u32, i32),
) {
    for &position in positions {
        let other = &rows[position as usize * row.len()..][..row.len()];
        tell(position, row.iter().zip(other).map(|(a, b)| block_product(a, b)).sum());
    }
}

/// The integer product of two blocks, widened to 16 bits before it is multiplied. Not inlined: see [`product`].
#[inline(never)]
fn block_product(a: &ByteBlock, b: &ByteBlock) -> i32 {
    let (a, b) = (a.0.map(i16::from), b.0.map(i16::from));
    a.iter().zip(&b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}

/// The steps of a window. Inside a window both sides are laid out as rows, because a plain product of two
/// rows is the one form that compilers reliably turn into vector instructions.
const WINDOW_STEPS: usize = 64;

/// Rows of a window; components that do not exist are zero.
type Window = [[i16; STEP]; WINDOW_STEPS];

/// The portable join.
pub(crate) struct Scalar;

impl Kernel for Scalar {
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
        let mut products = [[0_i32; TARGETS]; QUERIES];
        for (block, panel) in block.chunks(WINDOW_STEPS).zip(panel.chunks(WINDOW_STEPS)) {
            let queries: [Window; QUERIES] = array::from_fn(|query| window(block, |words| words[query]));
            for target in 0..TARGETS {
                let row = window(panel, |step| step.0[target].map(i16::from));
                for (products, query) in products.iter_mut().zip(&queries) {
                    products[target] += product(query, &row);
                }
            }
        }
        let mut masks = [0; QUERIES];
        for ((mask, products), &floor) in masks.iter_mut().zip(&products).zip(floors) {
            for (target, (&product, &scale)) in products.iter().zip(&head.scales).enumerate() {
                *mask |= u32::from(product as f32 * scale >= floor) << target;
            }
        }
        masks
    }
}

/// One row of at most a window's steps.
fn window<Step>(steps: &[Step], codes: impl Fn(&Step) -> [i16; STEP]) -> Window {
    let mut row = [[0; STEP]; WINDOW_STEPS];
    for (place, step) in row.iter_mut().zip(steps) {
        *place = codes(step);
    }
    row
}

/// The integer product of two rows. Not inlined: alone, its 16-bit products become one instruction
/// (`pmaddwd`, `smlal`); inside the loops above, the widening moves out of reach and the products become
/// 32-bit ones.
#[inline(never)]
fn product(a: &Window, b: &Window) -> i32 {
    a.as_flattened().iter().zip(b.as_flattened()).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}
