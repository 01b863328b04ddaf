//! Stores to test with, and plain values to compare.

#![allow(dead_code, reason = "each test file uses its share")]

use std::path::PathBuf;

use sluice_filter::Filter;
use sluice_store::{Access, CollectionName, Durability, Point, PointId, Schema, Store, StoreError, With};
use sluice_vector::{Dimension, Metric};
use tempfile::TempDir;

/// Everything a read can give.
pub const WHOLE: With = With { vector: true, text: true };

/// A folder with a store in it.
pub struct Place {
    pub folder: TempDir,
    pub path: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.sluice");
        Self { folder, path }
    }

    pub fn open(&self, access: Access) -> Result<Store, StoreError> {
        Store::open(&self.path, access, Durability::Process)
    }

    pub fn writer(&self) -> Store {
        self.open(Access::ReadWrite).unwrap()
    }

    pub fn reader(&self) -> Store {
        self.open(Access::ReadOnly).unwrap()
    }
}

pub fn name(text: &str) -> CollectionName {
    text.parse().unwrap()
}

pub fn schema(dimension: usize, metric: Metric) -> Schema {
    Schema { dimension: Dimension::new(dimension).unwrap(), metric, embedder_id: None }
}

pub fn id(number: u8) -> PointId {
    PointId::from_bytes([number; 16])
}

pub fn filter(json: &str) -> Filter {
    Filter::parse(json).unwrap()
}

/// A point as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: PointId,
    pub vector: Vec<f32>,
    pub payload: String,
    pub text: Option<String>,
}

impl Row {
    pub fn new(number: u8, payload: &str, text: Option<&str>) -> Self {
        Self {
            id: id(number),
            vector: vec![f32::from(number) + 1.0, 0.5],
            payload: payload.to_owned(),
            text: text.map(str::to_owned),
        }
    }

    pub fn point(&self) -> Point<'_> {
        Point { id: self.id, vector: &self.vector, payload: &self.payload, text: self.text.as_deref() }
    }
}

pub fn points(rows: &[Row]) -> Vec<Point<'_>> {
    rows.iter().map(Row::point).collect()
}

/// What came back, as plain data.
pub fn rows(points: &sluice_store::Points) -> Vec<Row> {
    let row = |(position, record): (usize, &sluice_store::Record)| Row {
        id: record.id,
        vector: points.vector(position).unwrap().to_vec(),
        payload: record.payload.clone(),
        text: record.text.clone(),
    };
    points.records.iter().enumerate().map(row).collect()
}

/// Everything that passes a filter, page by page.
pub fn export(
    store: &Store,
    name: &CollectionName,
    filter: &Filter,
    limit: usize,
) -> Result<Vec<Row>, StoreError> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = store.scroll(name, after, limit, filter, WHOLE)?;
        assert!(page.points.records.len() <= limit);
        all.extend(rows(&page.points));
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(all),
        }
    }
}

/// Numbers that look random and are the same in every run.
pub struct Seeded(pub u64);

impl Seeded {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
