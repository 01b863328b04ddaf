//! The scanner against `serde_json`: what one accepts, the other accepts, with the same meaning.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;

/// The members as (decoded key, raw value).
fn scan(text: &str) -> Result<Vec<(String, String)>, JsonError> {
    let mut members = Vec::new();
    scan_object(&mut Scanner::default(), text, |key, value| {
        let mut decoded = String::new();
        unescape(&text[key.span.start + 1..key.span.end - 1], &mut decoded).expect("no lone surrogates here");
        members.push((decoded, text[value.span.start..value.span.end].to_owned()));
    })?;
    Ok(members)
}

/// `serde_json` limits depth and refuses lone surrogates in keys; the generators below make neither.
fn accepted_by_peer(text: &str) -> bool {
    serde_json::from_str::<std::collections::BTreeMap<String, Box<RawValue>>>(text).is_ok()
}

#[test]
fn errors_name_place_and_rule() {
    for (text, at, expected) in [
        ("", 0, "an object"),
        ("[1]", 0, "an object"),
        ("{", 1, "a key in quotes"),
        ("{\"a\"}", 4, "a colon"),
        ("{\"a\":}", 5, "a value"),
        ("{\"a\":tru}", 5, "a value"),
        ("{\"a\":1,}", 7, "a key in quotes"),
        ("{\"a\":01}", 6, "a comma or a closing brace"),
        ("{\"a\":1.}", 7, "a digit"),
        ("{\"a\":-}", 6, "a digit"),
        ("{\"a\":[1,]}", 8, "a value"),
        ("{\"a\":[1}", 7, "a comma or a closing bracket"),
        ("{\"a\":[{\"b\":[]]]}", 13, "a comma or a closing bracket"),
        ("{\"a\":\"b", 7, "a closing quote"),
        ("{\"a\":\"\t\"}", 6, "an escape for a control character"),
        ("{\"a\":\"\\x\"}", 6, "an escape of JSON"),
        ("{\"a\":\"\\u12g4\"}", 6, "four hexadecimal digits after \\u"),
        ("{} {}", 3, "the end of the line"),
    ] {
        assert_eq!(scan(text), Err(JsonError { at, expected }), "{text}");
        assert!(!accepted_by_peer(text), "{text}");
    }
}

#[test]
fn nesting_is_bounded_by_the_record_only() {
    let deep = 1_000_000;
    let text = format!("{{\"a\":{}{}}}", "[".repeat(deep), "]".repeat(deep));
    assert_eq!(scan(&text).expect("valid").len(), 1);
    assert!(scan(&text[..text.len() - 1]).is_err());
}

#[test]
fn surrogates_come_in_pairs() {
    let half = JsonError { at: 1, expected: "a surrogate pair, not half of one" };
    for (text, decoded) in [
        (r"a\ud83d\ude00b", Ok("a😀b")),
        (r"a\u0041\/\\\n", Ok("aA/\\\n")),
        (r"a\ud83d", Err(half)),
        (r"a\ude00", Err(half)),
        (r"a\ud83d\u0041", Err(half)),
        (r"a\ud83dx", Err(half)),
        (r"a\ud83d\n", Err(half)),
    ] {
        let mut into = String::new();
        assert_eq!(unescape(text, &mut into).map(|()| into.as_str()), decoded, "{text}");
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

fn object() -> impl Strategy<Value = String> {
    prop::collection::btree_map(".{0,6}", json(), 0..5)
        .prop_map(|map| serde_json::to_string(&map).expect("serialisable"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn members_are_those_of_the_peer(text in object()) {
        let members: std::collections::BTreeMap<_, _> = scan(&text).expect("valid").into_iter().collect();
        let peer: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text).expect("valid");
        let peer: std::collections::BTreeMap<_, _> = peer.into_iter().map(|(key, raw)| (key, raw.get().to_owned())).collect();
        prop_assert_eq!(members, peer);
    }

    #[test]
    fn the_plain_length_is_that_of_a_byte_by_byte_search(bytes in prop::collection::vec(prop::sample::select(vec![b'"', b'\\', 0, 31, b' ', b'!', b'#', b'[', b']', b'a', 127, 128, 255, 0xa2, 0xdc]), 0..80), plain in 0..80_usize) {
        let bytes = [vec![b'a'; plain], bytes].concat();
        let expected = bytes.iter().position(|&byte| is_special(byte)).unwrap_or(bytes.len());
        prop_assert_eq!(plain_length(&bytes), expected);
    }

    /// One character replaced, inserted or removed: both accept or both refuse.
    #[test]
    fn a_damaged_object_is_judged_as_by_the_peer(
        text in object(),
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e", "+", " ", "\t", "\n", "u", "t", "\u{1}", "x"]),
        replace in 0..2_usize,
    ) {
        let mut characters: Vec<String> = text.chars().map(String::from).collect();
        let at = at.index(characters.len());
        characters.splice(at..at + replace, [with.to_owned()]);
        let damaged = characters.concat();
        prop_assert_eq!(scan(&damaged).is_ok(), accepted_by_peer(&damaged), "{}", damaged);
    }

    #[test]
    fn any_text_is_judged_as_by_the_peer(text in r#"\{[\{\}\[\]:,"\\0-9eE+\-. \tntruefals]{0,24}\}?"#) {
        prop_assert_eq!(scan(&text).is_ok(), accepted_by_peer(&text));
    }
}
