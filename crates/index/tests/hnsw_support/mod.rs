//! Rows for the tests of the graph, and the truth about them.

use std::io::Read;
use std::path::Path;

use roaring::RoaringBitmap;
use sluice_embed::{Embedder, Scratch, StaticModel};
use sluice_index::{Among, BACKENDS, Backend, BackendArgs, Hit, IndexError, Rows, backends};
use sluice_vector::{Dimension, Metric};

/// The components of rows that are made up.
pub const DIMENSION: usize = 64;
/// The hits that recall speaks of.
const K: usize = 10;
/// The rows of a cluster that is made up.
const CLUSTER: usize = 50;

pub fn dimension() -> Dimension {
    Dimension::new(DIMENSION).expect("in range")
}

/// Rows of made-up dimension.
pub fn view(flat: &[f32]) -> Rows<'_> {
    Rows::new(flat, dimension()).expect("whole rows")
}

pub fn rows_of(flat: &[f32]) -> impl Iterator<Item = &[f32]> {
    flat.chunks_exact(DIMENSION)
}

/// Rows in clusters, one cluster after the other: the worst order for a graph.
pub fn clusters(count: usize, seed: u64) -> Vec<f32> {
    let mut number = numbers(seed);
    let mut center = Vec::new();
    let mut flat = Vec::with_capacity(count * DIMENSION);
    for position in 0..count {
        if position % CLUSTER == 0 {
            center = (0..DIMENSION).map(|_| number()).collect();
        }
        flat.extend(center.iter().map(|component| component + 0.7 * number()));
    }
    prepared(flat)
}

/// Copies of a row, each a small step aside.
pub fn near_copies(row: &[f32], step: f32, count: usize) -> Vec<f32> {
    let mut number = numbers(99);
    prepared(
        (0..count)
            .flat_map(|_| row.iter().map(|component| component + step * number()).collect::<Vec<_>>())
            .collect(),
    )
}

/// Queries near some of the rows.
pub fn queries(rows: &[f32], count: usize) -> Vec<f32> {
    let mut number = numbers(77);
    let step = rows.len() / DIMENSION / count;
    let near = rows_of(rows).step_by(step).take(count);
    prepared(
        near.flat_map(|row| row.iter().map(|component| component + 0.05 * number()).collect::<Vec<_>>())
            .collect(),
    )
}

/// About normal numbers: the sum of four uniform ones.
fn numbers(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
    };
    move || uniform() + uniform() + uniform() + uniform()
}

fn prepared(flat: Vec<f32>) -> Vec<f32> {
    Metric::Cosine.prepare(flat, dimension()).expect("rows with a direction")
}

/// The texts of `examples/etcd` as rows: documentation of six releases, full of copies. Every fortieth is a query.
pub fn texts() -> (Vec<f32>, Vec<f32>, Dimension) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = std::fs::File::open(root.join("examples/etcd/passages.jsonl.gz")).expect("the example");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
    let model = StaticModel::load(&root.join("models/static-en")).expect("the model");
    let (mut rows, mut queries, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
    let mut row = vec![0.0; model.dimension()];
    for (position, line) in lines.lines().enumerate() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        model.embed(record["text"].as_str().expect("a text"), &mut scratch, &mut row);
        if row.iter().any(|&component| component != 0.0) {
            if position % 40 == 0 { &mut queries } else { &mut rows }.extend_from_slice(&row);
        }
    }
    (rows, queries, Dimension::new(model.dimension()).expect("in range"))
}

/// A graph over rows of made-up dimension.
pub fn graph(flat: &[f32], args: &BackendArgs) -> Box<dyn Backend> {
    graph_of(flat, args, dimension())
}

pub fn graph_of(flat: &[f32], args: &BackendArgs, dimension: Dimension) -> Box<dyn Backend> {
    let mut graph = backends::create("hnsw", args, Metric::Cosine, dimension).expect("good arguments");
    graph.add(&Rows::new(flat, dimension).expect("whole rows"), &|| false).expect("good rows");
    graph
}

pub fn add(graph: &mut dyn Backend, flat: &[f32]) {
    graph.add(&view(flat), &|| false).expect("good rows");
}

pub fn every(graph: &dyn Backend) -> RoaringBitmap {
    (0..graph.len() as u32).collect()
}

pub fn body(graph: &dyn Backend) -> Vec<u8> {
    let mut body = Vec::new();
    graph.write(&mut body).expect("memory");
    body
}

pub fn read(body: &[u8]) -> Result<Box<dyn Backend>, IndexError> {
    let kind = BACKENDS.iter().find(|kind| kind.name == "hnsw").expect("listed");
    (kind.read)(Metric::Cosine, dimension(), body)
}

/// Every slot that may be found, the best first.
pub fn brute_force(graph: &dyn Backend, query: &[f32], slots: &RoaringBitmap) -> Vec<Hit> {
    let hit = |slot| Hit { slot, score: Metric::Cosine.score(query, graph.row(slot)) };
    let mut hits: Vec<Hit> = slots.iter().map(hit).collect();
    hits.sort_unstable();
    hits
}

/// The share of the ten best that are found. Where copies tie for the last place, any of them will do.
pub fn recall(graph: &dyn Backend, queries: &[f32], slots: &RoaringBitmap) -> f64 {
    let width = graph.row(0).len();
    let (mut found, mut expected) = (0, 0);
    for query in queries.chunks_exact(width) {
        let truth = brute_force(graph, query, slots);
        let truth = &truth[..K.min(truth.len())];
        let floor = truth.last().map_or(f64::INFINITY, |hit| hit.score);
        let among = if slots.len() == graph.len() as u64 { Among::Live(slots) } else { Among::Only(slots) };
        let hits = graph.top_k(query, K, among).expect("a good query");
        assert_eq!(hits.len(), truth.len(), "as many as there are");
        assert!(hits.iter().all(|hit| slots.contains(hit.slot)), "none but those");
        found += hits.iter().filter(|hit| hit.score >= floor).count();
        expected += truth.len();
    }
    found as f64 / expected as f64
}
