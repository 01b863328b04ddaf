//! Laws: whatever is done to a store, it answers like a plain map of points.

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use sluice_filter::Filter;
use sluice_store::{Left, PointId, Store, Which};
use sluice_vector::Metric;
use support::{Place, Row, WHOLE, export, filter, id, name, points, rows, schema};

const PAYLOADS: [&str; 7] = [
    r#"{"user_id":"ada"}"#,
    r#"{"user_id":"ada","run_id":"r1"}"#,
    r#"{"user_id":["ada","bob"],"n":1}"#,
    r#"{"user_id":"bob","run_id":"r1"}"#,
    r#"{"user_id":null,"run_id":["r1"]}"#,
    r#"{"n":1}"#,
    "{}",
];
const FILTERS: [&str; 5] = [
    r#"{"user_id":"ada"}"#,
    r#"{"user_id":"bob","run_id":"r1"}"#,
    r#"{"run_id":"r1"}"#,
    r#"{"n":1}"#,
    r#"{"user_id":"ada","n":1}"#,
];
const TEXTS: [Option<&str>; 5] =
    [None, Some(""), Some("sluice gate"), Some("gate of 東京, gate"), Some("a sluice holds water back")];

#[derive(Clone, Debug)]
enum Step {
    Upsert(Vec<Row>),
    DeleteIds(Vec<PointId>),
    DeleteMatching(usize),
    Reopen,
}

fn row() -> impl Strategy<Value = Row> {
    (0..10_u8, 0..3_u8, 0..PAYLOADS.len(), 0..TEXTS.len()).prop_map(|(number, vector, payload, text)| Row {
        vector: vec![f32::from(vector) + 0.5, -1.0],
        ..Row::new(number, PAYLOADS[payload], TEXTS[text])
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::collection::vec(row(), 0..6).prop_map(Step::Upsert),
        1 => prop::collection::vec((0..10_u8).prop_map(id), 0..4).prop_map(Step::DeleteIds),
        1 => (0..FILTERS.len()).prop_map(Step::DeleteMatching),
        1 => Just(Step::Reopen),
    ]
}

type Model = BTreeMap<PointId, Row>;

fn passing(model: &Model, filter: &Filter) -> Vec<Row> {
    let passes = |row: &&Row| filter.matches(&serde_json::from_str::<Value>(&row.payload).unwrap());
    model.values().filter(passes).cloned().collect()
}

/// Follows a store change by change, as an index does.
#[derive(Default)]
struct View {
    rows: Model,
    seen: u64,
}

impl View {
    fn catch_up(&mut self, store: &Store, limit: usize) {
        loop {
            let changes = store.changes(&name("c"), self.seen, limit).unwrap();
            for row in rows(&changes.upserted) {
                self.rows.insert(row.id, row);
            }
            for id in &changes.deleted {
                self.rows.remove(id);
            }
            assert!(changes.last >= self.seen);
            self.seen = changes.last;
            if changes.left == Left::Nothing {
                return;
            }
        }
    }
}

/// The answers of a full-text search, with scores as bits.
fn searched(store: &Store, json: &str) -> Vec<(PointId, u64)> {
    let hits = store.search_text(&name("c"), "gate 東京 water", 4, &filter(json)).unwrap();
    hits.iter().map(|hit| (hit.id, hit.score.to_bits())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_store_is_a_map_of_points(steps in prop::collection::vec(step(), 1..12), limit in 1..5_usize) {
        let place = Place::new();
        let c = name("c");
        let mut store = place.writer();
        store.ensure_collection(&c, &schema(2, Metric::Cosine)).unwrap();
        let (mut model, mut view) = (Model::new(), View::default());
        for step in steps {
            match step {
                Step::Upsert(batch) => {
                    let done = store.upsert(&c, &points(&batch)).unwrap();
                    let before = model.clone();
                    model.extend(batch.into_iter().map(|row| (row.id, row)));
                    let new = model.keys().filter(|id| !before.contains_key(id)).count();
                    let other = model.iter().filter(|(id, row)| before.get(id).is_some_and(|old| old != *row)).count();
                    prop_assert_eq!((done.inserted, done.replaced), (new as u64, other as u64));
                }
                Step::DeleteIds(ids) => {
                    let before = model.len();
                    model.retain(|id, _| !ids.contains(id));
                    prop_assert_eq!(store.delete(&c, Which::Ids(&ids)).unwrap(), (before - model.len()) as u64);
                }
                Step::DeleteMatching(at) => {
                    let filter = filter(FILTERS[at]);
                    let doomed = passing(&model, &filter);
                    prop_assert_eq!(store.delete(&c, Which::Matching(&filter)).unwrap(), doomed.len() as u64);
                    for row in doomed {
                        model.remove(&row.id);
                    }
                }
                Step::Reopen => {
                    drop(store);
                    store = place.writer();
                }
            }
            let everything: Vec<Row> = model.values().cloned().collect();
            prop_assert_eq!(export(&store, &c, &Filter::everything(), limit).unwrap(), &everything[..]);
            prop_assert_eq!(store.count(&c, &Filter::everything()).unwrap(), everything.len() as u64);
            for json in FILTERS {
                let expected = passing(&model, &filter(json));
                prop_assert_eq!(store.count(&c, &filter(json)).unwrap(), expected.len() as u64);
                prop_assert_eq!(export(&store, &c, &filter(json), limit).unwrap(), expected);
            }
            let ids: Vec<PointId> = model.keys().copied().collect();
            prop_assert_eq!(rows(&store.get(&c, &ids, WHOLE).unwrap()), everything);
            view.catch_up(&store, limit);
            prop_assert_eq!(&view.rows, &model);
        }
        store.check().unwrap();
        // History leaves no trace in a score: a store filled at once answers the same, bit by bit.
        let other = Place::new();
        let mut fresh = other.writer();
        fresh.ensure_collection(&c, &schema(2, Metric::Cosine)).unwrap();
        let all: Vec<Row> = model.into_values().collect();
        fresh.upsert(&c, &points(&all)).unwrap();
        for json in ["{}", FILTERS[0]] {
            prop_assert_eq!(searched(&store, json), searched(&fresh, json));
        }
    }

    #[test]
    fn no_query_is_an_error_or_an_operator(query in any::<String>(), symbols in "[\"*:^(){}+\\-a-b ANDORT]{0,40}") {
        let place = Place::new();
        let c = name("c");
        let mut store = place.writer();
        store.ensure_collection(&c, &schema(2, Metric::Cosine)).unwrap();
        store.upsert(&c, &[Row::new(1, "{}", Some("zzz")).point()]).unwrap();
        for query in [query, symbols] {
            store.search_text(&c, &query, 3, &Filter::everything()).unwrap();
            let found = store.search_text(&c, &format!("{query} zzz"), 3, &Filter::everything()).unwrap();
            prop_assert_eq!(found.len(), 1, "a word is found whatever stands before it");
        }
    }
}
