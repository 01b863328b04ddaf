//! Which records stay, which go, because of which kept one, with which score?
//!
//! Records come into a [`Batch`], where copies and equal normal forms are grouped at once. A [`walk`] then asks each class of
//! equal normal forms, in the order of its preferred record, whether a *kept* class before it or an item of the [`Reference`]
//! reaches the lexical or the semantic threshold, and writes down an [`Outcome`]: every record is selected, or filtered with a
//! reason, a kept witness and a verified score. There is no closure over chains of similar records and no estimated score, and
//! the result does not depend on threads, block sizes or the CPU.
//!
//! ```
//! use sluice_dedup::{Batch, DedupOptions, Reason, Rules, Unwatched, Witness, walk};
//!
//! # fn main() -> Result<(), sluice_dedup::DedupError> {
//! let mut batch = Batch::new(DedupOptions::default());
//! batch.push_block(&["The cat sat on the mat, and purred.", "The cat sat  on the mat, and purred.", "A dog."].as_slice())?;
//! let outcome = walk(&batch, None, None, &Rules::default(), &Unwatched)?;
//! assert_eq!(outcome.selected, [0, 2]);
//! assert_eq!(outcome.filtered.reasons, [Reason::Normalized]);
//! assert_eq!(outcome.filtered.witnesses, [Some(Witness::Batch(0))]);
//! # Ok(())
//! # }
//! ```
//!
//! This crate reads no file, knows no embedder and has no clock: vectors come in, one a class, and time is measured by the
//! [`Watch`]. Work is spread over the rayon pool it is called in.

mod ask;
mod batch;
mod chunks;
mod classes;
mod decoded;
mod error;
mod form;
mod found;
mod judge;
mod keys;
mod lexical;
mod options;
mod order;
mod outcome;
mod overlap;
mod records;
mod reference;
mod rules;
mod semantic;
mod shingles;
mod spell;
mod texts;
mod vectors;
mod walk;
mod watch;

pub use batch::Batch;
pub use decoded::decoded;
pub use error::DedupError;
pub use options::{DedupOptions, Empty, Retain, Shingles, Unit, Verify};
pub use outcome::{Counts, Filtered, Near, Outcome, Reason, Veto, Witness};
pub use records::Records;
pub use reference::Reference;
pub use rules::{Cosine, Jaccard, Keep, LexicalRule, NearIn, Rules, SemanticRule};
pub use vectors::Vectors;
pub use walk::{walk, walk_in_blocks};
pub use watch::{Step, Unwatched, Watch};
