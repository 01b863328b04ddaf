//! Rows, and the definition of an answer.

#![allow(dead_code, reason = "no test file uses all of it")]

use proptest::prelude::*;
use roaring::RoaringBitmap;
use serde_json::{Value, json};
use sluice_index::{BackendArgs, Hit, Index, Want};
use sluice_vector::{Dimension, Metric};

/// Rows with many ties: some anew, some copies, some opposites or near copies of earlier ones.
pub fn rows(width: usize, count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f32>> {
    let row = (0..5_u8, any::<prop::sample::Index>(), prop::collection::vec(-1.0_f32..1.0, width));
    prop::collection::vec(row, count).prop_map(move |recipes| {
        let mut flat: Vec<f32> = Vec::new();
        for (kind, of, row) in recipes {
            let held = flat.len() / width;
            let earlier =
                if held == 0 { row.clone() } else { flat[of.index(held) * width..][..width].to_vec() };
            flat.extend(match kind {
                0 => earlier,
                1 => earlier.iter().map(|component| -component).collect(),
                2 => earlier.iter().zip(&row).map(|(a, b)| a + 0.01 * b).collect(),
                _ => row,
            });
        }
        // No row without a direction.
        flat.chunks_exact_mut(width)
            .for_each(|row| row[0] += if row.iter().all(|&x| x == 0.0) { 1.0 } else { 0.0 });
        flat
    })
}

pub fn metrics() -> impl Strategy<Value = Metric> {
    prop::sample::select(&Metric::ALL[..])
}

/// The payload of a slot: what the tests filter by.
pub fn payload(slot: usize) -> Value {
    json!({ "third": slot % 3, "tenth": slot % 10 })
}

pub fn payloads(count: usize) -> Vec<Value> {
    (0..count).map(payload).collect()
}

pub fn index(backend: &str, metric: Metric, width: usize, flat: &[f32]) -> Index {
    let dimension = Dimension::new(width).expect("in range");
    let mut index = Index::new(backend, &BackendArgs::default(), metric, dimension).expect("a known backend");
    index.add(flat, &payloads(flat.len() / width), &|| false).expect("good rows");
    index
}

/// The definition: every slot that may be found is scored by the canonical score.
pub fn brute_force(index: &Index, query: &[f32], want: Want, among: &RoaringBitmap) -> Vec<Hit> {
    let query = index.metric().prepare(query.to_vec(), index.dimension()).expect("a good query");
    let score = |slot| index.metric().score(&query, index.row(slot).expect("live"));
    let mut hits: Vec<Hit> = among.iter().map(|slot| Hit { slot, score: score(slot) }).collect();
    hits.sort();
    match want {
        Want::TopK(k) => hits.truncate(k),
        Want::AtLeast(threshold) => hits.retain(|hit| hit.score >= threshold),
    }
    hits
}
