//! Facility location with a concave gain: picks that are similar to many candidates, with less and less to gain
//! from covering the same one again.
//!
//! A candidate is covered by the sum `c` of its similarities to the picks, worth the square root of `c`.

use crate::diversify::Objective;
use crate::{Candidates, Diversity, RankError};

/// Candidates that can be compared with each other: 400 MB of pairs.
const CANDIDATES_MAX: usize = 10_000;

pub(crate) struct Cover<'a> {
    relevance: &'a [f64],
    diversity: Diversity,
    /// The similarity of every pair, from 0 to 1, one row a candidate.
    pairs: Vec<f32>,
    covered: Vec<f64>,
}

impl<'a> Cover<'a> {
    pub(crate) fn new(
        candidates: &Candidates<'a>,
        diversity: Diversity,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, RankError> {
        let count = candidates.len();
        if count > CANDIDATES_MAX {
            return Err(RankError::TooManyCandidates { expected: CANDIDATES_MAX, received: count });
        }
        let mut pairs = Vec::with_capacity(count * count);
        for a in 0..count {
            if cancelled() {
                return Err(RankError::Cancelled);
            }
            pairs.extend((0..count).map(|b| candidates.similarity(a, b).clamp(0.0, 1.0) as f32));
        }
        Ok(Self { relevance: candidates.relevance(), diversity, pairs, covered: vec![0.0; count] })
    }

    fn similarities(&self, candidate: usize) -> &[f32] {
        &self.pairs[candidate * self.covered.len()..][..self.covered.len()]
    }
}

impl Objective for Cover<'_> {
    fn gain(&self, candidate: usize) -> f64 {
        let more = self.similarities(candidate).iter().zip(&self.covered);
        let gain: f64 =
            more.map(|(&more, covered)| (covered + f64::from(more)).sqrt() - covered.sqrt()).sum();
        self.diversity.relevance() * self.relevance[candidate] + self.diversity.get() * gain
    }

    fn pick(&mut self, candidate: usize) {
        let count = self.covered.len();
        let more = &self.pairs[candidate * count..][..count];
        for (covered, &more) in self.covered.iter_mut().zip(more) {
            *covered += f64::from(more);
        }
    }
}
