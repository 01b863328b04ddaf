//! A writer is killed at any moment: what it acknowledged is there, and no batch is there in part.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sluice_filter::Filter;
use sluice_store::{Access, Durability, Point, PointId, Store};
use sluice_vector::Metric;
use support::{Seeded, export, filter, name, schema};

const ROUNDS: u64 = 50;
const BATCH: u64 = 20;
const DIMENSION: usize = 16;
/// Tells the child where to write; without it the child's test does nothing.
const STORE_VARIABLE: &str = "SLUICE_TEST_STORE";

fn point_id(batch: u64, at: u64) -> PointId {
    let mut seeded = Seeded(batch * BATCH + at);
    let halves = [seeded.below(u64::MAX), seeded.below(u64::MAX)].map(u64::to_be_bytes);
    PointId::from_bytes(std::array::from_fn(|byte| halves[byte / 8][byte % 8]))
}

fn vector(batch: u64, at: u64) -> [f32; DIMENSION] {
    std::array::from_fn(|component| (batch * 31 + at * 7 + component as u64) as f32 + 1.0)
}

/// The process that is killed: it writes batch after batch and says so after each.
#[test]
fn child_writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(STORE_VARIABLE) else { return };
    let mut store = Store::open(Path::new(&path), Access::ReadWrite, Durability::Process).unwrap();
    let c = name("c");
    store.ensure_collection(&c, &schema(DIMENSION, Metric::Cosine)).unwrap();
    let first = store.count(&c, &Filter::everything()).unwrap() / BATCH;
    for batch in first..first + 1_000_000 {
        let vectors: Vec<_> = (0..BATCH).map(|at| vector(batch, at)).collect();
        let payload = format!(r#"{{"user_id":"b{batch}"}}"#);
        let text = format!("batch {batch}");
        let points: Vec<Point<'_>> = (0..BATCH)
            .map(|at| Point {
                id: point_id(batch, at),
                vector: &vectors[at as usize],
                payload: &payload,
                text: Some(&text),
            })
            .collect();
        store.upsert(&c, &points).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "stored {batch}").unwrap();
        out.flush().unwrap();
    }
}

/// Lets a child write for a while and kills it; gives the last batch that it acknowledged.
fn killed_after(path: &PathBuf, delay: Duration) -> Option<u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_writes_until_it_is_killed", "--nocapture"])
        .env(STORE_VARIABLE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(delay);
    child.kill().unwrap(); // SIGKILL
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let last =
        lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("stored ")?.parse().ok()).last();
    child.wait().unwrap();
    last
}

#[test]
fn every_acknowledged_batch_survives_kill_9_whole() {
    let folder = tempfile::tempdir().unwrap();
    let c = name("c");
    let mut random = Seeded(4);
    let (mut path, mut acknowledged, mut rounds_with_writes) = (PathBuf::new(), None, 0);
    for round in 0..ROUNDS {
        // Every tenth round begins a new store and is killed early: while the file is being made, too.
        let fresh = round % 10 == 0;
        if fresh {
            path = folder.path().join(format!("{round}.sluice"));
            acknowledged = None;
        }
        let delay = Duration::from_micros(random.below(if fresh { 15_000 } else { 60_000 }));
        let last = killed_after(&path, delay);
        rounds_with_writes += usize::from(last.is_some());
        acknowledged = last.or(acknowledged);
        // The lock went with the process.
        let mut store = Store::open(&path, Access::ReadWrite, Durability::Process).unwrap();
        store.ensure_collection(&c, &schema(DIMENSION, Metric::Cosine)).unwrap();
        store.check().unwrap();
        let count = store.count(&c, &Filter::everything()).unwrap();
        assert_eq!(count % BATCH, 0, "round {round}: a batch is there in part");
        let batches = count / BATCH;
        let expected = acknowledged.map_or(0, |last| last + 1);
        assert!(
            (expected..=expected + 1).contains(&batches),
            "round {round}: {expected} batches acknowledged, {batches} found"
        );
        for batch in batches.saturating_sub(3)..batches {
            let rows = export(&store, &c, &filter(&format!(r#"{{"user_id":"b{batch}"}}"#)), 7).unwrap();
            let mut expected: Vec<_> =
                (0..BATCH).map(|at| (point_id(batch, at), vector(batch, at).to_vec())).collect();
            expected.sort_by_key(|(id, _)| *id);
            assert_eq!(rows.into_iter().map(|row| (row.id, row.vector)).collect::<Vec<_>>(), expected);
        }
        acknowledged = batches.checked_sub(1);
    }
    assert!(rounds_with_writes > 10, "the children were killed before they wrote: {rounds_with_writes}");
}
