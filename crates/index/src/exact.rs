//! Exact answers over a few rows: each is scored.
//!
//! What `flat` does where a set is small, and what [`crate::Index`] does in place of a graph where a filter leaves few
//! rows.

use std::collections::BinaryHeap;

use crate::Hit;
use sluice_vector::Metric;

/// The best `k` of `slots`, or all of them where there are fewer, the best first.
pub(crate) fn top_k<'a>(
    metric: Metric,
    query: &[f32],
    k: usize,
    slots: impl Iterator<Item = u32>,
    row: impl Fn(u32) -> &'a [f32],
) -> Vec<Hit> {
    // The worst is on top. What `k` asks for is not reserved: it may be more than there is.
    let mut best: BinaryHeap<Hit> = BinaryHeap::new();
    for slot in slots {
        let hit = Hit { slot, score: metric.score(query, row(slot)) };
        if best.len() < k {
            best.push(hit);
        } else if let Some(mut worst) = best.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }
    best.into_sorted_vec()
}

/// Everything in `slots` that scores at least `threshold`, the best first.
pub(crate) fn at_least<'a>(
    metric: Metric,
    query: &[f32],
    threshold: f64,
    slots: impl Iterator<Item = u32>,
    row: impl Fn(u32) -> &'a [f32],
) -> Vec<Hit> {
    let scored = slots.map(|slot| Hit { slot, score: metric.score(query, row(slot)) });
    let mut hits: Vec<Hit> = scored.filter(|hit| hit.score >= threshold).collect();
    hits.sort_unstable();
    hits
}
