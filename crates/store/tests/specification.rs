//! What a store promises, case by case.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sluice_filter::Filter;
use sluice_store::{
    Access, CollectionName, Durability, Ensured, Left, PAYLOAD_BYTES_MAX, Point, PointId, Schema, Store,
    StoreError, TEXT_BYTES_MAX, Upserted, Which, With,
};
use sluice_vector::Metric;
use support::{Place, Row, WHOLE, export, filter, id, name, points, rows, schema};

/// A store with one collection of two components, "c".
fn store(metric: Metric) -> (Place, Store, CollectionName) {
    let place = Place::new();
    let mut store = place.writer();
    store.ensure_collection(&name("c"), &schema(2, metric)).unwrap();
    (place, store, name("c"))
}

#[test]
fn a_point_id_is_a_uuid_in_lower_case() {
    let written = "0198f2a0-7c1e-8d4b-9a55-3f1c2b4d5e6f";
    for text in [written, "0198F2A0-7C1E-8D4B-9A55-3F1C2B4D5E6F", "0198f2a07c1e8d4b9a553f1c2b4d5e6f"] {
        assert_eq!(text.parse::<PointId>().unwrap().to_string(), written);
    }
    let refused = [
        "",
        "42",
        "abc",
        "0198f2a0-7c1e-8d4b-9a55-3f1c2b4d5e6",
        "0198f2a0-7c1e-8d4b-9a55-3f1c2b4d5e6g",
        "0198f2a07-c1e-8d4b-9a55-3f1c2b4d5e6f",
        "0198f2a07c1e8d4b9a553f1c2b4d5e+f",
        "urn:uuid:0198f2a0-7c1e-8d4b-9a55-3f1c2b4d5e6f",
        "éééééééééééééééé",
    ];
    for text in refused {
        assert_eq!(text.parse::<PointId>().unwrap_err().code(), "STORE_POINT_ID", "{text}");
    }
}

#[test]
fn a_collection_name_is_short_and_plain() {
    for good in ["a", "Notes 2026", "größe", &"x".repeat(255)] {
        assert_eq!(good.parse::<CollectionName>().unwrap().as_str(), good);
    }
    for bad in ["", "a/b", "a\0", "a\n", "a\"b", "\u{85}", &"x".repeat(256)] {
        assert_eq!(bad.parse::<CollectionName>().unwrap_err().code(), "STORE_COLLECTION_NAME", "{bad:?}");
    }
}

#[test]
fn ensuring_a_collection_is_idempotent_and_compares_the_schema() {
    let place = Place::new();
    let mut store = place.writer();
    let with = |embedder: Option<&str>| Schema {
        embedder_id: embedder.map(str::to_owned),
        ..schema(3, Metric::Cosine)
    };
    assert_eq!(store.ensure_collection(&name("c"), &with(Some("e1"))).unwrap(), Ensured::Created);
    assert_eq!(store.ensure_collection(&name("c"), &with(Some("e1"))).unwrap(), Ensured::Present);
    assert_eq!(store.ensure_collection(&name("c"), &with(None)).unwrap(), Ensured::Present);
    let others = [
        ("dimension", Schema { dimension: schema(4, Metric::Dot).dimension, ..with(None) }),
        ("metric", Schema { metric: Metric::L2, ..with(None) }),
        ("embedder_id", with(Some("e2"))),
    ];
    for (wrong, schema) in others {
        match store.ensure_collection(&name("c"), &schema) {
            Err(StoreError::SchemaMismatch { field, .. }) => assert_eq!(field, wrong),
            other => panic!("{wrong}: {other:?}"),
        }
    }
    let collection = store.collection(&name("c")).unwrap().unwrap();
    assert_eq!(collection.schema, with(Some("e1")));
    assert_eq!(store.collections().unwrap(), [collection]);
    assert_eq!(store.collection(&name("d")).unwrap(), None);
}

#[test]
fn a_dropped_collection_is_gone_and_its_generation_never_returns() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let first = store.collection(&c).unwrap().unwrap().generation;
    store.upsert(&c, &[Row::new(1, "{}", Some("word")).point()]).unwrap();
    assert_eq!(store.drop_collection(&c).unwrap(), Some(1));
    assert_eq!(store.drop_collection(&c).unwrap(), None);
    let missing = [
        store.upsert(&c, &[]).unwrap_err(),
        store.get(&c, &[], WHOLE).unwrap_err(),
        store.scroll(&c, None, 1, &Filter::everything(), WHOLE).unwrap_err(),
        store.count(&c, &Filter::everything()).unwrap_err(),
        store.delete(&c, Which::Ids(&[])).unwrap_err(),
        store.search_text(&c, "word", 1, &Filter::everything()).unwrap_err(),
        store.changes(&c, 0, 1).unwrap_err(),
    ];
    for error in missing {
        assert_eq!(error.code(), "STORE_COLLECTION_MISSING");
    }
    store.ensure_collection(&c, &schema(2, Metric::Dot)).unwrap();
    assert!(store.collection(&c).unwrap().unwrap().generation > first);
    assert_eq!(store.count(&c, &Filter::everything()).unwrap(), 0);
    assert_eq!(store.search_text(&c, "word", 1, &Filter::everything()).unwrap(), []);
}

#[test]
fn a_bad_point_refuses_the_whole_batch_and_is_named_by_position() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let good = Row::new(1, "{}", None);
    let deep = |levels: usize| format!("{}{}{}", r#"{"a":"#.repeat(levels - 1), "{}", "}".repeat(levels - 1));
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(PAYLOAD_BYTES_MAX));
    let endless = "x".repeat(TEXT_BYTES_MAX + 1);
    let (too_deep, hopeless) = (deep(65), "[".repeat(100_000));
    let vector = |vector: &'static [f32]| Point { id: id(2), vector, payload: "{}", text: None };
    let payload = |payload| Point { id: id(2), vector: &[1.0, 0.0], payload, text: None };
    let bad = [
        (vector(&[1.0]), "STORE_DIMENSION"),
        (vector(&[1.0, 2.0, 3.0, 4.0]), "STORE_DIMENSION"),
        (vector(&[]), "STORE_DIMENSION"),
        (vector(&[1.0, f32::NAN]), "STORE_NOT_FINITE"),
        (vector(&[f32::NEG_INFINITY, 1.0]), "STORE_NOT_FINITE"),
        (vector(&[0.0, -0.0]), "STORE_ZERO_VECTOR"),
        (payload(""), "STORE_PAYLOAD"),
        (payload("[]"), "STORE_PAYLOAD"),
        (payload("null"), "STORE_PAYLOAD"),
        (payload("{} {}"), "STORE_PAYLOAD"),
        (payload(r#"{"a":1e999}"#), "STORE_PAYLOAD"),
        (payload(&too_deep), "STORE_PAYLOAD"),
        (payload(&hopeless), "STORE_PAYLOAD"),
        (payload(&long), "STORE_PAYLOAD"),
        (Point { text: Some(&endless), ..payload("{}") }, "STORE_TEXT_TOO_LONG"),
    ];
    for (point, code) in bad {
        let error = store.upsert(&c, &[good.point(), point]).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().starts_with("point 1:"), "{error}");
        assert_eq!(store.count(&c, &Filter::everything()).unwrap(), 0);
    }
    store.upsert(&c, &[payload(&deep(64))]).unwrap();
}

#[test]
fn only_cosine_refuses_a_zero_vector() {
    for metric in [Metric::Dot, Metric::L2] {
        let (_place, mut store, c) = store(metric);
        let zero = Point { id: id(1), vector: &[0.0, 0.0], payload: "{}", text: None };
        assert_eq!(store.upsert(&c, &[zero]).unwrap().inserted, 1);
    }
}

#[test]
fn what_is_stored_comes_back_bit_by_bit() {
    let (place, mut store, c) = store(Metric::Dot);
    let row = Row {
        id: id(7),
        vector: vec![-0.0, f32::from_bits(1)],
        payload: "{ \"b\":1.0,\n\"a\" : \"\\u0000\", \"a\":2 }".to_owned(),
        text: Some("nul \0 inside".to_owned()),
    };
    store.upsert(&c, &[row.point()]).unwrap();
    drop(store);
    let found = place.reader().get(&c, &[id(9), id(7), id(7)], WHOLE).unwrap();
    assert_eq!(rows(&found), [row.clone(), row.clone()]);
    let bits = |row: &Row| row.vector.iter().map(|component| component.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&rows(&found)[0]), bits(&row));
    let bare = place.reader().get(&c, &[id(7)], With::default()).unwrap();
    assert_eq!((bare.vector(0), &bare.records[0].text), (None, &None));
}

#[test]
fn an_upsert_tells_new_replaced_and_unchanged_apart() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let row = Row::new(1, r#"{"a":1}"#, Some("x"));
    let other_vector = Row { vector: vec![9.0, 9.0], ..row.clone() };
    let other_payload = Row { payload: r#"{"a":2}"#.to_owned(), ..row.clone() };
    let (other_text, no_text) =
        (Row { text: Some("y".to_owned()), ..row.clone() }, Row { text: None, ..row.clone() });
    let upserted = |inserted, replaced, unchanged| Upserted { inserted, replaced, unchanged };
    let steps = [
        (vec![row.clone()], upserted(1, 0, 0), 1),
        (vec![row.clone()], upserted(0, 0, 1), 1),
        (vec![other_vector], upserted(0, 1, 0), 2),
        (vec![other_payload], upserted(0, 1, 0), 3),
        (vec![other_text], upserted(0, 1, 0), 4),
        (vec![no_text], upserted(0, 1, 0), 5),
        (vec![row.clone(), Row::new(2, "{}", None), Row::new(2, "{}", None)], upserted(1, 1, 0), 7),
        (vec![Row::new(1, r#"{"a":3}"#, None), row.clone()], upserted(0, 0, 1), 7), // the last of equal ids wins
        (vec![], upserted(0, 0, 0), 7),
    ];
    for (batch, expected, change) in steps {
        assert_eq!(store.upsert(&c, &points(&batch)).unwrap(), expected);
        assert_eq!(store.collection(&c).unwrap().unwrap().change, change);
    }
}

#[test]
fn a_scroll_goes_by_the_bytes_of_the_ids() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let batch: Vec<Row> = [200, 3, 127, 128, 0, 255].map(|number| Row::new(number, "{}", None)).to_vec();
    store.upsert(&c, &points(&batch)).unwrap();
    let everything = Filter::everything();
    let ids = |limit| -> Vec<PointId> {
        export(&store, &c, &everything, limit).unwrap().into_iter().map(|row| row.id).collect()
    };
    for limit in [1, 2, 3, 6, 7] {
        assert_eq!(ids(limit), [0, 3, 127, 128, 200, 255].map(id), "limit {limit}");
    }
    let page = |after, limit| store.scroll(&c, after, limit, &everything, WHOLE).unwrap();
    assert_eq!(page(None, 6).next, None);
    assert_eq!(page(Some(id(128)), 1).next, Some(id(200)));
    assert_eq!(page(Some(id(255)), 1).points.records, []);
    assert_eq!(page(Some(id(3)), 0).next, Some(id(3)));
}

#[test]
fn a_scope_is_found_in_strings_and_in_lists() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let batch = [
        Row::new(1, r#"{"user_id":"ada"}"#, None),
        Row::new(2, r#"{"user_id":["bob","ada"]}"#, None),
        Row::new(3, r#"{"user_id":"bob","run_id":"r"}"#, None),
        Row::new(4, r#"{"user_id":""}"#, None),
        Row::new(5, r#"{"other":"ada"}"#, None),
        Row::new(6, r#"{"user_id":7}"#, None),
    ];
    store.upsert(&c, &points(&batch)).unwrap();
    let cases: [(&str, &[u8]); 6] = [
        (r#"{"user_id":"ada"}"#, &[1, 2]),
        (r#"{"user_id":"bob"}"#, &[2, 3]),
        (r#"{"user_id":"bob","run_id":"r"}"#, &[3]),
        (r#"{"user_id":""}"#, &[4]),
        (r#"{"user_id":"eve"}"#, &[]),
        (r#"{"user_id":7}"#, &[6]),
    ];
    for (json, expected) in cases {
        let found: Vec<PointId> =
            export(&store, &c, &filter(json), 1).unwrap().into_iter().map(|row| row.id).collect();
        assert_eq!(found, expected.iter().map(|number| id(*number)).collect::<Vec<_>>(), "{json}");
        assert_eq!(store.count(&c, &filter(json)).unwrap(), expected.len() as u64, "{json}");
    }
    assert_eq!(store.delete(&c, Which::Matching(&filter(r#"{"user_id":"ada"}"#))).unwrap(), 2);
    assert_eq!(store.count(&c, &Filter::everything()).unwrap(), 4);
}

#[test]
fn deletions_are_counted_once_and_can_be_undone_by_storing_again() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let batch = [Row::new(1, "{}", Some("word")), Row::new(2, "{}", None)];
    store.upsert(&c, &points(&batch)).unwrap();
    assert_eq!(store.delete(&c, Which::Ids(&[id(1), id(1), id(9)])).unwrap(), 1);
    assert_eq!(store.search_text(&c, "word", 5, &Filter::everything()).unwrap(), []);
    assert_eq!(store.changes(&c, 0, 9).unwrap().deleted, [id(1)]);
    store.upsert(&c, &points(&batch)).unwrap();
    assert_eq!(store.changes(&c, 0, 9).unwrap().deleted, []);
    assert_eq!(store.search_text(&c, "word", 5, &Filter::everything()).unwrap().len(), 1);
    assert_eq!(store.delete(&c, Which::Matching(&Filter::everything())).unwrap(), 2);
    store.check().unwrap();
}

#[test]
fn changes_come_in_order_and_end_with_the_last_number() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let batch = [Row::new(9, "{}", None), Row::new(1, "{}", None), Row::new(5, "{}", None)];
    store.upsert(&c, &points(&batch)).unwrap(); // 1, 2, 3
    store.delete(&c, Which::Ids(&[id(1)])).unwrap(); // 4
    store.upsert(&c, &[Row::new(9, r#"{"v":2}"#, None).point()]).unwrap(); // 5
    let told = |after, limit| {
        let changes = store.changes(&c, after, limit).unwrap();
        let upserted: Vec<PointId> = changes.upserted.records.iter().map(|record| record.id).collect();
        (upserted, changes.deleted, changes.last, changes.left)
    };
    assert_eq!(told(0, 10), (vec![id(5), id(9)], vec![id(1)], 5, Left::Nothing));
    assert_eq!(told(0, 1), (vec![id(5)], vec![], 3, Left::More));
    assert_eq!(told(3, 1), (vec![], vec![id(1)], 4, Left::More));
    assert_eq!(told(4, 1), (vec![id(9)], vec![], 5, Left::Nothing));
    assert_eq!(told(5, 1), (vec![], vec![], 5, Left::Nothing));
    assert_eq!(told(2, 0), (vec![], vec![], 2, Left::More));
}

#[test]
fn words_are_found_in_any_script_case_and_accent() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let texts = [
        "The café is closed",
        "Γειά σου Κόσμε",
        "東京都庁の展望台",
        "กาแฟดีมาก",
        "안녕 세계",
        "naïve \"quoted\" NEAR(text)",
        "हिन्दी में लिखा",
    ];
    let batch: Vec<Row> =
        texts.iter().zip(1..).map(|(text, number)| Row::new(number, "{}", Some(text))).collect();
    store.upsert(&c, &points(&batch)).unwrap();
    let cases: [(&str, &[u8]); 13] = [
        ("CAFE", &[1]),
        ("cafe\u{301}", &[1]),
        ("ΚΌΣΜΕ", &[2]),
        ("東京", &[3]),
        ("展望台", &[3]),
        ("京東", &[]),
        ("กาแฟ", &[4]),
        ("세계", &[5]),
        ("NEAR", &[6]),
        ("quoted*", &[6]),
        ("words:closed", &[1]),
        ("हिन्दी", &[7]),
        ("\" OR \u{0} - ^", &[]),
    ];
    for (query, expected) in cases {
        let found: Vec<PointId> = store
            .search_text(&c, query, 10, &Filter::everything())
            .unwrap()
            .iter()
            .map(|hit| hit.id)
            .collect();
        assert_eq!(found, expected.iter().map(|number| id(*number)).collect::<Vec<_>>(), "{query}");
    }
}

#[test]
fn hits_are_ranked_filtered_and_tie_by_id() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let batch = [
        Row::new(5, r#"{"user_id":"ada"}"#, Some("sluice gate")),
        Row::new(4, r#"{"user_id":"ada"}"#, Some("sluice gate")),
        Row::new(3, r#"{"user_id":"bob"}"#, Some("sluice gate")),
        Row::new(2, r#"{"user_id":"ada"}"#, Some("sluice sluice sluice")),
        Row::new(
            1,
            r#"{"user_id":"ada"}"#,
            Some("a long text that mentions a sluice once among many other words"),
        ),
        Row::new(6, r#"{"user_id":"ada"}"#, Some("nothing of the kind")),
        Row::new(7, r#"{"user_id":"ada"}"#, None),
    ];
    store.upsert(&c, &points(&batch)).unwrap();
    let found = |k, json| -> Vec<PointId> {
        let hits = store.search_text(&c, "sluice", k, &filter(json)).unwrap();
        assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        hits.iter().map(|hit| hit.id).collect()
    };
    let all = [2, 3, 4, 5, 1].map(id);
    for k in 0..=6 {
        assert_eq!(found(k, "{}"), all[..k.min(5)], "k = {k}");
    }
    assert_eq!(found(9, r#"{"user_id":"ada"}"#), [2, 4, 5, 1].map(id));
    assert_eq!(found(2, r#"{"user_id":"bob"}"#), [3].map(id));
}

#[test]
fn values_live_by_namespace_and_key() {
    let (place, mut store, _) = store(Metric::Cosine);
    for (namespace, key, bytes) in
        [("a", "2", &b"x"[..]), ("a", "1", b""), ("b", "1", b"z"), ("a", "2", b"y")]
    {
        store.put_value(namespace, key, bytes).unwrap();
    }
    drop(store);
    let mut store = place.writer();
    assert_eq!(store.get_value("a", "2").unwrap().as_deref(), Some(&b"y"[..]));
    assert_eq!(store.get_value("a", "1").unwrap().as_deref(), Some(&b""[..]));
    assert_eq!(store.get_value("b", "2").unwrap(), None);
    assert_eq!(store.value_keys("a", None, 9).unwrap(), ["1", "2"]);
    assert_eq!(store.value_keys("a", Some("1"), 9).unwrap(), ["2"]);
    assert_eq!(store.value_keys("a", None, 1).unwrap(), ["1"]);
    assert!(store.delete_value("a", "1").unwrap());
    assert!(!store.delete_value("a", "1").unwrap());
    assert_eq!(store.value_keys("a", None, 9).unwrap(), ["2"]);
}

#[test]
fn a_snapshot_is_a_store_of_its_own_and_overwrites_nothing() {
    let (place, mut store, c) = store(Metric::Cosine);
    store.upsert(&c, &[Row::new(1, "{}", Some("word")).point()]).unwrap();
    let copy = place.folder.path().join("copy.sluice");
    store.snapshot(&copy).unwrap();
    store.upsert(&c, &[Row::new(2, "{}", None).point()]).unwrap();
    for taken in [&copy, &place.path] {
        assert_eq!(store.snapshot(taken).unwrap_err().code(), "STORE_EXISTS");
    }
    let mut copied = Store::open(&copy, Access::ReadWrite, Durability::Process).unwrap();
    copied.check().unwrap();
    assert_eq!(export(&copied, &c, &Filter::everything(), 9).unwrap(), [Row::new(1, "{}", Some("word"))]);
    copied.upsert(&c, &[Row::new(3, "{}", None).point()]).unwrap();
    assert_eq!(store.get(&c, &[id(3)], WHOLE).unwrap().records, []);
    drop((copied, store));
    let mut left: Vec<_> =
        std::fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["copy.sluice", "test.sluice"], "a closed store is one file");
}

#[test]
fn a_raised_flag_stops_the_work_and_nothing_of_it_remains() {
    let (_place, mut store, c) = store(Metric::Cosine);
    let batch: Vec<Row> = (0..=255).map(|number| Row::new(number, r#"{"a":1}"#, Some("word"))).collect();
    store.upsert(&c, &points(&batch)).unwrap();
    let flag = Arc::new(AtomicBool::new(true));
    store.cancel_by(Arc::clone(&flag));
    assert_eq!(
        store.delete(&c, Which::Matching(&filter(r#"{"a":1}"#))).unwrap_err().code(),
        "STORE_CANCELLED"
    );
    assert_eq!(store.count(&c, &filter(r#"{"a":1}"#)).unwrap_err().code(), "STORE_CANCELLED");
    flag.store(false, Ordering::Relaxed);
    assert_eq!(store.count(&c, &filter(r#"{"a":1}"#)).unwrap(), 256);
    store.check().unwrap();
}
