//! Maximal sum of distances (Borodin, Lee and Ye 2012): relevant, and far from all picks together.

use crate::diversify::Objective;
use crate::{Candidates, Diversity};

pub(crate) struct Msd<'a> {
    candidates: &'a Candidates<'a>,
    diversity: Diversity,
    /// The sum of the distances of each candidate to the picks, each from 0 to 2.
    distances: Vec<f64>,
}

impl<'a> Msd<'a> {
    pub(crate) fn new(candidates: &'a Candidates<'a>, diversity: Diversity) -> Self {
        Self { candidates, diversity, distances: vec![0.0; candidates.len()] }
    }
}

impl Objective for Msd<'_> {
    fn gain(&self, candidate: usize) -> f64 {
        self.diversity.relevance() * self.candidates.relevance()[candidate]
            + self.diversity.get() * self.distances[candidate]
    }

    fn pick(&mut self, candidate: usize) {
        for (other, distance) in self.distances.iter_mut().enumerate() {
            *distance += 1.0 - self.candidates.similarity(candidate, other).clamp(-1.0, 1.0);
        }
    }
}
