//! usearch: `filtered_search` over a file of vectors, on the calling thread; no other binding of usearch has a filter.
//!
//! Usage: `usearch-filtered-peer FILE.vectors`. Rows are kept as bf16, the fastest of its kinds here that reaches the recall.
//! Prints the same line of JSON as `in-process/index_recall.mjs`. A hit counts as found when its exact cosine reaches that of
//! the last true hit.

use std::{error::Error, fs, time::Instant};

use serde_json::{Map, Value, json};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

/// Lots that rows are spread over: see `corpora/vector-file.mjs`.
const LOTS: usize = 10_000;
/// Scores of one pair differ by no more between two ways of adding it up.
const ROUNDING: f64 = 1e-6;
/// Candidates while the graph is built and searched: its own defaults are 128 and 64.
const EF_CONSTRUCTION: usize = 128;
const EF_SEARCH: usize = 64;
const QUERY_SECONDS: f64 = 1.0;

/// What `corpora/vector-file.mjs` describes.
struct VectorFile {
    dimension: usize,
    k: usize,
    rows: Vec<f32>,
    queries: Vec<f32>,
    /// A filter each: its name, its lots, the true scores of all queries.
    filters: Vec<(String, usize, Vec<f64>)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: usearch-filtered-peer FILE.vectors")?;
    let file = read(&path)?;
    let (cpu, started) = (cpu_seconds()?, Instant::now());
    let index = build(&file)?;
    let (built_cpu, built_wall) = (cpu_seconds()? - cpu, started.elapsed().as_secs_f64());
    let count = file.rows.len() / file.dimension;

    let mut measures = Map::new();
    let mut wrong_counts = 0;
    for (name, lots, truth) in &file.filters {
        let (start, mut asked, mut recalled, mut passes) = (cpu_seconds()?, 0, 0.0, 0);
        while passes == 0 || cpu_seconds()? - start < QUERY_SECONDS {
            for (at, query) in file.queries.chunks_exact(file.dimension).enumerate() {
                let found = index.filtered_search(query, file.k, |key| (key as usize) % LOTS < *lots)?.keys;
                asked += 1;
                if passes == 0 {
                    let truth: Vec<f64> = truth[at * file.k..(at + 1) * file.k]
                        .iter()
                        .copied()
                        .filter(|score| !score.is_nan())
                        .collect();
                    recalled += recall(&file, query, &found, &truth);
                    wrong_counts += usize::from(found.len() != truth.len());
                }
            }
            passes += 1;
        }
        let seconds = cpu_seconds()? - start;
        let queries = file.queries.len() / file.dimension;
        measures.insert(format!("recallAt{name}"), json!(recalled / queries as f64));
        measures.insert(format!("queriesPerCpuSecondAt{name}"), json!(f64::from(asked) / seconds));
    }
    measures.insert("wrongCounts".into(), json!(wrong_counts));
    let inner = json!({ "cpuSeconds": built_cpu, "wallSeconds": built_wall, "runs": 1 });
    println!("{}", json!({ "records": count, "measures": measures, "inner": inner }));
    Ok(())
}

fn build(file: &VectorFile) -> Result<Index, Box<dyn Error>> {
    let options = IndexOptions {
        dimensions: file.dimension,
        metric: MetricKind::Cos,
        quantization: ScalarKind::BF16,
        connectivity: 16,
        expansion_add: EF_CONSTRUCTION,
        expansion_search: EF_SEARCH,
        ..IndexOptions::default()
    };
    let index = Index::new(&options)?;
    index.reserve(file.rows.len() / file.dimension)?;
    for (key, row) in file.rows.chunks_exact(file.dimension).enumerate() {
        index.add(key as u64, row)?;
    }
    Ok(index)
}

/// The share of the true hits that were found.
fn recall(file: &VectorFile, query: &[f32], found: &[u64], truth: &[f64]) -> f64 {
    let Some(&last) = truth.last() else { return 1.0 };
    let row = |key: u64| &file.rows[key as usize * file.dimension..(key as usize + 1) * file.dimension];
    let hits = found.iter().filter(|&&key| cosine(query, row(key)) >= last - ROUNDING).count();
    hits as f64 / truth.len() as f64
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot =
        |x: &[f32], y: &[f32]| -> f64 { x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum() };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn read(path: &str) -> Result<VectorFile, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("no header")? + 1;
    let header: Value = serde_json::from_slice(&bytes[..end])?;
    let number =
        |name: &str| header[name].as_u64().map(|value| value as usize).ok_or("a header without a number");
    let (rows, queries, dimension, k) =
        (number("rows")?, number("queries")?, number("dimension")?, number("k")?);
    let singles = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
    let (row_bytes, rest) = bytes[end..].split_at(rows * dimension * 4);
    let (query_bytes, rest) = rest.split_at(queries * dimension * 4);
    let scores: Vec<f64> = rest.as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b)).collect();
    let filters = header["filters"]
        .as_array()
        .ok_or("a header without filters")?
        .iter()
        .zip(scores.chunks_exact(queries * k))
        .map(|(filter, truth)| {
            let name = format!("{}Percent", filter["percent"]).replace('.', "_");
            Ok((name, filter["lots"].as_u64().ok_or("a filter without lots")? as usize, truth.to_vec()))
        })
        .collect::<Result<_, Box<dyn Error>>>()?;
    Ok(VectorFile { dimension, k, rows: singles(row_bytes), queries: singles(query_bytes), filters })
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no process status")?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}
