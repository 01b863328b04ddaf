//! What counts as a JSON line, and what its parts mean: as `JSON.parse` says.

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::value::RawValue;
use sluice_corpus::{CorpusError, Format, ReadOptions};
use support::{Record, options, read, texts};

/// Wants no text, so that only the line itself can be wrong.
fn no_columns() -> ReadOptions {
    ReadOptions { columns: Vec::new(), ..options(Format::Jsonl) }
}

fn read_line(line: &str) -> Result<Vec<Record>, CorpusError> {
    read(line.as_bytes(), &no_columns()).map(|(records, _)| records)
}

/// The peer, asked for everything.
fn accepted_by_peer(line: &str) -> bool {
    serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(line).is_ok()
}

#[test]
fn errors_name_place_and_rule() {
    for (line, at, what) in [
        ("[1]", 0, "an object, received: array"),
        (" \"secret\"", 1, "an object, received: string"),
        ("7", 0, "an object, received: number"),
        ("secret", 0, "one JSON object, received: expected value"),
        ("{", 1, "one JSON object, received: EOF while parsing an object"),
        ("{\"a\"}", 4, "one JSON object, received: expected `:`"),
        ("{\"a\":}", 5, "one JSON object, received: expected value"),
        ("{\"a\":tru}", 8, "one JSON object, received: expected ident"),
        ("{\"a\":1,}", 7, "one JSON object, received: trailing comma"),
        ("{\"a\":01}", 6, "one JSON object, received: invalid number"),
        ("{\"a\":1.}", 7, "one JSON object, received: invalid number"),
        ("{\"a\":-}", 6, "one JSON object, received: invalid number"),
        ("{\"a\":[1,]}", 8, "one JSON object, received: expected value"),
        ("{\"a\":[1}", 7, "one JSON object, received: expected `,` or `]`"),
        ("{\"a\":\"b", 7, "one JSON object, received: EOF while parsing a string"),
        (
            "{\"a\":\"\t\"}",
            5,
            "one JSON object, received: control character (\\u0000-\\u001F) found while parsing a string",
        ),
        ("{\"a\":\"\\x\"}", 7, "one JSON object, received: invalid escape"),
        ("{\"a\":\"\\u12g4\"}", 11, "one JSON object, received: invalid escape"),
        (
            "{\"\t\":1}",
            1,
            "one JSON object, received: control character (\\u0000-\\u001F) found while parsing a string",
        ),
        ("{} {}", 3, "one JSON object, received: trailing characters"),
    ] {
        let error = read_line(line).unwrap_err();
        assert_eq!(error.to_string(), format!("line 1, byte {at}: expected {what}"), "{line}");
        assert!(!accepted_by_peer(line), "{line}");
    }
}

#[test]
fn nesting_is_bounded_by_the_record_only() {
    let deep = 1_000_000;
    let text = format!("{{\"id\":{0}{1},\"b\":{0}{1}}}", "[".repeat(deep), "]".repeat(deep));
    assert_eq!(read_line(&text).unwrap()[0].id.as_ref().map(String::len), Some(2 * deep));
    assert!(read_line(&text[..text.len() - 2]).is_err());
}

#[test]
fn surrogates_come_in_pairs() {
    for (text, decoded) in [
        (r"a\ud83d\ude00b", Some("a😀b")),
        (r#"a\u0041\/\\\n\""#, Some("aA/\\\n\"")),
        (r"a\ud83d", None),
        (r"a\ude00", None),
        (r"a\ud83d\u0041", None),
        (r"a\ud83dx", None),
        (r"a\ud83d\n", None),
    ] {
        let wanted = texts(format!(r#"{{"text":"{text}"}}"#).as_bytes(), &options(Format::Jsonl));
        match decoded {
            Some(decoded) => assert_eq!(wanted.unwrap(), [decoded], "{text}"),
            None => assert_eq!(wanted.unwrap_err().code(), "CORPUS_JSON", "{text}"),
        }
        // JSON allows them; what is not wanted is not decoded.
        let unwanted = format!(r#"{{"{text}":"{text}","id":["{text}"],"nested":{{"{text}":1}}}}"#);
        assert_eq!(read_line(&unwanted).unwrap()[0].id, Some(format!(r#"["{text}"]"#)));
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".{0,80}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map(".{0,6}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = BTreeMap<String, serde_json::Value>> {
    prop::collection::btree_map(".{0,6}", json(), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn any_member_is_found_as_it_is_written(object in object(), choice in any::<prop::sample::Index>()) {
        let line = serde_json::to_string(&object).unwrap();
        let name = object.keys().nth(choice.index(object.len().max(1)));
        let options = ReadOptions { id: name.cloned(), ..no_columns() };
        let (records, _) = read(line.as_bytes(), &options).unwrap();
        prop_assert_eq!(&records[0].id, &name.map(|name| object[name].to_string()));
    }

    /// One character replaced, inserted or removed: both accept or both refuse.
    #[test]
    fn a_damaged_object_is_judged_as_by_the_peer(
        object in object(),
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e", "+", " ", "\t", "\r", "u", "t", "\u{1}", "x"]),
        replace in 0..2_usize,
    ) {
        let mut characters: Vec<String> = serde_json::to_string(&object).unwrap().chars().map(String::from).collect();
        let at = at.index(characters.len());
        characters.splice(at..at + replace, [with.to_owned()]);
        let damaged = characters.concat();
        prop_assert_eq!(read_line(&damaged).is_ok(), accepted_by_peer(&damaged), "{}", damaged);
    }

    #[test]
    fn any_text_is_judged_as_by_the_peer(text in r#"\{[\{\}\[\]:,"\\0-9eE+\-. \tntruefals]{0,24}\}?"#) {
        prop_assert_eq!(read_line(&text).is_ok(), accepted_by_peer(&text));
    }
}
