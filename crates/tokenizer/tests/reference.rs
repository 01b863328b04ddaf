//! Inputs are those of the Hugging Face library itself, however long the texts are and wherever they are cut.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use proptest::prelude::*;
use sluice_tokenizer::ModelTokenizer;
use tokenizers::{Tokenizer, TruncationParams};

static FAMILIES: LazyLock<[Family; 2]> =
    LazyLock::new(|| [Family::load("bert"), Family::load("xlm-roberta")]);

struct Family {
    ours: ModelTokenizer,
    reference: Mutex<Tokenizer>,
}

fn path_of(family: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../test/rerank/data/{family}/tokenizer.json"))
}

impl Family {
    fn load(name: &str) -> Self {
        let path = path_of(name);
        Self {
            ours: ModelTokenizer::load(&path).unwrap(),
            reference: Mutex::new(Tokenizer::from_file(path).unwrap()),
        }
    }

    fn assert_same(&self, query: &str, text: &str, tokens_max: usize) {
        let mut reference = self.reference.lock().unwrap();
        let truncation = TruncationParams { max_length: tokens_max, ..TruncationParams::default() };
        reference.with_truncation(Some(truncation)).unwrap();
        let expected = reference.encode((query, text), true).unwrap();
        let pairs = self.ours.encode_pairs(query, &[text], tokens_max, &|| false).unwrap();
        assert_eq!(pairs.ids, expected.get_ids(), "{:?}", expected.get_tokens());
        assert_eq!(pairs.type_ids, expected.get_type_ids());
        assert_eq!(pairs.ends, [expected.len() as u32]);
    }
}

/// Words, signs and blanks of many scripts, and now and then any character at all.
fn prose(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-zA-Z]{1,9}",
        2 => "[0-9.,;:!?-]{1,4}",
        1 => "[\\u{4e00}-\\u{4e40}]{1,6}",
        1 => "(caf\\u{e9}|e\\u{301}|\\u{fb01}ne|\\u{200d}|\\u{feff}|\\u{1f469}\\u{200d}\\u{1f467}|<mask>|\\[SEP\\]|</s>)",
        1 => "\\PC{1,3}",
        1 => any::<char>().prop_map(String::from),
    ];
    let blank =
        prop_oneof![8 => Just(" "), 1 => Just("\n"), 1 => Just("  "), 1 => Just("\r\n"), 1 => Just("\t")];
    prop::collection::vec((word, blank), words)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, blank)| [word, blank.to_owned()]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn pairs_are_those_of_the_reference(
        query in prose(0..40),
        text in prose(0..60),
        tokens_max in 8_usize..64,
    ) {
        for family in &*FAMILIES {
            family.assert_same(&query, &text, tokens_max);
        }
    }

    // Some hundred words are cut several times at eight tokens.
    #[test]
    fn long_texts_are_cut_like_the_reference_cuts_them(
        query in prose(0..200),
        text in prose(200..500),
        tokens_max in 8_usize..24,
    ) {
        for family in &*FAMILIES {
            family.assert_same(&query, &text, tokens_max);
        }
    }
}

#[test]
fn a_long_text_is_not_read_to_its_end() {
    let text = "the pressure of the water ".repeat(2_000_000);
    for family in &*FAMILIES {
        let started = std::time::Instant::now();
        family.ours.encode_pairs("pump", &[&text], 512, &|| false).unwrap();
        // Fifty megabytes take the library tens of seconds.
        assert!(started.elapsed().as_secs() < 2, "took {:?}", started.elapsed());
    }
}

#[test]
fn cancelling_ends_the_work_before_the_next_text() {
    let asked = std::cell::Cell::new(0);
    let cancelled = || asked.replace(asked.get() + 1) == 2;
    let error = FAMILIES[0].ours.encode_pairs("a", &["b"; 10], 16, &cancelled).unwrap_err();
    assert_eq!((error.code(), asked.get()), ("CANCELLED", 3));
}

#[test]
fn what_is_no_tokenizer_is_refused() {
    let plain = std::fs::read_to_string(path_of("bert")).unwrap();
    let without_pairs = without_post_processor(&plain);
    let cases: [(&str, &[u8], &str); 5] = [
        ("nothing", b"", "TOKENIZER_CONTENT"),
        ("no JSON", b"{", "TOKENIZER_CONTENT"),
        ("another object", b"{\"a\": 1}", "TOKENIZER_CONTENT"),
        ("bytes", &[0xff; 100], "TOKENIZER_CONTENT"),
        ("one that joins nothing", without_pairs.as_bytes(), "TOKENIZER_NO_PAIRS"),
    ];
    for (what, json, code) in cases {
        let found = ModelTokenizer::from_json(json).err().map(|error| error.code());
        assert_eq!(found, Some(code), "{what}");
    }
}

/// The description without its `post_processor`.
fn without_post_processor(json: &str) -> String {
    let start = json.find("\"post_processor\":").unwrap();
    let end = json.find("\"decoder\":").unwrap();
    format!("{}\"post_processor\":null,{}", &json[..start], &json[end..])
}

#[test]
fn what_is_no_file_of_that_kind_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.json");
    std::fs::File::create(&large).unwrap().set_len((256 << 20) + 1).unwrap();
    let cases = [
        (folder.path().join("none.json"), "TOKENIZER_FILE"),
        (folder.path().to_owned(), "TOKENIZER_FILE_KIND"),
        (large, "TOKENIZER_FILE_KIND"),
    ];
    for (path, code) in cases {
        assert_eq!(ModelTokenizer::load(&path).err().map(|error| error.code()), Some(code));
    }
}

#[test]
fn a_bound_that_leaves_no_token_is_refused() {
    for (family, least) in FAMILIES.iter().zip([5, 6]) {
        assert_eq!(family.ours.pair_tokens_least(), least);
        let error = family.ours.encode_pairs("a", &["b"], least - 1, &|| false).unwrap_err();
        assert_eq!(error.code(), "TOKENIZER_TOKENS_MAX");
        family.assert_same("a b c", "d e f", least);
    }
}
