//! Words of texts and of queries, as FTS5 is given them.
//!
//! FTS5 cuts at spaces and punctuation and folds case and Latin accents. Scripts that write no spaces would come out as one word a
//! sentence: their letters are set apart, in the index and in the query, and a query word of several letters becomes a
//! phrase of them. A query is data: its words are quoted, so nothing in it is an operator.

use std::borrow::Cow;

use crate::StoreError;

/// The most different words of one query.
pub const QUERY_WORDS_MAX: usize = 1024;

/// Letters of scripts that put no spaces between words: first and last of each block.
const UNSPACED: [(char, char); 13] = [
    ('\u{0e00}', '\u{0eff}'),   // Thai, Lao
    ('\u{1000}', '\u{109f}'),   // Burmese
    ('\u{1780}', '\u{17ff}'),   // Khmer
    ('\u{2e80}', '\u{2fdf}'),   // Han radicals
    ('\u{3005}', '\u{3007}'),   // Han iteration mark, zero
    ('\u{3040}', '\u{30ff}'),   // Hiragana, Katakana
    ('\u{31f0}', '\u{31ff}'),   // Katakana extensions
    ('\u{3400}', '\u{4dbf}'),   // Han A
    ('\u{4e00}', '\u{9fff}'),   // Han
    ('\u{f900}', '\u{faff}'),   // Han compatibility
    ('\u{ff66}', '\u{ff9f}'),   // half-width Katakana
    ('\u{1b000}', '\u{1b16f}'), // Kana supplements
    ('\u{20000}', '\u{3ffff}'), // Han B and beyond
];

fn is_unspaced(letter: char) -> bool {
    letter >= UNSPACED[0].0 && UNSPACED.iter().any(|(first, last)| (*first..=*last).contains(&letter))
}

/// The text with the letters of unspaced scripts set apart.
pub fn spaced(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_unspaced) {
        return Cow::Borrowed(text);
    }
    let mut apart = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if is_unspaced(letter) {
            apart.extend([' ', letter, ' ']);
        } else {
            apart.push(letter);
        }
    }
    Cow::Owned(apart)
}

/// The FTS5 expression that finds texts with any word of the query; `None` when there is no word in it.
pub fn expression(query: &str) -> Result<Option<String>, StoreError> {
    let mut words: Vec<String> = Vec::new();
    for word in query.split(|letter| !is_part_of_word(letter)).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() > QUERY_WORDS_MAX {
            let received = words.len();
            return Err(StoreError::QueryTooLong { expected: QUERY_WORDS_MAX, received });
        }
    }
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", spaced(word))).collect();
    Ok((!quoted.is_empty()).then(|| quoted.join(" OR ")))
}

/// Letters, digits, and marks that belong to the letter before: whatever is not ASCII and not known to part words.
fn is_part_of_word(letter: char) -> bool {
    let parts = |letter: char| {
        letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '\u{a0}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{3004}')
            || matches!(letter, '\u{3008}'..='\u{303f}' | '\u{30fb}' | '\u{ff00}'..='\u{ff0f}' | '\u{fe30}'..='\u{fe4f}')
            || matches!(letter, '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff3e}' | '\u{ff5b}'..='\u{ff65}')
    };
    letter.is_alphanumeric() || (!letter.is_ascii() && !parts(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_unspaced_scripts_stand_apart() {
        let cases = [
            ("plain words", "plain words"),
            ("東京 tower", " 東  京  tower"),
            ("ab京cd", "ab 京 cd"),
            ("한국어", "한국어"),
        ];
        for (text, expected) in cases {
            assert_eq!(spaced(text), expected, "{text}");
        }
    }

    #[test]
    fn a_query_is_quoted_words() {
        let cases = [
            ("", None),
            (" \t\n", None),
            ("\"*:^(){}+-", None),
            ("one two", Some(r#""one" OR "two""#)),
            ("one ONE one", Some(r#""one""#)),
            ("NEAR(a b) NOT words:x*", Some(r#""near" OR "a" OR "b" OR "not" OR "words" OR "x""#)),
            ("e\u{301}t\u{e9}", Some("\"e\u{301}t\u{e9}\"")),
            ("東京、塔", Some("\" 東  京 \" OR \" 塔 \"")),
        ];
        for (query, expected) in cases {
            assert_eq!(expression(query).unwrap().as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn too_many_words_are_refused_not_cut() {
        let query = |words: usize| (0..words).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
        assert!(expression(&query(QUERY_WORDS_MAX)).is_ok());
        assert_eq!(expression(&query(QUERY_WORDS_MAX + 1)).unwrap_err().code(), "STORE_QUERY_TOO_LONG");
    }
}
