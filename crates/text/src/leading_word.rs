//! Reads a short ASCII word out of a text in a few instructions, without walking through its letters.
//!
//! Sixteen bytes of text are looked at together: arithmetic on all of them at once tells where the word ends and which letters
//! are upper case. Packed into one integer, the word is the key by which `piece_table` finds it. Longer words are only
//! recognised as such.

/// How many bytes are looked at together.
pub(crate) const WINDOW: usize = 16;

/// The letters and digits at the start of a window.
#[derive(Clone, Copy)]
pub(crate) struct LeadingWord {
    /// The word in lower case, as [`pack`] packs it.
    pub(crate) letters: u128,
    /// How many bytes it has. The whole window means that it may go on.
    pub(crate) length: usize,
}

impl LeadingWord {
    /// Reads the word that starts at a position inside the text, which is empty if another character does.
    #[inline]
    pub(crate) fn read(text: &[u8], position: usize) -> Self {
        let rest = &text[position..];
        let window = match (rest.first_chunk(), text.last_chunk()) {
            (Some(window), _) => *window,
            // Near the end, the last window of the text holds the rest in its high bytes.
            (None, Some(window)) if !rest.is_empty() => {
                (u128::from_le_bytes(*window) >> (8 * (WINDOW - rest.len()))).to_le_bytes()
            }
            _ => pack(rest).to_le_bytes(),
        };
        // Additions that saturate put the answers into the eighth bits. Without a comparison and without a branch, the
        // compiler makes this loop some twenty instructions for all sixteen bytes.
        let (mut lowered, mut is_other) = ([0; WINDOW], [0; WINDOW]);
        for ((lowered, is_other), &byte) in lowered.iter_mut().zip(&mut is_other).zip(&window) {
            let no_letter = (byte | 0x20).wrapping_sub(b'a').saturating_add(0x80 - 26);
            let no_digit = byte.wrapping_sub(b'0').saturating_add(0x80 - 10);
            *is_other = no_letter & no_digit & 0x80;
            *lowered = byte | ((!no_letter & 0x80) >> 2); // the bit that makes a letter lower case
        }
        let length = u128::from_le_bytes(is_other).trailing_zeros() as usize / 8;
        Self { letters: first_bytes(u128::from_le_bytes(lowered), length), length }
    }
}

/// At most sixteen bytes as one number, the first in its lowest byte, zero behind the last.
#[inline]
pub(crate) fn pack(bytes: &[u8]) -> u128 {
    let mut window = [0; WINDOW];
    window[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(window)
}

/// The first bytes of a window, zero behind them.
#[inline]
pub(crate) fn first_bytes(window: u128, length: usize) -> u128 {
    window & FIRST_BYTES[length]
}

/// The number whose first bytes are all ones, by how many.
static FIRST_BYTES: [u128; WINDOW + 1] = {
    let mut masks = [0; WINDOW + 1];
    let mut length = 1;
    while length <= WINDOW {
        masks[length] = u128::MAX >> (8 * (WINDOW - length));
        length += 1;
    }
    masks
};

#[cfg(test)]
mod tests {
    use super::{LeadingWord, WINDOW, pack};

    #[test]
    fn ends_at_every_byte_that_is_no_letter_or_digit() {
        for byte in 0..=u8::MAX {
            for at in 0..WINDOW {
                let mut bytes = [b'Q'; WINDOW];
                bytes[at] = byte;
                let word = LeadingWord::read(&bytes, 0);
                let expected = if byte.is_ascii_alphanumeric() { WINDOW } else { at };
                assert_eq!(word.length, expected, "{byte:#x} at {at}");
                assert_eq!(word.letters, pack(&bytes.to_ascii_lowercase()[..expected]));
            }
        }
    }

    #[test]
    fn is_read_at_every_position_of_a_text_of_any_length() {
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghij";
        for end in 0..letters.len() {
            let text = &letters[..end];
            for position in 0..=end {
                let word = LeadingWord::read(text, position);
                let expected = &text[position..end.min(position + WINDOW)];
                assert_eq!(word.length, expected.len());
                assert_eq!(word.letters, pack(&expected.to_ascii_lowercase()));
            }
        }
    }
}
