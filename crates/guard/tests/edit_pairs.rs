//! The guard on edited sentences: which share of each kind of edit is vetoed, and what that does to a cosine threshold.
//!
//! The guards were developed on the even lines only; the odd lines are the test.

use std::collections::BTreeMap;
use std::path::Path;

use sluice_guard::{Guard, Guards, veto};

struct Pair {
    kind: String,
    is_same: bool,
    a: String,
    b: String,
    cosine: f64,
}

/// The pairs in file order, with the cosine of the shipped static embedder.
fn pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    // `test/guard/edit-pairs.test.ts` computes them again.
    let cosines = read("tests/data/edit-pairs-cosines.txt");
    // The pairs that the embedder is evaluated on, too.
    let lines = read("../../bench/evaluation/data/edit-pairs/pairs.tsv");
    assert_eq!(lines.lines().count(), cosines.lines().count(), "a cosine for each pair");
    lines
        .lines()
        .zip(cosines.lines())
        .map(|(line, cosine)| {
            let columns: Vec<_> = line.split('\t').collect();
            let [kind, label, a, b] = columns[..] else { panic!("{line}") };
            Pair {
                kind: kind.into(),
                is_same: label == "1",
                a: a.replace("\\n", "\n"),
                b: b.replace("\\n", "\n"),
                cosine: cosine.parse().unwrap(),
            }
        })
        .collect()
}

/// Precision and recall of "cosine >= 0.9 and no veto" as a judgement of "same".
fn quality<'p>(pairs: impl Iterator<Item = &'p Pair>, guards: Guards) -> (f64, f64) {
    let (mut kept, mut right, mut same) = (0.0, 0.0, 0.0);
    for pair in pairs {
        same += f64::from(u8::from(pair.is_same));
        if pair.cosine >= 0.9 && veto(&pair.a, &pair.b, guards).is_none() {
            kept += 1.0;
            right += f64::from(u8::from(pair.is_same));
        }
    }
    (right / kept, right / same)
}

#[test]
fn the_guard_makes_a_threshold_precise() {
    let pairs = pairs();
    let lenient = Guards::all().without(Guard::Order);
    for (half, first) in [("even", 1), ("odd", 0)] {
        let mut table: BTreeMap<(bool, &str), BTreeMap<&str, usize>> = BTreeMap::new();
        let half_pairs = || pairs.iter().skip(first).step_by(2);
        for pair in half_pairs().filter(|pair| pair.cosine >= 0.9) {
            let row = table.entry((pair.is_same, &pair.kind)).or_default();
            *row.entry(veto(&pair.a, &pair.b, Guards::all()).map_or("none", Guard::as_str)).or_default() += 1;
        }
        println!("{half} lines, cosine >= 0.9: same?, kind, first guard that vetoes");
        for ((is_same, kind), row) in &table {
            println!("  {is_same:5} {kind:12} {row:?}");
        }
        let floors = [
            ("no guard", Guards::empty(), 0.0, 0.84),
            ("without order", lenient, 0.91, 0.84),
            ("all", Guards::all(), 0.96, 0.84),
        ];
        for (name, guards, precision_floor, recall_floor) in floors {
            let (precision, recall) = quality(half_pairs(), guards);
            println!("  {name:14} precision {precision:.3} recall {recall:.3}");
            assert!(precision >= precision_floor && recall >= recall_floor, "{half} {name}");
        }
    }
}

#[test]
fn edits_that_keep_the_meaning_are_hardly_ever_vetoed() {
    let pairs: Vec<_> = pairs().into_iter().filter(|pair| pair.is_same).collect();
    let vetoed = pairs.iter().filter(|pair| veto(&pair.a, &pair.b, Guards::all()).is_some()).count();
    println!("{vetoed} of {} vetoed", pairs.len());
    assert!(vetoed * 100 <= pairs.len());
}
