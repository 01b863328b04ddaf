//! The few rows that stand for all: the most typical are candidates, and of these the unlike ones are picked.

use crate::typicality::Rows;
use crate::{CandidateLimit, Candidates, Diversity, Pick, RankError, Strategy, diversify, ranking};

/// Which representatives are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// How many.
    pub count: usize,
    /// What makes them unlike each other.
    pub strategy: Strategy,
    /// How much that counts against being typical.
    pub diversity: Diversity,
    /// How many of the most typical are candidates.
    pub limit: CandidateLimit,
}

/// Candidates, picked or passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Representatives {
    /// The rows that were picked, in the order in which they were.
    pub picked: Vec<Pick>,
    /// The other candidates, the most typical first.
    pub passed: Vec<u32>,
}

/// Picks representatives among the rows with a typicality, by [`diversify`]; its relevance is the typicality.
///
/// `typicality` has one number a row, as [`typicality`](crate::typicality()) gives them. Cost: that of [`diversify`].
///
/// # Errors
/// [`RankError::Shape`] when there is not one typicality a row, and what [`Candidates::new`] and [`diversify`] refuse.
pub fn representatives(
    rows: &Rows<'_>,
    typicality: &[Option<f64>],
    wanted: Wanted,
    cancelled: &dyn Fn() -> bool,
) -> Result<Representatives, RankError> {
    if typicality.len() != rows.len() {
        return Err(RankError::Shape { expected: rows.len(), received: typicality.len() });
    }
    let score = |row: u32| typicality[row as usize];
    let mut ranked = ranking(typicality);
    ranked.retain(|&row| score(row).is_some());
    ranked.truncate(wanted.limit.of(ranked.len(), wanted.count));
    let relevance: Vec<f64> = ranked.iter().filter_map(|&row| score(row)).collect();
    let flat = rows.gather(&ranked);
    let candidates = Candidates::new(&flat, rows.dimension(), &relevance)?;
    let mut picked = diversify(&candidates, wanted.strategy, wanted.diversity, wanted.count, cancelled)?;

    let mut is_picked = vec![false; ranked.len()];
    for Pick { candidate, .. } in &mut picked {
        is_picked[*candidate as usize] = true;
        *candidate = ranked[*candidate as usize];
    }
    let passed = ranked.into_iter().zip(is_picked).filter(|(_, is_picked)| !is_picked);
    Ok(Representatives { picked, passed: passed.map(|(row, _)| row).collect() })
}
