//! Which words deny, and which only look like it.
//!
//! A contraction is read as its two words (`don't` is `do not`), so that both spellings are one text. Fixed phrases that do
//! not turn a statement round (`not only`, `no doubt`, `whether or not`) are not counted.

use crate::word::{Traits, Word};

/// Whether a word denies what it stands beside: `not`, `never`, `without`, and every contraction with `n't`.
///
/// Case does not matter. English only.
pub fn is_negation(word: &str) -> bool {
    let lowered = word.to_lowercase().replace('\u{2019}', "'");
    denies(&lowered)
        || lowered == "cannot"
        || lowered.ends_with("n't")
        || bare_contraction(&lowered).is_some()
}

/// The same for one lower-cased word of a text that has been read, contractions being two words by then.
pub(crate) fn denies(word: &str) -> bool {
    matches!(
        word,
        "not" | "no" | "never" | "none" | "nobody" | "nothing" | "nowhere" | "neither" | "nor" | "without"
    )
}

/// The verb of a contraction in which the apostrophe was left out: `does` of `doesnt`.
pub(crate) fn bare_contraction(word: &str) -> Option<&str> {
    if !word.ends_with("nt") {
        return None;
    }
    match word {
        "cannt" | "cant" => Some("can"),
        "wont" => Some("will"),
        "arent" | "couldnt" | "didnt" | "doesnt" | "dont" | "hadnt" | "hasnt" | "havent" | "isnt"
        | "shouldnt" | "wasnt" | "werent" | "wouldnt" => Some(&word[..word.len() - 2]),
        _ => None,
    }
}

/// The verb of a contraction, given the letters before the apostrophe: that of `don't` is `do`, that of `won't` is `will`.
pub(crate) fn contracted_verb(before: &str) -> Option<&str> {
    match before {
        "can" => Some("can"),
        "won" => Some("will"),
        "shan" => Some("shall"),
        _ => before.strip_suffix('n').filter(|verb| !verb.is_empty()),
    }
}

/// Takes the mark of a negation from words that stand in a phrase which denies nothing.
pub(crate) fn excuse_phrases(letters: &str, words: &mut [Word]) {
    let mut in_neither = false;
    for at in 0..words.len() {
        let word = words[at];
        if word.has_any(Traits::SENTENCE) {
            in_neither = false;
        }
        if !word.has_any(Traits::NEGATION) {
            continue;
        }
        let next = words.get(at + 1).map_or("", |next| next.letters(letters));
        let previous = at.checked_sub(1).map_or("", |before| words[before].letters(letters));
        let harmless = match word.letters(letters) {
            "not" => {
                next == "only"
                    || previous == "or"
                    || (matches!(next, "just" | "merely" | "simply") && leads_to_but(letters, &words[at..]))
            }
            "no" => {
                let is_interjection = word.has_any(Traits::CLAUSE)
                    && words.get(at + 1).is_some_and(|next| next.has_any(Traits::CLAUSE));
                is_interjection || matches!(next, "doubt" | "matter" | "sooner" | "wonder")
            }
            "nor" => in_neither, // counted with its "neither"
            _ => false,
        };
        in_neither |= word.letters(letters) == "neither";
        if harmless {
            words[at].traits = word.traits.less(Traits::NEGATION);
        }
    }
}

/// Whether a sentence goes on with "but" soon: "not just fast but small".
fn leads_to_but(letters: &str, sentence: &[Word]) -> bool {
    const WORDS_MAX: usize = 16;
    sentence[1..]
        .iter()
        .take(WORDS_MAX)
        .take_while(|word| !word.has_any(Traits::SENTENCE))
        .any(|word| word.letters(letters) == "but")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_deny() {
        for word in ["not", "No", "NEVER", "can't", "isn\u{2019}t", "dont", "cannot", "without"] {
            assert!(is_negation(word), "{word}");
        }
        for word in ["note", "now", "want", "ain", "unable", "hardly", "nt", ""] {
            assert!(!is_negation(word), "{word}");
        }
    }
}
