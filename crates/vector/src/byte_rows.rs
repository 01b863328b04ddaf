//! Rows as bytes, compared one by one in any order: for choosing which rows to score, never for scoring.
//!
//! The one idea: a walk through a graph asks for a few rows here, a few there, so that each row keeps its codes
//! together in whole cache lines and the rows asked for next are fetched while this one is multiplied. How far a
//! similarity can be from the score is bounded by the same proof as in [`crate::code`].

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::code::{Code, LENGTH_MAX, ROUNDING};
use crate::instructions::Set;
use crate::kernels::{ByteBlock, scalar};
#[cfg(target_arch = "x86_64")]
use crate::kernels::{avx2, avx512_vnni};
use crate::normalize::check_unit;
use crate::{CosineJoin, Dimension, Instructions, VectorError};

/// Unit rows in bytes.
///
/// Costs the dimension, rounded up to 64, and four bytes a row.
#[derive(Clone)]
pub struct ByteRows {
    dimension: Dimension,
    instructions: Instructions,
    /// All rows, one after the other, each of the same number of blocks; what a row does not fill is zero.
    blocks: Vec<ByteBlock>,
    scales: Vec<f32>,
    residual_max: f32,
}

/// A coded row: one of the set, or a query.
#[derive(Clone, Copy)]
pub struct ByteRow<'a> {
    blocks: &'a [ByteBlock],
    scale: f32,
}

impl ByteRow<'_> {
    /// Whether both have the same codes: their similarities with any row then have one order.
    pub fn has_codes_of(self, other: ByteRow<'_>) -> bool {
        self.blocks.iter().zip(other.blocks).all(|(a, b)| a.0 == b.0)
    }

    /// A hash of the codes.
    pub fn codes_hash(self) -> u64 {
        let blocks = self.blocks.iter().map(|block| block.0.map(i8::cast_unsigned));
        blocks.fold(0, |hash, codes| xxh3_64_with_seed(&codes, hash))
    }
}

/// A coded query, or a row that may be appended.
pub struct ByteQuery {
    blocks: Vec<ByteBlock>,
    scale: f32,
    residual: f32,
}

impl ByteQuery {
    /// The query as a row to compare with.
    pub fn as_row(&self) -> ByteRow<'_> {
        ByteRow { blocks: &self.blocks, scale: self.scale }
    }
}

impl ByteRows {
    /// No rows yet. The instruction set changes the speed, never an answer.
    pub fn new(dimension: Dimension, instructions: Instructions) -> Self {
        Self { dimension, instructions, blocks: Vec::new(), scales: Vec::new(), residual_max: 0.0 }
    }

    /// Appends a row; its position is the number of rows before.
    ///
    /// # Errors
    /// [`VectorError::Dimension`], [`VectorError::NotFinite`], [`VectorError::ZeroVector`],
    /// [`VectorError::NotUnit`], [`VectorError::TooManyRows`], at that position. Nothing is appended then.
    pub fn append(&mut self, unit_row: &[f32]) -> Result<(), VectorError> {
        let position = self.len();
        if position == CosineJoin::ROWS_MAX {
            return Err(VectorError::TooManyRows { expected: CosineJoin::ROWS_MAX, received: position + 1 });
        }
        self.dimension.check(unit_row, position)?;
        check_unit(unit_row, position)?;
        let coded = coded(unit_row);
        self.append_coded(&coded);
        Ok(())
    }

    /// Appends a row that is coded already.
    ///
    /// # Panics
    /// If it is of another dimension.
    pub fn append_coded(&mut self, coded: &ByteQuery) {
        assert_eq!(coded.blocks.len(), self.width(), "rows of one dimension");
        self.blocks.extend_from_slice(&coded.blocks);
        self.scales.push(coded.scale);
        self.residual_max = self.residual_max.max(coded.residual);
    }

    /// Lets a row with the codes of another be answered for by it: [`ByteRows::margin`] then holds for both.
    pub fn share(&mut self, position: u32, coded: &ByteQuery) {
        // What the row of the other scale misses more: the difference of two rows of about length one, along the codes.
        let (own, other) = (f64::from(coded.scale), f64::from(self.scales[position as usize]));
        let moved = (other / own - 1.0).abs() * (LENGTH_MAX + f64::from(coded.residual));
        let residual = ((f64::from(coded.residual) + moved) as f32).next_up();
        self.residual_max = self.residual_max.max(residual);
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// The memory held, in bytes.
    pub const fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<ByteBlock>() + self.scales.capacity() * size_of::<f32>()
    }

    /// A row of the set, to compare others with.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, position: u32) -> ByteRow<'_> {
        let position = position as usize;
        let blocks = &self.blocks[position * self.width()..][..self.width()];
        ByteRow { blocks, scale: self.scales[position] }
    }

    /// Codes a query.
    ///
    /// # Errors
    /// Those of [`ByteRows::append`], as row 0.
    pub fn query(&self, unit_row: &[f32]) -> Result<ByteQuery, VectorError> {
        self.dimension.check(unit_row, 0)?;
        check_unit(unit_row, 0)?;
        Ok(coded(unit_row))
    }

    /// How far a similarity of this query with any of the rows can be from their [`crate::dot()`].
    pub fn margin(&self, query: &ByteQuery) -> f64 {
        let (own, other) = (f64::from(query.residual), f64::from(self.residual_max));
        own * LENGTH_MAX + (LENGTH_MAX + own) * other + ROUNDING
    }

    /// Puts the similarities of `row` with the rows at `positions` into `similarities`, in place of what was there.
    ///
    /// The same bits with every instruction set, and with `row` and the other exchanged.
    ///
    /// # Panics
    /// If there is no row at one of the positions, or `row` is of another dimension.
    pub fn similarities(&self, row: ByteRow<'_>, positions: &[u32], similarities: &mut Vec<f32>) {
        assert_eq!(row.blocks.len(), self.width(), "rows of one dimension");
        similarities.clear();
        let mut push = |position: u32, product: i32| {
            // The product of the scales comes first: it is the same whichever of the two is asked with.
            similarities.push(product as f32 * (row.scale * self.scales[position as usize]));
        };
        match self.instructions.set() {
            Set::Scalar => scalar::byte_products(row.blocks, &self.blocks, positions, &mut push),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: holding `self.instructions` proves that this CPU has the set.
            Set::Avx2 => unsafe { avx2::byte_products(row.blocks, &self.blocks, positions, &mut push) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::Avx512Vnni => unsafe {
                avx512_vnni::byte_products(row.blocks, &self.blocks, positions, &mut push);
            },
        }
    }

    /// The blocks of a row.
    const fn width(&self) -> usize {
        self.dimension.get().div_ceil(ByteBlock::CODES)
    }
}

/// A unit row in blocks, the last one filled up with zeros.
fn coded(unit_row: &[f32]) -> ByteQuery {
    let mut code = Code::default();
    code.encode(unit_row);
    let blocks = code.steps.as_flattened().chunks(ByteBlock::CODES).map(|codes| {
        let mut block = ByteBlock([0; ByteBlock::CODES]);
        block.0[..codes.len()].copy_from_slice(codes);
        block
    });
    ByteQuery { blocks: blocks.collect(), scale: code.scale, residual: code.residual }
}
