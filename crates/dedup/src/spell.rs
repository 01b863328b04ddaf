//! Spelling out: from the fate of every class to the decision on every record.
//!
//! In a kept class the preferred record stays. In a dropped one it carries the reason of the walk. The others are copies: of the
//! same text `exact`; the first of another text `normalized`, and its copies `exact`.

use std::collections::BTreeMap;

use crate::ask::Asker;
use crate::found::Pair;
use crate::judge::Other;
use crate::outcome::{Counts, Filtered};
use crate::walk::{Decided, Fate};
use crate::{Batch, DedupError, Empty, Outcome, Reason, Witness};

/// Groups listed by size.
const LARGEST_GROUPS: usize = 10;

/// Writes the outcome of every record, in order, once there is room for it.
pub(crate) fn spell(asker: &Asker<'_>, decided: Decided) -> Result<Outcome, DedupError> {
    let batch = asker.batch;
    let kept = selected_count(batch, &decided);
    let dropped = batch.records() - kept;
    asker.check_memory(decided.bytes() + spelled_bytes(batch, kept, dropped))?;
    let mut speller = Speller { asker, fates: &decided.fates, seen: vec![false; batch.entry_count()] };
    let mut selected = Vec::with_capacity(kept);
    let mut filtered = Filtered::with_capacity(dropped);
    for position in 0..batch.records() as u32 {
        match speller.record(position) {
            None => selected.push(position),
            Some(Dropped { reason, witness, score, list }) => {
                filtered.positions.push(position);
                filtered.reasons.push(reason);
                filtered.scores.push(score);
                filtered.witnesses.push(witness);
                filtered.lists.push(list);
            }
        }
    }
    let counts = count(batch, &selected, &filtered, &decided);
    let Decided { duplicates, mut vetoes, mut near, .. } = decided;
    filtered.duplicates = duplicates;
    vetoes.sort_by_key(|veto| veto.position);
    near.sort_by_key(|near| near.position);
    Ok(Outcome { selected, filtered, vetoes, near, counts })
}

/// How many records stay: one of every kept class, and the blank ones unless they are dropped.
fn selected_count(batch: &Batch, decided: &Decided) -> usize {
    let classes = decided.fates.iter().filter(|&&fate| fate == Fate::Kept).count();
    let blanks = match batch.options().empty {
        Empty::Drop => 0,
        _ => (0..batch.records() as u32).filter(|&position| batch.entry_of(position).is_none()).count(),
    };
    classes + blanks
}

/// Memory that the columns of so many records take, and what it takes to write and count them.
fn spelled_bytes(batch: &Batch, kept: usize, dropped: usize) -> usize {
    let seen = batch.entry_count() * size_of::<bool>();
    let columns = kept * size_of::<u32>() + dropped * Filtered::RECORD_BYTES;
    // A list that grows holds up to twice its groups.
    let groups = 2 * kept.min(dropped) * size_of::<(Witness, u64)>();
    seen + columns + batch.records() * size_of::<u32>() + groups
}

/// Why one record is dropped.
struct Dropped {
    reason: Reason,
    witness: Option<Witness>,
    score: f64,
    list: u32,
}

struct Speller<'a> {
    asker: &'a Asker<'a>,
    fates: &'a [Fate],
    /// Texts that a record before had, by entry.
    seen: Vec<bool>,
}

impl Speller<'_> {
    /// The decision on a record; none if it is selected.
    fn record(&mut self, position: u32) -> Option<Dropped> {
        let batch = self.asker.batch;
        let Some(entry) = batch.entry_of(position) else {
            let empty = Dropped { reason: Reason::Empty, witness: None, score: 0.0, list: Filtered::NO_LIST };
            return (batch.options().empty == Empty::Drop).then_some(empty);
        };
        let class = batch.class_of_entry(entry);
        let preferred = self.asker.preferred[class as usize];
        let seen = std::mem::replace(&mut self.seen[entry as usize], true);
        let beside_preferred = batch.entry_of(preferred) == Some(entry);
        // Why a record that is not the preferred one of its class is a copy of it.
        let copied = position != preferred && (seen || beside_preferred);
        let copy = if copied { Reason::Exact } else { Reason::Normalized };
        match self.fates[class as usize] {
            Fate::Kept if position == preferred => None,
            Fate::Kept => Some(Dropped::copy(copy, Witness::Batch(preferred))),
            Fate::Known(known) => Some(self.known(entry, known, copied)),
            Fate::Near { reason, best: Pair { witness, score }, list } => {
                let reason = if position == preferred { reason } else { copy };
                Some(Dropped { reason, witness: Some(witness), score, list })
            }
        }
    }

    /// The reference has the normal form, and perhaps the very text.
    fn known(&self, entry: u32, known: u32, copied: bool) -> Dropped {
        let exact = self.asker.reference.and_then(|reference| reference.find_text(self.asker.batch, entry));
        let witness = exact.map_or(self.asker.witness(Other::Reference(known)), Witness::Reference);
        let reason = if exact.is_some() || copied { Reason::Exact } else { Reason::Normalized };
        Dropped::copy(reason, witness)
    }
}

impl Dropped {
    fn copy(reason: Reason, witness: Witness) -> Self {
        Self { reason, witness: Some(witness), score: 1.0, list: Filtered::NO_LIST }
    }
}

/// The numbers of the walk.
fn count(batch: &Batch, selected: &[u32], filtered: &Filtered, decided: &Decided) -> Counts {
    let of = |reason| filtered.reasons.iter().filter(|&&other| other == reason).count() as u64;
    let mut groups = group_sizes(batch, filtered);
    let group_count = groups.len() as u64;
    groups.sort_unstable_by(|(a, size_a), (b, size_b)| size_b.cmp(size_a).then(a.cmp(b)));
    groups.truncate(LARGEST_GROUPS);
    Counts {
        records: batch.records() as u64,
        exact: of(Reason::Exact),
        normalized: of(Reason::Normalized),
        lexical: of(Reason::Lexical),
        semantic: of(Reason::Semantic),
        empty: of(Reason::Empty),
        selected: selected.len() as u64,
        filtered: filtered.len() as u64,
        classes: batch.classes() as u64,
        without_vector: decided.without_vector,
        vetoed: decided.vetoed,
        vetoes_cut: decided.vetoes_cut,
        duplicates_cut: decided.duplicates_cut,
        groups: group_count,
        largest_groups: groups,
    }
}

/// How many records each witness stands for, in witness order. Counted by position: most records of a corpus may be copies.
fn group_sizes(batch: &Batch, filtered: &Filtered) -> Vec<(Witness, u64)> {
    let mut selected = vec![0_u32; batch.records()];
    let mut items = BTreeMap::new();
    for witness in filtered.witnesses.iter().flatten() {
        match witness {
            Witness::Batch(position) => selected[*position as usize] += 1,
            Witness::Reference(item) => *items.entry(*item).or_insert(0) += 1,
        }
    }
    let inside = (0..).zip(selected).filter(|(_, size)| *size > 0);
    let inside = inside.map(|(position, size)| (Witness::Batch(position), u64::from(size)));
    items.into_iter().map(|(item, size)| (Witness::Reference(item), size)).chain(inside).collect()
}
