//! Embeds many texts on all threads of the current rayon pool.

use rayon::prelude::*;

use crate::embed_error::EmbedError;
use crate::embedder::{Coverage, Embedder, Scratch};

/// How many texts one thread embeds between two looks at the cancel flag.
const BLOCK: usize = 128;

/// Texts by position, however they lie in memory.
pub trait Texts: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The text at a position below the count.
    fn text(&self, position: usize) -> &str;
}

impl<S: AsRef<str> + Sync> Texts for [S] {
    fn count(&self) -> usize {
        self.len()
    }

    fn text(&self, position: usize) -> &str {
        self[position].as_ref()
    }
}

/// Writes the rows of all texts, one after the other, and returns their coverage together.
///
/// Runs on the rayon pool of the caller; the result does not depend on it.
///
/// # Errors
///
/// [`EmbedError::Buffer`] if `out` does not hold one row a text, [`EmbedError::Cancelled`] soon after `is_cancelled` says so; the
/// buffer then holds some of the rows.
pub fn embed_all(
    model: &dyn Embedder,
    texts: &(impl Texts + ?Sized),
    out: &mut [f32],
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Coverage, EmbedError> {
    let dimension = model.dimension();
    let expected = texts.count().saturating_mul(dimension);
    if out.len() != expected {
        return Err(EmbedError::Buffer { expected, received: out.len() });
    }
    out.par_chunks_mut(BLOCK * dimension)
        .enumerate()
        .map_init(Scratch::default, |scratch, (block, rows)| {
            if is_cancelled() {
                return Err(EmbedError::Cancelled);
            }
            let rows = rows.chunks_exact_mut(dimension).zip(block * BLOCK..);
            Ok(rows.map(|(row, position)| model.embed(texts.text(position), scratch, row)).sum())
        })
        .try_reduce(Coverage::default, |one, other| Ok(one + other))
}
