//! Picking one by one: the best gain given what was picked before.
//!
//! The one idea: all strategies share this loop and differ in what a candidate would gain. Equal gains go to the
//! higher relevance, then to the first candidate; this also makes the first pick of MMR and MSD the most relevant
//! one when relevance has no weight.

use crate::cover::Cover;
use crate::dpp::Dpp;
use crate::mmr::Mmr;
use crate::msd::Msd;
use crate::ssd::Ssd;
use crate::{Candidates, Diversity, RankError};

/// What makes a selection diverse. `r` is the relevance, `d` the [`Diversity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Maximal marginal relevance: `(1-d) r - d` times the highest similarity to a pick.
    Mmr,
    /// Maximal sum of distances: `(1-d) r + d` times the sum of distances to all picks.
    Msd,
    /// Facility location: `(1-d) r + d` times how much better all candidates are covered by similar picks.
    Cover,
    /// Determinantal point process: the volume that the picks span, each stretched by its relevance.
    Dpp,
    /// Spectrum decomposition: `(1-d) r + d` times the length of what no pick explains.
    Ssd,
}

/// A picked candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// Its position.
    pub candidate: u32,
    /// What the strategy gave for it when it was picked. Gains of two strategies cannot be compared.
    pub gain: f64,
}

/// What a candidate would add to the picks so far.
pub(crate) trait Objective {
    /// The gain of a candidate that was not picked yet.
    fn gain(&self, candidate: usize) -> f64;

    /// Takes a candidate into the picks.
    fn pick(&mut self, candidate: usize);
}

/// Picks `count` candidates, or all there are, in the order in which they are picked.
///
/// `cancelled` is asked before every gain. Cost: `count` times candidates times dimension; for
/// [`Strategy::Cover`] `count` times the square of the candidates, and four bytes for each pair of them.
///
/// # Errors
/// [`RankError::TooManyCandidates`] for [`Strategy::Cover`]; [`RankError::Cancelled`].
pub fn diversify(
    candidates: &Candidates<'_>,
    strategy: Strategy,
    diversity: Diversity,
    count: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Pick>, RankError> {
    if candidates.is_empty() || count == 0 {
        return Ok(Vec::new());
    }
    let greedy = Greedy { relevance: candidates.relevance(), count, cancelled };
    match strategy {
        // Without a weight on diversity every strategy is the ranking, and this one the cheapest.
        _ if diversity.get() == 0.0 => greedy.run(Mmr::new(candidates, diversity)),
        Strategy::Mmr => greedy.run(Mmr::new(candidates, diversity)),
        Strategy::Msd => greedy.run(Msd::new(candidates, diversity)),
        Strategy::Cover => greedy.run(Cover::new(candidates, diversity, cancelled)?),
        Strategy::Dpp => greedy.run(Dpp::new(candidates, diversity)),
        Strategy::Ssd => greedy.run(Ssd::new(candidates, diversity)),
    }
}

/// The loop over picks.
struct Greedy<'a> {
    relevance: &'a [f64],
    count: usize,
    cancelled: &'a dyn Fn() -> bool,
}

impl Greedy<'_> {
    fn run(&self, mut objective: impl Objective) -> Result<Vec<Pick>, RankError> {
        let mut picks: Vec<Pick> = Vec::new();
        let mut left: Vec<usize> = (0..self.relevance.len()).collect();
        while picks.len() < self.count && !left.is_empty() {
            let mut best: Option<(usize, f64)> = None;
            for (place, &candidate) in left.iter().enumerate() {
                if (self.cancelled)() {
                    return Err(RankError::Cancelled);
                }
                let gain = objective.gain(candidate);
                let better = best.is_none_or(|(other, most)| {
                    let relevance = |candidate: usize| self.relevance[candidate];
                    let order = gain.total_cmp(&most);
                    order.then(relevance(candidate).total_cmp(&relevance(left[other]))).is_gt()
                });
                if better {
                    best = Some((place, gain));
                }
            }
            let Some((place, gain)) = best else { break };
            let candidate = left.remove(place);
            picks.push(Pick { candidate: candidate as u32, gain });
            objective.pick(candidate);
        }
        Ok(picks)
    }
}
