//! Deduplicates a JSONL file (`{"text": ...}` a line) from standard input and prints counts, and CPU seconds a step.
//!
//! `xz -dc passages.jsonl.xz | RAYON_NUM_THREADS=1 cargo run --release --example passages [MODEL_FOLDER]`
//!
//! With a static model, vectors are compared too.

use std::error::Error;
use std::io::BufRead;
use std::path::Path;
use std::sync::Mutex;

use sluice_dedup::{
    Batch, Cosine, DedupOptions, LexicalRule, Retain, Rules, SemanticRule, Step, Vectors, Verify, Watch, walk,
};
use sluice_embed::{Embedder, StaticModel, embed_all};

/// Adds up the CPU seconds between calls.
struct Clock(Mutex<Times>);

struct Times {
    step: Step,
    since: f64,
    sums: Vec<(Step, f64)>,
}

impl Clock {
    fn start() -> Self {
        let sums = Step::ALL.map(|step| (step, 0.0)).to_vec();
        Self(Mutex::new(Times { step: Step::Order, since: cpu_seconds(), sums }))
    }

    fn report(self) -> String {
        self.step(Step::Spell, 0, 0);
        let sums = self.0.into_inner().map_or(Vec::new(), |times| times.sums);
        let steps: Vec<String> =
            sums.iter().map(|(step, sum)| format!("{} {sum:.2}", step.as_str())).collect();
        steps.join(", ")
    }
}

impl Watch for Clock {
    fn step(&self, step: Step, _done: u64, _total: u64) {
        let Ok(mut times) = self.0.lock() else { return };
        let (before, now) = (times.step, cpu_seconds());
        let elapsed = now - times.since;
        if let Some((_, sum)) = times.sums.iter_mut().find(|(step, _)| *step == before) {
            *sum += elapsed;
        }
        (times.step, times.since) = (step, now);
    }
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut texts = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let value: serde_json::Value = serde_json::from_str(&line?)?;
        texts.push(value["text"].as_str().unwrap_or_default().to_owned());
    }
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
    let start = cpu_seconds();
    let class_texts: Vec<_> =
        (0..batch.classes() as u32).map(|class| batch.class_text(class).unwrap_or_default()).collect();
    let mut rows = vec![0.0; class_texts.len() * model.dimension()];
    embed_all(model, &class_texts[..], &mut rows, &|| false)?;
    let embedded = cpu_seconds();
    let vectors = Vectors::new(&rows, model.dimension(), batch.classes())?;
    println!("embed {:.2} CPU-s ({}), check {:.2}", embedded - start, model.id(), cpu_seconds() - embedded);
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
    let start = cpu_seconds();
    let mut batch = Batch::new(options);
    for block in texts.chunks(4096) {
        batch.push_block(&block)?;
    }
    let (bytes, classes) = (batch.bytes(), batch.classes().max(1));
    println!(
        "    group {:.2} CPU-s; batch {} MB, {:.1} bytes a class",
        cpu_seconds() - start,
        bytes / 1_000_000,
        bytes as f64 / classes as f64
    );
    Ok(batch)
}

fn walked(batch: &Batch, vectors: Option<Vectors<'_>>, rules: &Rules) -> Result<(), Box<dyn Error>> {
    let start = cpu_seconds();
    let clock = Clock::start();
    let outcome = walk(batch, vectors, None, rules, &clock)?;
    let counts = &outcome.counts;
    println!(
        "    walk {:.2} CPU-s: {}; {} classes, {} lexical, {} semantic, {} near, {} selected",
        cpu_seconds() - start,
        clock.report(),
        counts.classes,
        counts.lexical,
        counts.semantic,
        outcome.near.len(),
        counts.selected
    );
    Ok(())
}
