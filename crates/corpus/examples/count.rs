//! Counts the records of files and measures how fast they are read: `count FILE...`, records a CPU-second.
//!
//! The fields are the defaults: the text column `text`, and `id` where it is there.

use std::process::ExitCode;
use std::time::Instant;

use cpu_time::ProcessTime;
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
    let (start, cpu_start) = (Instant::now(), ProcessTime::now());
    let mut reader = CorpusReader::open(path, &ReadOptions { format, ..ReadOptions::default() })?;
    let mut block = Block::new();
    let mut text_bytes = 0;
    while reader.next_block(&mut block)? {
        text_bytes += (0..block.len()).map(|record| block.text(record, 0).len()).sum::<usize>();
    }
    let extent = reader.extent();
    let seconds = start.elapsed().as_secs_f64();
    let cpu = cpu_start.elapsed().as_secs_f64();
    println!(
        "{path}: {extent}, {text_bytes} bytes of text; {seconds:.3} s, {cpu:.2} CPU-s, {:.0} records a CPU-second",
        f64::from(extent.records) / cpu,
    );
    Ok(())
}
