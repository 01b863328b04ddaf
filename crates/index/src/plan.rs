//! Which way a search goes: by how many rows its filter leaves.
//!
//! The one idea: a graph is slow and forgetful where few of its rows may be found, and those few can be scored one by
//! one instead. An exact backend needs no plan.

use crate::Quality;

/// So few matching rows are scored one by one, however large the index: about what a walk through a graph scores.
pub const SCORED_ALWAYS: u64 = 2_000;
/// At most this share of the live rows, in percent, is scored one by one: below it a graph loses recall.
pub const SCORED_PERCENT: u64 = 5;

/// The way a search took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Every live row was compared, exactly.
    Exact,
    /// Every matching row was compared, exactly.
    ExactSubset,
    /// A graph chose candidates.
    Graph,
    /// A graph chose candidates, and only matching ones were taken.
    FilteredGraph,
}

impl Strategy {
    /// The name: `exact`, `exact-subset`, `graph`, `filtered-graph`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::ExactSubset => "exact-subset",
            Self::Graph => "graph",
            Self::FilteredGraph => "filtered-graph",
        }
    }

    /// The way for a search that asks a backend for `wanted` hits a query, where `matching` of `live` rows may be
    /// found. `filtered`: whether a filter decided which.
    pub(crate) const fn choose(
        quality: Quality,
        filtered: Filtered,
        wanted: u64,
        matching: u64,
        live: u64,
    ) -> Self {
        match (quality, filtered) {
            (Quality::Exact, Filtered::No) => Self::Exact,
            (Quality::Exact, Filtered::Yes) => Self::ExactSubset,
            // Whoever wants all gets all.
            (Quality::Approximate, Filtered::No) if wanted >= matching => Self::Exact,
            (Quality::Approximate, Filtered::No) => Self::Graph,
            (Quality::Approximate, Filtered::Yes) => {
                let few = matching <= SCORED_ALWAYS
                    || matching.saturating_mul(100) <= live.saturating_mul(SCORED_PERCENT);
                if few || wanted >= matching { Self::ExactSubset } else { Self::FilteredGraph }
            }
        }
    }
}

/// Whether a filter decides which rows may be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filtered {
    No,
    Yes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_depends_on_the_backend_and_on_what_the_filter_leaves() {
        use Filtered::{No, Yes};
        use Quality::{Approximate, Exact};
        // Quality, filter, wanted, matching, live.
        for (quality, filtered, wanted, matching, live, expected) in [
            (Exact, No, 10, 100_000, 100_000, Strategy::Exact),
            (Exact, Yes, 10, 90_000, 100_000, Strategy::ExactSubset),
            (Approximate, No, 10, 100_000, 100_000, Strategy::Graph),
            (Approximate, No, 100_000, 100_000, 100_000, Strategy::Exact),
            (Approximate, Yes, 10, 2_000, 3_000, Strategy::ExactSubset),
            (Approximate, Yes, 10, 5_000, 100_000, Strategy::ExactSubset),
            (Approximate, Yes, 10, 5_001, 100_000, Strategy::FilteredGraph),
            (Approximate, Yes, 5_001, 5_001, 100_000, Strategy::ExactSubset),
            (Approximate, Yes, 10, 0, 0, Strategy::ExactSubset),
        ] {
            let received = Strategy::choose(quality, filtered, wanted, matching, live);
            assert_eq!(received, expected, "{quality:?} {filtered:?} {wanted} of {matching} of {live}");
        }
    }
}
