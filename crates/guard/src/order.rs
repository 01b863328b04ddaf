//! Do the same words stand in another order?
//!
//! Moving whole clauses or sentences, and turning a text round at the edge of one, keeps what it says; any other order may
//! exchange who did what. That is right for edited copies and wrong for free paraphrases, so the guard is for strict use.

use std::cmp::Ordering;
use std::ops::Range;

use crate::difference::Sequence;
use crate::word::Traits;

/// Whether both texts have the same words, yet not the same clauses in some order.
pub(crate) fn differ(a: Sequence<'_>, b: Sequence<'_>) -> bool {
    have_same_words(a, b) && !have_same_clauses(a, b) && !is_turned_round(a, b)
}

fn have_same_words(a: Sequence<'_>, b: Sequence<'_>) -> bool {
    let sum =
        |sequence: Sequence<'_>| sequence.words.iter().fold(0_u64, |sum, word| sum + u64::from(word.hash()));
    let n = a.words.len();
    n == b.words.len()
        && sum(a) == sum(b)
        && a.sorted(0..n).into_iter().zip(b.sorted(0..n)).all(|(i, j)| a.same(i, b, j))
}

fn have_same_clauses(a: Sequence<'_>, b: Sequence<'_>) -> bool {
    let (in_a, in_b) = (clauses(a), clauses(b));
    in_a.len() == in_b.len()
        && in_a.into_iter().zip(in_b).all(|(first, second)| compare(a, first, b, second) == Ordering::Equal)
}

/// The clauses of a text, sorted by their words.
fn clauses(sequence: Sequence<'_>) -> Vec<Range<usize>> {
    let starts = (0..sequence.words.len())
        .filter(|&index| index == 0 || sequence.words[index].has_any(Traits::CLAUSE));
    let ends = starts.clone().skip(1).chain([sequence.words.len()]);
    let mut clauses: Vec<_> = starts.zip(ends).map(|(start, end)| start..end).collect();
    clauses.sort_unstable_by(|first, second| compare(sequence, first.clone(), sequence, second.clone()));
    clauses
}

/// Shorter clauses first, then word by word.
fn compare(a: Sequence<'_>, first: Range<usize>, b: Sequence<'_>, second: Range<usize>) -> Ordering {
    first.len().cmp(&second.len()).then_with(|| {
        first
            .zip(second)
            .map(|(i, j)| a.compare(i, b, j))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

/// Whether moving the head of `a` behind its tail gives `b`, the cut being the edge of a clause in one of them.
fn is_turned_round(a: Sequence<'_>, b: Sequence<'_>) -> bool {
    let n = a.words.len();
    let (tails, heads) = (common_starts(b, a), common_starts(a, b));
    (1..n).any(|cut| {
        let edge = a.words[cut].has_any(Traits::CLAUSE) || b.words[n - cut].has_any(Traits::CLAUSE);
        edge && tails[cut] == n - cut && heads[n - cut] == cut
    })
}

/// For every position of `text`, how many words from there on are the first words of `pattern` (the Z algorithm of
/// D. Gusfield, "Algorithms on Strings, Trees, and Sequences", 1997; linear).
fn common_starts(pattern: Sequence<'_>, text: Sequence<'_>) -> Vec<usize> {
    let n = pattern.words.len();
    let word = |index: usize| if index < n { (pattern, index) } else { (text, index - n) };
    let mut lengths = vec![0; n + text.words.len()];
    let (mut left, mut right) = (0, 0);
    for index in 1..lengths.len() {
        let known = if index < right { lengths[index - left].min(right - index) } else { 0 };
        let mut length = known;
        while length < n && index + length < lengths.len() {
            let ((start, at), (other, other_at)) = (word(length), word(index + length));
            if !start.same(at, other, other_at) {
                break;
            }
            length += 1;
        }
        lengths[index] = length;
        if index + length > right {
            (left, right) = (index, index + length);
        }
    }
    lengths.split_off(n)
}
