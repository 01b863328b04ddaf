//! Maximal marginal relevance (Carbonell and Goldstein 1998): relevant, and unlike the most similar pick.

use crate::diversify::Objective;
use crate::{Candidates, Diversity};

pub(crate) struct Mmr<'a> {
    candidates: &'a Candidates<'a>,
    diversity: Diversity,
    /// The highest similarity of each candidate to a pick, from 0 to 1: unlike is no better than unrelated.
    nearest: Vec<f64>,
}

impl<'a> Mmr<'a> {
    pub(crate) fn new(candidates: &'a Candidates<'a>, diversity: Diversity) -> Self {
        Self { candidates, diversity, nearest: vec![0.0; candidates.len()] }
    }
}

impl Objective for Mmr<'_> {
    fn gain(&self, candidate: usize) -> f64 {
        self.diversity.relevance() * self.candidates.relevance()[candidate]
            - self.diversity.get() * self.nearest[candidate]
    }

    fn pick(&mut self, candidate: usize) {
        for (other, nearest) in self.nearest.iter_mut().enumerate() {
            *nearest = self.candidates.similarity(candidate, other).clamp(*nearest, 1.0);
        }
    }
}
