//! Rows as bytes, and the bound that makes them safe: how far a product of codes can be from the product of
//! the rows.
//!
//! **Code.** A row `a` becomes `a' = s * q`: a scale `s` of its own and integers `|q| <= 127`. How `q` was
//! rounded does not matter, because the *residual* `r >= |a - a'|` is measured afterwards, not derived.
//!
//! **Bound.** For rows of length at most `N`, `a.b - a'.b' = (a - a').b + a'.(b - b')`, and `|a'| <= N + ra`.
//! By Cauchy and Schwarz
//!
//! ```text
//! |a.b - a'.b'|  <=  ra N + (N + ra) rb
//! ```
//!
//! **Floor.** `a'.b' = sa sb P` with the exact integer `P`. A pair with `a.b >= t` therefore has
//!
//! ```text
//! P sb  >=  (t - ra N) / sa  -  rb (N + ra) / sa  =  start - slope rb
//! ```
//!
//! The left side is what a kernel computes for a pair, the right side one number for a query and a panel
//! (with the largest `rb` of the panel). Pairs below the floor need no score; pairs above it get one.
//!
//! **Rounding.** A row has a component of at least `1 / 256`, so that scales are far from underflow, and
//! rounding to the nearest code never moves a component further than to zero, so `r <= 1.001` and `|a'.b'| <
//! 4.01`. Multiplied by `sa`, in units of `u = 2^-24`: the two roundings of `P sb` are worth `2 * 4.01`,
//! those of `slope rb` and of the difference `2.01` and `4.1`; `start` and `slope` themselves are rounded to
//! the safe side. That is below `15 u`. The canonical dot is within `1e-12` of `a.b`, the `f64` steps within
//! `1e-15`. [`ROUNDING`] is `64 u` and is taken off the threshold.

use crate::dot;
use crate::kernels::STEP;
use crate::normalize::UNIT_TOLERANCE;

/// More than all roundings of the bound together; see the head of this file.
pub(crate) const ROUNDING: f64 = 64.0 / 16_777_216.0;

/// The largest length of a row that passed as a unit row.
pub(crate) const LENGTH_MAX: f64 = 1.0 + UNIT_TOLERANCE;

/// A row in bytes. One value is reused for many rows.
#[derive(Default)]
pub(crate) struct Code {
    /// The codes, four at a time; the last step is filled up with zeros.
    pub steps: Vec<[i8; STEP]>,
    /// The number that a code of one stands for.
    pub scale: f32,
    /// At least the length of what the codes miss.
    pub residual: f32,
    /// The sum of the codes.
    pub sum: i32,
    /// What the codes miss, by component.
    missed: Vec<f32>,
}

impl Code {
    /// Codes a unit row.
    pub(crate) fn encode(&mut self, row: &[f32]) {
        let largest = row.iter().fold(0.0_f32, |largest, component| largest.max(component.abs()));
        self.scale = largest / 127.0;
        let inverse = 127.0 / largest;
        // A float-to-integer cast truncates and saturates, so that half away from zero makes it round.
        let code = |component: f32| ((component * inverse + 0.5_f32.copysign(component)) as i8).max(-127);

        self.steps.clear();
        self.steps.extend(row.chunks(STEP).map(|components| {
            let mut codes = [0; STEP];
            for (code_place, &component) in codes.iter_mut().zip(components) {
                *code_place = code(component);
            }
            codes
        }));
        self.sum = self.steps.as_flattened().iter().map(|&code| i32::from(code)).sum();

        let codes = self.steps.as_flattened();
        let scale = f64::from(self.scale);
        self.missed.clear();
        self.missed.extend(row.iter().zip(codes).map(|(&component, &code)| {
            // The product is exact in f64, the cast errs by one part in 2^24.
            (f64::from(component) - scale * f64::from(code)) as f32
        }));
        self.residual = ((dot(&self.missed, &self.missed).sqrt() * (1.0 + 1e-6)) as f32).next_up();
    }

    /// What the floors of this row as a query are made of.
    pub(crate) const fn precision(&self) -> Precision {
        Precision { scale: self.scale, residual: self.residual }
    }
}

/// The scale and the residual of a coded query.
#[derive(Clone, Copy)]
pub(crate) struct Precision {
    scale: f32,
    residual: f32,
}

impl Precision {
    /// The two numbers of a query: `start` and `slope`.
    pub(crate) fn floor(self, threshold: f64) -> Floor {
        let (scale, residual) = (f64::from(self.scale), f64::from(self.residual));
        Floor {
            start: (((threshold - ROUNDING - residual * LENGTH_MAX) / scale) as f32).next_down(),
            slope: (((LENGTH_MAX + residual) / scale) as f32).next_up(),
        }
    }
}

/// The least scaled product of a query with a target of a given residual: `start - slope * residual`.
#[derive(Clone, Copy)]
pub(crate) struct Floor {
    /// The floor for a target without a residual.
    pub start: f32,
    /// How fast the floor falls with the residual.
    pub slope: f32,
}

impl Floor {
    /// The floor of a query without a threshold: every target reaches it.
    pub(crate) const ANY: Self = Self { start: f32::NEG_INFINITY, slope: 0.0 };
    /// The floor of a place without a query: nothing reaches it.
    pub(crate) const NONE: Self = Self { start: f32::INFINITY, slope: 0.0 };

    /// The floor for targets of at most this residual.
    pub(crate) fn at(self, residual: f32) -> f32 {
        self.start - self.slope * residual
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize;

    /// Rows with components of very different sizes: the worst for one scale.
    fn row(length: usize) -> impl Strategy<Value = Vec<f32>> {
        let component =
            (-1.0_f32..1.0, -12_i32..1).prop_map(|(mantissa, exponent)| mantissa * 2.0_f32.powi(exponent));
        prop::collection::vec(component, length).prop_filter_map("a direction", |mut row| {
            normalize(&mut row, 0).ok()?;
            Some(row)
        })
    }

    fn encode(row: &[f32]) -> Code {
        let mut code = Code::default();
        code.encode(row);
        code
    }

    proptest! {
        #[test]
        fn a_residual_is_at_least_what_the_codes_miss(row in (1_usize..300).prop_flat_map(row)) {
            let code = encode(&row);
            let decoded = code.steps.as_flattened().iter().map(|&q| f64::from(q) * f64::from(code.scale));
            let missed: f64 = row.iter().zip(decoded).map(|(&a, b)| (f64::from(a) - b).powi(2)).sum();
            prop_assert!(f64::from(code.residual) >= missed.sqrt());
            prop_assert!(f64::from(code.residual) <= missed.sqrt() * 1.000_01 + 1e-9);
        }

        #[test]
        fn a_pair_that_scores_the_threshold_reaches_the_floor((a, b) in (1_usize..300).prop_flat_map(|n| (row(n), row(n)))) {
            let (query, target) = (encode(&a), encode(&b));
            let codes = query.steps.as_flattened().iter().zip(target.steps.as_flattened());
            let product: i32 = codes.map(|(&p, &q)| i32::from(p) * i32::from(q)).sum();
            let score = dot(&a, &b);
            let scaled = product as f32 * target.scale;
            prop_assert!(scaled >= query.precision().floor(score).at(target.residual));
            // And the floor is not so low that it says nothing: twice the bound above the score is out of
            // reach.
            let bound = f64::from(query.residual + target.residual) * 1.01 + f64::from(query.residual * target.residual);
            prop_assert!(scaled < query.precision().floor(score + 2.0 * bound + 1e-4).at(target.residual));
        }
    }
}
