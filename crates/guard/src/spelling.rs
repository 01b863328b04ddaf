//! Are two words the same word with a slip of the finger?
//!
//! Optimal string alignment (an insertion, a deletion, a replaced letter or two swapped neighbours cost one each), computed
//! only in the band that can stay within the limit.

/// Longer words are compared by equality alone: nobody mistypes one letter in a hundred and means a word by it.
const LETTERS_MAX: usize = 64;

/// The largest number of edits anyone asks for.
const EDITS_MAX: usize = 2;

/// Whether `b` can be read as a mistyped `a` (symmetric).
///
/// One edit is forgiven from five letters on, two from eight letters on: below that, one letter makes another word.
pub(crate) fn is_typo(a: &str, b: &str) -> bool {
    let shorter = a.chars().count().min(b.chars().count());
    match shorter {
        0..=4 => false,
        5..=7 => within(a, b, 1),
        _ => within(a, b, 2),
    }
}

/// Whether at most `edits` edits turn `a` into `b`.
fn within(a: &str, b: &str, edits: usize) -> bool {
    debug_assert!(edits <= EDITS_MAX);
    let mut letters = [['\0'; LETTERS_MAX]; 2];
    let mut lengths = [0; 2];
    for ((word, letters), length) in [a, b].iter().zip(&mut letters).zip(&mut lengths) {
        for letter in word.chars() {
            if *length == LETTERS_MAX {
                return a == b;
            }
            letters[*length] = letter;
            *length += 1;
        }
    }
    let (a, b) = (&letters[0][..lengths[0]], &letters[1][..lengths[1]]);
    if a.len().abs_diff(b.len()) > edits {
        return false;
    }
    let far = edits + 1;
    let mut rows = [[far; LETTERS_MAX + 1]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate().take(b.len().min(edits) + 1) {
        *cell = j;
    }
    for i in 1..=a.len() {
        let (first, last) = (i.saturating_sub(edits).max(1), (i + edits).min(b.len()));
        let (now, above, two_above) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[now] = [far; LETTERS_MAX + 1];
        rows[now][0] = i.min(far);
        for j in first..=last {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (rows[above][j - 1] + differs).min(rows[above][j] + 1).min(rows[now][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(rows[two_above][j - 2] + 1);
            }
            rows[now][j] = cost.min(far);
        }
    }
    rows[a.len() % 3][b.len()] <= edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slips_are_forgiven_in_long_words_only() {
        for (a, b, expected) in [
            ("unlikely", "unlikley", true),
            ("configuration", "cnfigurtion", true),
            ("harris", "haris", true),
            ("iran", "iraq", false),
            ("niger", "nigeria", false),
            ("austria", "australia", false),
            ("cat", "car", false),
            ("paris", "london", false),
        ] {
            assert_eq!(is_typo(a, b), expected, "{a} {b}");
        }
    }

    /// The whole table, straight from the definition.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let mut cost = (table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]))
                        .min(table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        cost = cost.min(table[i - 2][j - 2] + 1);
                    }
                    cost
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn the_band_agrees_with_the_whole_table(a in "[abc]{0,9}", b in "[abc]{0,9}", edits in 0..=EDITS_MAX) {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(within(&a, &b, edits), distance(&x, &y) <= edits);
        }
    }
}
