//! `flat` answers like brute force with the canonical score: ties, removals, filters, any number of queries.

mod support;

use proptest::prelude::*;
use sluice_filter::Filter;
use sluice_index::{Strategy as Way, Want};
use sluice_vector::Metric;
use support::{brute_force, index, metrics, payload, rows};

const FILTERS: [&str; 3] = ["{}", r#"{"third": 1}"#, r#"{"tenth": 7}"#];

proptest! {
    #[test]
    fn every_answer_is_that_of_brute_force(
        (width, flat, queries) in (1_usize..20).prop_flat_map(|n| (Just(n), rows(n, 0..150), rows(n, 1..16))),
        metric in metrics(),
        removed in prop::collection::vec(0_u32..150, 0..40),
        json in prop::sample::select(&FILTERS[..]),
        k in 0_usize..170,
        threshold in prop_oneof![-1.5_f64..1.5, Just(1.0), Just(-1.0), Just(0.0), Just(f64::INFINITY)],
    ) {
        let mut index = index("flat", metric, width, &flat);
        let slots = (flat.len() / width) as u32;
        for slot in removed.iter().copied().filter(|&slot| slot < slots) {
            index.remove(slot);
        }
        let filter = Filter::parse(json).expect("a good filter");
        let among = index.live().iter().filter(|&slot| filter.matches(&payload(slot as usize))).collect();
        for want in [Want::TopK(k), Want::AtLeast(threshold)] {
            let found = index.search(&queries, want, &filter, &|| false).expect("good queries");
            let expected: Vec<_> =
                queries.chunks_exact(width).map(|query| brute_force(&index, query, want, &among)).collect();
            prop_assert_eq!(&found.hits, &expected, "{:?}", want);
            prop_assert_eq!(found.matching, among.len());
            let way = if json == "{}" { Way::Exact } else { Way::ExactSubset };
            prop_assert_eq!(found.strategy, way);
            // One at a time it is the same.
            for (query, expected) in queries.chunks_exact(width).zip(expected) {
                let found = index.search(query, want, &filter, &|| false).expect("a good query");
                prop_assert_eq!(&found.hits, &vec![expected]);
            }
        }
    }

    #[test]
    fn a_threshold_keeps_the_row_that_scores_it_and_not_the_one_below(
        (width, flat) in (1_usize..20).prop_flat_map(|n| (Just(n), rows(n, 2..60))),
        metric in metrics(),
        pick in any::<prop::sample::Index>(),
    ) {
        let index = index("flat", metric, width, &flat);
        let query = &flat[..width];
        let everything = Filter::everything();
        let all = index.search(query, Want::TopK(usize::MAX), &everything, &|| false).expect("a good query");
        let named = all.hits[0][pick.index(all.hits[0].len())];
        let at_least = |threshold| {
            index.search(query, Want::AtLeast(threshold), &everything, &|| false).expect("a good query").hits
        };
        prop_assert!(at_least(named.score)[0].contains(&named));
        prop_assert!(!at_least(named.score.next_up())[0].contains(&named));
    }

    #[test]
    fn a_rebuild_changes_no_answer_but_the_slots(
        (width, flat) in (1_usize..12).prop_flat_map(|n| (Just(n), rows(n, 1..80))),
        metric in metrics(),
        removed in prop::collection::vec(0_u32..80, 0..40),
    ) {
        let mut index = index("flat", metric, width, &flat);
        for &slot in &removed {
            index.remove(slot);
        }
        let (rebuilt, former) = index.rebuild("flat", &sluice_index::BackendArgs::default(), &|| false).expect("live rows");
        prop_assert_eq!(&former, &index.live().iter().collect::<Vec<_>>());
        for json in FILTERS {
            let filter = Filter::parse(json).expect("a good filter");
            let ask = |index: &sluice_index::Index| {
                index.search(&flat[..width], Want::TopK(90), &filter, &|| false).expect("a good query").hits
            };
            let mut found = ask(&rebuilt);
            found[0].iter_mut().for_each(|hit| hit.slot = former[hit.slot as usize]);
            prop_assert_eq!(found, ask(&index));
        }
    }
}

#[test]
fn a_score_is_in_the_natural_unit_of_its_metric() {
    // The rows of the table of score meanings: a, b, c, d against the query (3, 4).
    let rows = [3.0, 4.0, 4.0, -3.0, -3.0, -4.0, 6.0, 8.0];
    for (metric, expected) in [
        (Metric::Cosine, [1.0, 0.0, -1.0, 1.0]),
        (Metric::Dot, [25.0, 0.0, -25.0, 50.0]),
        (Metric::L2, [0.0, -50.0_f64.sqrt(), -10.0, -5.0]),
    ] {
        let index = index("flat", metric, 2, &rows);
        let found =
            index.search(&[3.0, 4.0], Want::TopK(4), &Filter::everything(), &|| false).expect("a good query");
        for hit in &found.hits[0] {
            assert!((hit.score - expected[hit.slot as usize]).abs() < 1e-6, "{metric} {hit:?}");
        }
        assert!(found.hits[0].is_sorted());
    }
}

#[test]
fn the_size_of_the_pool_changes_nothing() {
    let flat: Vec<f32> = (0..6_000_u32).map(|n| ((n * 7919 % 1009) as f32 - 500.0) / 300.0).collect();
    for metric in Metric::ALL {
        let index = index("flat", metric, 6, &flat);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let filter = Filter::parse(r#"{"third": 1}"#).expect("a good filter");
            pool.install(|| index.search(&flat, Want::TopK(5), &filter, &|| false)).expect("good queries")
        };
        assert_eq!(with(1), with(4), "{metric}");
    }
}

#[test]
fn a_filter_that_was_asked_before_sees_what_was_added_and_removed_since() {
    let flat: Vec<f32> = (0..200_u32).map(|n| (n * 7919 % 1009) as f32 - 500.0).collect();
    let mut index = index("flat", Metric::Dot, 2, &flat);
    // More filters than are remembered, asked in turn.
    let filters: Vec<Filter> = (0..12)
        .map(|n| Filter::parse(&format!(r#"{{"tenth": {}, "third": {}}}"#, n % 10, n % 3)).expect("good"))
        .chain(FILTERS.map(|json| Filter::parse(json).expect("a good filter")))
        .collect();
    for change in 0..6_u32 {
        for filter in &filters {
            let among = index.live().iter().filter(|&slot| filter.matches(&payload(slot as usize))).collect();
            let found =
                index.search(&flat[..2], Want::TopK(300), filter, &|| false).expect("a good query").hits;
            assert_eq!(found[0], brute_force(&index, &flat[..2], Want::TopK(300), &among), "{change}");
        }
        if change % 2 == 0 {
            assert!(index.remove(change * 3));
        } else {
            let slot = index.slots();
            index.add(&flat[..2], &[payload(slot)], &|| false).expect("a good row");
        }
    }
}

#[test]
fn the_memory_of_remembered_filters_is_counted_until_the_index_changes() {
    let mut index = index("flat", Metric::Dot, 1, &vec![1.0; 5_000]);
    let before = index.bytes();
    index.select(&Filter::parse(r#"{"third": 1}"#).expect("a good filter"));
    assert!(index.bytes() > before + 1_000, "{} after {before}", index.bytes());
    index.remove(0);
    assert!(index.bytes() < before + 1_000, "{} after {before}", index.bytes());
}
