//! Measures the graph on real texts: `hnsw_speed MODEL_FOLDER FILE.jsonl [ROWS] [EF ...]`.
//!
//! Embeds the first distinct texts of the file (`{"text": ...}` a line), takes every hundredth of them as a query that is not in
//! the index, and asks `flat` for the truth. For each number of candidates it builds an index and prints a line of JSON:
//! rows linked a second, queries answered a second, recall of the ten best. One thread; seconds are CPU seconds where the
//! system tells them.

use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use roaring::RoaringBitmap;
use serde_json::{Value, json};
use sluice_embed::{Embedder, Scratch, StaticModel};
use sluice_index::{Among, Backend, BackendArgs, Hit, Rows, backends};
use sluice_vector::{Dimension, Metric};

/// The hits that are asked for.
const K: usize = 10;
/// Every so many texts one is a query.
const QUERY_EVERY: usize = 100;
/// Queries go on until this much time is spent.
const QUERY_SECONDS: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file, rest @ ..] = &arguments[..] else {
        return Err("usage: hnsw_speed MODEL_FOLDER FILE.jsonl [ROWS] [EF ...]".into());
    };
    let count = rest.first().map_or(Ok(20_000), |count| count.parse())?;
    let mut efs = rest.iter().skip(1).map(|ef| ef.parse()).collect::<Result<Vec<f64>, _>>()?;
    if efs.is_empty() {
        efs = vec![16.0, 32.0, 64.0, 128.0];
    }

    let model = StaticModel::load(Path::new(folder))?;
    let dimension = Dimension::new(model.dimension())?;
    let (rows, queries) = embedded(&model, file, count)?;
    let (rows, queries) = (Rows::new(&rows, dimension)?, Rows::new(&queries, dimension)?);
    let live: RoaringBitmap = (0..rows.len() as u32).collect();

    let mut flat = backends::create("flat", &BackendArgs::default(), Metric::Cosine, dimension)?;
    flat.add(&rows, &|| false)?;
    let truth = answers(&*flat, &queries, &live)?;

    for ef in efs {
        let args = BackendArgs::default().with("efSearch", ef);
        let mut graph = backends::create("hnsw", &args, Metric::Cosine, dimension)?;
        let start = cpu_seconds()?;
        graph.add(&rows, &|| false)?;
        let build = cpu_seconds()? - start;

        let (start, mut passes, mut found) = (cpu_seconds()?, 0, Vec::new());
        while passes == 0 || cpu_seconds()? - start < QUERY_SECONDS {
            found = answers(&*graph, &queries, &live)?;
            passes += 1;
        }
        let search = (cpu_seconds()? - start) / f64::from(passes);
        let measured = json!({
            "rows": rows.len(),
            "queries": queries.len(),
            "efSearch": ef,
            "rowsPerSecond": (rows.len() as f64 / build).round(),
            "queriesPerSecond": (queries.len() as f64 / search).round(),
            "recallAt10": recall(&truth, &found),
            "bytesPerRow": graph.bytes() / rows.len(),
        });
        println!("{measured}");
    }
    Ok(())
}

/// The rows of the first texts, and those of the queries.
fn embedded(model: &StaticModel, file: &str, count: usize) -> Result<(Vec<f32>, Vec<f32>), Box<dyn Error>> {
    let (mut rows, mut queries, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
    let mut row = vec![0.0; model.dimension()];
    let mut seen = HashSet::new();
    for line in BufReader::new(fs::File::open(file)?).lines() {
        if seen.len() == count {
            break;
        }
        let record: Value = serde_json::from_str(&line?)?;
        let text = record["text"].as_str().ok_or("a record without text")?;
        if !seen.insert(text.to_owned()) {
            continue;
        }
        model.embed(text, &mut scratch, &mut row);
        // A text without a known token has no direction.
        if row.iter().any(|&component| component != 0.0) {
            let taken = if seen.len() % QUERY_EVERY == 0 { &mut queries } else { &mut rows };
            taken.extend_from_slice(&row);
        }
    }
    Ok((rows, queries))
}

/// One query after the other, as a service gets them.
fn answers(
    backend: &dyn Backend,
    queries: &Rows<'_>,
    live: &RoaringBitmap,
) -> Result<Vec<Vec<Hit>>, Box<dyn Error>> {
    Ok(queries.iter().map(|query| backend.top_k(query, K, Among::Live(live))).collect::<Result<_, _>>()?)
}

/// The share of the true hits that were found. A hit that ties with the last true one is as true.
fn recall(truth: &[Vec<Hit>], found: &[Vec<Hit>]) -> f64 {
    let shares = truth.iter().zip(found).map(|(truth, found)| {
        let floor = truth.last().map_or(f64::INFINITY, |hit| hit.score);
        found.iter().filter(|hit| hit.score >= floor).count() as f64 / truth.len() as f64
    });
    shares.sum::<f64>() / truth.len() as f64
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no process status")?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}
