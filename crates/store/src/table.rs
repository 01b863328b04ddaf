//! One collection inside a transaction: its row in the list, and the names of its tables.

use rusqlite::{Connection, OptionalExtension, Row, params};
use sluice_vector::{Dimension, Metric};

use crate::seal::{optional, seal, unseal};
use crate::{Collection, CollectionName, Schema, StoreError};

/// The columns that [`read_collection`] takes.
const COLLECTION_COLUMNS: &str = "generation, name, dimension, metric, embedder_id, change, points, seal";

/// The collection of a name, if there is one.
pub fn find(connection: &Connection, name: &CollectionName) -> Result<Option<Collection>, StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLLECTION_COLUMNS} FROM collection WHERE name = ?1"))?;
    let found = statement.query_row([name.as_str()], |row| Ok(read_collection(row))).optional()?;
    found.transpose()
}

/// All collections, by name.
pub fn list(connection: &Connection) -> Result<Vec<Collection>, StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLLECTION_COLUMNS} FROM collection ORDER BY name"))?;
    let mut rows = statement.query([])?;
    let mut collections = Vec::new();
    while let Some(row) = rows.next()? {
        collections.push(read_collection(row)?);
    }
    Ok(collections)
}

/// The collection of a name.
pub fn required(connection: &Connection, name: &CollectionName) -> Result<Collection, StoreError> {
    find(connection, name)?.ok_or_else(|| StoreError::CollectionMissing { name: name.to_string() })
}

/// A row of [`COLLECTION_COLUMNS`] as a checked value.
fn read_collection(row: &Row<'_>) -> Result<Collection, StoreError> {
    let damaged = || StoreError::Damaged { what: "the list of collections" };
    let (name, metric): (String, String) = (row.get(1)?, row.get(3)?);
    let dimension: u32 = row.get(2)?;
    let collection = Collection {
        name: name.parse().map_err(|_| damaged())?,
        schema: Schema {
            dimension: Dimension::new(dimension as usize).map_err(|_| damaged())?,
            metric: Metric::from_name(&metric).ok_or_else(damaged)?,
            embedder_id: row.get(4)?,
        },
        generation: row.get(0)?,
        change: row.get(5)?,
        points: row.get(6)?,
    };
    if row.get::<_, i64>(7)? != collection_seal(&collection) {
        return Err(damaged());
    }
    Ok(collection)
}

/// Writes a new collection into the list; its generation is the number that comes back.
pub fn insert(connection: &Connection, name: &CollectionName, schema: &Schema) -> Result<u64, StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO collection (name, dimension, metric, embedder_id, change, points, seal)
         VALUES (?1, ?2, ?3, ?4, 0, 0, 0)",
    )?;
    let Schema { dimension, metric, embedder_id } = schema;
    let generation =
        statement.insert(params![name.as_str(), dimension.get() as u32, metric.name(), embedder_id])?;
    let generation = generation.cast_unsigned();
    update(
        connection,
        &Collection { name: name.clone(), schema: schema.clone(), generation, change: 0, points: 0 },
    )?;
    Ok(generation)
}

/// Writes how many changes and points a collection has now.
pub fn update(connection: &Connection, collection: &Collection) -> Result<(), StoreError> {
    let mut statement = connection
        .prepare_cached("UPDATE collection SET change = ?2, points = ?3, seal = ?4 WHERE generation = ?1")?;
    let Collection { generation, change, points, .. } = collection;
    statement.execute(params![generation, change, points, collection_seal(collection)])?;
    Ok(())
}

fn collection_seal(Collection { name, schema, generation, change, points }: &Collection) -> i64 {
    let [some, embedder] = optional(schema.embedder_id.as_deref());
    seal(&[
        name.as_str().as_bytes(),
        &(schema.dimension.get() as u64).to_le_bytes(),
        schema.metric.name().as_bytes(),
        some,
        embedder,
        &generation.to_le_bytes(),
        &change.to_le_bytes(),
        &points.to_le_bytes(),
    ])
}

/// Sums of one point. The payload's covers what is read without the vector.
pub fn payload_seal(id: &[u8], change: u64, payload: &str, text: Option<&str>) -> i64 {
    let [some, text] = optional(text);
    seal(&[id, &change.to_le_bytes(), payload.as_bytes(), some, text])
}

/// The sum of a vector.
pub fn vector_seal(id: &[u8], vector: &[u8]) -> i64 {
    seal(&[id, vector])
}

/// The sum of a deletion.
pub fn deletion_seal(id: &[u8], change: u64) -> i64 {
    seal(&[id, &change.to_le_bytes()])
}

/// The bytes of a vector in the file: 32-bit floats, lowest byte first.
pub fn vector_bytes(vector: &[f32], into: &mut Vec<u8>) {
    into.clear();
    into.extend(vector.iter().flat_map(|component| component.to_le_bytes()));
}

/// Appends a vector from the file to a buffer.
pub fn read_vector(
    bytes: &[u8],
    id: &[u8],
    stored: i64,
    dimension: Dimension,
    into: &mut Vec<f32>,
) -> Result<(), StoreError> {
    unseal(stored, &[id, bytes])?;
    let (components, rest) = bytes.as_chunks::<4>();
    if components.len() != dimension.get() || !rest.is_empty() {
        return Err(StoreError::Damaged { what: "a vector has another dimension" });
    }
    into.extend(components.iter().map(|component| f32::from_le_bytes(*component)));
    Ok(())
}
