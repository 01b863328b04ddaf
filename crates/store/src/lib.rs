//! The store: collections of points in one file, which survive what happens to processes.
//!
//! A point has an id, a vector, a payload (a JSON object) and perhaps a text. The store keeps them, finds them by id, by
//! filter and by words, and numbers every change, so that an index over the vectors is a view: it can be thrown away,
//! caught up and rebuilt, and nothing is embedded twice. The store itself never compares vectors.
//!
//! ```
//! use sluice_filter::Filter;
//! use sluice_store::{Access, Durability, Point, PointId, Schema, Store, With};
//! use sluice_vector::{Dimension, Metric};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("corpus.sluice");
//! let mut store = Store::open(&path, Access::ReadWrite, Durability::Process)?;
//! let notes = "notes".parse()?;
//! let schema = Schema { dimension: Dimension::new(2)?, metric: Metric::Cosine, embedder_id: None };
//! store.ensure_collection(&notes, &schema)?;
//!
//! let id: PointId = "0198f2a0-7c1e-8d4b-9a55-3f1c2b4d5e6f".parse()?;
//! let (vector, payload) = ([0.6, 0.8], r#"{"user_id": "ada", "year": 1843}"#);
//! store.upsert(&notes, &[Point { id, vector: &vector, payload, text: Some("Note G, on the engine") }])?;
//!
//! let hits = store.search_text(&notes, "engine", 10, &Filter::parse(r#"{"user_id": "ada"}"#)?)?;
//! assert_eq!(hits[0].id, id);
//! let page = store.scroll(&notes, None, 100, &Filter::everything(), With { vector: true, text: false })?;
//! assert_eq!(page.points.vector(0), Some(&vector[..]));
//!
//! // A view that has seen nothing yet, and one that is up to date.
//! let changes = store.changes(&notes, 0, 100)?;
//! assert_eq!(changes.upserted.records[0].id, id);
//! assert!(store.changes(&notes, changes.last, 100)?.upserted.records.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # What holds
//! - **One writer, many readers.** A second writer is refused at once. A reader sees one state of the file per call and never
//!   waits for the writer.
//! - **All or nothing.** Every call that writes is one transaction. What it acknowledged outlives the process; with
//!   [`Durability::Power`] a power cut too.
//! - **What is read is what was written.** Every row carries a checksum; [`Store::check`] verifies the whole file.
//! - **Indexes narrow, filters decide.** Whatever the plan, [`Filter::matches`](sluice_filter::Filter::matches) has the last
//!   word on every row.
//!
//! Underneath is SQLite (write-ahead log, FTS5). The file must lie on a local disk: network file systems lack the shared
//! memory that its log needs.

#![allow(clippy::doc_markdown, reason = "SQLite is a name, not code")]

mod candidates;
mod changes;
mod check;
mod collection;
mod collections;
mod delete;
mod error;
mod fresh;
mod layout;
mod lock;
mod payload;
mod point;
mod read;
mod seal;
mod search;
mod snapshot;
mod store;
mod table;
mod upsert;
mod values;
mod words;

pub use changes::{Changes, Left};
pub use collection::{COLLECTION_NAME_BYTES_MAX, Collection, CollectionName, Ensured, Schema};
pub use delete::Which;
pub use error::StoreError;
pub use point::{
    PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX, Page, Point, PointId, Points, Record, TEXT_BYTES_MAX, Upserted,
    With,
};
pub use search::TextHit;
pub use store::{Access, Durability, Store};
pub use words::QUERY_WORDS_MAX;
