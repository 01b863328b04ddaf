//! The score: one dot product, defined to the bit.
//!
//! The one idea: products of two `f32` are exact in `f64`, so that only the order of the additions decides
//! the bits, and that order is written down here and in [`crate::kernels`]. What is fast and not exact lives
//! in [`crate::join`].

use crate::Instructions;
use crate::instructions::Set;
use crate::kernels::{LANES, scalar};
#[cfg(target_arch = "x86_64")]
use crate::kernels::{avx2, avx512_vnni};

/// The dot product of two rows, the cosine when both have length one. For finite rows it has the same bits on
/// every CPU.
///
/// Lane `i % 16` adds the products `i` in order, then halves of the lanes are added onto halves. The error is
/// at most about `len / 16 + 4` roundings of an `f64`. A row made by [`normalize()`](crate::normalize())
/// scores 1 with itself within 1.2e-7, not exactly.
///
/// # Panics
/// If the lengths differ.
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    Instructions::detect().dot(a, b)
}

impl Instructions {
    /// [`dot()`], computed with this set: the same bits.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn dot(self, a: &[f32], b: &[f32]) -> f64 {
        assert_eq!(a.len(), b.len(), "a dot product needs two rows of one dimension");
        reduce(match self.set() {
            Set::Scalar => scalar::dot_lanes(a, b),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: holding `self` proves that this CPU has the set.
            Set::Avx2 => unsafe { avx2::dot_lanes(a, b) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::Avx512Vnni => unsafe { avx512_vnni::dot_lanes(a, b) },
        })
    }
}

impl Instructions {
    /// The square of the Euclidean distance: each difference rounded to `f64`, its square rounded, then added
    /// lane by lane as in [`dot()`]. For finite rows it has the same bits with every set, and is 0 only
    /// for equal rows.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn squared_distance(self, a: &[f32], b: &[f32]) -> f64 {
        assert_eq!(a.len(), b.len(), "a distance needs two rows of one dimension");
        reduce(match self.set() {
            Set::Scalar => scalar::square_lanes(a, b),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: holding `self` proves that this CPU has the set.
            Set::Avx2 => unsafe { avx2::square_lanes(a, b) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::Avx512Vnni => unsafe { avx512_vnni::square_lanes(a, b) },
        })
    }
}

/// Adds halves of the lanes onto halves: 16, 8, 4, 2, 1.
fn reduce(mut lanes: [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}
