//! The quick way through a line of JSON: the members of its one object, checked and found in one pass.
//!
//! The one idea: nearly every byte of a corpus lies in a string, and a string needs only three questions asked of it: quote,
//! escape, control character? They are asked of many bytes at once, in registers. Every other value goes to
//! `serde_json`. This way accepts nothing that `serde_json` refuses; where it is not sure it gives up, and does not say why:
//! `json_line` then asks `serde_json` about the whole line, whose word is final.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A value as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written<'l> {
    /// With its quotes, if it is a string.
    pub text: &'l str,
    pub escapes: Escapes,
}

/// Whether a string holds escapes; without them it can be taken as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    None,
    Some,
}

/// Calls `member` with each key, without its quotes, and value. After `None` the calls mean nothing.
pub(crate) fn for_each_member<'l>(line: &'l str, mut member: impl FnMut(&'l str, Written<'l>)) -> Option<()> {
    let mut cursor = Cursor { line, at: 0 };
    cursor.take(b'{')?;
    if cursor.take(b'}').is_none() {
        loop {
            let key = cursor.string()?;
            if key.escapes == Escapes::Some {
                return None;
            }
            cursor.take(b':')?;
            member(&key.text[1..key.text.len() - 1], cursor.value()?);
            if cursor.take(b',').is_none() {
                cursor.take(b'}')?;
                break;
            }
        }
    }
    cursor.skip_space();
    (cursor.at == line.len()).then_some(())
}

struct Cursor<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Cursor<'l> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Takes this byte after any space; `None` where there is another.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self) -> Option<Written<'l>> {
        self.skip_space();
        if self.peek()? == b'"' {
            return self.string();
        }
        let rest = &self.line[self.at..];
        let text = match natural(rest) {
            Some(number) => number,
            None => <&RawValue>::deserialize(&mut serde_json::Deserializer::from_str(rest)).ok()?.get(),
        };
        self.at += text.len();
        Some(Written { text, escapes: Escapes::None })
    }

    fn string(&mut self) -> Option<Written<'l>> {
        self.take(b'"')?;
        let (start, bytes) = (self.at - 1, self.line.as_bytes());
        let mut escapes = Escapes::None;
        loop {
            self.at += plain_length(&bytes[self.at..]);
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    self.at += escape_length(&bytes[self.at + 1..])?;
                    escapes = Escapes::Some;
                }
                _ => return None,
            }
        }
        self.at += 1;
        Some(Written { text: &self.line[start..self.at], escapes })
    }
}

/// The number that a text starts with, if it is written as ids are: in digits, and nothing else.
fn natural(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let ended = matches!(text.as_bytes().get(digits), Some(b',' | b'}'));
    (digits > 0 && ended && (digits == 1 || !text.starts_with('0'))).then(|| &text[..digits])
}

/// The bytes of an escape, given what follows its backslash.
fn escape_length(after: &[u8]) -> Option<usize> {
    match after.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => after.get(1..5)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// The bytes before the first quote, backslash or control character.
///
/// A run without one is passed 32 bytes at a time, in a loop that compilers turn into vector instructions; where it ends is
/// then found in steps of eight.
fn plain_length(bytes: &[u8]) -> usize {
    let (runs, _) = bytes.as_chunks::<32>();
    let passed = 32 * runs.iter().take_while(|run| is_plain(run)).count();
    let (words, rest) = bytes[passed..].as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = special_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return passed + index * 8 + marks.trailing_zeros() as usize / 8;
        }
    }
    passed + words.len() * 8 + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | ..0x20)
}

/// Looks at every byte, without a way out before the last: the loop could not be vectorised.
fn is_plain(run: &[u8; 32]) -> bool {
    run.iter()
        .fold(0, |any, &byte| any | u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\'))
        == 0
}

/// Sets the highest bit of each quote, backslash and control character. Bytes above the lowest such byte may be marked too:
/// a subtraction borrows from them.
fn special_bytes(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * EACH;
    let below = |word: u64, bound: u64| word.wrapping_sub(bound * EACH) & !word;
    let equal = |byte: u8| below(word ^ (u64::from(byte) * EACH), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGHEST
}

/// Appends what a checked string, given without its quotes, means. `None`, with some of it appended, for a lone surrogate.
pub(crate) fn unescape(string: &str, into: &mut String) -> Option<()> {
    let mut rest = string;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        into.push_str(&rest[..at]);
        let (character, length) = escaped_character(&rest[at + 1..])?;
        into.push(character);
        rest = &rest[at + length..];
    }
    into.push_str(rest);
    Some(())
}

/// What an escape means and how many bytes it has, given what follows its backslash.
fn escaped_character(after: &str) -> Option<(char, usize)> {
    let character = match after.as_bytes().first()? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(after),
        other => char::from(*other),
    };
    Some((character, 2))
}

/// `u` and four digits; characters beyond 16 bits are written as two of them.
fn unicode_escape(after: &str) -> Option<(char, usize)> {
    let unit = |from: usize| u16::from_str_radix(after.get(from..from + 4)?, 16).ok();
    let first = unit(1)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Some((character, 6));
    }
    let second = after[5..].starts_with("\\u").then(|| unit(7))??;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((character, 12))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::plain_length;

    proptest! {
        #[test]
        fn a_string_is_plain_up_to_its_first_special_byte(plain in "[ -!#-\\[\\]-~\u{80}-\u{1ff}]{0,100}", rest: Vec<u8>) {
            let bytes = [plain.as_bytes(), &rest].concat();
            let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
            prop_assert_eq!(plain_length(&bytes), bytes.iter().position(special).unwrap_or(bytes.len()));
        }
    }
}
