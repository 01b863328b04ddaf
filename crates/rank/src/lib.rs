//! Rank: which candidates come first, which fall off the end, and which few stand for all?
//!
//! The one idea: scores come in, positions go out. A [`ranking`] sorts scores; [`outliers`] cuts its end off;
//! [`diversify`] picks few candidates that are relevant and unlike each other, one by one, by a [`Strategy`]. Where the scores
//! are not given, [`typicality()`] makes them from rows, and [`representatives`] are the few typical, unlike rows.
//!
//! ```
//! use sluice_rank::{Candidates, Diversity, Strategy, diversify};
//! use sluice_vector::Dimension;
//!
//! // Two candidates that are alike, and a third, less relevant one that is not.
//! let rows = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
//! let candidates = Candidates::new(&rows, Dimension::new(2)?, &[0.9, 0.8, 0.3])?;
//! let picks = diversify(&candidates, Strategy::Mmr, Diversity::new(0.5)?, 2, &|| false)?;
//! assert_eq!(picks.iter().map(|pick| pick.candidate).collect::<Vec<_>>(), [0, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is absent: no approximate search, no text, no clock, no random number. Sums go in one order and the exponential is a
//! portable one, so that picks have the same bits on every CPU.

mod candidates;
mod cover;
mod diversify;
mod dpp;
mod error;
mod mmr;
mod msd;
mod ranking;
mod representatives;
mod residuals;
mod share;
mod ssd;
mod typicality;

pub use candidates::Candidates;
pub use diversify::{Pick, Strategy, diversify};
pub use error::RankError;
pub use ranking::{CandidateLimit, Outliers, outliers, ranking};
pub use representatives::{Representatives, Wanted, representatives};
pub use share::{Diversity, Share};
pub use typicality::{Fitted, Rows, typicality};
