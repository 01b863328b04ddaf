//! Full-text search: which texts hold words of a query, best first.

use rusqlite::params;
use sluice_filter::Filter;

use crate::candidates::passes;
use crate::read::{PAYLOAD_COLUMNS, PointRow};
use crate::table::required;
use crate::words::expression;
use crate::{CollectionName, PointId, Store, StoreError};

/// A point that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// The point.
    pub id: PointId,
    /// BM25 over the texts of the whole collection; higher is better, only comparable within one answer.
    pub score: f64,
}

impl Store {
    /// The `k` best points whose text holds at least one word of the query and whose payload passes the filter; ties go to
    /// the smaller id. Case does not matter, nor do accents on Latin letters. A query without a word finds nothing.
    ///
    /// # Errors
    /// [`StoreError::QueryTooLong`] beyond [`QUERY_WORDS_MAX`](crate::QUERY_WORDS_MAX) different words.
    pub fn search_text(
        &self,
        name: &CollectionName,
        query: &str,
        k: usize,
        filter: &Filter,
    ) -> Result<Vec<TextHit>, StoreError> {
        let words = expression(query)?;
        self.read(|connection| {
            let generation = required(connection, name)?.generation;
            let mut hits: Vec<TextHit> = Vec::new();
            let Some(words) = words.filter(|_| k > 0) else { return Ok(hits) };
            let columns = PAYLOAD_COLUMNS.replace("text", &format!("point_{generation}.text"));
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {columns}, text_{generation}.rank
                 FROM text_{generation} CROSS JOIN point_{generation} ON row = text_{generation}.rowid
                 WHERE text_{generation} MATCH ?1 ORDER BY text_{generation}.rank"
            ))?;
            let mut rows = statement.query(params![words])?;
            while let Some(row) = rows.next()? {
                let score = -row.get::<_, f64>(5)?;
                // All that tie with the last are needed to know which of them come first.
                if hits.len() >= k && hits.last().is_some_and(|last| last.score > score) {
                    break;
                }
                let point = PointRow::of(row)?;
                if passes(filter, point.payload)? {
                    hits.push(TextHit { id: point.id, score });
                }
            }
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
            hits.truncate(k);
            Ok(hits)
        })
    }
}
