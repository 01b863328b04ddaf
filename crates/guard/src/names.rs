//! Is a name, a month, a weekday or an identifier replaced by another?
//!
//! Without a dictionary of names, a name is a word with a capital where an ordinary word has none. So it must be replaced by
//! another such word in the same place, and be found nowhere else in the other text; or two names must have changed places.

use crate::difference::{Block, Sequence};
use crate::spelling::is_typo;
use crate::word::{Traits, Word};

/// A passage with more words than this on a side is rewritten: its words do not answer to each other.
pub(crate) const PASSAGE_WORDS_MAX: usize = 8;

/// Words after which a point ends no sentence, and which are no names themselves.
pub(crate) fn is_abbreviated(word: &str) -> bool {
    word.len() == 1
        || matches!(
            word,
            "mr" | "mrs"
                | "ms"
                | "dr"
                | "st"
                | "sir"
                | "prof"
                | "vs"
                | "fig"
                | "eg"
                | "ie"
                | "etc"
                | "approx"
        )
}

/// The number of a month (0 to 11) or a weekday (12 to 18), written out or shortened.
///
/// Words that are also something else ("may", "sun") need their capital.
pub(crate) fn calendar(word: &str, is_capital: bool) -> Option<usize> {
    const NAMES: [&str; 19] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let number = match word.get(..3)? {
        "jan" => 0,
        "feb" => 1,
        "mar" => 2,
        "apr" => 3,
        "may" => 4,
        "jun" => 5,
        "jul" => 6,
        "aug" => 7,
        "sep" => 8,
        "oct" => 9,
        "nov" => 10,
        "dec" => 11,
        "mon" => 12,
        "tue" => 13,
        "wed" => 14,
        "thu" => 15,
        "fri" => 16,
        "sat" => 17,
        "sun" => 18,
        _ => return None,
    };
    let needs_capital = word.len() == 3 || word == "march";
    let is_spelled = word.len() == 3 || word == NAMES[number] || word == "sept";
    (is_spelled && (is_capital || !needs_capital)).then_some(number)
}

/// Takes the mark of a name from every word of a text that gives capitals to most of its words.
pub(crate) fn forget_uninformative_capitals(words: &mut [Word]) {
    let is_telling = |word: &&Word| {
        !word.has_any(Traits::OPENING.or(Traits::NUMBER).or(Traits::IDENTIFIER).or(Traits::NEGATION))
    };
    let (capitals, count) = words.iter().filter(is_telling).fold((0, 0), |(capitals, count), word| {
        (capitals + usize::from(word.has_any(Traits::CAPITAL)), count + 1)
    });
    let uninformative = count >= 4 && capitals * 4 > count * 3;
    for word in words {
        if uninformative || (word.has_any(Traits::OPENING) && !word.has_any(Traits::IDENTIFIER)) {
            word.traits = word.traits.less(Traits::NAME);
        }
    }
}

/// One name that stands where the other text has another.
struct Exchange {
    a: usize,
    b: usize,
    /// Nothing else changed beside it.
    is_alone: bool,
}

/// Whether the blocks replace a name by another.
pub(crate) fn differ(a: Sequence<'_>, b: Sequence<'_>, blocks: &[Block]) -> bool {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for block in blocks {
        exchange(a, b, block, &mut exchanges);
    }
    if exchanges.is_empty() {
        return false;
    }
    let (sorted_a, sorted_b) = (a.sorted(0..a.words.len()), b.sorted(0..b.words.len()));
    let is_foreign = |exchange: &Exchange| {
        let in_b = sorted_b.binary_search_by(|&other| b.compare(other, a, exchange.a)).is_ok();
        let in_a = sorted_a.binary_search_by(|&other| a.compare(other, b, exchange.b)).is_ok();
        // A lone exchange in an unchanged sentence needs only one name that the other text does not know.
        if exchange.is_alone { !(in_a && in_b) } else { !in_a && !in_b }
    };
    exchanges.iter().any(is_foreign) || trade_places(a, b, &exchanges)
}

/// Adds the pairs of names that a block replaces by each other.
fn exchange(a: Sequence<'_>, b: Sequence<'_>, block: &Block, exchanges: &mut Vec<Exchange>) {
    let (in_a, in_b) = (block.a.clone(), block.b.clone());
    if in_a.is_empty() || in_b.is_empty() || in_a.len().max(in_b.len()) > PASSAGE_WORDS_MAX {
        return;
    }
    if in_a.len() == in_b.len() {
        let is_alone = in_a.len() == 1;
        let pairs = in_a.zip(in_b).map(|(a, b)| Exchange { a, b, is_alone });
        exchanges.extend(pairs.filter(|pair| are_two_names(a, b, pair)));
        return;
    }
    let pairs = in_a.flat_map(|a| in_b.clone().map(move |b| Exchange { a, b, is_alone: false }));
    exchanges.extend(pairs.filter(|pair| are_two_names(a, b, pair)));
}

/// Whether both words of a pair are names, and not two spellings of one.
fn are_two_names(a: Sequence<'_>, b: Sequence<'_>, pair: &Exchange) -> bool {
    let both = |traits| a.words[pair.a].has_any(traits) && b.words[pair.b].has_any(traits);
    let (first, second) = (a.at(pair.a), b.at(pair.b));
    if both(Traits::CALENDAR) {
        return calendar(first, true) != calendar(second, true);
    }
    if both(Traits::IDENTIFIER) {
        return first != second;
    }
    both(Traits::NAME)
        && first != second
        && !is_typo(first, second)
        && !is_derived(first, second)
        && !is_derived(second, first)
}

/// Whether `long` is the plural, the people or the language of the name `short`: Italy, Italians.
fn is_derived(short: &str, long: &str) -> bool {
    let people = |ending: &str| {
        let singular = ending.strip_suffix('s').unwrap_or(ending);
        matches!(singular, "n" | "an" | "ian" | "ean" | "i" | "ish" | "ese")
    };
    let stem = short.strip_suffix(['a', 'e', 'o', 'y']).unwrap_or(short);
    matches!(long.strip_prefix(short), Some("s" | "es"))
        || (stem.len() >= 3 && long.strip_prefix(stem).is_some_and(people))
}

/// Whether two names have changed places, other than as neighbours in a list.
fn trade_places(a: Sequence<'_>, b: Sequence<'_>, exchanges: &[Exchange]) -> bool {
    exchanges.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        let traded = a.same(first.a, b, second.b) && a.same(second.a, b, first.b);
        traded
            && a.words[first.a + 1..second.a].iter().enumerate().any(|(offset, word)| {
                let between = a.at(first.a + 1 + offset);
                !word.has_any(Traits::NAME) && !matches!(between, "and" | "or")
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_and_weekdays_by_number() {
        for (word, is_capital, expected) in [
            ("january", false, Some(0)),
            ("jan", true, Some(0)),
            ("sept", true, Some(8)),
            ("sunday", false, Some(18)),
            ("may", false, None),
            ("may", true, Some(4)),
            ("march", false, None),
            ("sun", false, None),
            ("monkey", true, None),
            ("d\u{e9}cembre", true, None),
        ] {
            assert_eq!(calendar(word, is_capital), expected, "{word}");
        }
    }

    #[test]
    fn a_people_is_named_after_its_country() {
        for (short, long) in
            [("italy", "italians"), ("nigeria", "nigerian"), ("china", "chinese"), ("alice", "alices")]
        {
            assert!(is_derived(short, long), "{short} {long}");
        }
        for (short, long) in
            [("niger", "nigeria"), ("austria", "australia"), ("maria", "mario"), ("mary", "maria")]
        {
            assert!(!is_derived(short, long), "{short} {long}");
        }
    }
}
