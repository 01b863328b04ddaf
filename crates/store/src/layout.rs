//! The tables of a store, and the numbers that say a file is one.
//!
//! Each collection has tables of its own, named by its generation: dropping one is dropping tables, a scan of one reads
//! nothing of another, and the word statistics of one never leak into the scores of another.

use std::fmt::Write as _;

/// Marks the file as ours, in the header of SQLite: "SLCE".
pub const APPLICATION_ID: i64 = 0x534c_4345;
/// The layout described here.
pub const LAYOUT: i64 = 1;
/// Vectors of 384 to 1,536 components fit whole pages of this size with little waste.
pub const PAGE_BYTES: u32 = 32_768;

/// Payload keys with a column and an index each. The narrowest comes first: the first that a filter demands is used.
pub const SCOPE_KEYS: [&str; 4] = ["run_id", "user_id", "agent_id", "tenant_id"];

/// Tables of the store itself.
pub const STORE: &str = "
    CREATE TABLE collection (
        generation INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        dimension INTEGER NOT NULL,
        metric TEXT NOT NULL,
        embedder_id TEXT,
        change INTEGER NOT NULL,
        points INTEGER NOT NULL,
        seal INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE value (
        namespace TEXT NOT NULL,
        key TEXT NOT NULL,
        bytes BLOB NOT NULL,
        seal INTEGER NOT NULL,
        UNIQUE (namespace, key)
    ) STRICT;
";

/// Tables of one collection.
///
/// - `point`: the vector comes last, so that reading a payload does not walk over it. A scope column holds the payload's
///   string under that key; an empty blob stands for a list, which may hold several.
/// - `deletion`: ids that were deleted and not stored again, so that a view can catch up.
/// - `text`: the words only; the texts themselves are in `point`.
pub fn collection(generation: u64) -> String {
    let mut tables = format!(
        "CREATE TABLE point_{generation} (
            row INTEGER PRIMARY KEY,
            id BLOB NOT NULL,
            change INTEGER NOT NULL,
            run_id ANY, user_id ANY, agent_id ANY, tenant_id ANY,
            payload_seal INTEGER NOT NULL,
            vector_seal INTEGER NOT NULL,
            payload TEXT NOT NULL,
            text TEXT,
            vector BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX point_{generation}_id ON point_{generation} (id);
        CREATE UNIQUE INDEX point_{generation}_change ON point_{generation} (change);
        CREATE TABLE deletion_{generation} (
            id BLOB PRIMARY KEY,
            change INTEGER NOT NULL,
            seal INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX deletion_{generation}_change ON deletion_{generation} (change);
        {}",
        words_table(&format!("text_{generation}"))
    );
    for key in SCOPE_KEYS {
        // Writing to a `String` cannot fail.
        let _ = write!(
            tables,
            "CREATE INDEX point_{generation}_{key} ON point_{generation} ({key}, id) WHERE {key} IS NOT NULL;"
        );
    }
    tables
}

/// An index of words under a name.
pub fn words_table(name: &str) -> String {
    format!(
        "CREATE VIRTUAL TABLE {name} USING fts5(
            words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
        );"
    )
}

/// Drops what [`collection`] made.
pub fn drop_collection(generation: u64) -> String {
    format!("DROP TABLE text_{generation}; DROP TABLE deletion_{generation}; DROP TABLE point_{generation};")
}
