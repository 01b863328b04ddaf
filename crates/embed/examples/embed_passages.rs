//! Embeds all texts of a file on one thread: `embed_passages MODEL_FOLDER FILE.jsonl`.
//!
//! A contender of the benchmark `embed-passages`. It loads the model once, as a fresh process does, then gives all texts
//! their rows again and again, and prints one line of JSON: the answer with the cosines of some pairs, the seconds to load,
//! and the mean cost of a pass. `throughput` tells more about one model; it counts fastest passes, which no peer does.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use serde::Deserialize;
use serde_json::json;
use sluice_embed::{Embedder, Scratch, StaticModel};

/// Passes go on until this much CPU is spent.
const CPU_MIN: Duration = Duration::from_secs(2);
/// The pairs whose cosines are printed: so many, every thousandth text with the next.
const PROBES: usize = 12;
const PROBE_EVERY: usize = 1000;

/// A line of the file.
#[derive(Deserialize)]
struct Record {
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file] = &arguments[..] else {
        return Err("usage: embed_passages MODEL_FOLDER FILE.jsonl".into());
    };
    let texts = read_texts(file)?;

    let start = Instant::now();
    let model = StaticModel::load(Path::new(folder))?;
    let load = start.elapsed().as_secs_f64();

    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let (mut rows, mut passes) = (Vec::new(), 0);
    while cpu.elapsed() < CPU_MIN {
        rows = embedded(&model, &texts);
        passes += 1;
    }
    let mean = |time: Duration| time.as_secs_f64() / f64::from(passes);
    let (cpu, wall) = (mean(cpu.elapsed()), mean(wall.elapsed()));

    let rows: Vec<&[f32]> = rows.chunks(model.dimension()).collect();
    let probe: Vec<f64> =
        rows.windows(2).step_by(PROBE_EVERY).take(PROBES).map(|pair| cosine(pair[0], pair[1])).collect();
    let inner = json!({ "cpuSeconds": cpu, "wallSeconds": wall, "loadSeconds": load, "runs": passes });
    println!("{}", json!({ "records": texts.len(), "selected": rows.len(), "probe": probe, "inner": inner }));
    Ok(())
}

fn read_texts(file: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let lines = fs::read_to_string(file)?;
    let records = serde_json::Deserializer::from_str(&lines).into_iter::<Record>();
    Ok(records.map(|record| record.map(|Record { text }| text)).collect::<Result<_, _>>()?)
}

/// The work that is timed: the rows of all texts, in memory that is new, as every caller's is.
fn embedded(model: &dyn Embedder, texts: &[String]) -> Vec<f32> {
    let mut scratch = Scratch::default();
    let mut rows = vec![0.0; texts.len() * model.dimension()];
    for (text, row) in texts.iter().zip(rows.chunks_mut(model.dimension())) {
        model.embed(text, &mut scratch, row);
    }
    rows
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(1e-12)
}
