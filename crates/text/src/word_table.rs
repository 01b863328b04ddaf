//! Finds a short ASCII word and its token in a few instructions, without walking through its letters.
//!
//! Most words of a text are short and are tokens themselves. Sixteen bytes of text are one integer; arithmetic on all of its
//! bytes at once tells where the word ends and makes it lower case, and one probe of a hash table finds the token. Words that
//! are longer, or that are cut into pieces, are left to the trie.

/// How many bytes are looked at together; a word in the table is shorter.
pub(crate) const WINDOW: usize = 16;

/// The letters and digits at the start of a window.
pub(crate) struct LeadingWord {
    /// The word in lower case, the first letter in the lowest byte, zero behind it.
    letters: u128,
    /// How many bytes it has. The whole window means that it may go on.
    pub(crate) length: usize,
}

impl LeadingWord {
    /// Reads the word at the start of the bytes, which is empty if they start with another character.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let window = if let Some(window) = bytes.first_chunk() {
            u128::from_le_bytes(*window)
        } else {
            let mut window = [0; WINDOW];
            window[..bytes.len()].copy_from_slice(bytes);
            u128::from_le_bytes(window)
        };
        // Every comparison adds a number to the low seven bits of each byte, so that the eighth bit tells the answer.
        let ascii = !window & each(0x80);
        let low = window & each(0x7f);
        let folded = low | each(0x20);
        let is_letter = (folded + each(0x80 - b'a')) & !(folded + each(0x7f - b'z')) & ascii;
        let is_digit = (low + each(0x80 - b'0')) & !(low + each(0x7f - b'9')) & ascii;
        let is_other = !(is_letter | is_digit) & each(0x80);
        let length = is_other.trailing_zeros() as usize / 8;
        let kept = 1_u128.checked_shl(8 * length as u32).unwrap_or(0).wrapping_sub(1);
        // The eighth bit of a letter, moved to the bit that makes it lower case.
        Self { letters: (window | (is_letter >> 2)) & kept, length }
    }
}

/// The number whose sixteen bytes are this one.
const fn each(byte: u8) -> u128 {
    u128::from_le_bytes([byte; WINDOW])
}

/// The tokens that are short words of lower-case ASCII letters and digits.
///
/// An open hash table with linear probing, at most three quarters full. Vocabularies begin with their frequent tokens, which
/// therefore sit in their first slot.
pub(crate) struct WordTable {
    /// The letters of each slot; zero, which is no word, in a free one.
    words: Vec<u128>,
    ids: Vec<u32>,
}

impl WordTable {
    /// The table of those tokens that are such words; of equal ones, the last counts.
    pub(crate) fn new(tokens: &[(&[u8], u32)]) -> Self {
        let size = (tokens.len() + tokens.len() / 3 + 1).next_power_of_two();
        let mut table = Self { words: vec![0; size], ids: vec![0; size] };
        for &(token, id) in tokens {
            let word = LeadingWord::read(token);
            if word.length == token.len() && word.length < WINDOW && !token.iter().any(u8::is_ascii_uppercase)
            {
                let slot = table.slot(&word);
                table.words[slot] = word.letters;
                table.ids[slot] = id;
            }
        }
        table
    }

    /// The token that is this word, which is not empty and ends before its window.
    #[inline]
    pub(crate) fn find(&self, word: &LeadingWord) -> Option<u32> {
        let slot = self.slot(word);
        (self.words[slot] != 0).then(|| self.ids[slot])
    }

    /// The slot that holds the word, or else the free one in which it would be.
    #[inline]
    fn slot(&self, word: &LeadingWord) -> usize {
        // Odd numbers without a pattern: fractional parts of the golden ratio and of the square root of two.
        let low = (word.letters as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let high = ((word.letters >> 64) as u64).wrapping_mul(0x6a09_e667_f3bc_c909);
        let mask = self.words.len() - 1;
        let mut slot = ((low ^ high) >> 32) as usize & mask;
        while self.words[slot] != word.letters && self.words[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LeadingWord, WINDOW, WordTable};

    #[test]
    fn the_leading_word_ends_at_every_byte_that_is_no_letter_or_digit() {
        for byte in 0..=u8::MAX {
            for at in 0..WINDOW {
                let mut bytes = [b'q'; WINDOW];
                bytes[at] = byte;
                let word = LeadingWord::read(&bytes);
                let expected = if byte.is_ascii_alphanumeric() { WINDOW } else { at };
                assert_eq!(word.length, expected, "{byte:#x} at {at}");
                let letters = word.letters.to_le_bytes();
                assert_eq!(letters[..expected], bytes.to_ascii_lowercase()[..expected]);
                assert!(letters[expected..].iter().all(|&letter| letter == 0));
            }
        }
    }

    proptest! {
        #[test]
        fn finds_exactly_the_short_words(
            tokens in proptest::collection::vec("[a-c0-2]{1,4}|[a-z]{14,17}|[A-Z]{2}|a,b|é", 0..300),
            others in proptest::collection::vec("[a-c0-2]{1,5}", 0..100),
        ) {
            let numbered: Vec<(&[u8], u32)> = tokens.iter().zip(0..).map(|(token, id)| (token.as_bytes(), id)).collect();
            let table = WordTable::new(&numbered);
            for text in tokens.iter().chain(&others) {
                let word = LeadingWord::read(text.as_bytes());
                if word.length == 0 || word.length == WINDOW {
                    continue;
                }
                let lowered = text[..word.length].to_ascii_lowercase();
                let expected = tokens.iter().rposition(|token| *token == lowered).map(|id| id as u32);
                prop_assert_eq!(table.find(&word), expected);
            }
        }
    }
}
