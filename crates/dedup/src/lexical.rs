//! The lexical join: every indexed set whose Jaccard score with a query reaches the threshold, exactly.
//!
//! Two sets that reach a threshold share one of their rarest shingles, so a set is indexed and looked up by a short prefix of
//! those alone (prefix filter: Chaudhuri, Ganti and Kaushik 2006; `AllPairs`: Bayardo, Ma and Srikant 2007). Where in both sets
//! that shared shingle stands bounds what they can share in all (positional filter, `PPJoin`: Xiao, Wang, Lin and Yu 2008). Here
//! postings of equal size and position form a *group* that is admitted or skipped as one: a million lines of one template
//! cost one comparison a shingle, not a million. What passes is verified on the whole sets.
//!
//! The order of rarity is arbitrary but fixed while an index lives. It decides how fast an answer comes, never which.

use crate::Jaccard;
use crate::overlap::{Cells, shared};
use crate::shingles::Sets;

/// A shingle in the order of rarity: how often it was counted, and its hash.
pub(crate) type Rare = (u16, u64);

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// How rare shingles are: a table of saturating counts of hashed shingles. Shingles that share a counter look more frequent.
#[derive(Debug, Clone)]
pub(crate) struct Rarity {
    counts: Vec<u16>,
    mask: u64,
}

impl Rarity {
    const COUNTERS_MAX: usize = 1 << 24;

    /// Counts the shingles of all sets.
    pub(crate) fn of(sets: &Sets) -> Self {
        let size = sets.hashes().len().next_power_of_two().clamp(1 << 10, Self::COUNTERS_MAX);
        let mask = size as u64 - 1;
        let mut counts = vec![0u16; size];
        for hash in sets.hashes() {
            let counter = &mut counts[(hash & mask) as usize];
            *counter = counter.saturating_add(1);
        }
        Self { counts, mask }
    }

    /// The `length` rarest shingles of a set, rarest first.
    fn rarest(&self, set: &[u64], length: usize) -> Vec<Rare> {
        let ranked = |&hash: &u64| (self.counts[(hash & self.mask) as usize], hash);
        let mut rarest: Vec<Rare> = set.iter().map(ranked).collect();
        if length < rarest.len() {
            rarest.select_nth_unstable(length);
            rarest.truncate(length);
        }
        rarest.sort_unstable();
        rarest
    }

    pub(crate) fn bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u16>()
    }
}

/// Sets of the same size that hold the same shingle at the same place in the order of rarity.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// The upper half of the shingle's hash. Shingles that share it only add candidates.
    tag: u32,
    size: u32,
    position: u32,
    /// The next group of the bucket: a group is before another when its newest target is newer.
    next: u32,
    /// The newest target.
    newest: u32,
    /// The link to the next older target.
    older: u32,
}

/// A target further down in a group.
#[derive(Debug, Clone, Copy)]
struct Link {
    target: u32,
    older: u32,
}

/// Sets by their rarest shingles. Targets are numbered in the order they are added.
#[derive(Debug, Clone)]
pub(crate) struct LexicalIndex {
    threshold: Jaccard,
    rarity: Rarity,
    heads: Vec<u32>,
    groups: Vec<Group>,
    links: Vec<Link>,
    /// The class of each target.
    classes: Vec<u32>,
}

/// What an index is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    /// The whole set.
    pub(crate) set: &'a [u64],
    /// Its prefix for this index and threshold.
    pub(crate) prefix: &'a [Rare],
    /// Not below the threshold of the index.
    pub(crate) threshold: Jaccard,
    /// Only targets from this number on are asked.
    pub(crate) since: u32,
}

impl LexicalIndex {
    const HEADS_MAX: usize = 1 << 24;

    /// An empty index for the sets that `rarity` counted.
    pub(crate) fn new(threshold: Jaccard, rarity: Rarity) -> Self {
        let heads = vec![NONE; rarity.counts.len().min(1 << 10)];
        Self { threshold, rarity, heads, groups: Vec::new(), links: Vec::new(), classes: Vec::new() }
    }

    pub(crate) fn threshold(&self) -> Jaccard {
        self.threshold
    }

    /// How many sets it holds.
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.rarity.bytes()
            + (self.heads.capacity() + self.classes.capacity()) * size_of::<u32>()
            + self.groups.capacity() * size_of::<Group>()
            + self.links.capacity() * size_of::<Link>()
    }

    /// The rarest shingles of a set, as many as it must be found by at a threshold.
    pub(crate) fn prefix(&self, set: &[u64], threshold: Jaccard) -> Vec<Rare> {
        self.rarity.rarest(set, threshold.prefix(set.len()))
    }

    /// Adds the set of a class, given its size and its prefix for the threshold of the index.
    pub(crate) fn insert(&mut self, class: u32, size: usize, prefix: &[Rare]) {
        let target = self.classes.len() as u32;
        self.classes.push(class);
        for (position, &(_, hash)) in prefix.iter().enumerate() {
            // Asked at every posting: one long text may bring millions of them.
            if self.groups.len() > self.heads.len() && self.heads.len() < Self::HEADS_MAX {
                self.widen();
            }
            self.post(tag_of(hash), size as u32, position as u32, target);
        }
    }

    /// Adds a posting and moves its group to the front of its bucket.
    fn post(&mut self, tag: u32, size: u32, position: u32, target: u32) {
        let bucket = self.bucket(tag);
        let front = self.heads[bucket];
        let (mut before, mut at) = (NONE, front);
        while at != NONE {
            let group = &self.groups[at as usize];
            if (group.tag, group.size, group.position) == (tag, size, position) {
                break;
            }
            (before, at) = (at, group.next);
        }
        if at == NONE {
            self.heads[bucket] = self.groups.len() as u32;
            if self.groups.len() == self.groups.capacity() {
                // By an eighth instead of doubling, so that little memory stays unused.
                self.groups.reserve_exact(self.groups.len() / 8 + 64);
            }
            self.groups.push(Group { tag, size, position, next: front, newest: target, older: NONE });
            return;
        }
        let link = self.links.len() as u32;
        let group = &mut self.groups[at as usize];
        self.links.push(Link { target: group.newest, older: group.older });
        (group.newest, group.older) = (target, link);
        if before != NONE {
            let next = std::mem::replace(&mut group.next, front);
            self.groups[before as usize].next = next;
            self.heads[bucket] = at;
        }
    }

    /// Makes twice as many buckets. Groups keep their order: newest first.
    fn widen(&mut self) {
        let size = self.heads.len() * 2;
        self.heads = vec![NONE; size];
        let mut order: Vec<u32> = (0..self.groups.len() as u32).collect();
        order.sort_unstable_by_key(|&at| (self.groups[at as usize].newest, at));
        for at in order {
            let bucket = self.bucket(self.groups[at as usize].tag);
            self.groups[at as usize].next = std::mem::replace(&mut self.heads[bucket], at);
        }
    }

    fn bucket(&self, tag: u32) -> usize {
        tag as usize & (self.heads.len() - 1)
    }

    /// Calls `found` with every class that reaches the threshold of a query, and the score. `sets` are the sets that were
    /// added; `candidates` is scratch. Returns false when `cancelled` became true.
    pub(crate) fn search(
        &self,
        query: &Query<'_>,
        sets: &Sets,
        candidates: &mut Vec<u32>,
        cancelled: &dyn Fn() -> bool,
        mut found: impl FnMut(u32, f64),
    ) -> bool {
        self.collect(query, candidates);
        let size = query.set.len();
        // Candidates of one template have one size: what it requires is worked out once.
        let cells = (candidates.len() >= Self::MANY).then(|| Cells::of(query.set)).flatten();
        let (mut size_before, mut required) = (usize::MAX, 0);
        for (nth, &target) in candidates.iter().enumerate() {
            if nth % Self::POLL_EVERY == Self::POLL_EVERY - 1 && cancelled() {
                return false;
            }
            let class = self.classes[target as usize];
            let set = sets.get(class);
            if set.len() != size_before {
                size_before = set.len();
                required = query.threshold.required(size, size_before);
            }
            let shared = match &cells {
                Some(cells) if set.len() <= Self::CELLS_SET_MAX => cells.shared(set, required),
                _ => shared(query.set, set, required),
            };
            if let Some(shared) = shared {
                found(class, Jaccard::score(shared, size, set.len()));
            }
        }
        true
    }

    /// From so many candidates on, the set of a query is laid out in cells.
    const MANY: usize = 32;

    /// A larger set is merged instead, which can end early.
    const CELLS_SET_MAX: usize = 256;

    /// Verifications between two looks at the cancel flag.
    const POLL_EVERY: usize = 1024;

    /// Collects the targets that may reach the threshold, each once.
    fn collect(&self, query: &Query<'_>, candidates: &mut Vec<u32>) {
        candidates.clear();
        let size = query.set.len();
        for (position, &(_, hash)) in query.prefix.iter().enumerate() {
            let tag = tag_of(hash);
            let mut at = self.heads[self.bucket(tag)];
            while at != NONE {
                let group = &self.groups[at as usize];
                if group.newest < query.since {
                    break;
                }
                // The first shingle that two sets share, in the order of rarity, is followed by all others they share.
                let other = group.size as usize;
                let most = (size - position).min(other - group.position as usize);
                if group.tag == tag && query.threshold.reaches(most, size, other) {
                    self.collect_group(group, query.since, candidates);
                }
                at = group.next;
            }
        }
        sort_and_dedup(candidates, self.classes.len());
    }

    fn collect_group(&self, group: &Group, since: u32, candidates: &mut Vec<u32>) {
        let (mut target, mut older) = (group.newest, group.older);
        while target >= since {
            candidates.push(target);
            if older == NONE {
                return;
            }
            Link { target, older } = self.links[older as usize];
        }
    }
}

/// Sorts targets below `end`, each once. Where a good part of all is there, by marks: no comparison, and one bit a target.
fn sort_and_dedup(targets: &mut Vec<u32>, end: usize) {
    if targets.len() < 64 || targets.len() < end / 64 {
        targets.sort_unstable();
        targets.dedup();
        return;
    }
    let mut marks = vec![0_u64; end.div_ceil(64)];
    for target in targets.drain(..) {
        marks[target as usize / 64] |= 1 << (target % 64);
    }
    for (word, mut bits) in (0_u32..).zip(marks) {
        while bits != 0 {
            targets.push(word * 64 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

/// The half of a hash that names it in the index; counters use the other.
fn tag_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn marks_sort_as_comparisons_do(targets in proptest::collection::vec(0..700u32, 0..300), spare in 0..50_000usize) {
            let (mut expected, mut sorted) = (targets.clone(), targets);
            expected.sort_unstable();
            expected.dedup();
            sort_and_dedup(&mut sorted, 700 + spare);
            prop_assert_eq!(sorted, expected);
        }
    }
}
