//! Scores in order, the end that is cut off, and how many from the top are worth a second look.

use crate::Share;

/// The positions of scores from the highest to the lowest, those without a score last. Ties go by position.
pub fn ranking(scores: &[Option<f64>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (scores[a as usize], scores[b as usize]);
        b.is_some().cmp(&a.is_some()).then_with(|| match (a, b) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            _ => std::cmp::Ordering::Equal,
        })
    });
    order
}

/// The two sides of the cut, each in order of position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outliers {
    /// Positions that stay.
    pub inliers: Vec<u32>,
    /// Positions at the end of the ranking.
    pub outliers: Vec<u32>,
}

/// Cuts the lowest `share` of the scores off, rounded up; who has none goes first, and of equals the last.
///
/// Where nobody has a score there is nothing to judge by, and all stay.
pub fn outliers(scores: &[Option<f64>], share: Share) -> Outliers {
    let cut = if scores.iter().any(Option::is_some) { share.of(scores.len()) } else { 0 };
    let mut inliers = ranking(scores);
    let mut outliers = inliers.split_off(scores.len() - cut);
    inliers.sort_unstable();
    outliers.sort_unstable();
    Outliers { inliers, outliers }
}

/// How many of the best-ranked are candidates for a diverse selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateLimit {
    /// A tenth of all, but between 100 and 1,000, and never fewer than are wanted.
    Automatic,
    /// So many.
    Fixed(usize),
}

impl CandidateLimit {
    const LEAST: usize = 100;
    const MOST: usize = 1000;

    /// The limit for `total` ranked of which `wanted` are to be picked: at most `total`.
    pub fn of(self, total: usize, wanted: usize) -> usize {
        let limit = match self {
            Self::Automatic => (total / 10).clamp(Self::LEAST, Self::MOST).max(wanted),
            Self::Fixed(limit) => limit,
        };
        limit.min(total)
    }
}
