//! One answer of a search: which slot, how good.

use std::cmp::Ordering;

/// A slot and its canonical score with a query. Less is better: the highest score, then the first slot.
///
/// A score is never NaN and never minus zero, so that equal numbers are ties.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// The slot of the row.
    pub slot: u32,
    /// The score in the natural unit of the metric, higher is better: see [`sluice_vector::Metric`].
    pub score: f64,
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.slot.cmp(&other.slot))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Hit {}
