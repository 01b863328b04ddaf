//! Counts the records of files and measures how fast they are read: `count FILE...`, records a CPU-second.
//!
//! The fields are the defaults: the text column `text`, and `id` where it is there.

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use sluice_corpus::{Block, CorpusError, CorpusReader, Format, ReadOptions};

fn main() -> ExitCode {
    for path in std::env::args().skip(1) {
        let Some(format) = Format::from_name(&path) else {
            eprintln!("{path}: expected .jsonl, .csv, .tsv or .txt, with .gz or .zst behind it if packed");
            return ExitCode::from(2);
        };
        if let Err(error) = count(&path, format) {
            eprintln!("{path}: {error} [{}]", error.code());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn count(path: &str, format: Format) -> Result<(), CorpusError> {
    let (start, cpu_start) = (Instant::now(), cpu_seconds());
    let mut reader = CorpusReader::open(path, &ReadOptions { format, ..ReadOptions::default() })?;
    let mut block = Block::new();
    let mut text_bytes = 0;
    while reader.next_block(&mut block)? {
        text_bytes += (0..block.len()).map(|record| block.text(record, 0).len()).sum::<usize>();
    }
    let extent = reader.extent();
    let seconds = start.elapsed().as_secs_f64();
    let cpu = cpu_start.zip(cpu_seconds()).map(|(start, end)| end - start);
    println!(
        "{path}: {extent}, {text_bytes} bytes of text; {seconds:.3} s, {} CPU-s, {} records a CPU-second",
        cpu.map_or("?".into(), |cpu| format!("{cpu:.2}")),
        cpu.map_or("?".into(), |cpu| format!("{:.0}", f64::from(extent.records) / cpu)),
    );
    Ok(())
}

/// User and system time of this process so far, all threads; `None` where there is no procfs.
fn cpu_seconds() -> Option<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS_A_SECOND)
}
