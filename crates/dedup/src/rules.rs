//! What makes a class a duplicate, and which record of a class is preferred. Rules may change from walk to walk over the
//! same batch.

use std::num::NonZeroUsize;

use crate::DedupError;

/// The rules of one walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Which record of a class stays, and in which order classes are asked. Default [`Keep::First`].
    pub keep: Keep,
    /// Where near copies are looked for. Default [`NearIn::Everything`].
    pub near_in: NearIn,
    /// Drop what shares enough shingles with a kept record. Default: Jaccard 0.8.
    pub lexical: Option<LexicalRule>,
    /// Drop what points the same way as a kept record. Needs vectors. Default none.
    pub semantic: Option<SemanticRule>,
    /// Pairs that differ in one of these facts are no duplicates, whatever their score. Default none.
    pub guards: sluice_guard::Guards,
    /// How many duplicates are listed for a dropped record, and vetoes for any record; the rest is counted. Default 100.
    pub duplicates_max: NonZeroUsize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            keep: Keep::First,
            near_in: NearIn::Everything,
            lexical: Some(LexicalRule { jaccard: Jaccard::DEFAULT }),
            semantic: None,
            guards: sluice_guard::Guards::empty(),
            duplicates_max: NonZeroUsize::MIN.saturating_add(99),
        }
    }
}

/// Which record of a class is preferred. Ties go to the earlier position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// The earliest.
    #[default]
    First,
    /// The one with the most characters, over all columns of the raw text.
    Longest,
    /// The one with the highest priority; records without one come last.
    Highest,
    /// The one with the lowest priority; records without one come last.
    Lowest,
}

/// Where the lexical and the semantic rule look for near copies of a record.
///
/// Copies and equal normal forms are found in both: records are grouped as they come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NearIn {
    /// In the reference, if there is one, and among the kept records of its own batch.
    #[default]
    Everything,
    /// In the reference alone.
    ReferenceOnly,
}

/// Drop a class whose shingles overlap those of a kept class, `|A and B| / |A or B| >= jaccard`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LexicalRule {
    /// The lowest overlap of a duplicate.
    pub jaccard: Jaccard,
}

/// Drop a class whose vector reaches a cosine with that of a kept class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SemanticRule {
    /// The lowest cosine of a duplicate.
    pub cosine: Cosine,
    /// The lowest cosine that is reported for a kept record (see [`Near`](crate::Near)). At or above `cosine`: none is.
    /// Every pair above the floor is looked at, so that a low one costs time.
    pub floor: Cosine,
}

/// A Jaccard threshold: above 0, at most 1. (At 0 every pair would be a duplicate.)
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Jaccard(f64);

impl Jaccard {
    const DEFAULT: Self = Self(0.8);

    /// Checks a threshold.
    pub fn new(threshold: f64) -> Result<Self, DedupError> {
        if threshold > 0.0 && threshold <= 1.0 {
            return Ok(Self(threshold));
        }
        Err(DedupError::Threshold { what: "Jaccard", expected: "above 0 and at most 1", received: threshold })
    }

    /// The threshold as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A cosine threshold: from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Cosine(f64);

impl Cosine {
    /// Checks a threshold.
    pub fn new(threshold: f64) -> Result<Self, DedupError> {
        if (0.0..=1.0).contains(&threshold) {
            return Ok(Self(threshold));
        }
        Err(DedupError::Threshold { what: "cosine", expected: "from 0 to 1", received: threshold })
    }

    /// The threshold as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}
