//! An index that can be thrown away: rows by slot, searched by similarity, narrowed by payload.
//!
//! The one idea: a backend only chooses candidates. Every score that is told is [`sluice_vector::Metric::score`], whatever chose the
//! row; a filter decides which slots may be found before anything is scored; and a plan says which way was taken.
//!
//! | Item | Answers |
//! |---|---|
//! | [`Index`] | Which rows are most like this one, of those whose payload matches? |
//! | [`Backend`], [`BACKENDS`] | How are candidates chosen: `flat` by all, exactly; `hnsw` by a graph |
//! | [`sluice_vector::Metric`] | What does a score mean? |
//! | [`Strategy`] | Which way did a search take? |
//!
//! ```
//! use serde_json::json;
//! use sluice_filter::Filter;
//! use sluice_index::{BackendArgs, Index, Want};
//! use sluice_vector::{Dimension, Metric};
//!
//! let mut index = Index::new("flat", &BackendArgs::default(), Metric::Cosine, Dimension::new(2)?)?;
//! index.add(&[1.0, 0.0, 0.8, 0.6, 0.0, 2.0], &[json!({"lang": "en"}), json!({"lang": "de"}), json!({"lang": "en"})], &|| false)?;
//!
//! let german = Filter::parse(r#"{"lang": "de"}"#)?;
//! let found = index.search(&[3.0, 0.0], Want::TopK(2), &german, &|| false)?;
//! assert_eq!((found.hits[0].len(), found.hits[0][0].slot), (1, 1));
//! assert!((found.hits[0][0].score - 0.8).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is absent: no embedding, no network, no clock, and no truth. The store is the truth; an index is built from it
//! again by a scan.

mod args;
mod backend;
pub mod backends;
mod bytes;
mod error;
mod exact;
mod file;
mod flat;
mod hit;
mod hnsw;
mod index;
mod part_file;
mod payload_texts;
mod plan;
mod selections;

pub use args::BackendArgs;
pub use backend::{Among, Backend, BackendKind, Create, Quality, Read, Rows};
pub use backends::BACKENDS;
pub use error::IndexError;
pub use hit::Hit;
pub use index::{Found, Index, Want};
pub use plan::Strategy;
