//! The sums in plain Rust: what every other kernel must equal, bit by bit.

use std::ops::Range;

use super::{Rows, Term};

/// Writes the sum of the terms.
pub(super) fn sum(rows: &Rows, terms: &[Term], out: &mut [f32]) {
    sum_columns(rows, terms, 0..out.len(), out);
}

/// Writes some columns of the sum of the terms; with nibbles, the columns are whole groups of 32.
pub(super) fn sum_columns(rows: &Rows, terms: &[Term], columns: Range<usize>, out: &mut [f32]) {
    let dimension = out.len();
    let out = &mut out[columns.clone()];
    out.fill(0.0);
    for &Term { row, factor } in terms {
        let row = row as usize;
        match rows {
            Rows::Nibbles(bytes) => {
                let bytes = &bytes[row * dimension / 2..][columns.start / 2..columns.end / 2];
                for (bytes, out) in bytes.chunks_exact(16).zip(out.chunks_exact_mut(32)) {
                    let (low, high) = out.split_at_mut(16);
                    for ((byte, low), high) in bytes.iter().zip(low).zip(high) {
                        *low += f32::from((byte & 15).cast_signed() - 8) * factor;
                        *high += f32::from((byte >> 4).cast_signed() - 8) * factor;
                    }
                }
            }
            Rows::Bytes(bytes) => {
                let bytes = &bytes[row * dimension..][columns.clone()];
                for (byte, out) in bytes.iter().zip(&mut *out) {
                    *out += f32::from(*byte) * factor;
                }
            }
            Rows::Floats(floats) => {
                let floats = &floats[row * dimension..][columns.clone()];
                for (float, out) in floats.iter().zip(&mut *out) {
                    *out += float * factor;
                }
            }
        }
    }
}
