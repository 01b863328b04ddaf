//! Spectrum decomposition (Huang and others 2021), over the whole selection instead of a sliding window: relevant,
//! and long after everything the picks explain is taken out.

use crate::diversify::Objective;
use crate::residuals::{Bias, Residuals};
use crate::{Candidates, Diversity};

pub(crate) struct Ssd<'a> {
    standard_relevance: Vec<f64>,
    diversity: Diversity,
    residuals: Residuals<'a>,
}

impl<'a> Ssd<'a> {
    pub(crate) fn new(candidates: &'a Candidates<'a>, diversity: Diversity) -> Self {
        Self {
            standard_relevance: candidates.standard_relevance(),
            diversity,
            residuals: Residuals::new(candidates, Bias::One),
        }
    }
}

impl Objective for Ssd<'_> {
    fn gain(&self, candidate: usize) -> f64 {
        self.diversity.relevance() * self.standard_relevance[candidate]
            + self.diversity.get() * self.residuals.square(candidate).sqrt()
    }

    fn pick(&mut self, candidate: usize) {
        self.residuals.explain(candidate);
    }
}
