//! Is one word the opposite of another?
//!
//! The opposites come from the antonym pointers of `WordNet` and from a short list of our own for software and everyday
//! operation (`data/`, made by `training/antonyms`). They are base forms; an inflected word is tried under every base it may
//! have. This knows words, not meanings: `left` is the opposite of `right` in every sentence.

use std::cmp::Ordering;
use std::sync::OnceLock;

/// Lines `word opposite ...`, sorted by bytes, both ways.
const ANTONYMS: &str = include_str!("../data/antonyms.txt");

/// Lines `form base ...` of words that inflect irregularly, sorted by bytes.
const IRREGULAR_FORMS: &str = include_str!("../data/irregular-forms.txt");

/// A word may have at most this many bases: itself, two irregular ones, three for each of three endings.
const BASES_MAX: usize = 12;

/// Regular endings: what is cut, and what may have stood there.
const ENDINGS: [(&str, &[&str]); 11] = [
    ("s", &[""]),
    ("es", &[""]),
    ("ies", &["y"]),
    ("ed", &["", "e"]),
    ("ied", &["y"]),
    ("ing", &["", "e"]),
    ("er", &["", "e"]),
    ("ier", &["y"]),
    ("est", &["", "e"]),
    ("iest", &["y"]),
    ("men", &["man"]),
];

/// Whether two lower-cased words are opposites (symmetric): `enable` and `disabled`, `before` and `after`.
///
/// Inflection and the prefixes "un" and "non" are looked through. English only.
pub fn are_antonyms(a: &str, b: &str) -> bool {
    Opposites::of(a).contain(b)
}

/// The opposites of one word, to be asked about several others.
pub(crate) struct Opposites<'w> {
    bases: Bases<'w>,
    /// For each base its opposites, separated by spaces.
    lists: [&'static str; BASES_MAX],
    is_empty: bool,
}

impl<'w> Opposites<'w> {
    /// Looks a lower-cased word up under all its bases.
    pub(crate) fn of(word: &'w str) -> Self {
        let bases = Bases::of(word);
        let mut lists = [""; BASES_MAX];
        for (base, list) in bases.iter().zip(&mut lists) {
            *list = look_up(&lexicon().opposites, base);
        }
        let is_empty = lists.iter().all(|list| list.is_empty());
        Self { bases, lists, is_empty }
    }

    /// Whether another lower-cased word is one of them.
    pub(crate) fn contain(&self, other: &str) -> bool {
        let may_deny = |word: &str| word.starts_with("un") || word.starts_with("non");
        let prefixed = may_deny(other) || may_deny(self.bases.forms[0].stem);
        if self.is_empty && !prefixed {
            return false;
        }
        let others = Bases::of(other);
        let listed = self.lists.iter().flat_map(|list| list.split_ascii_whitespace());
        listed.into_iter().any(|opposite| others.iter().any(|base| base.compare(opposite).is_eq()))
            || (prefixed
                && self.bases.iter().any(|a| others.iter().any(|b| a.is_denied(b) || b.is_denied(a))))
    }
}

/// Letters of a word and an ending put back: the base `enabl` + `e` of `enabling`, without allocating it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form<'w> {
    stem: &'w str,
    ending: &'static str,
}

impl Form<'_> {
    fn compare(self, word: &str) -> Ordering {
        let stem = self.stem.as_bytes();
        let word = word.as_bytes();
        let head = &word[..word.len().min(stem.len())];
        stem.cmp(head).then_with(|| self.ending.as_bytes().cmp(&word[head.len()..]))
    }

    /// Whether this is the other form after a prefix that always denies.
    fn is_denied(self, other: Self) -> bool {
        let without = |prefix| self.stem.strip_prefix(prefix).filter(|rest| rest.len() >= 4);
        self.stem != "unless"
            && self.ending == other.ending
            && (without("un") == Some(other.stem) || without("non") == Some(other.stem))
    }
}

/// The base forms a word may have, itself first.
struct Bases<'w> {
    forms: [Form<'w>; BASES_MAX],
    count: usize,
}

impl<'w> Bases<'w> {
    fn of(word: &'w str) -> Self {
        let itself = Form { stem: word, ending: "" };
        let mut bases = Self { forms: [itself; BASES_MAX], count: 1 };
        for stem in look_up(&lexicon().irregular, itself).split_ascii_whitespace() {
            bases.push(Form { stem, ending: "" });
        }
        if !matches!(word.as_bytes().last(), Some(b's' | b'd' | b'g' | b'r' | b't' | b'n')) {
            return bases;
        }
        for (cut, restored) in ENDINGS {
            let Some(stem) = word.strip_suffix(cut).filter(|stem| stem.len() >= 2 || cut == "men") else {
                continue;
            };
            for &ending in restored {
                bases.push(Form { stem, ending });
            }
            if let [.., before, last] = stem.as_bytes()
                && before == last
                && last.is_ascii()
                && restored.len() == 2
            {
                bases.push(Form { stem: &stem[..stem.len() - 1], ending: "" });
            }
        }
        bases
    }

    fn push(&mut self, form: Form<'w>) {
        if self.count < BASES_MAX {
            self.forms[self.count] = form;
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Form<'w>> {
        self.forms[..self.count].iter().copied()
    }
}

/// Sorted lines of a list, split into the first word and the rest.
type Lines = Vec<(&'static str, &'static str)>;

struct Lexicon {
    opposites: Lines,
    irregular: Lines,
}

/// The lists, split at the first question.
fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(|| Lexicon { opposites: lines(ANTONYMS), irregular: lines(IRREGULAR_FORMS) })
}

fn lines(list: &'static str) -> Lines {
    list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')).collect()
}

/// What a list has for a form, or nothing.
fn look_up(list: &Lines, form: Form<'_>) -> &'static str {
    list.binary_search_by(|&(word, _)| form.compare(word).reverse()).map_or("", |at| list[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_lists_are_sorted_and_go_both_ways() {
        for list in [&lexicon().opposites, &lexicon().irregular] {
            assert!(list.is_sorted() && list.len() > 100);
        }
        for &(word, opposites) in &lexicon().opposites {
            for opposite in opposites.split(' ') {
                assert!(are_antonyms(opposite, word) && are_antonyms(word, opposite), "{word} {opposite}");
            }
        }
    }

    #[test]
    fn opposites_in_every_inflection() {
        for (a, b) in [
            ("enable", "disable"),
            ("enabled", "disables"),
            ("enabling", "disabling"),
            ("stopped", "started"),
            ("higher", "lowest"),
            ("earlier", "latest"),
            ("rose", "fell"),
            ("women", "men"),
            ("bought", "sold"),
            ("allowed", "forbidden"),
            ("before", "after"),
            ("open", "closed"),
            ("on", "off"),
            ("unpublished", "published"),
            ("nonblocking", "blocking"),
            ("carries", "drops"),
        ] {
            let expected = a != "carries";
            assert_eq!(are_antonyms(a, b), expected, "{a} {b}");
            assert_eq!(are_antonyms(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn words_that_only_look_like_opposites() {
        for (a, b) in [
            ("large", "big"),
            ("less", "unless"),
            ("said", "stated"),
            ("form", "inform"),
            ("", ""),
            ("un", ""),
        ] {
            assert!(!are_antonyms(a, b), "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn a_form_compares_like_its_letters(stem in "[ab\u{e9}]{0,4}", word in "[abey\u{e9}]{0,5}", at in 0_usize..3) {
            let ending = ["", "e", "y"][at];
            let whole = format!("{stem}{ending}");
            prop_assert_eq!(Form { stem: &stem, ending }.compare(&word), whole.as_str().cmp(word.as_str()));
        }

        #[test]
        fn no_word_breaks_the_bases(a in "\\PC{0,12}(s|ed|ing|er|iest)?", b in "\\PC{0,12}") {
            prop_assert_eq!(are_antonyms(&a, &b), are_antonyms(&b, &a));
            prop_assert!(!are_antonyms(&a, &a));
        }
    }
}
