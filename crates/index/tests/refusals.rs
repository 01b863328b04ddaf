//! What an index refuses, with the code, the numbers, and nothing changed.

mod support;

use serde_json::json;
use sluice_filter::Filter;
use sluice_index::{BackendArgs, Index, IndexError, Want};
use sluice_vector::{Dimension, Metric};
use support::{index, payloads};

fn dimension(width: usize) -> Dimension {
    Dimension::new(width).expect("in range")
}

#[test]
fn a_bad_row_is_refused_by_its_position_and_nothing_is_added() {
    for (metric, rows, code) in [
        (Metric::Cosine, vec![1.0, 0.0, 1.0], "VECTOR_RAGGED"),
        (Metric::Cosine, vec![1.0, 0.0, f32::NAN, 0.0], "VECTOR_NOT_FINITE"),
        (Metric::Dot, vec![1.0, 0.0, f32::INFINITY, 0.0], "VECTOR_NOT_FINITE"),
        (Metric::L2, vec![1.0, 0.0, 0.0, f32::NEG_INFINITY], "VECTOR_NOT_FINITE"),
        (Metric::Cosine, vec![1.0, 0.0, 0.0, 0.0], "VECTOR_ZERO"),
    ] {
        let mut index = index("flat", metric, 2, &[0.5, 0.5]);
        let refused = index.add(&rows, &payloads(2), &|| false).expect_err("a bad row");
        assert_eq!(refused.code(), code);
        if rows.len() == 4 {
            assert!(refused.to_string().contains("row 1"), "{refused}");
        }
        assert_eq!((index.len(), index.slots()), (1, 1));
        // A query is checked by the same rules.
        let refused =
            index.search(&rows, Want::TopK(1), &Filter::everything(), &|| false).expect_err("a bad query");
        assert_eq!(refused.code(), code);
    }
}

#[test]
fn a_zero_row_is_a_row_where_no_direction_is_asked() {
    for metric in [Metric::Dot, Metric::L2] {
        let index = index("flat", metric, 2, &[0.0, 0.0]);
        let found =
            index.search(&[0.0, 0.0], Want::TopK(1), &Filter::everything(), &|| false).expect("a row");
        assert_eq!(found.hits[0][0].score.to_bits(), 0.0_f64.to_bits(), "{metric}");
    }
}

#[test]
fn the_largest_numbers_make_finite_scores() {
    for metric in Metric::ALL {
        let index = index("flat", metric, 2, &[f32::MAX, -f32::MAX, f32::MIN_POSITIVE, 1e-45]);
        let found = index.search(&[-f32::MAX, f32::MAX], Want::TopK(2), &Filter::everything(), &|| false);
        assert!(found.expect("finite").hits[0].iter().all(|hit| hit.score.is_finite()), "{metric}");
    }
}

#[test]
fn unknown_names_are_told_what_there_is() {
    let new = |backend: &str, args: BackendArgs| {
        Index::new(backend, &args, Metric::Cosine, dimension(2)).err().expect("refused")
    };
    let refused = new("faiss", BackendArgs::default());
    assert_eq!(refused.code(), "BACKEND_UNKNOWN");
    assert!(refused.to_string().contains("flat"), "{refused}");
    let refused = new("flat", BackendArgs::default().with("m", 16.0));
    assert_eq!(refused.code(), "INDEX_ARGUMENT_UNKNOWN");
    assert!(refused.to_string().contains("none"), "{refused}");
}

#[test]
fn one_payload_a_row() {
    let mut index = index("flat", Metric::Dot, 2, &[]);
    let refused = index.add(&[1.0, 2.0], &[json!(1), json!(2)], &|| false).expect_err("refused");
    assert!(matches!(refused, IndexError::Payloads { expected: 1, received: 2 }));
    assert_eq!(index.slots(), 0);
}

#[test]
fn a_removed_slot_is_gone_for_every_question_and_is_not_used_again() {
    let mut index = index("flat", Metric::Dot, 1, &[1.0, 2.0, 3.0]);
    assert!(index.remove(1));
    assert!(!index.remove(1));
    assert!(!index.remove(99));
    assert_eq!((index.len(), index.slots()), (2, 3));
    assert_eq!(index.payload(1).expect_err("gone").code(), "INDEX_SLOT");
    assert_eq!(index.row(3).expect_err("never was").code(), "INDEX_SLOT");
    assert_eq!(index.payload(2).expect("live"), payloads(3)[2]);
    assert_eq!(index.add(&[4.0], &payloads(1), &|| false).expect("a row"), 3);
    let found = index.search(&[1.0], Want::TopK(9), &Filter::everything(), &|| false).expect("a query");
    assert_eq!(found.hits[0].iter().map(|hit| hit.slot).collect::<Vec<_>>(), [3, 2, 0]);
}

#[test]
fn a_threshold_that_is_no_number_and_a_cancelled_search_are_refused() {
    let index = index("flat", Metric::Cosine, 1, &[1.0, 2.0]);
    let ask = |want, cancelled: &(dyn Fn() -> bool + Sync)| {
        index.search(&[1.0], want, &Filter::everything(), cancelled).expect_err("refused").code()
    };
    assert_eq!(ask(Want::AtLeast(f64::NAN), &|| false), "INDEX_THRESHOLD");
    assert_eq!(ask(Want::TopK(1), &|| true), "CANCELLED");
    assert_eq!(ask(Want::AtLeast(0.5), &|| true), "CANCELLED");
}

#[test]
fn slots_that_somebody_else_chose_are_scored_and_put_in_order_even_if_removed_since() {
    let mut index = index("flat", Metric::Dot, 1, &[1.0, 2.0, 3.0, 3.0]);
    index.remove(2);
    let slots = |want| -> Vec<u32> {
        index.score(&[1.0], &[3, 0, 2, 0], want).expect("used slots").iter().map(|hit| hit.slot).collect()
    };
    assert_eq!(slots(Want::TopK(2)), [2, 3]);
    assert_eq!(slots(Want::AtLeast(1.0)), [2, 3, 0]);
    assert_eq!(index.score(&[1.0], &[0, 4], Want::TopK(1)).expect_err("never used").code(), "INDEX_SLOT");
}
