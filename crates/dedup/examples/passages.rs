//! Deduplicates a JSONL file (`{"text": ...}` a line) from standard input and prints counts, and CPU seconds a step.
//!
//! `xz -dc passages.jsonl.xz | cargo run --release --example passages`

use std::io::{BufRead, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sluice_dedup::{Batch, DedupOptions, Retain, Rules, Step, Verify, Watch, walk};

/// Adds up the time between calls.
struct Clock(Mutex<Times>);

struct Times {
    step: Step,
    since: Instant,
    sums: Vec<(Step, Duration)>,
}

impl Clock {
    fn start() -> Self {
        let sums = Step::ALL.map(|step| (step, Duration::ZERO)).to_vec();
        Self(Mutex::new(Times { step: Step::Order, since: Instant::now(), sums }))
    }
}

impl Watch for Clock {
    fn step(&self, step: Step, _done: u64, _total: u64) {
        let Ok(mut times) = self.0.lock() else { return };
        let (before, elapsed) = (times.step, times.since.elapsed());
        if let Some((_, sum)) = times.sums.iter_mut().find(|(step, _)| *step == before) {
            *sum += elapsed;
        }
        (times.step, times.since) = (step, Instant::now());
    }
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut texts = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let value: serde_json::Value = serde_json::from_str(&line?)?;
        texts.push(value["text"].as_str().unwrap_or_default().to_owned());
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} texts", texts.len())?;

    let keys_only = DedupOptions {
        verify: Verify::Caller,
        shingles: None,
        texts: Retain::Drop,
        lengths: Retain::Drop,
        ..DedupOptions::default()
    };
    let lexical = DedupOptions { verify: Verify::Caller, texts: Retain::Drop, ..DedupOptions::default() };
    let exact_rules = Rules { lexical: None, ..Rules::default() };
    let runs = [
        ("exact, keys only", keys_only, exact_rules),
        ("exact, bytes verified", DedupOptions { shingles: None, ..DedupOptions::default() }, exact_rules),
        ("lexical, keys only", lexical, Rules::default()),
        ("lexical, bytes verified", DedupOptions::default(), Rules::default()),
    ];
    for (name, options, rules) in runs {
        let start = cpu_seconds();
        let mut batch = Batch::new(options);
        for block in texts.chunks(4096) {
            batch.push_block(&block)?;
        }
        let grouped = cpu_seconds();
        let clock = Clock::start();
        let outcome = walk(&batch, None, None, &rules, &clock)?;
        clock.step(Step::Spell, 0, 0);
        let walked = cpu_seconds();
        let counts = &outcome.counts;
        writeln!(
            out,
            "{name}: {} classes, {} selected; CPU-s {:.2} group + {:.2} walk; batch {} MB, {:.1} bytes a class",
            counts.classes,
            counts.selected,
            grouped - start,
            walked - grouped,
            batch.bytes() / 1_000_000,
            batch.bytes() as f64 / counts.classes.max(1) as f64,
        )?;
        if let Ok(times) = clock.0.lock() {
            let steps: Vec<String> = times
                .sums
                .iter()
                .map(|(step, sum)| format!("{} {:.3}", step.as_str(), sum.as_secs_f64()))
                .collect();
            writeln!(out, "    wall s: {}", steps.join(", "))?;
        }
    }
    Ok(())
}
