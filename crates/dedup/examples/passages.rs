//! Deduplicates a JSONL file (`{"text": ...}` a line) from standard input and prints counts, and CPU seconds a step.
//!
//! `xz -dc passages.jsonl.xz | RAYON_NUM_THREADS=1 cargo run --release --example passages [MODEL_FOLDER]`
//!
//! With a static model, vectors are compared too.

use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use cpu_time::ProcessTime;
use serde::Deserialize;
use sluice_dedup::{
    Batch, Cosine, DedupOptions, LexicalRule, Retain, Rules, SemanticRule, Step, Vectors, Verify, Watch, walk,
};
use sluice_embed::{Embedder, StaticModel, embed_all};

/// Adds up the CPU seconds between calls.
struct Clock(Mutex<Times>);

struct Times {
    step: Step,
    since: ProcessTime,
    sums: Vec<(Step, Duration)>,
}

impl Clock {
    fn start() -> Self {
        let sums = Step::ALL.map(|step| (step, Duration::ZERO)).to_vec();
        Self(Mutex::new(Times { step: Step::Order, since: ProcessTime::now(), sums }))
    }

    fn report(self) -> String {
        self.step(Step::Spell, 0, 0);
        let sums = self.0.into_inner().map_or(Vec::new(), |times| times.sums);
        let steps: Vec<String> =
            sums.iter().map(|(step, sum)| format!("{} {:.2}", step.as_str(), sum.as_secs_f64())).collect();
        steps.join(", ")
    }
}

impl Watch for Clock {
    fn step(&self, step: Step, _done: u64, _total: u64) {
        let Ok(mut times) = self.0.lock() else { return };
        let (before, elapsed) = (times.step, times.since.elapsed());
        if let Some((_, sum)) = times.sums.iter_mut().find(|(step, _)| *step == before) {
            *sum += elapsed;
        }
        (times.step, times.since) = (step, ProcessTime::now());
    }
}

/// A line of standard input.
#[derive(Deserialize)]
struct Record {
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let records = serde_json::Deserializer::from_reader(std::io::stdin().lock()).into_iter::<Record>();
    let texts: Vec<String> =
        records.map(|record| record.map(|Record { text }| text)).collect::<Result<_, _>>()?;
    println!("{} texts", texts.len());
    match std::env::args().nth(1) {
        None => without_vectors(&texts),
        Some(folder) => with_vectors(&texts, &StaticModel::load(Path::new(&folder))?),
    }
}

fn without_vectors(texts: &[String]) -> Result<(), Box<dyn Error>> {
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
        println!("{name}");
        let batch = grouped(texts, options)?;
        walked(&batch, None, &rules)?;
    }
    Ok(())
}

fn with_vectors(texts: &[String], model: &dyn Embedder) -> Result<(), Box<dyn Error>> {
    let batch = grouped(texts, DedupOptions::default())?;
    let start = ProcessTime::now();
    let class_texts: Vec<_> =
        (0..batch.classes() as u32).map(|class| batch.class_text(class).unwrap_or_default()).collect();
    let mut rows = vec![0.0; class_texts.len() * model.dimension()];
    embed_all(model, &class_texts[..], &mut rows, &|| false)?;
    let embedded = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    let vectors = Vectors::new(&rows, model.dimension(), batch.classes())?;
    println!("embed {embedded:.2} CPU-s ({}), check {:.2}", model.id(), start.elapsed().as_secs_f64());
    let lexical = Rules::default().lexical;
    for (name, lexical, cosine, floor) in [
        ("semantic 0.9", None, 0.9, 1.0),
        ("semantic 0.9, floor 0.8", None, 0.9, 0.8),
        ("lexical, semantic 0.9", lexical, 0.9, 1.0),
    ] {
        println!("{name}");
        walked(&batch, Some(vectors), &rules(lexical, cosine, floor)?)?;
    }
    Ok(())
}

fn rules(lexical: Option<LexicalRule>, cosine: f64, floor: f64) -> Result<Rules, Box<dyn Error>> {
    let semantic = Some(SemanticRule { cosine: Cosine::new(cosine)?, floor: Cosine::new(floor)? });
    Ok(Rules { lexical, semantic, ..Rules::default() })
}

fn grouped(texts: &[String], options: DedupOptions) -> Result<Batch, Box<dyn Error>> {
    let start = ProcessTime::now();
    let mut batch = Batch::new(options);
    for block in texts.chunks(4096) {
        batch.push_block(&block)?;
    }
    let (bytes, classes) = (batch.bytes(), batch.classes().max(1));
    println!(
        "    group {:.2} CPU-s; batch {} MB, {:.1} bytes a class",
        start.elapsed().as_secs_f64(),
        bytes / 1_000_000,
        bytes as f64 / classes as f64
    );
    Ok(batch)
}

fn walked(batch: &Batch, vectors: Option<Vectors<'_>>, rules: &Rules) -> Result<(), Box<dyn Error>> {
    let start = ProcessTime::now();
    let clock = Clock::start();
    let outcome = walk(batch, vectors, None, rules, &clock)?;
    let counts = &outcome.counts;
    println!(
        "    walk {:.2} CPU-s: {}; {} classes, {} lexical, {} semantic, {} near, {} selected",
        start.elapsed().as_secs_f64(),
        clock.report(),
        counts.classes,
        counts.lexical,
        counts.semantic,
        outcome.near.len(),
        counts.selected
    );
    Ok(())
}
