//! Measures a static model on the lines of a text file: `throughput MODEL_FOLDER TEXT_FILE [SECONDS]`.
//!
//! One thread, passes over the file until the seconds are over. Every block of texts counts with its fastest pass, so that
//! a busy machine disturbs little. Tokens include unknown ones.

use std::path::Path;
use std::time::{Duration, Instant};

use sluice_embed::{Coverage, Embedder, HashModel, Scratch, StaticModel};

/// How often the model is loaded; the fastest time counts.
const LOADS: usize = 20;
/// How many texts are timed together.
const BLOCK: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file, rest @ ..] = &arguments[..] else {
        return Err("usage: throughput MODEL_FOLDER TEXT_FILE [SECONDS]".into());
    };
    let seconds = rest.first().map_or(Ok(3.0), |seconds| seconds.parse())?;
    let content = std::fs::read_to_string(file)?;
    let texts: Vec<&str> = content.lines().filter(|line| !line.is_empty()).collect();

    let loading = Instant::now();
    let mut model = StaticModel::load(Path::new(folder))?;
    let mut fastest = loading.elapsed();
    for _ in 1..LOADS {
        let loading = Instant::now();
        model = StaticModel::load(Path::new(folder))?;
        fastest = fastest.min(loading.elapsed());
    }
    println!("loaded {} in {:.1} ms", model.id(), fastest.as_secs_f64() * 1e3);
    measure(&model, &texts, Duration::from_secs_f64(seconds));
    measure(&HashModel::new(HashModel::DIMENSION)?, &texts, Duration::from_secs_f64(seconds));
    Ok(())
}

/// Embeds all texts again and again and prints the speed, every block of texts at its best.
fn measure(model: &dyn Embedder, texts: &[&str], time: Duration) {
    let mut scratch = Scratch::default();
    let mut row = vec![0.0; model.dimension()];
    let mut bests = vec![f64::INFINITY; texts.len().div_ceil(BLOCK)];
    let mut coverage = Coverage::default();
    let start = Instant::now();
    while start.elapsed() < time {
        coverage = Coverage::default();
        for (block, best) in texts.chunks(BLOCK).zip(&mut bests) {
            let pass = Instant::now();
            let covered = block.iter().map(|text| model.embed(text, &mut scratch, &mut row)).sum();
            *best = best.min(pass.elapsed().as_secs_f64());
            coverage = coverage + covered;
        }
    }
    let seconds: f64 = bests.iter().sum();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    println!(
        "{}: {:.1} thousand texts/s, {:.2} million tokens/s, {:.1} MB/s ({} texts, {:.1} tokens a text, {:.2} % unknown)",
        model.id(),
        texts.len() as f64 / seconds / 1e3,
        coverage.tokens as f64 / seconds / 1e6,
        bytes as f64 / seconds / 1e6,
        texts.len(),
        coverage.tokens as f64 / texts.len() as f64,
        100.0 * coverage.unknown as f64 / coverage.tokens.max(1) as f64,
    );
}
