//! Where do two word sequences differ?
//!
//! The shortest edit script by E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), kept to [`EDITS_MAX`]
//! edits. Texts further apart are first cut at the words that each has exactly once, in the longest order both agree on
//! (patience diff); what lies between two cuts is compared again within the same limit, or taken as one replaced passage. So
//! the cost is at most `EDITS_MAX` comparisons a word and one sort, whatever the texts are.

use std::cmp::Ordering;
use std::ops::Range;

use crate::word::Word;

/// Inserted and deleted words after which the search for the shortest script ends.
const EDITS_MAX: usize = 64;

/// A passage of one text that stands where the other has another; one of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) a: Range<usize>,
    pub(crate) b: Range<usize>,
}

/// The words of one text with the letters they point into.
#[derive(Clone, Copy)]
pub(crate) struct Sequence<'t> {
    pub(crate) letters: &'t str,
    pub(crate) words: &'t [Word],
}

impl<'t> Sequence<'t> {
    pub(crate) fn at(self, index: usize) -> &'t str {
        self.words[index].letters(self.letters)
    }

    pub(crate) fn same(self, index: usize, other: Self, other_index: usize) -> bool {
        self.words[index].hash() == other.words[other_index].hash() && self.at(index) == other.at(other_index)
    }

    /// An order in which equal words, and only those, are equal; it means nothing else.
    pub(crate) fn compare(self, index: usize, other: Self, other_index: usize) -> Ordering {
        let (a, b) = (self.words[index].hash(), other.words[other_index].hash());
        a.cmp(&b).then_with(|| self.at(index).cmp(other.at(other_index)))
    }

    /// The positions of the words in that order, equal ones by position.
    pub(crate) fn sorted(self, range: Range<usize>) -> Vec<usize> {
        let mut positions: Vec<usize> = range.collect();
        positions.sort_unstable_by(|&i, &j| self.compare(i, self, j).then(i.cmp(&j)));
        positions
    }
}

/// The passages in which two texts differ, in order; none when they have the same words.
pub(crate) fn blocks(a: Sequence<'_>, b: Sequence<'_>) -> Vec<Block> {
    let whole = Block { a: 0..a.words.len(), b: 0..b.words.len() };
    let mut found = Vec::new();
    let middle = trim(a, b, whole);
    if !shortest(a, b, &middle, &mut found) {
        let mut start = (middle.a.start, middle.b.start);
        let ends = anchors(a, b, &middle);
        for end in ends.into_iter().chain([(middle.a.end, middle.b.end)]) {
            let gap = trim(a, b, Block { a: start.0..end.0, b: start.1..end.1 });
            if !shortest(a, b, &gap, &mut found) {
                found.push(gap);
            }
            start = end;
        }
    }
    join_neighbours(&mut found);
    found
}

/// The block without what both sides begin and end with.
fn trim(a: Sequence<'_>, b: Sequence<'_>, block: Block) -> Block {
    let Block { a: mut in_a, b: mut in_b } = block;
    while !in_a.is_empty() && !in_b.is_empty() && a.same(in_a.start, b, in_b.start) {
        in_a.start += 1;
        in_b.start += 1;
    }
    while !in_a.is_empty() && !in_b.is_empty() && a.same(in_a.end - 1, b, in_b.end - 1) {
        in_a.end -= 1;
        in_b.end -= 1;
    }
    Block { a: in_a, b: in_b }
}

/// Adds the differing passages of a block, or says that they need too many edits and adds nothing.
fn shortest(a: Sequence<'_>, b: Sequence<'_>, block: &Block, found: &mut Vec<Block>) -> bool {
    let (a_words, b_words) = (block.a.len(), block.b.len());
    if a_words == 0 || b_words == 0 {
        if a_words + b_words > 0 {
            found.push(block.clone());
        }
        return true;
    }
    // `reached[k + EDITS_MAX + 1]` is how far into `a` a script gets on diagonal k = (words of a) - (words of b).
    // The row before step d is kept for the way back: row d holds diagonals -d..=d, so it starts at d * d.
    let centre = EDITS_MAX + 1;
    let mut reached = [0_usize; 2 * EDITS_MAX + 3];
    let mut history: Vec<usize> = Vec::new();
    for edits in 0..=EDITS_MAX.min(a_words + b_words) {
        history.extend_from_slice(&reached[centre - edits..=centre + edits]);
        for diagonal in (centre - edits..=centre + edits).step_by(2) {
            let down = diagonal == centre - edits
                || (diagonal != centre + edits && reached[diagonal - 1] < reached[diagonal + 1]);
            let mut x = if edits == 0 {
                0
            } else if down {
                reached[diagonal + 1]
            } else {
                reached[diagonal - 1] + 1
            };
            // A script that has run past the end of one text goes on harmlessly: it never reaches the corner.
            let Some(mut y) = (x + centre).checked_sub(diagonal) else {
                continue;
            };
            while x < a_words && y < b_words && a.same(block.a.start + x, b, block.b.start + y) {
                x += 1;
                y += 1;
            }
            reached[diagonal] = x;
            if x == a_words && y == b_words {
                walk_back(block, edits, &history, found);
                return true;
            }
        }
    }
    false
}

/// Reads the script that reached the corner in `edits` steps from the rows before each step.
fn walk_back(block: &Block, edits: usize, history: &[usize], found: &mut Vec<Block>) {
    let first = found.len();
    let (mut x, mut y) = (block.a.len(), block.b.len());
    for step in (1..=edits).rev() {
        // Row `step` starts at step * step and its middle is diagonal 0.
        let centre = step * step + step;
        let before = |diagonal: usize| history[diagonal];
        let diagonal = centre + x - y;
        let down = diagonal == centre - step
            || (diagonal != centre + step && before(diagonal - 1) < before(diagonal + 1));
        let (from_x, to_x, from_y, to_y);
        if down {
            from_x = before(diagonal + 1);
            to_x = from_x;
            from_y = from_x + centre - (diagonal + 1);
            to_y = from_y + 1;
        } else {
            from_x = before(diagonal - 1);
            to_x = from_x + 1;
            from_y = from_x + centre - (diagonal - 1);
            to_y = from_y;
        }
        found.push(Block {
            a: block.a.start + from_x..block.a.start + to_x,
            b: block.b.start + from_y..block.b.start + to_y,
        });
        (x, y) = (from_x, from_y);
    }
    found[first..].reverse();
}

/// Words that both sides have exactly once, as long a list as keeps its order in both.
fn anchors(a: Sequence<'_>, b: Sequence<'_>, block: &Block) -> Vec<(usize, usize)> {
    let (in_a, in_b) = (once(a, block.a.clone()), once(b, block.b.clone()));
    let mut shared = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < in_a.len() && j < in_b.len() {
        match a.compare(in_a[i], b, in_b[j]) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                shared.push((in_a[i], in_b[j]));
                i += 1;
                j += 1;
            }
        }
    }
    shared.sort_unstable();
    longest_increasing(&shared)
}

/// The positions of the words that a passage has exactly once, in word order.
fn once(sequence: Sequence<'_>, range: Range<usize>) -> Vec<usize> {
    sequence
        .sorted(range)
        .chunk_by(|&i, &j| sequence.same(i, sequence, j))
        .filter_map(|equal| <[usize; 1]>::try_from(equal).ok())
        .map(|[only]| only)
        .collect()
}

/// The longest sub-list, of pairs sorted by the first number, in which the second grows too (patience sorting).
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut previous = vec![usize::MAX; pairs.len()];
    for (index, &(_, second)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| pairs[top].1 < second);
        if pile > 0 {
            previous[index] = piles[pile - 1];
        }
        if pile == piles.len() {
            piles.push(index);
        } else {
            piles[pile] = index;
        }
    }
    let mut chain = Vec::with_capacity(piles.len());
    let mut at = piles.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        chain.push(pairs[at]);
        at = previous[at];
    }
    chain.reverse();
    chain
}

/// Makes one block of those that touch.
fn join_neighbours(blocks: &mut Vec<Block>) {
    blocks.dedup_by(|next, kept| {
        let touch = next.a.start == kept.a.end && next.b.start == kept.b.end;
        if touch {
            kept.a.end = next.a.end;
            kept.b.end = next.b.end;
        }
        touch
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{self, Reading};
    use proptest::prelude::*;

    fn sequence(reading: &Reading) -> Sequence<'_> {
        Sequence { letters: &reading.letters, words: &reading.words }
    }

    /// Words in the longest common subsequence, straight from the definition.
    fn longest_common(a: Sequence<'_>, b: Sequence<'_>) -> usize {
        let mut table = vec![vec![0; b.words.len() + 1]; a.words.len() + 1];
        for i in 0..a.words.len() {
            for j in 0..b.words.len() {
                table[i + 1][j + 1] =
                    if a.same(i, b, j) { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[a.words.len()][b.words.len()]
    }

    /// Checks that what lies between the blocks is equal, and gives the number of equal words.
    fn equal_words(a: Sequence<'_>, b: Sequence<'_>, blocks: &[Block]) -> usize {
        let (mut in_a, mut in_b, mut equal) = (0, 0, 0);
        let end = Block { a: a.words.len()..a.words.len(), b: b.words.len()..b.words.len() };
        for block in blocks.iter().chain([&end]) {
            assert_eq!(block.a.start - in_a, block.b.start - in_b);
            assert!((in_a..block.a.start).zip(in_b..block.b.start).all(|(i, j)| a.same(i, b, j)));
            equal += block.a.start - in_a;
            (in_a, in_b) = (block.a.end, block.b.end);
        }
        equal
    }

    proptest! {
        #[test]
        fn near_texts_get_a_shortest_script(a in "([a-d] ){0,24}", b in "([a-d] ){0,24}") {
            let (a, b) = (reader::read(&a), reader::read(&b));
            let (a, b) = (sequence(&a), sequence(&b));
            prop_assert_eq!(equal_words(a, b, &blocks(a, b)), longest_common(a, b));
        }

        #[test]
        fn far_texts_are_cut_at_shared_single_words(kept in 1_usize..8, far in (EDITS_MAX + 1)..200) {
            // Between two shared words everything differs, by more edits than one search may take.
            let text = |filler: char| {
                let passage = format!("{filler}x ").repeat(far);
                (0..kept).map(|n| format!("{passage}shared{} ", char::from(b'a' + n as u8))).collect::<Vec<_>>().concat()
            };
            let (a, b) = (reader::read(&text('p')), reader::read(&text('q')));
            let (a, b) = (sequence(&a), sequence(&b));
            let blocks = blocks(a, b);
            prop_assert_eq!((blocks.len(), equal_words(a, b, &blocks)), (kept, kept));
        }
    }
}
