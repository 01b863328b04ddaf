//! Vectors: how similar are these two, and which pairs reach a threshold?
//!
//! The one idea: a *score* is [`dot()`], an `f64` that has the same bits on every CPU; everything faster only
//! chooses which pairs are worth scoring, by a bound that is proven and therefore loses none.
//!
//! | Item | Answers |
//! |---|---|
//! | [`dot()`] | How similar are two unit rows? |
//! | [`normalize()`], [`Matrix`] | Is this a row with a direction, and what is it at length one? |
//! | [`CosineJoin`] | Which pairs of (query, target) score at least so much? |
//! | [`CosineJoin::nearest`] | Which targets are nearest to a query, and how similar are they on average? |
//! | [`CosineJoin::nearest_among`], [`CosineJoin::search_among`] | The same among some targets only ([`Admitted`]) |
//! | [`Instructions::squared_distance`] | How far apart are two rows? |
//! | [`Metric`] | What does a score of two rows mean, whichever rows they are? |
//! | [`ByteRows`] | How similar are these few rows, about? For choosing which to score |
//! | [`Instructions`] | Which instruction set does the work? It never changes an answer. |
//!
//! ```
//! use sluice_vector::{CosineJoin, Dimension, Instructions, Matrix};
//!
//! let dimension = Dimension::new(3)?;
//! let mut rows = Matrix::from_flat(vec![1.0, 2.0, 2.0, 2.0, 4.0, 4.1, -1.0, 0.0, 0.5], dimension)?;
//! rows.normalize()?;
//!
//! let mut join = CosineJoin::new(dimension, Instructions::detect());
//! for row in rows.rows() {
//!     join.append(row)?;
//! }
//! let mut hits = Vec::new();
//! join.search(rows.row(0), 0.9, &|| false, &mut hits)?;
//!
//! assert_eq!(hits.iter().map(|hit| hit.target).collect::<Vec<_>>(), [0, 1]);
//! assert!(hits[1].score > 0.999);
//! # Ok::<(), sluice_vector::VectorError>(())
//! ```
//!
//! What is absent: no approximate search, no file format, no text, no clock. There is no NEON kernel yet: on
//! `aarch64` the portable kernel runs, with the same answers.

mod admitted;
mod byte_rows;
mod chunk;
mod code;
mod dimension;
mod dot;
mod error;
mod instructions;
mod join;
mod kernels;
mod matrix;
mod metric;
mod neighbours;
mod normalize;
mod targets;

pub use admitted::Admitted;
pub use byte_rows::{ByteQuery, ByteRow, ByteRows};
pub use dimension::Dimension;
pub use dot::dot;
pub use error::VectorError;
pub use instructions::Instructions;
pub use join::{CosineJoin, Hit};
pub use matrix::Matrix;
pub use metric::Metric;
pub use neighbours::{Neighbour, Own, mean_score};
pub use normalize::{UNIT_TOLERANCE, normalize};
