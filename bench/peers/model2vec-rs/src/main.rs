//! model2vec-rs: `encode` over all passages of a JSONL file, on the calling thread.
//!
//! Usage: `model2vec-rs-peer FILE MODEL_FOLDER [SECONDS]`. Prints the same line of JSON as `model2vec_encode.py`.

use std::{error::Error, fs, time::Instant};

use model2vec_rs::model::StaticModel;
use serde_json::{Value, json};

const PROBE_EVERY: usize = 1000;
const PROBE_LENGTH: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let corpus = arguments.next().ok_or("usage: model2vec-rs-peer FILE MODEL_FOLDER")?;
    let model_folder = arguments.next().ok_or("usage: model2vec-rs-peer FILE MODEL_FOLDER")?;

    let seconds: f64 = arguments.next().map_or(Ok(0.0), |seconds| seconds.parse())?;

    let started = Instant::now();
    let texts = fs::read_to_string(corpus)?
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line)?;
            Ok(record["text"].as_str().ok_or("a record without text")?.to_owned())
        })
        .collect::<Result<Vec<String>, Box<dyn Error>>>()?;
    let read = started.elapsed();
    let model = StaticModel::from_pretrained(model_folder, None, None, None)?;
    let load_model = started.elapsed() - read;
    let cpu = cpu_seconds()?;
    let (mut vectors, mut passes) = (model.encode(&texts), 1);
    while cpu_seconds()? - cpu < seconds {
        vectors = model.encode(&texts);
        passes += 1;
    }
    let cpu = cpu_seconds()? - cpu;
    let embed = started.elapsed() - read - load_model;

    let probe: Vec<f64> = (0..vectors.len().saturating_sub(1))
        .step_by(PROBE_EVERY)
        .take(PROBE_LENGTH)
        .map(|first| rounded(cosine(&vectors[first], &vectors[first + 1])))
        .collect();
    let answer = json!({
        "records": texts.len(),
        "selected": vectors.len(),
        "dimension": vectors.first().map_or(0, Vec::len),
        "probe": probe,
        "seconds": {
            "read": read.as_secs_f64(),
            "load_model": load_model.as_secs_f64(),
            "embed": embed.as_secs_f64(),
        },
        "inner": {
            "cpuSeconds": cpu / f64::from(passes),
            "wallSeconds": embed.as_secs_f64() / f64::from(passes),
            "loadSeconds": load_model.as_secs_f64(),
            "runs": passes,
        },
    });
    println!("{answer}");
    Ok(())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(1e-12)
}

/// CPU seconds of all threads of this process so far; the system counts a hundred ticks a second.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no process status")?;
    let ticks: Vec<f64> = fields.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
