//! The arithmetic of Jaccard thresholds on set sizes: how many shingles two sets must share.
//!
//! Everything is derived from one test, the score itself as it is reported, so that no bound can disagree with it by a
//! rounding: a correctly rounded quotient never falls when its numerator grows or its denominator shrinks.

use crate::Jaccard;

impl Jaccard {
    /// The score of two sets of sizes `a` and `b` that share `shared`.
    pub(crate) fn score(shared: usize, a: usize, b: usize) -> f64 {
        shared as f64 / (a + b - shared) as f64
    }

    /// Whether two sets of sizes `a` and `b` that share `shared` reach the threshold.
    pub(crate) fn reaches(self, shared: usize, a: usize, b: usize) -> bool {
        Self::score(shared, a, b) >= self.get()
    }

    /// The fewest shingles that sets of sizes `a` and `b` must share; more than the smaller set when they cannot.
    pub(crate) fn required(self, a: usize, b: usize) -> usize {
        let estimate = (self.get() / (1.0 + self.get()) * (a + b) as f64).ceil() as usize;
        let most = a.min(b) + 1;
        first_true(estimate.min(most), most, |shared| self.reaches(shared, a, b))
    }

    /// The fewest shingles that a set of size `size` must share with any other set.
    ///
    /// The best other set for few shared ones is the one that has nothing else.
    pub(crate) fn required_of(self, size: usize) -> usize {
        let estimate = (self.get() * size as f64).ceil() as usize;
        first_true(estimate.min(size), size, |shared| self.reaches(shared, size, shared))
    }

    /// How many of its rarest shingles a set must be found by: with all but the last `required_of - 1` of them, one shared
    /// shingle at least is among them (the prefix filter).
    pub(crate) fn prefix(self, size: usize) -> usize {
        size - self.required_of(size) + 1
    }
}

/// The first number for which a monotone test holds, near an estimate, and at least 1; `end` when none below it does.
fn first_true(estimate: usize, end: usize, test: impl Fn(usize) -> bool) -> usize {
    let mut first = estimate.max(1);
    while first > 1 && test(first - 1) {
        first -= 1;
    }
    while first < end && !test(first) {
        first += 1;
    }
    first
}

/// How many hashes two ascending sets share, if that is at least `required`; stops as soon as it cannot be.
pub(crate) fn shared(a: &[u64], b: &[u64], required: usize) -> Option<usize> {
    // Between two looks at what can still be shared: a look costs as much as a step.
    const STEPS: usize = 16;
    let (mut at_a, mut at_b, mut shared) = (0, 0, 0);
    while at_a < a.len() && at_b < b.len() {
        if shared + (a.len() - at_a).min(b.len() - at_b) < required {
            return None;
        }
        for _ in 0..STEPS {
            let (Some(left), Some(right)) = (a.get(at_a), b.get(at_b)) else { break };
            shared += usize::from(left == right);
            at_a += usize::from(left <= right);
            at_b += usize::from(right <= left);
        }
    }
    (shared >= required).then_some(shared)
}

/// A small set laid out so that every hash has a cell of its own: to count what many other sets share with it, without a
/// branch that depends on a hash.
pub(crate) struct Cells {
    cells: Vec<u64>,
    shift: u32,
}

impl Cells {
    /// The set in the first layout without a collision; none for a large set, where there hardly is one.
    pub(crate) fn of(set: &[u64]) -> Option<Self> {
        const SIZE_MAX: usize = 64;
        if set.len() > SIZE_MAX {
            return None;
        }
        // Of one cell alone, every hash would be its own.
        let length = (set.len() * 16).next_power_of_two().max(2);
        (0..48).find_map(|shift| {
            // What stands in an empty cell belongs to another one, so that no hash is found there.
            let mut this = Self { cells: vec![u64::MAX; length], shift };
            this.cells[length - 1] = 0;
            set.iter().all(|&hash| this.place(hash)).then_some(this)
        })
    }

    fn place(&mut self, hash: u64) -> bool {
        let at = self.cell(hash);
        let is_free = self.cells[at] == if at + 1 == self.cells.len() { 0 } else { u64::MAX };
        self.cells[at] = hash;
        is_free
    }

    fn cell(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize & (self.cells.len() - 1)
    }

    /// How many hashes another set shares with this one, if that is at least `required`.
    pub(crate) fn shared(&self, other: &[u64], required: usize) -> Option<usize> {
        let shared = other.iter().map(|&hash| usize::from(self.cells[self.cell(hash)] == hash)).sum();
        (shared >= required).then_some(shared)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn threshold() -> impl Strategy<Value = Jaccard> {
        prop_oneof![
            (1..=20u32, 1..=20u32).prop_map(|(a, b)| f64::from(a.min(b)) / f64::from(a.max(b))),
            0.001..=1.0f64
        ]
        .prop_map(|threshold| Jaccard::new(threshold).unwrap())
    }

    proptest! {
        #[test]
        fn required_is_the_smallest_count_that_reaches(t in threshold(), a in 1..200usize, b in 1..200usize) {
            let brute = (0..=a.min(b)).find(|&shared| t.reaches(shared, a, b)).unwrap_or(a.min(b) + 1);
            prop_assert_eq!(t.required(a, b), brute.max(1));
        }

        #[test]
        fn no_partner_needs_less_than_required_of(t in threshold(), a in 1..200usize, b in 1..2000usize) {
            let required = t.required(a, b);
            prop_assert!(required > a.min(b) || t.required_of(a) <= required);
            prop_assert!(t.prefix(a) >= 1 && t.prefix(a) <= a);
        }

        #[test]
        fn an_empty_set_shares_nothing(other in proptest::collection::btree_set(0..u64::MAX, 0..9)) {
            let other: Vec<u64> = other.into_iter().chain([u64::MAX]).collect();
            prop_assert_eq!(Cells::of(&[]).and_then(|cells| cells.shared(&other, 0)), Some(0));
            prop_assert_eq!(Cells::of(&[]).and_then(|cells| cells.shared(&[0], 0)), Some(0));
        }

        #[test]
        fn shared_counts_or_gives_up(a in proptest::collection::btree_set(0..60u64, 0..40), b in proptest::collection::btree_set(0..60u64, 0..40), required in 0..40usize) {
            let count = a.intersection(&b).count();
            let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            prop_assert_eq!(shared(&a, &b, required), (count >= required).then_some(count));
            // The lowest and the highest hashes stand in empty cells, too.
            let spread = |set: &[u64]| set.iter().map(|&hash| hash.rotate_right(3).wrapping_sub(1)).collect::<Vec<_>>();
            for (a, b) in [(a.clone(), b.clone()), (spread(&a), spread(&b))] {
                if let Some(cells) = Cells::of(&a) {
                    prop_assert_eq!(cells.shared(&b, required), (count >= required).then_some(count));
                }
            }
        }
    }
}
