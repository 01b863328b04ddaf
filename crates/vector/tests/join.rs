//! The join is brute force: every pair at or above the threshold, no other, in one order, with every
//! instruction set.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use sluice_vector::{CosineJoin, Dimension, Hit, Instructions, Matrix, VectorError, dot};
use support::{join, rows};

fn search(join: &CosineJoin, queries: &Matrix, threshold: f64) -> Vec<Hit> {
    let mut hits = vec![Hit { query: 9, target: 9, score: 9.0 }];
    join.search(queries.as_flat(), threshold, &|| false, &mut hits).expect("unit rows, not cancelled");
    hits
}

fn brute_force(queries: &Matrix, targets: &Matrix, threshold: f64) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (query, a) in (0..).zip(queries.rows()) {
        let first = hits.len();
        for (target, b) in (0..).zip(targets.rows()) {
            let score = dot(a, b);
            if score >= threshold {
                hits.push(Hit { query, target, score });
            }
        }
        hits[first..].sort_by(|a, b| b.score.total_cmp(&a.score).then(a.target.cmp(&b.target)));
    }
    hits
}

/// Queries and targets of one dimension: enough for several blocks and panels, sometimes none.
fn sides() -> impl Strategy<Value = (Matrix, Matrix)> {
    (1_usize..300).prop_flat_map(|dimension| (rows(dimension, 0..40), rows(dimension, 0..80)))
}

fn thresholds() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.8..1.0, 2 => -1.0..1.0, 1 => Just(1.0), 1 => Just(-1.0), 1 => Just(0.0)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn finds_what_brute_force_finds((queries, targets) in sides(), threshold in thresholds()) {
        let expected = brute_force(&queries, &targets, threshold);
        for instructions in Instructions::available() {
            prop_assert_eq!(&search(&join(&targets, instructions), &queries, threshold), &expected, "{}", instructions.name());
        }
    }

    #[test]
    fn a_pair_at_exactly_the_threshold_is_in((queries, targets) in sides(), pair in any::<(prop::sample::Index, prop::sample::Index)>()) {
        prop_assume!(!queries.is_empty() && !targets.is_empty());
        let (query, target) = (pair.0.index(queries.len()), pair.1.index(targets.len()));
        let score = dot(queries.row(query), targets.row(target));
        prop_assume!(score.abs() < 1.0);
        let named = |hit: &Hit| (hit.query as usize, hit.target as usize) == (query, target);
        for instructions in Instructions::available() {
            let join = join(&targets, instructions);
            prop_assert!(search(&join, &queries, score).iter().any(named));
            prop_assert!(!search(&join, &queries, score.next_up()).iter().any(named));
        }
    }

    #[test]
    fn targets_may_come_between_searches((queries, targets) in sides(), cut in any::<prop::sample::Index>()) {
        prop_assume!(!targets.is_empty());
        let cut = cut.index(targets.len());
        for instructions in Instructions::available() {
            let mut join = CosineJoin::new(targets.dimension(), instructions);
            for (position, row) in targets.rows().enumerate() {
                if position == cut {
                    let mut before = brute_force(&queries, &targets, 0.9);
                    before.retain(|hit| (hit.target as usize) < cut);
                    prop_assert_eq!(search(&join, &queries, 0.9), before);
                }
                join.append(row).expect("a unit row");
            }
            prop_assert_eq!(search(&join, &queries, 0.9), brute_force(&queries, &targets, 0.9));
        }
    }
}

/// Rows `(cos, sin)`, each a golden angle on from the last: evenly spread, and near ones far apart in order.
fn circle(count: u32) -> Matrix {
    let mut matrix = Matrix::new(Dimension::new(2).expect("in range"));
    for position in 0..count {
        let angle = f64::from(position) * 2.399_963;
        matrix.push(&[angle.cos() as f32, angle.sin() as f32]).expect("finite");
    }
    matrix.normalize().expect("directions");
    matrix
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // Many groups of panels, and with 2 components one chunk; see the next test for many chunks.
    let rows = circle(3_000);
    let join = join(&rows, Instructions::detect());
    let found = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| search(&join, &rows, 0.999))
    });
    assert_eq!(found[0], brute_force(&rows, &rows, 0.999));
    assert!(found[0] == found[1] && found[1] == found[2]);
}

#[test]
fn the_largest_dimension_works_over_many_chunks() {
    let dimension = Dimension::new(Dimension::MAX).expect("in range");
    let mut rows = Matrix::new(dimension);
    for position in 0..40_u32 {
        // One component each, in pairs; and a flat row, whose codes are all as large as can be.
        let mut row = vec![if position % 10 == 9 { 1.0 } else { 0.0 }; dimension.get()];
        row[position as usize / 2 * 1_000] += 1.0;
        rows.push(&row).expect("finite");
    }
    rows.normalize().expect("directions");
    for instructions in Instructions::available() {
        let join = join(&rows, instructions);
        for threshold in [0.003, 0.9] {
            assert_eq!(
                search(&join, &rows, threshold),
                brute_force(&rows, &rows, threshold),
                "{}",
                instructions.name()
            );
        }
    }
}

#[test]
fn what_is_no_unit_row_is_refused_by_position() {
    let dimension = Dimension::new(2).expect("in range");
    let cases = [
        (vec![0.6, 0.8, 0.0, 0.0], VectorError::ZeroVector { row: 1 }),
        (vec![0.6, 0.8, 0.0, f32::NAN], VectorError::NotFinite { row: 1, column: 1 }),
        (
            vec![0.6, 0.8, 0.0, 2.0],
            VectorError::NotUnit { row: 1, expected: 1.0, tolerance: 1e-4, received: 2.0 },
        ),
    ];
    for (flat, expected) in cases {
        let mut join = CosineJoin::new(dimension, Instructions::detect());
        join.append(&flat[..2]).expect("a unit row");
        assert_eq!(join.append(&flat[2..]), Err(expected));
        assert_eq!(join.len(), 1);
        let mut hits = Vec::new();
        assert_eq!(join.search(&flat, 0.5, &|| false, &mut hits), Err(expected));
        assert!(hits.is_empty());
    }
    let mut join = CosineJoin::new(dimension, Instructions::detect());
    assert_eq!(join.append(&[1.0]), Err(VectorError::Dimension { row: 0, expected: 2, received: 1 }));
    let refused = join.search(&[1.0, 0.0, 1.0], 0.5, &|| false, &mut Vec::new());
    assert_eq!(refused, Err(VectorError::Ragged { expected: 2, received: 3 }));
}

#[test]
fn of_many_bad_queries_the_first_is_reported() {
    let rows = circle(2);
    let mut flat = circle(400_000).as_flat().to_vec();
    for bad in [799_999, 600_001, 500_003] {
        flat[bad] = f32::NAN;
    }
    let refused = join(&rows, Instructions::detect()).search(&flat, 0.5, &|| false, &mut Vec::new());
    assert_eq!(refused, Err(VectorError::NotFinite { row: 250_001, column: 1 }));
}

#[test]
fn a_threshold_is_a_cosine() {
    let rows = circle(3);
    let join = join(&rows, Instructions::detect());
    for threshold in [1.000_001, -1.1, f64::INFINITY] {
        let refused = join.search(rows.as_flat(), threshold, &|| false, &mut Vec::new());
        assert_eq!(
            refused,
            Err(VectorError::ThresholdOutOfRange { expected: "between -1 and 1", received: threshold })
        );
    }
    let refused = join.search(rows.as_flat(), f64::NAN, &|| false, &mut Vec::new());
    assert_eq!(refused.map_err(|error| error.code()), Err("VECTOR_THRESHOLD_OUT_OF_RANGE"));
}

#[test]
fn a_search_stops_when_asked() {
    let rows = circle(5_000);
    let join = join(&rows, Instructions::detect());
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
    let mut hits = Vec::new();
    assert_eq!(join.search(rows.as_flat(), 0.0, &cancelled, &mut hits), Err(VectorError::Cancelled));
    assert!(hits.is_empty());
    // Once a thread has seen the answer, no thread begins another task: far fewer questions than the 157
    // panels.
    assert!(asked.load(Ordering::Relaxed) < 157);
}

#[test]
fn memory_is_five_bytes_a_component_and_room_to_grow() {
    let mut rows = Matrix::new(Dimension::new(256).expect("in range"));
    for position in 0..256 {
        let mut row = vec![0.0; 256];
        row[position] = 1.0;
        rows.push(&row).expect("finite");
    }
    let bytes = join(&rows, Instructions::detect()).bytes();
    assert!((256 * 256 * 5..2 * 256 * 260 * 5).contains(&bytes), "{bytes}");
}
