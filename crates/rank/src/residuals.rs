//! What the picks do not explain of each candidate: Gram-Schmidt, one direction a pick.
//!
//! The one idea: only squared lengths are kept for all candidates. The residual of a pick is its row less its
//! projections on the directions before; a candidate's squared residual falls by the square of its projection.

use crate::Candidates;

/// Below this a squared residual is nothing but rounding of rows in `f32`.
const ROUNDING: f64 = 1e-12;

pub(crate) struct Residuals<'a> {
    candidates: &'a Candidates<'a>,
    /// A component that every row has besides its own: [`Bias::One`] makes rows that point away from each other
    /// less unlike.
    bias: f64,
    /// The squared length of the residual of each candidate.
    squares: Vec<f64>,
    /// The unit directions so far, rows of the dimension and one: the bias comes last.
    directions: Vec<f64>,
}

/// Whether rows get a component of one.
#[derive(Clone, Copy)]
pub(crate) enum Bias {
    None,
    One,
}

impl<'a> Residuals<'a> {
    pub(crate) fn new(candidates: &'a Candidates<'a>, bias: Bias) -> Self {
        let bias = match bias {
            Bias::None => 0.0,
            Bias::One => 1.0,
        };
        // Unit rows have one length; what rounding made of it must not decide the first pick.
        let squares = vec![1.0 + bias; candidates.len()];
        Self { candidates, bias, squares, directions: Vec::new() }
    }

    /// The squared length of what the picks do not explain.
    pub(crate) fn square(&self, candidate: usize) -> f64 {
        self.squares[candidate]
    }

    /// Makes the residual of a candidate a direction.
    pub(crate) fn explain(&mut self, candidate: usize) {
        if self.squares[candidate] == 0.0 {
            return;
        }
        let width = self.candidates.dimension() + 1;
        let mut residual: Vec<f64> =
            self.candidates.row(candidate).iter().copied().map(f64::from).chain([self.bias]).collect();
        for direction in self.directions.chunks_exact(width) {
            let along = product(direction, &residual);
            residual.iter_mut().zip(direction).for_each(|(part, unit)| *part -= along * unit);
        }
        let length = product(&residual, &residual).sqrt();
        for part in &mut residual {
            *part /= length;
        }
        let (own, bias) = residual.split_at(width - 1);
        for (other, square) in self.squares.iter_mut().enumerate() {
            let row = self.candidates.row(other);
            let along = own.iter().zip(row).map(|(unit, &part)| unit * f64::from(part)).sum::<f64>()
                + bias[0] * self.bias;
            *square -= along * along;
            if *square < ROUNDING {
                *square = 0.0;
            }
        }
        self.directions.extend(residual);
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
