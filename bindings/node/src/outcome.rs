//! What a walk decided, as typed arrays: the columns of `OutcomeColumns` in `src/dedup/result.ts`.

use indexmap::IndexMap;
use napi::bindgen_prelude::{Float64Array, Uint8Array, Uint32Array};
use napi_derive::napi;
use sluice_dedup::{Counts, Outcome, Reason, Witness};

/// Stands for "no witness".
const NO_WITNESS: u32 = u32::MAX;

/// The decision by position; see `OutcomeColumns`.
#[napi(object)]
pub struct NativeOutcome {
    /// Kept positions.
    pub selected: Uint32Array,
    /// Dropped positions.
    pub filtered: Uint32Array,
    /// Reason of each dropped record, by number.
    pub reasons: Uint8Array,
    /// Verified score of each dropped record.
    pub scores: Float64Array,
    /// Witness of each dropped record.
    pub witnesses: Uint32Array,
    /// 1 where the witness is a reference item.
    pub witness_sides: Uint8Array,
    /// Where the duplicates of each dropped record begin.
    pub duplicate_offsets: Uint32Array,
    /// Kept records that reached the threshold.
    pub duplicate_witnesses: Uint32Array,
    /// 1 where the duplicate is a reference item.
    pub duplicate_sides: Uint8Array,
    /// Their scores.
    pub duplicate_scores: Float64Array,
    /// Records asked by a vetoed pair.
    pub veto_positions: Uint32Array,
    /// The kept records of vetoed pairs.
    pub veto_witnesses: Uint32Array,
    /// 1 where it is a reference item.
    pub veto_sides: Uint8Array,
    /// Scores of vetoed pairs.
    pub veto_scores: Float64Array,
    /// Guards that vetoed, by number.
    pub veto_guards: Uint8Array,
    /// Kept records whose best cosine lies between floor and threshold.
    pub near_positions: Uint32Array,
    /// That cosine.
    pub near_scores: Float64Array,
    /// The numbers of the walk.
    pub counts: IndexMap<String, f64>,
    /// Sizes of the largest groups, descending.
    pub largest_groups: Vec<f64>,
    /// Wall seconds of the steps of the walk.
    pub seconds: IndexMap<String, f64>,
}

impl NativeOutcome {
    /// Memory of the columns that are laid out beside those of the outcome.
    pub fn bytes_beside(outcome: &Outcome) -> usize {
        let score = size_of::<f64>();
        let dropped = size_of::<u8>() + size_of::<u32>() + Sides::WITNESS_BYTES;
        let veto = size_of::<u32>() + Sides::WITNESS_BYTES + score + size_of::<u8>();
        outcome.filtered.len() * dropped
            + listed(outcome) * (Sides::WITNESS_BYTES + score)
            + outcome.vetoes.len() * veto
            + outcome.near.len() * (size_of::<u32>() + score)
    }

    /// Lays the outcome out in columns.
    pub fn new(outcome: Outcome, seconds: IndexMap<String, f64>) -> Self {
        let dropped = outcome.filtered.len();
        let listed = listed(&outcome);
        let mut offsets = Vec::with_capacity(dropped + 1);
        let mut duplicates = Sides::with_capacity(listed);
        let mut duplicate_scores = Vec::with_capacity(listed);
        offsets.push(0);
        for index in 0..dropped {
            for (witness, score) in outcome.filtered.duplicates(index) {
                duplicates.push(Some(witness));
                duplicate_scores.push(score);
            }
            offsets.push(duplicate_scores.len() as u32);
        }
        let witnesses = Sides::of(outcome.filtered.witnesses.iter().copied());
        let vetoes = Sides::of(outcome.vetoes.iter().map(|veto| Some(veto.witness)));
        let reasons: Vec<u8> = outcome.filtered.reasons.iter().map(|reason| number_of(*reason)).collect();
        Self {
            selected: outcome.selected.into(),
            filtered: outcome.filtered.positions.into(),
            reasons: reasons.into(),
            scores: outcome.filtered.scores.into(),
            witnesses: witnesses.positions.into(),
            witness_sides: witnesses.sides.into(),
            duplicate_offsets: offsets.into(),
            duplicate_witnesses: duplicates.positions.into(),
            duplicate_sides: duplicates.sides.into(),
            duplicate_scores: duplicate_scores.into(),
            veto_positions: outcome.vetoes.iter().map(|veto| veto.position).collect::<Vec<u32>>().into(),
            veto_witnesses: vetoes.positions.into(),
            veto_sides: vetoes.sides.into(),
            veto_scores: outcome.vetoes.iter().map(|veto| veto.score).collect::<Vec<f64>>().into(),
            veto_guards: outcome.vetoes.iter().map(|veto| veto.guard as u8).collect::<Vec<u8>>().into(),
            near_positions: outcome.near.iter().map(|near| near.position).collect::<Vec<u32>>().into(),
            near_scores: outcome.near.iter().map(|near| near.score).collect::<Vec<f64>>().into(),
            largest_groups: outcome.counts.largest_groups.iter().map(|(_, size)| *size as f64).collect(),
            counts: named(&outcome.counts),
            seconds,
        }
    }
}

/// Duplicates of all dropped records: a list that several share is laid out for each.
fn listed(outcome: &Outcome) -> usize {
    (0..outcome.filtered.len()).map(|index| outcome.filtered.duplicates(index).len()).sum()
}

/// Witnesses split into a position and a side.
struct Sides {
    positions: Vec<u32>,
    sides: Vec<u8>,
}

impl Sides {
    const WITNESS_BYTES: usize = size_of::<u32>() + size_of::<u8>();

    fn with_capacity(witnesses: usize) -> Self {
        Self { positions: Vec::with_capacity(witnesses), sides: Vec::with_capacity(witnesses) }
    }

    fn of(witnesses: impl ExactSizeIterator<Item = Option<Witness>>) -> Self {
        let mut sides = Self::with_capacity(witnesses.len());
        witnesses.for_each(|witness| sides.push(witness));
        sides
    }

    fn push(&mut self, witness: Option<Witness>) {
        let (position, side) = match witness {
            Some(Witness::Batch(position)) => (position, 0),
            Some(Witness::Reference(item)) => (item, 1),
            None => (NO_WITNESS, 0),
        };
        self.positions.push(position);
        self.sides.push(side);
    }
}

/// The number of a reason in `REASONS` of `src/dedup/result.ts`.
fn number_of(reason: Reason) -> u8 {
    match reason {
        Reason::Exact => 0,
        Reason::Normalized => 1,
        Reason::Lexical => 2,
        Reason::Semantic => 3,
        Reason::Empty => 4,
    }
}

fn named(counts: &Counts) -> IndexMap<String, f64> {
    [
        ("records", counts.records),
        ("exact", counts.exact),
        ("normalized", counts.normalized),
        ("lexical", counts.lexical),
        ("semantic", counts.semantic),
        ("empty", counts.empty),
        ("selected", counts.selected),
        ("filtered", counts.filtered),
        ("classes", counts.classes),
        ("without_vector", counts.without_vector),
        ("vetoed", counts.vetoed),
        ("vetoes_cut", counts.vetoes_cut),
        ("duplicates_cut", counts.duplicates_cut),
        ("groups", counts.groups),
    ]
    .into_iter()
    .map(|(name, count)| (name.to_owned(), count as f64))
    .collect()
}
