//! The body of a graph: what was written comes back, and bytes that are something else are refused or harmless.

#[allow(dead_code)] // most of it is for the tests of searches
mod hnsw_support;

use hnsw_support::{DIMENSION, body, clusters, every, graph, read};
use proptest::prelude::*;
use sluice_index::{Among, Backend, BackendArgs};

/// Few rows and many links: most bytes are ones that could lead astray.
fn small() -> Box<dyn Backend> {
    let mut rows = clusters(150, 20);
    rows.extend_from_within(..30 * DIMENSION);
    graph(&rows, &BackendArgs::default().with("m", 4.0).with("efSearch", 1.0))
}

/// Asks everything a graph can be asked, and has it grow.
fn use_up(graph: &mut dyn Backend) {
    let live = every(graph);
    let query = &clusters(1, 21)[..];
    let count = graph.top_k(query, 12, Among::Live(&live)).expect("a good query").len();
    assert_eq!(count, 12.min(graph.len()));
    let reached = graph.at_least(query, 0.1, Among::Live(&live)).expect("a good query");
    assert!(reached.iter().all(|hit| hit.score >= 0.1));
    hnsw_support::add(graph, &clusters(150, 22));
    let live = every(graph);
    assert_eq!(graph.top_k(query, 12, Among::Live(&live)).expect("a good query").len(), 12);
    hnsw_support::read(&body(graph)).expect("our own body");
}

#[test]
fn a_graph_comes_back_as_it_was_and_grows_as_it_would_have() {
    let mut written = small();
    let mut back = read(&body(&*written)).expect("our own body");
    assert_eq!((back.len(), back.args()), (written.len(), written.args()));
    assert!(body(&*back) == body(&*written));
    for graph in [&mut written, &mut back] {
        hnsw_support::add(&mut **graph, &clusters(300, 20));
    }
    assert!(body(&*back) == body(&*written));
}

#[test]
fn an_empty_graph_comes_back() {
    let mut empty = read(&body(&*graph(&[], &BackendArgs::default()))).expect("our own body");
    assert!(empty.is_empty());
    let query = clusters(1, 23);
    assert_eq!(empty.top_k(&query, 3, Among::Live(&every(&*empty))).expect("a good query"), []);
    use_up(&mut *empty);
}

#[test]
fn every_truncation_is_refused() {
    let whole = body(&*small());
    for cut in 0..whole.len() {
        assert_eq!(read(&whole[..cut]).err().expect("refused").code(), "INDEX_FILE", "cut at {cut}");
    }
    assert_eq!(read(&[&whole[..], &[0]].concat()).err().expect("refused").code(), "INDEX_FILE");
}

#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let whole = body(&*small());
    // At the end are the last 150 rows of links, those above them, and two places a row in the tree.
    let links = whole.len() - 150 * (8 + 2) * 4;
    let mut refused = 0;
    for at in (links..whole.len()).step_by(4) {
        for link in [150_u32, 151, 1 << 31, u32::MAX - 1] {
            let mut damaged = whole.clone();
            damaged[at..at + 4].copy_from_slice(&link.to_le_bytes());
            assert_eq!(read(&damaged).err().expect("refused").code(), "INDEX_FILE", "{link} at {at}");
            refused += 1;
        }
    }
    assert_eq!(refused, 150 * (8 + 2) * 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_bytes_are_refused_or_a_graph_that_answers(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..4, any::<u32>()), 1..6),
    ) {
        let mut bytes = body(&*small());
        for (at, kind, number) in changes {
            let at = at.index(bytes.len() / 4) * 4;
            // A flipped bit, a number that could be a node, any number, a copy of what comes before.
            let number = match kind {
                0 => u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) ^ (1 << (number % 32)),
                1 => number % 160,
                2 => number,
                _ => u32::from_le_bytes(bytes[at.saturating_sub(4)..][..4].try_into().expect("four")),
            };
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        match read(&bytes) {
            Ok(mut graph) => use_up(&mut *graph),
            Err(error) => prop_assert_eq!(error.code(), "INDEX_FILE"),
        }
    }

    #[test]
    fn any_bytes_at_all_are_refused_or_a_graph_that_answers(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(mut graph) = read(&bytes) {
            use_up(&mut *graph);
        }
    }
}
