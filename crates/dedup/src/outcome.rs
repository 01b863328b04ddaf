//! What a walk decided, as plain columns by position: nothing here refers back to a text.
//!
//! `selected` and the positions of `filtered` are both ascending, disjoint, and together every position of the batch.

/// The decision for every record of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Positions of the kept records, ascending.
    pub selected: Vec<u32>,
    /// The dropped records, by ascending position.
    pub filtered: Filtered,
    /// Pairs that reached a threshold and were spared by a guard, by position; within one, lexical first, best score first.
    pub vetoes: Vec<Veto>,
    /// Kept records whose best cosine lies below the threshold but not below the floor, by position.
    pub near: Vec<Near>,
    /// The numbers of the stage.
    pub counts: Counts,
}

impl Outcome {
    /// Memory held, the counts apart.
    pub fn bytes(&self) -> usize {
        self.selected.capacity() * size_of::<u32>()
            + self.filtered.bytes()
            + self.vetoes.capacity() * size_of::<Veto>()
            + self.near.capacity() * size_of::<Near>()
    }
}

/// The dropped records as parallel columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filtered {
    /// Position of each record.
    pub positions: Vec<u32>,
    /// Why it was dropped.
    pub reasons: Vec<Reason>,
    /// The verified score between it and its witness; 0 for [`Reason::Empty`], which has none.
    pub scores: Vec<f64>,
    /// The record it is a copy of: the best duplicate. None only for [`Reason::Empty`].
    pub witnesses: Vec<Option<Witness>>,
    /// For each, which list of `duplicates` it has; [`Filtered::NO_LIST`] when the witness is its only duplicate.
    pub(crate) lists: Vec<u32>,
    pub(crate) duplicates: Duplicates,
}

impl Filtered {
    pub(crate) const NO_LIST: u32 = u32::MAX;

    /// Memory of one dropped record, its list of duplicates apart.
    pub(crate) const RECORD_BYTES: usize =
        2 * size_of::<u32>() + size_of::<Reason>() + size_of::<f64>() + size_of::<Option<Witness>>();

    /// No records yet, and room for so many.
    pub(crate) fn with_capacity(records: usize) -> Self {
        Self {
            positions: Vec::with_capacity(records),
            reasons: Vec::with_capacity(records),
            scores: Vec::with_capacity(records),
            witnesses: Vec::with_capacity(records),
            lists: Vec::with_capacity(records),
            duplicates: Duplicates::default(),
        }
    }

    fn bytes(&self) -> usize {
        self.positions.capacity() * Self::RECORD_BYTES + self.duplicates.bytes()
    }

    /// How many records were dropped.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Everything kept that the `index`-th dropped record is a duplicate of, by the reason it was dropped for: best score
    /// first, then the reference by item, then the batch by position. The first is its witness. At most `duplicates_max`.
    ///
    /// # Panics
    /// When `index >= len()`.
    pub fn duplicates(&self, index: usize) -> impl ExactSizeIterator<Item = (Witness, f64)> + '_ {
        let list = match self.lists[index] {
            Self::NO_LIST => 0..0,
            list => self.duplicates.range(list),
        };
        let alone = if list.is_empty() { self.witnesses[index] } else { None };
        let length = list.len() + usize::from(alone.is_some());
        (0..length).map(move |at| match alone {
            Some(witness) => (witness, self.scores[index]),
            None => self.duplicates.entries[list.start + at],
        })
    }
}

/// Lists of duplicates, one after the other; several records may share one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Duplicates {
    pub(crate) entries: Vec<(Witness, f64)>,
    pub(crate) ends: Vec<usize>,
}

impl Duplicates {
    /// Appends a list and returns its number.
    pub(crate) fn push(&mut self, pairs: impl Iterator<Item = (Witness, f64)>) -> u32 {
        self.entries.extend(pairs);
        self.ends.push(self.entries.len());
        self.ends.len() as u32 - 1
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(Witness, f64)>() + self.ends.capacity() * size_of::<usize>()
    }

    fn range(&self, list: u32) -> std::ops::Range<usize> {
        let list = list as usize;
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        start..self.ends[list]
    }
}

/// Why a record was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The same text, byte for byte.
    Exact,
    /// The same normal form.
    Normalized,
    /// Enough shingles in common.
    Lexical,
    /// A close enough vector.
    Semantic,
    /// It is blank, and [`Empty::Drop`](crate::Empty::Drop) was asked for.
    Empty,
}

impl Reason {
    /// The name of the reason in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalized => "normalized",
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Empty => "empty",
        }
    }
}

/// The kept record that a dropped one is a copy of. Ordered: the reference by item, then the batch by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Witness {
    /// An item of the reference.
    Reference(u32),
    /// A selected position of the batch.
    Batch(u32),
}

/// A pair that reached a threshold but differs in a fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Veto {
    /// The preferred record of the class that was asked.
    pub position: u32,
    /// The kept record it was compared with.
    pub witness: Witness,
    /// [`Reason::Lexical`] or [`Reason::Semantic`]: which threshold the pair reached. Both may veto the same pair.
    pub reason: Reason,
    /// The verified score.
    pub score: f64,
    /// The first guard by which the two differ.
    pub guard: sluice_guard::Guard,
}

/// The nearest neighbour of a kept record, below the threshold but not below the floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The kept record.
    pub position: u32,
    /// The kept record or reference item it is nearest to, among those before it.
    pub witness: Witness,
    /// The verified cosine.
    pub score: f64,
}

/// The numbers of a walk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records in.
    pub records: u64,
    /// Dropped as exact copies.
    pub exact: u64,
    /// Dropped for an equal normal form.
    pub normalized: u64,
    /// Dropped by the lexical rule.
    pub lexical: u64,
    /// Dropped by the semantic rule.
    pub semantic: u64,
    /// Dropped as blank.
    pub empty: u64,
    /// Kept.
    pub selected: u64,
    /// Dropped, for any reason.
    pub filtered: u64,
    /// Distinct normal forms.
    pub classes: u64,
    /// Classes asked by the semantic rule that have no vector.
    pub without_vector: u64,
    /// Pairs that a guard spared, listed or not.
    pub vetoed: u64,
    /// Vetoes beyond `duplicates_max` of a record: counted in `vetoed`, not listed.
    pub vetoes_cut: u64,
    /// Duplicates beyond `duplicates_max` of a class, not listed.
    pub duplicates_cut: u64,
    /// Witnesses: kept records or reference items with at least one dropped copy.
    pub groups: u64,
    /// The witnesses with the most dropped copies and how many, at most ten; most first, then in witness order.
    pub largest_groups: Vec<(Witness, u64)>,
}
