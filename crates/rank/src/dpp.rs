//! Greedy determinantal point process (Chen, Zhang and Zhou 2018): the picks whose rows, stretched by a weight of
//! their relevance, span the largest volume.
//!
//! The kernel is `w_i <a_i, a_j> w_j`. What a pick adds to the volume is `w` squared times the squared residual of
//! its unit row, so that the weights stay out of the projections. A weight is `exp((1-d) z)` of the standard
//! relevance `z`.

use crate::diversify::Objective;
use crate::residuals::{Bias, Residuals};
use crate::{Candidates, Diversity};

pub(crate) struct Dpp<'a> {
    squared_weights: Vec<f64>,
    residuals: Residuals<'a>,
}

impl<'a> Dpp<'a> {
    pub(crate) fn new(candidates: &'a Candidates<'a>, diversity: Diversity) -> Self {
        let weigh = |z: f64| libm::exp(2.0 * diversity.relevance() * z);
        let squared_weights = candidates.standard_relevance().into_iter().map(weigh).collect();
        Self { squared_weights, residuals: Residuals::new(candidates, Bias::None) }
    }
}

impl Objective for Dpp<'_> {
    fn gain(&self, candidate: usize) -> f64 {
        self.squared_weights[candidate] * self.residuals.square(candidate)
    }

    fn pick(&mut self, candidate: usize) {
        self.residuals.explain(candidate);
    }
}
