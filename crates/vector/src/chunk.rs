//! Queries that go against the targets together, checked and coded.

use crate::VectorError;
use crate::code::{Code, Floor, Precision};
use crate::kernels::{BlockStep, Kernel, QUERIES, STEP};
use crate::normalize::check_unit;

/// Some queries in a row, as a kernel reads them.
pub(crate) struct Chunk<'a, Word> {
    /// The position of the first query in the call.
    pub first: usize,
    /// The precision of each query.
    pub precisions: Vec<Precision>,
    rows: &'a [f32],
    width: usize,
    /// All blocks, one after the other, each as long as a panel.
    steps: Vec<BlockStep<Word>>,
}

impl<'a, Word: Copy + Default> Chunk<'a, Word> {
    /// Checks and codes the queries `first..`, rows of `width` components.
    pub(crate) fn encode<K: Kernel<Word = Word>>(
        first: usize,
        rows: &'a [f32],
        width: usize,
    ) -> Result<Self, VectorError> {
        let block_steps = width.div_ceil(STEP);
        let blocks = (rows.len() / width).div_ceil(QUERIES);
        // A word of zero codes is not always zero bits, but the floor of a place without a query is out of
        // reach anyway.
        let mut steps = vec![[Word::default(); QUERIES]; blocks * block_steps];
        let mut precisions = Vec::with_capacity(rows.len() / width);
        let mut code = Code::default();
        for (position, row) in rows.chunks_exact(width).enumerate() {
            check_unit(row, first + position)?;
            code.encode(row);
            precisions.push(code.precision());
            let (block, place) = (position / QUERIES, position % QUERIES);
            for (step, &codes) in steps[block * block_steps..].iter_mut().zip(&code.steps) {
                step[place] = K::word(codes);
            }
        }
        Ok(Self { first, precisions, rows, width, steps })
    }
}

impl<Word> Chunk<'_, Word> {
    /// The coded blocks of twelve queries.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[BlockStep<Word>]> {
        self.steps.chunks_exact(self.width.div_ceil(STEP))
    }

    /// The floor of every query by block; a place without a query has one that nothing reaches.
    pub(crate) fn floors(&self, floor: impl Fn(Precision) -> Floor) -> Vec<[Floor; QUERIES]> {
        let mut floors = vec![[Floor::NONE; QUERIES]; self.precisions.len().div_ceil(QUERIES)];
        for (place, &precision) in floors.as_flattened_mut().iter_mut().zip(&self.precisions) {
            *place = floor(precision);
        }
        floors
    }

    /// A query, by its position in the chunk.
    pub(crate) fn row(&self, query: usize) -> &[f32] {
        &self.rows[query * self.width..][..self.width]
    }
}
