//! What a join found for one class, bounded: the best duplicates, the best vetoed pairs, the nearest below the threshold.

use std::cmp::Ordering;

use sluice_guard::Guard;

use crate::Witness;

/// A pair that reached a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    pub(crate) witness: Witness,
    pub(crate) score: f64,
}

impl Pair {
    /// Best score first, then in witness order: the one order of everything that is listed.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.witness.cmp(&other.witness))
    }
}

/// The best of the pairs that were offered, at most `limit`, whatever the order they came in.
#[derive(Debug, Clone)]
pub(crate) struct Best<T> {
    limit: usize,
    pairs: Vec<(Pair, T)>,
    /// The last of the best, as far as is known: no pair after it is among them.
    last: Option<Pair>,
    offered: u64,
}

impl<T: Copy> Best<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, pairs: Vec::new(), last: None, offered: 0 }
    }

    pub(crate) fn offer(&mut self, pair: Pair, note: T) {
        self.offered += 1;
        if self.last.is_some_and(|last| last.order(&pair).is_lt()) {
            return;
        }
        self.pairs.push((pair, note));
        if self.pairs.len() >= 2 * self.limit + 16 {
            let (_, last, _) = self.pairs.select_nth_unstable_by(self.limit - 1, |(a, _), (b, _)| a.order(b));
            self.last = Some(last.0);
            self.pairs.truncate(self.limit);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<(Pair, T)>()
    }

    /// How many pairs were offered.
    pub(crate) fn offered(&self) -> u64 {
        self.offered
    }

    /// The best pairs, best first.
    pub(crate) fn into_sorted(mut self) -> Vec<(Pair, T)> {
        self.pairs.sort_unstable_by(|(a, _), (b, _)| a.order(b));
        self.pairs.truncate(self.limit);
        self.pairs
    }
}

/// Everything that a join found for one class.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) duplicates: Best<()>,
    pub(crate) vetoes: Best<Guard>,
    pub(crate) near: Option<Pair>,
}

impl Found {
    pub(crate) fn new(limit: usize) -> Self {
        Self { duplicates: Best::new(limit), vetoes: Best::new(limit), near: None }
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.duplicates.bytes() + self.vetoes.bytes()
    }

    /// A pair reached the threshold; `veto` is the guard that spares it.
    pub(crate) fn add(&mut self, pair: Pair, veto: Option<Guard>) {
        match veto {
            None => self.duplicates.offer(pair, ()),
            Some(guard) => self.vetoes.offer(pair, guard),
        }
    }

    /// A pair lies between floor and threshold.
    pub(crate) fn add_near(&mut self, pair: Pair) {
        if self.near.is_none_or(|near| pair.order(&near).is_lt()) {
            self.near = Some(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(scores in proptest::collection::vec(0..9u8, 0..200), limit in 1..8usize) {
            let pair = |(at, &score): (usize, &u8)| Pair { witness: Witness::Batch(at as u32), score: f64::from(score) };
            let mut expected: Vec<Pair> = scores.iter().enumerate().map(pair).collect();
            let mut best = Best::new(limit);
            for &pair in &expected {
                best.offer(pair, ());
            }
            prop_assert_eq!(best.offered(), scores.len() as u64);
            expected.sort_by(Pair::order);
            expected.truncate(limit);
            prop_assert_eq!(best.into_sorted().into_iter().map(|(pair, ())| pair).collect::<Vec<_>>(), expected);
        }
    }
}
