//! The semantic join: every indexed vector whose cosine with a query reaches a threshold, exactly.
//!
//! Vectors lie in segments of a fixed size that are asked one after the other, by as many queries at once as keep the number
//! of pairs below a bound: so the memory of hits is bounded, however low the threshold is.

use sluice_vector::{CosineJoin, Dimension, Instructions};

use crate::DedupError;

/// Vectors of classes, in the order they are added.
pub(crate) struct SemanticIndex {
    dimension: Dimension,
    segments: Vec<Segment>,
}

struct Segment {
    join: CosineJoin,
    classes: Vec<u32>,
}

/// A class that reaches the threshold with a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) query: u32,
    /// The number of the target, in the order they were added.
    pub(crate) target: u32,
    /// Its class.
    pub(crate) class: u32,
    pub(crate) score: f64,
}

impl SemanticIndex {
    const SEGMENT_ROWS: usize = 1 << 15;

    /// Pairs looked at in one go: were all of them hits, they would take some 300 MB.
    const PAIRS_MAX: usize = 1 << 22;

    pub(crate) fn new(dimension: Dimension) -> Self {
        Self { dimension, segments: Vec::new() }
    }

    /// Adds the unit vector of a class.
    pub(crate) fn append(&mut self, class: u32, row: &[f32]) -> Result<(), DedupError> {
        if self.segments.last().is_none_or(|last| last.classes.len() == Self::SEGMENT_ROWS) {
            let join = CosineJoin::new(self.dimension, Instructions::detect());
            self.segments.push(Segment { join, classes: Vec::new() });
        }
        if let Some(last) = self.segments.last_mut() {
            last.join.append(row)?;
            last.classes.push(class);
        }
        Ok(())
    }

    pub(crate) fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| segment.join.bytes() + segment.classes.capacity() * size_of::<u32>())
            .sum()
    }

    /// A product as close to 1 as this is a cosine of 1: rounding to 32 bits leaves a row's squared length within `2^-22`
    /// of 1, so that a vector may miss itself by that much.
    const ALIKE: f64 = 1.0 - 1.0 / 4_194_304.0;

    /// The cosine of two unit rows, given their canonical product.
    fn cosine(product: f64) -> f64 {
        if product >= Self::ALIKE { 1.0 } else { product }
    }

    /// Calls `found` with the hits of some queries in a segment, sorted by query, until all had their turn or it refuses.
    pub(crate) fn search(
        &self,
        queries: &[f32],
        threshold: f64,
        cancelled: &(dyn Fn() -> bool + Sync),
        mut found: impl FnMut(&[Hit]) -> Result<(), DedupError>,
    ) -> Result<(), DedupError> {
        let mut hits = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let at_once = (Self::PAIRS_MAX / segment.classes.len().max(1)).max(1);
            for (turn, queries) in queries.chunks(at_once * self.dimension.get()).enumerate() {
                segment.join.search(queries, threshold.min(Self::ALIKE), cancelled, &mut hits)?;
                let hit = |hit: &sluice_vector::Hit| Hit {
                    query: hit.query + (turn * at_once) as u32,
                    target: hit.target + (number * Self::SEGMENT_ROWS) as u32,
                    class: segment.classes[hit.target as usize],
                    score: Self::cosine(hit.score),
                };
                found(&hits.iter().map(hit).collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }
}
