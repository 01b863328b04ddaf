//! Finds exact copies among texts already in memory: `exact_passages FILE.jsonl [--filtered FILE]`.
//!
//! A contender of the benchmark `dedup-exact-array`. Like the product, it groups by key alone and then compares every copy
//! with the first of its texts, byte by byte. It does so again and again, and prints one line of JSON: the answer, the mean
//! cost of a pass, and the bytes held for each key. `--filtered` writes the positions that the walk dropped.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use serde::Deserialize;
use serde_json::json;
use sluice_dedup::{Batch, DedupOptions, Outcome, Retain, Rules, Unwatched, Verify, walk};
use sluice_text::NormalForm;

/// Passes go on until this much CPU is spent.
const CPU_MIN: Duration = Duration::from_secs(2);
/// Records of a block.
const BLOCK: usize = 4096;

/// A line of the file.
#[derive(Deserialize)]
struct Record {
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, filtered) = match &arguments[..] {
        [file] => (file, None),
        [file, option, filtered] if option == "--filtered" => (file, Some(filtered)),
        _ => return Err("usage: exact_passages FILE.jsonl [--filtered FILE]".into()),
    };
    let texts = read_texts(file)?;

    fs::write("/proc/self/clear_refs", "5")?; // the peak begins anew
    let before = status_bytes("VmRSS")?;
    let outcome = deduplicated(&texts)?;
    let peak = status_bytes("VmHWM")?.saturating_sub(before);

    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let mut passes = 0;
    while cpu.elapsed() < CPU_MIN {
        deduplicated(&texts)?;
        passes += 1;
    }
    let mean = |time: Duration| time.as_secs_f64() / f64::from(passes);
    let (cpu, wall) = (mean(cpu.elapsed()), mean(wall.elapsed()));

    let keys: Vec<&str> =
        outcome.selected.iter().map(|&position| texts[position as usize].as_str()).collect();
    let bytes_per_key = grouped(&keys)?.bytes() as f64 / keys.len().max(1) as f64;
    if let Some(path) = filtered {
        fs::write(path, lines_of(&outcome.filtered.positions)?)?;
    }
    let inner = json!({
        "cpuSeconds": cpu, "wallSeconds": wall, "peakBytes": peak, "runs": passes, "bytesPerKey": bytes_per_key,
    });
    println!("{}", json!({ "records": texts.len(), "selected": keys.len(), "inner": inner }));
    Ok(())
}

fn read_texts(file: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let lines = fs::read_to_string(file)?;
    let records = serde_json::Deserializer::from_str(&lines).into_iter::<Record>();
    Ok(records.map(|record| record.map(|Record { text }| text)).collect::<Result<_, _>>()?)
}

/// The work that is timed.
fn deduplicated(texts: &[String]) -> Result<Outcome, Box<dyn Error>> {
    let batch = grouped(texts)?;
    let outcome = walk(&batch, None, None, &Rules { lexical: None, ..Rules::default() }, &Unwatched)?;
    for &position in &outcome.filtered.positions {
        let first = batch.copy_of(position).ok_or("a dropped record that is no copy")?;
        if texts[position as usize] != texts[first as usize] {
            return Err("two texts with one key".into());
        }
    }
    Ok(outcome)
}

/// The batch of some texts; nothing is held but keys.
fn grouped<T: AsRef<[u8]> + Sync>(texts: &[T]) -> Result<Batch, Box<dyn Error>> {
    let keys_only = DedupOptions {
        normal_form: NormalForm::None,
        verify: Verify::Caller,
        shingles: None,
        texts: Retain::Drop,
        lengths: Retain::Drop,
        ..DedupOptions::default()
    };
    let mut batch = Batch::new(keys_only);
    for block in texts.chunks(BLOCK) {
        batch.push_block(&block)?;
    }
    Ok(batch)
}

fn lines_of(positions: &[u32]) -> Result<String, std::fmt::Error> {
    let mut lines = String::new();
    for position in positions {
        writeln!(lines, "{{\"position\":{position}}}")?;
    }
    Ok(lines)
}

/// A field of the process status that is given in kB.
fn status_bytes(field: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kilobytes: u64 = line.ok_or("no such field")?.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}
