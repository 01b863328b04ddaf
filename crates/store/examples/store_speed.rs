//! How fast the store writes and reads: `cargo run --release -p sluice-store --example store_speed [rows]`.
//!
//! 256 components, batches of 1,000, payloads of some 200 bytes, texts of twenty words.

use std::time::Instant;

use sluice_filter::Filter;
use sluice_store::{Access, Durability, Left, Point, PointId, Schema, Store, With};
use sluice_vector::{Dimension, Metric};

const DIMENSION: usize = 256;
const BATCH: usize = 1_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: usize = std::env::args().nth(1).map_or(Ok(50_000), |rows| rows.parse())?;
    for (label, durability, texts) in [
        ("process, no text", Durability::Process, false),
        ("power, no text", Durability::Power, false),
        ("process, text", Durability::Process, true),
    ] {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("speed.sluice");
        let mut store = Store::open(&path, Access::ReadWrite, durability)?;
        let name = "c".parse()?;
        let schema =
            Schema { dimension: Dimension::new(DIMENSION)?, metric: Metric::Cosine, embedder_id: None };
        store.ensure_collection(&name, &schema)?;
        let seconds =
            timed(|| (0..rows / BATCH).try_for_each(|batch| upsert(&mut store, &name, batch, texts)))?;
        report(label, "insert", rows, seconds);
        let seconds =
            timed(|| (0..rows / BATCH).try_for_each(|batch| upsert(&mut store, &name, batch, texts)))?;
        report(label, "upsert of equal points", rows, seconds);
        for (what, with) in
            [("scroll", With::default()), ("scroll with vectors", With { vector: true, text: true })]
        {
            let seconds = timed(|| {
                let mut after = None;
                loop {
                    let page = store.scroll(&name, after, 1_000, &Filter::everything(), with)?;
                    match page.next {
                        Some(next) => after = Some(next),
                        None => return Ok(()),
                    }
                }
            })?;
            report(label, what, rows, seconds);
        }
        let seconds = timed(|| {
            let mut after = 0;
            loop {
                let changes = store.changes(&name, after, 1_000)?;
                after = changes.last;
                if changes.left == Left::Nothing {
                    return Ok(());
                }
            }
        })?;
        report(label, "changes (rebuild)", rows, seconds);
        let scope = Filter::parse(r#"{"tenant_id":"t7"}"#)?;
        let seconds = timed(|| store.count(&name, &scope).map(drop))?;
        report(label, "count of one tenant of 100", rows / 100, seconds);
        if texts {
            let seconds = timed(|| store.search_text(&name, "w17 w4", 10, &Filter::everything()).map(drop))?;
            println!("{label:20} search_text: {:.2} ms", seconds * 1e3);
        }
        println!("{label:20} file: {:.1} bytes a row", std::fs::metadata(&path)?.len() as f64 / rows as f64);
    }
    Ok(())
}

fn upsert(
    store: &mut Store,
    name: &sluice_store::CollectionName,
    batch: usize,
    texts: bool,
) -> Result<(), sluice_store::StoreError> {
    let rows = batch * BATCH..(batch + 1) * BATCH;
    let mut vectors = Vec::with_capacity(BATCH * DIMENSION);
    let mut strings = Vec::with_capacity(BATCH);
    for row in rows.clone() {
        vectors.extend((0..DIMENSION).map(|component| ((row * 31 + component * 17) % 1009) as f32 - 504.0));
        let payload = format!(
            r#"{{"tenant_id":"t{}","n":{row},"kind":"note","source":"{}"}}"#,
            row % 100,
            "some/folder/".repeat(12)
        );
        let text =
            (0..20).map(|word| format!("w{}", (row * 7 + word * word) % 5000)).collect::<Vec<_>>().join(" ");
        strings.push((payload, text));
    }
    let points: Vec<Point<'_>> = rows
        .zip(&strings)
        .zip(vectors.chunks_exact(DIMENSION))
        .map(|((row, (payload, text)), vector)| Point {
            // Spread like hashes.
            id: PointId::from_bytes(
                (row as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes(),
            ),
            vector,
            payload,
            text: texts.then_some(text),
        })
        .collect();
    store.upsert(name, &points).map(drop)
}

fn timed(
    work: impl FnOnce() -> Result<(), sluice_store::StoreError>,
) -> Result<f64, sluice_store::StoreError> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed().as_secs_f64())
}

fn report(label: &str, what: &str, rows: usize, seconds: f64) {
    println!("{label:20} {what}: {:.0} rows/s", rows as f64 / seconds);
}
