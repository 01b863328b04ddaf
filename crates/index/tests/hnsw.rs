//! `hnsw`: almost every hit, always as many as there are, the same graph whatever is done around it.

mod hnsw_support;

use hnsw_support::{
    DIMENSION, brute_force, clusters, every, graph, graph_of, near_copies, queries, recall, rows_of, texts,
};
use proptest::prelude::*;
use roaring::RoaringBitmap;
use sluice_index::{Among, BackendArgs, IndexError, backends};
use sluice_vector::Metric;

const ROWS: usize = 6_000;

/// The least recall of ten that is promised.
const RECALL: f64 = 0.95;

#[test]
fn it_finds_almost_every_hit_among_real_texts() {
    let (rows, asked, dimension) = texts();
    let graph = graph_of(&rows, &BackendArgs::default(), dimension);
    let live = every(&*graph);
    let recall = recall(&*graph, &asked, &live);
    assert!(recall >= RECALL, "{recall}");
}

#[test]
fn it_finds_almost_every_hit_of_a_filter_and_always_as_many_as_there_are() {
    let rows = clusters(ROWS, 1);
    let graph = graph(&rows, &BackendArgs::default());
    let asked = queries(&rows, 60);
    // Shares of the rows: scattered over all clusters, or the rows of a few of them.
    for every_nth in [1_u32, 2, 5, 10, 20] {
        let scattered: RoaringBitmap =
            every(&*graph).iter().filter(|slot| slot * 7 % every_nth == 0).collect();
        let together: RoaringBitmap = (0..ROWS as u32 / every_nth).collect();
        for slots in [scattered, together] {
            let recall = recall(&*graph, &asked, &slots);
            assert!(recall >= RECALL, "{recall} among {} of {ROWS}", slots.len());
        }
    }
}

#[test]
fn it_gives_as_many_hits_as_are_asked_for_or_all() {
    let rows = clusters(ROWS, 2);
    let graph = graph(&rows, &BackendArgs::default());
    let query = &rows[..DIMENSION];
    for kept in [0, 1, 9, 511, 512, 513, 3_000, ROWS as u32] {
        let slots: RoaringBitmap = (0..kept).map(|slot| slot * 5_003 % ROWS as u32).collect();
        for k in [0, 1, 10, 100, 1_000, ROWS, usize::MAX] {
            let hits = graph.top_k(query, k, Among::Only(&slots)).expect("a good query");
            assert_eq!(hits.len(), k.min(slots.len() as usize), "{k} of {kept}");
            assert!(hits.is_sorted() && hits.iter().all(|hit| slots.contains(hit.slot)), "{k} of {kept}");
            let mut found: Vec<u32> = hits.iter().map(|hit| hit.slot).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), hits.len(), "no slot twice");
            for hit in hits {
                let score = Metric::Cosine.score(query, graph.row(hit.slot));
                assert_eq!(hit.score.to_bits(), score.to_bits(), "the canonical score");
            }
        }
    }
}

#[test]
fn few_rows_are_answered_exactly() {
    let mut rows = clusters(3_000, 30);
    let copies = near_copies(&rows[..DIMENSION], 1e-4, 1_000);
    rows.extend_from_slice(&copies);
    let graph = graph(&rows, &BackendArgs::default());
    for query in rows_of(&queries(&rows, 30)).chain([&rows[..DIMENSION]]) {
        for every_nth in [8_u32, 40, 400] {
            let slots: RoaringBitmap =
                every(&*graph).iter().filter(|slot| slot * 7 % every_nth == 0).collect();
            let truth = brute_force(&*graph, query, &slots);
            for k in [1, 10, 200] {
                let hits = graph.top_k_exactly(Metric::Cosine, query, k, &slots).expect("a good query");
                assert_eq!(hits, truth[..k.min(truth.len())], "{k} of {}", slots.len());
            }
            for threshold in [-1.0, 0.3, 0.9, 0.999_999, 1.0] {
                let hits =
                    graph.at_least_exactly(Metric::Cosine, query, threshold, &slots).expect("a good query");
                let above = truth.iter().take_while(|hit| hit.score >= threshold).count();
                assert_eq!(hits, truth[..above], "{threshold} of {}", slots.len());
            }
        }
    }
}

#[test]
fn a_threshold_has_no_cap_and_finds_almost_everything_above_it() {
    let rows = clusters(ROWS, 3);
    let graph = graph(&rows, &BackendArgs::default());
    let live = every(&*graph);
    let half: RoaringBitmap = live.iter().filter(|slot| slot % 2 == 0).collect();
    let (mut found, mut expected) = (0, 0);
    for query in rows_of(&queries(&rows, 40)) {
        for threshold in [-2.0, -1.0, 0.2, 0.5, 0.8, 0.9, 1.0, 1.5] {
            for slots in [&live, &half] {
                let hits = graph.at_least(query, threshold, Among::Live(slots)).expect("a good query");
                let truth: Vec<_> = brute_force(&*graph, query, slots)
                    .into_iter()
                    .filter(|hit| hit.score >= threshold)
                    .collect();
                assert!(hits.iter().all(|hit| truth.binary_search(hit).is_ok()), "nothing else");
                assert!(hits.is_sorted_by(|a, b| a < b), "in order, none twice");
                (found, expected) = (found + hits.len(), expected + truth.len());
            }
        }
    }
    assert!(expected > 100_000, "{expected} hits: far more than any cap");
    let recall = found as f64 / expected as f64;
    assert!(recall >= 0.99, "{recall}");
}

#[test]
fn removed_slots_stay_as_waypoints_and_are_never_found() {
    let rows = clusters(ROWS, 4);
    let graph = graph(&rows, &BackendArgs::default());
    let asked = queries(&rows, 60);
    // Two thirds are gone, whole clusters among them.
    let live: RoaringBitmap = (0..ROWS as u32).filter(|slot| slot % 3 == 0 && slot % 5 != 0).collect();
    let recall = recall(&*graph, &asked, &live);
    assert!(recall >= RECALL, "{recall}");
}

#[test]
fn a_thousand_copies_do_not_hide_each_other_or_the_rest() {
    let mut rows = clusters(2_000, 5);
    let copy = rows[..DIMENSION].to_vec();
    (0..1_000).for_each(|_| rows.extend_from_slice(&copy));
    rows.extend(clusters(2_000, 6));
    let graph = graph(&rows, &BackendArgs::default());
    let live = every(&*graph);
    let hits = graph.top_k(&copy, 500, Among::Live(&live)).expect("a good query");
    assert_eq!(
        hits.iter().map(|hit| hit.slot).collect::<Vec<_>>(),
        [vec![0], (2_000..2_499).collect()].concat()
    );
    assert_eq!(graph.at_least(&copy, hits[0].score, Among::Live(&live)).expect("a good query").len(), 1_001);
    let without: RoaringBitmap = live.iter().filter(|&slot| slot != 0 && slot != 2_500).collect();
    let hits = graph.top_k(&copy, 500, Among::Live(&without)).expect("a good query");
    assert_eq!(hits.iter().map(|hit| hit.slot).collect::<Vec<_>>(), (2_000..2_500).collect::<Vec<_>>());
    let asked = queries(&rows[3_000 * DIMENSION..], 60);
    let recall = recall(&*graph, &asked, &live);
    assert!(recall >= RECALL, "{recall}");
    // Copies cost no row and no place in the graph.
    let alone =
        hnsw_support::graph(&[clusters(2_000, 5), clusters(2_000, 6)].concat(), &BackendArgs::default());
    assert!(graph.bytes() < alone.bytes() * 11 / 10, "{} and {}", graph.bytes(), alone.bytes());
}

#[test]
fn a_thousand_rows_that_codes_cannot_tell_apart_are_found_too() {
    [1e-7, 1e-6].into_iter().for_each(near_copies_are_found);
}

#[test]
fn a_thousand_rows_that_are_almost_one_are_found_too() {
    [1e-5, 1e-4, 1e-3, 1e-2].into_iter().for_each(near_copies_are_found);
}

fn near_copies_are_found(step: f32) {
    let mut rows = clusters(3_000, 7);
    let copies = near_copies(&rows[..DIMENSION], step, 1_000);
    rows.extend_from_slice(&copies);
    rows.extend(clusters(3_000, 8));
    let graph = graph(&rows, &BackendArgs::default());
    let live = every(&*graph);
    let recall = recall(&*graph, &queries(&rows, 60), &live);
    assert!(recall >= RECALL, "{recall}, {step}");
    let copy = &rows[..DIMENSION];
    let expected = brute_force(&*graph, copy, &live).iter().filter(|hit| hit.score >= 0.99).count();
    let found = graph.at_least(copy, 0.99, Among::Live(&live)).expect("a good query").len();
    assert!(expected > 1_000 && found as f64 >= 0.99 * expected as f64, "{found} of {expected}, {step}");
}

#[test]
fn the_same_rows_make_the_same_bytes_however_they_come_and_on_however_many_threads() {
    let mut rows = clusters(2_500, 9);
    rows.extend_from_within(..300 * DIMENSION);
    let bytes = |cut_rows: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut graph = graph(&[], &BackendArgs::default());
            rows.chunks(cut_rows * DIMENSION).for_each(|rows| hnsw_support::add(&mut *graph, rows));
            hnsw_support::body(&*graph)
        })
    };
    let whole = bytes(2_800, 1);
    for (cut_rows, threads) in [(2_800, 4), (1, 1), (37, 2), (1_000, 3)] {
        assert!(bytes(cut_rows, threads) == whole, "{cut_rows} at a time, {threads} threads");
    }
}

#[test]
fn a_cancelled_addition_leaves_everything_as_it_was() {
    let rows = clusters(1_500, 10);
    let (first, second) = rows.split_at(700 * DIMENSION);
    let mut cancelled = graph(first, &BackendArgs::default());
    let before = hnsw_support::body(&*cancelled);
    for polls in [0, 1, 3] {
        let left = std::sync::atomic::AtomicUsize::new(polls);
        let stop = || {
            let decrement = |left: usize| left.checked_sub(1);
            left.fetch_update(
                std::sync::atomic::Ordering::Relaxed,
                std::sync::atomic::Ordering::Relaxed,
                decrement,
            )
            .is_err()
        };
        let result = cancelled.add(&hnsw_support::view(second), &stop);
        assert!(matches!(result, Err(IndexError::Cancelled)), "after {polls} polls");
        assert!(hnsw_support::body(&*cancelled) == before, "after {polls} polls");
    }
    hnsw_support::add(&mut *cancelled, second);
    assert!(hnsw_support::body(&*cancelled) == hnsw_support::body(&*graph(&rows, &BackendArgs::default())));
}

#[test]
fn arguments_are_numbers_in_a_range_and_metrics_are_the_cosine() {
    let create = |args: &BackendArgs, metric| {
        backends::create("hnsw", args, metric, hnsw_support::dimension()).map(|backend| backend.args())
    };
    let args = |name: &str, value| BackendArgs::default().with(name, value);
    let defaults = args("m", 16.0).with("efConstruction", 128.0).with("efSearch", 64.0).with("seed", 0.0);
    assert_eq!(create(&BackendArgs::default(), Metric::Cosine).expect("defaults"), defaults);
    for (name, value) in [
        ("m", 3.0),
        ("m", 65.0),
        ("m", 16.5),
        ("efConstruction", 7.0),
        ("efSearch", 0.0),
        ("seed", -1.0),
        ("efSearch", f64::NAN),
    ] {
        let refused = create(&args(name, value), Metric::Cosine).expect_err("out of range");
        assert_eq!(refused.code(), "INDEX_ARGUMENT", "{name} {value}");
    }
    let refused = create(&args("ef", 10.0), Metric::Cosine).expect_err("unknown");
    assert!(refused.to_string().contains("m, efConstruction, efSearch, seed"), "{refused}");
    for metric in [Metric::Dot, Metric::L2] {
        let refused = create(&BackendArgs::default(), metric).expect_err("refused");
        assert_eq!(refused.code(), "INDEX_METRIC_UNSUPPORTED");
        assert!(refused.to_string().contains("flat"), "the way out is named: {refused}");
    }
}

#[test]
fn other_arguments_make_other_graphs_that_answer_too() {
    let rows = clusters(3_000, 11);
    let default = hnsw_support::body(&*graph(&rows, &BackendArgs::default()));
    for (name, value) in
        [("m", 8.0), ("m", 32.0), ("efConstruction", 64.0), ("seed", 5.0), ("efSearch", 128.0)]
    {
        let graph = graph(&rows, &BackendArgs::default().with(name, value));
        assert!(hnsw_support::body(&*graph) != default, "{name}");
        let recall = recall(&*graph, &queries(&rows, 40), &every(&*graph));
        assert!(recall >= 0.9, "{name} {value}: {recall}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_rows_at_all_are_answered(
        picks in prop::collection::vec((0_usize..40, any::<bool>()), 0..900),
        k in 1_usize..30,
    ) {
        // Few distinct rows, many copies, their opposites: the worst for a graph.
        let source = clusters(40, 12);
        let rows: Vec<f32> = picks
            .iter()
            .flat_map(|&(row, opposite)| {
                let sign = if opposite { -1.0 } else { 1.0 };
                source[row * DIMENSION..][..DIMENSION].iter().map(move |component| sign * component)
            })
            .collect();
        let graph = graph(&rows, &BackendArgs::default().with("efSearch", 1.0));
        let live = every(&*graph);
        let query = &source[..DIMENSION];
        let hits = graph.top_k(query, k, Among::Live(&live)).expect("a good query");
        prop_assert_eq!(hits.len(), k.min(picks.len()));
        let read = hnsw_support::read(&hnsw_support::body(&*graph)).expect("our own body");
        prop_assert_eq!(read.top_k(query, k, Among::Live(&live)).expect("a good query"), hits);
    }
}
