//! What the guard needs of one text, and the question it answers about two.
//!
//! The idea: most pairs are decided by counts (which numbers, how many negations); only where those leave a doubt, or a guard
//! asks which word replaced which, the two word sequences are compared.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::antonyms::Opposites;
use crate::difference::{self, Block, Sequence};
use crate::names::{self, PASSAGE_WORDS_MAX};
use crate::order;
use crate::reader::{self, Reading};
use crate::word::{Traits, Word};
use crate::{Guard, Guards};

/// Equal words between two blocks that still belong together: "is *not* really *open*" and "is really *closed*".
const NEIGHBOUR_WORDS_MAX: usize = 3;

/// The facts of one text: its words in order, and what was noticed about each.
///
/// Takes about the bytes of the text and 16 bytes a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    letters: Box<str>,
    words: Box<[Word]>,
    /// Positions of the numbers, sorted by their letters.
    numbers: Box<[u32]>,
    /// A hash of the numbers; absent where they may say something else than they are: in a cut text, beside a "one".
    number_print: Option<u64>,
    negations: usize,
    is_cut: bool,
}

impl Facts {
    /// Reads the facts of a text; linear but for sorting its numbers.
    pub fn of(text: &str) -> Self {
        let Reading { letters, words, is_cut } = reader::read(text);
        let mut numbers: Vec<u32> =
            (0..words.len() as u32).filter(|&index| words[index as usize].has_any(Traits::NUMBER)).collect();
        numbers.sort_unstable_by_key(|&index| words[index as usize].letters(&letters));
        let negations = words.iter().filter(|word| word.has_any(Traits::NEGATION)).count();
        let is_plain = !is_cut && !words.iter().any(|word| word.has_any(Traits::ONE));
        let number_print = is_plain.then(|| print(numbers.iter().map(|&index| words[index as usize])));
        let (letters, words, numbers) = (letters.into(), words.into(), numbers.into());
        Self { letters, words, numbers, number_print, negations, is_cut }
    }

    /// The first guard of `guards`, in the order of [`Guard`], by which the two texts differ.
    ///
    /// Symmetric, and `None` for texts that have the same words in the same order. At worst n log n in the number of words,
    /// with at most 64 comparisons a word.
    pub fn differ(&self, other: &Self, guards: Guards) -> Option<Guard> {
        if guards.contains(Guard::Numbers) && self.surely_differ_in_numbers(other) {
            return Some(Guard::Numbers);
        }
        // The shortest edit script is not unique: asking in one order makes the answer symmetric.
        let comparison = match self.compare(other) {
            Ordering::Equal => return None,
            Ordering::Less => Comparison::new(self, other),
            Ordering::Greater => Comparison::new(other, self),
        };
        guards.iter().find(|&guard| comparison.differs_by(guard))
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.letters.len() + size_of_val(&*self.words) + size_of_val(&*self.numbers)
    }

    /// Whether two prints say that the numbers differ, which costs a comparison. Texts of one template come in pairs by the
    /// square, and nearly all of them end here.
    fn surely_differ_in_numbers(&self, other: &Self) -> bool {
        matches!((self.number_print, other.number_print), (Some(mine), Some(theirs)) if mine != theirs)
    }

    /// An order of texts by their words; texts with the same words are equal, whatever their case and marks.
    fn compare(&self, other: &Self) -> Ordering {
        let (mine, theirs) = (self.sequence(), other.sequence());
        let count = self.words.len();
        count.cmp(&other.words.len()).then_with(|| {
            (0..count)
                .map(|at| mine.compare(at, theirs, at))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }

    fn sequence(&self) -> Sequence<'_> {
        Sequence { letters: &self.letters, words: &self.words }
    }
}

/// A hash of words in order: equal words have equal prints.
fn print(words: impl Iterator<Item = Word>) -> u64 {
    words.fold(0, |print, word| xxh3_64_with_seed(&word.hash().to_le_bytes(), print))
}

/// Two texts side by side; where they differ is found out once, when a guard asks.
struct Comparison<'f> {
    a: &'f Facts,
    b: &'f Facts,
    passages: OnceCell<Passages>,
}

/// Where two texts differ.
struct Passages {
    /// The passages that differ, without what lies beyond the cut of a cut text.
    blocks: Vec<Block>,
    /// Where the part of each text ends that the other can answer to.
    a_end: usize,
    b_end: usize,
}

impl<'f> Comparison<'f> {
    fn new(a: &'f Facts, b: &'f Facts) -> Self {
        Self { a, b, passages: OnceCell::new() }
    }

    fn differs_by(&self, guard: Guard) -> bool {
        match guard {
            Guard::Numbers => self.differs_in_numbers(),
            Guard::Negation => {
                self.may_differ_in_negation() && self.clusters().any(|cluster| cluster.denies())
            }
            Guard::Antonyms => self.clusters().any(|cluster| cluster.opposes()),
            Guard::Names => names::differ(self.a.sequence(), self.b.sequence(), &self.passages().blocks),
            Guard::Order => order::differ(self.a.sequence(), self.b.sequence()),
        }
    }

    fn one_is_cut(&self) -> bool {
        self.a.is_cut || self.b.is_cut
    }

    fn differs_in_numbers(&self) -> bool {
        let surplus = Surplus::of(self.a, self.b, |_, _| true);
        if surplus.is_settled(self.a, self.b) {
            return false;
        }
        if !self.one_is_cut() {
            return true;
        }
        let passages = self.passages();
        let is_answered = |in_a: bool, at: usize| at < if in_a { passages.a_end } else { passages.b_end };
        !Surplus::of(self.a, self.b, is_answered).is_settled(self.a, self.b)
    }

    fn may_differ_in_negation(&self) -> bool {
        self.a.negations != self.b.negations || self.one_is_cut()
    }

    fn passages(&self) -> &Passages {
        self.passages.get_or_init(|| {
            let mut blocks = difference::blocks(self.a.sequence(), self.b.sequence());
            let beyond = blocks.pop_if(|last| self.is_beyond_cut(last));
            let (a_end, b_end) =
                beyond.map_or((self.a.words.len(), self.b.words.len()), |last| (last.a.start, last.b.start));
            Passages { blocks, a_end, b_end }
        })
    }

    /// Whether a block is what one text has after the place where the other was cut, perhaps inside a word.
    fn is_beyond_cut(&self, last: &Block) -> bool {
        let (a, b) = (self.a.sequence(), self.b.sequence());
        let stops =
            |short: Sequence<'_>, in_short: &Range<usize>, long: Sequence<'_>, in_long: &Range<usize>| {
                in_short.is_empty()
                    || (in_short.len() == 1
                        && !in_long.is_empty()
                        && long.at(in_long.start).starts_with(short.at(in_short.start)))
            };
        last.a.end == a.words.len()
            && last.b.end == b.words.len()
            && ((self.a.is_cut && stops(a, &last.a, b, &last.b))
                || (self.b.is_cut && stops(b, &last.b, a, &last.a)))
    }

    fn clusters(&self) -> impl Iterator<Item = Cluster> {
        self.passages()
            .blocks
            .chunk_by(|first, second| second.a.start - first.a.end <= NEIGHBOUR_WORDS_MAX)
            .map(|neighbours| self.cluster(neighbours))
    }

    fn cluster(&self, blocks: &[Block]) -> Cluster {
        let mut cluster = Cluster { negations: 0, opposites: 0, polar_opposites: 0 };
        for block in blocks {
            let negations = |facts: &Facts, range: &Range<usize>| {
                facts.words[range.clone()].iter().filter(|word| word.has_any(Traits::NEGATION)).count() as i64
            };
            if !self.is_whole_sentence(block) {
                cluster.negations += negations(self.a, &block.a) - negations(self.b, &block.b);
            }
            self.count_opposites(block, &mut cluster);
        }
        cluster
    }

    /// Whether a block only adds whole sentences, which say nothing against the others.
    fn is_whole_sentence(&self, block: &Block) -> bool {
        let (words, range) = match (block.a.is_empty(), block.b.is_empty()) {
            (true, false) => (&self.b.words, &block.b),
            (false, true) => (&self.a.words, &block.a),
            _ => return false,
        };
        words[range.start].has_any(Traits::SENTENCE)
            && words.get(range.end).is_none_or(|next| next.has_any(Traits::SENTENCE))
    }

    fn count_opposites(&self, block: &Block, cluster: &mut Cluster) {
        if block.a.len().max(block.b.len()) > PASSAGE_WORDS_MAX {
            return;
        }
        let (a, b) = (self.a.sequence(), self.b.sequence());
        for i in block.a.clone().filter(|_| !block.b.is_empty()) {
            let opposites = Opposites::of(a.at(i));
            for j in block.b.clone().filter(|&j| opposites.contain(b.at(j))) {
                if a.words[i].has_any(Traits::NEGATION) || b.words[j].has_any(Traits::NEGATION) {
                    cluster.polar_opposites += 1;
                } else {
                    cluster.opposites += 1;
                }
            }
        }
    }
}

/// What a few neighbouring blocks change together.
struct Cluster {
    /// Negations of the one text less those of the other.
    negations: i64,
    /// Words replaced by their opposite.
    opposites: i64,
    /// The same where one of the two denies: "always" and "never".
    polar_opposites: i64,
}

impl Cluster {
    /// "not possible" and "impossible" say the same: each opposite makes up for a negation.
    fn is_balanced(&self) -> bool {
        self.negations.abs() == self.opposites
    }

    fn denies(&self) -> bool {
        self.negations != 0 && !self.is_balanced()
    }

    fn opposes(&self) -> bool {
        self.polar_opposites > 0 || (self.opposites > 0 && !self.is_balanced())
    }
}

/// The numbers that one text has more often than the other.
struct Surplus {
    /// Numbers other than 1 on either side.
    others: usize,
    ones_of_a: usize,
    ones_of_b: usize,
}

impl Surplus {
    fn of(a: &Facts, b: &Facts, counts: impl Fn(bool, usize) -> bool) -> Self {
        let mut surplus = Self { others: 0, ones_of_a: 0, ones_of_b: 0 };
        let mut in_a = a.numbers.iter().map(|&at| at as usize).filter(|&at| counts(true, at)).peekable();
        let mut in_b = b.numbers.iter().map(|&at| at as usize).filter(|&at| counts(false, at)).peekable();
        let (a, b) = (a.sequence(), b.sequence());
        loop {
            let order = match (in_a.peek(), in_b.peek()) {
                (None, None) => return surplus,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(&i), Some(&j)) => a.at(i).cmp(b.at(j)),
            };
            let left = if order.is_le() { in_a.next() } else { None };
            let right = if order.is_ge() { in_b.next() } else { None };
            match (left, right) {
                (Some(i), None) if a.at(i) == "1" => surplus.ones_of_a += 1,
                (None, Some(j)) if b.at(j) == "1" => surplus.ones_of_b += 1,
                (Some(_), Some(_)) => {}
                _ => surplus.others += 1,
            }
        }
    }

    /// Whether nothing is left over: a "1" is no surplus where the other text has "one" in letters.
    fn is_settled(&self, a: &Facts, b: &Facts) -> bool {
        let in_letters = |facts: &Facts| facts.words.iter().filter(|word| word.has_any(Traits::ONE)).count();
        self.others == 0
            && (self.ones_of_a == 0 || self.ones_of_a <= in_letters(b))
            && (self.ones_of_b == 0 || self.ones_of_b <= in_letters(a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = String> {
        let word = proptest::sample::select(vec![
            "1", "2", "02", "1.0", "one", "two", "no", "of", "1,000", "thousand",
        ]);
        proptest::collection::vec(word, 0..6).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn a_print_never_says_more_than_the_numbers(a in text(), b in text()) {
            let (a, b) = (Facts::of(&a), Facts::of(&b));
            let differ = Comparison::new(&a, &b).differs_in_numbers();
            prop_assert!(differ || !a.surely_differ_in_numbers(&b));
            // Without a "one" it says all there is to say.
            let is_plain = a.number_print.is_some() && b.number_print.is_some();
            prop_assert!(!is_plain || differ == a.surely_differ_in_numbers(&b));
        }
    }
}
