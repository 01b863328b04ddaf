//! Token ids are those of the Hugging Face `tokenizers` library, on every character and every script.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use sluice_text::WordPiece;
use tokenizers::Tokenizer;
use tokenizers::models::wordpiece::WordPiece as ReferenceModel;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;

/// Sentences in some fifty scripts and the corners of Unicode, one a line.
const SCRIPTS: &str = include_str!("data/scripts.txt");

/// The vocabulary of uncased BERT, which ships with the static model.
static BERT: LazyLock<Pair> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/static-en/vocab.txt");
    Pair::new(&std::fs::read_to_string(path).unwrap())
});

/// Ours and the reference, over one vocabulary.
struct Pair {
    ours: WordPiece,
    reference: Tokenizer,
}

impl Pair {
    fn new(vocabulary: &str) -> Self {
        let tokens = ReferenceModel::read_bytes(vocabulary.as_bytes()).unwrap();
        let model = ReferenceModel::builder().vocab(tokens).unk_token("[UNK]".into()).build().unwrap();
        let mut reference = Tokenizer::new(model);
        reference.with_normalizer(Some(BertNormalizer::default()));
        reference.with_pre_tokenizer(Some(BertPreTokenizer));
        Self { ours: WordPiece::from_vocabulary(vocabulary).unwrap(), reference }
    }

    fn assert_same(&self, text: &str) {
        let mut ids = Vec::new();
        self.ours.encode(text, &mut ids);
        let expected = self.reference.encode_fast(text, false).unwrap();
        assert_eq!(ids, expected.get_ids(), "{text:?} gives {:?}", expected.get_tokens());
    }
}

#[test]
fn on_every_character_alone_and_inside_a_word() {
    // Planes 4 to 13 are not assigned, and 15 and 16 are private throughout.
    let characters = ('\0'..='\u{3ffff}').chain('\u{e0000}'..='\u{e0fff}').chain('\u{10ff00}'..=char::MAX);
    for c in characters {
        BERT.assert_same(c.encode_utf8(&mut [0; 4]));
        BERT.assert_same(&format!("a{c}b"));
    }
}

#[test]
fn on_every_script() {
    BERT.assert_same(SCRIPTS);
    for line in SCRIPTS.lines() {
        BERT.assert_same(line);
        BERT.assert_same(&line.to_uppercase());
        // Every start, so that words begin inside letters, marks and joiners.
        for (start, _) in line.char_indices() {
            BERT.assert_same(&line[start..]);
        }
    }
}

#[test]
fn on_words_about_the_longest_length() {
    for length in [99, 100, 101, 102, 400] {
        for letter in
            ["a", "ab", "é", "e\u{301}", "д", "0", "ß", "\u{1d173}x", "a\u{200b}", "\u{0345}ω", "한"]
        {
            let word: String = letter.chars().cycle().take(length).collect();
            BERT.assert_same(&word);
            BERT.assert_same(&format!("before {word} {word}, {word}\u{301}after"));
            BERT.assert_same(&letter.repeat(length));
        }
    }
}

#[test]
fn on_a_vocabulary_that_is_not_clean() {
    // Blank lines, equal tokens, trailing space, only a continuation, pieces with punctuation, a piece with a mark.
    let pair = Pair::new(
        "[UNK]\na\n\n##b\n##\na  \n##b\nab,\n,\n#\ne\u{301}\n##\u{0}c\n\u{e9}\nabc\n##abc\n##c\n\u{65e5}\n",
    );
    for text in [
        "a", "ab", "abb", "abc", "abcabc", "ab,", "a##b", "##", "é", "a\0c", "日a", "日", "b", "ac", "abcabx",
    ] {
        pair.assert_same(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn on_any_text(text in any::<String>()) {
        BERT.assert_same(&text);
    }

    #[test]
    fn on_ascii_with_controls(text in "[ -~\\t\\n\\x00-\\x1f\\x7f]{0,200}") {
        BERT.assert_same(&text);
    }

    #[test]
    fn on_english_mixed_with_other_characters(
        words in proptest::collection::vec("[A-Za-z]{1,12}|the|un|ing|[0-9]{1,4}|[ ,.'-]|[é\u{301}\u{200d}\u{fffd}\u{85}ß漢😀\\x00]", 0..40),
    ) {
        BERT.assert_same(&words.concat());
    }

    #[test]
    fn on_any_run_of_one_block(start in 0..0x2_ffd0_u32, offsets in proptest::collection::vec(0..0x30_u32, 0..20)) {
        let text: String = offsets.iter().filter_map(|offset| char::from_u32(start + offset)).collect();
        BERT.assert_same(&text);
        BERT.assert_same(&format!("ab{text}ing"));
    }
}
