//! Words that begin with a digit: numbers with their sign and their marks, ordinals, list markers, hexadecimal ids.

use super::{Reader, is_letter};
use crate::number;
use crate::word::Traits;

impl Reader<'_> {
    /// Whether a minus here belongs to the number that follows: not in a range, not a bullet.
    pub(super) fn is_sign(&self, next: Option<char>) -> bool {
        !self.line_starts
            && next.and_then(number::digit).is_some()
            && (self.previous.is_whitespace() || matches!(self.previous, '(' | '=' | ':' | ','))
    }

    pub(super) fn signed_number(&mut self) {
        let start = self.letters.len();
        self.letters.push('-');
        self.scan_number();
        self.finish_number(start);
    }

    pub(super) fn number(&mut self) {
        if self.skip_list_marker() {
            return;
        }
        if let Some(bytes) = hex_id(self.rest()) {
            self.identifier(bytes);
            return;
        }
        let start = self.letters.len();
        self.scan_number();
        self.finish_number(start);
    }

    /// Copies digits, by value, and the marks between them.
    fn scan_number(&mut self) {
        while let Some(letter) = self.peek() {
            if let Some(value) = number::digit(letter) {
                self.letters.push(char::from(b'0' + value));
            } else if let Some(kept) = number::separator(letter)
                && self.ahead(letter.len_utf8()).and_then(number::digit).is_some()
            {
                self.letters.push(kept);
            } else {
                break;
            }
            self.at += letter.len_utf8();
        }
    }

    fn finish_number(&mut self, start: usize) {
        number::canonicalize(&mut self.letters, start);
        self.push_ending(start, Traits::NUMBER);
        self.previous = '0';
        let rest = self.rest();
        let ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .any(|ending| rest.get(..2).is_some_and(|found| found.eq_ignore_ascii_case(ending)));
        if ordinal && self.ahead(2).is_none_or(|next| !is_letter(next)) {
            self.at += 2;
        }
    }

    /// Steps over the "1." or "2)" of a list at the start of a line.
    fn skip_list_marker(&mut self) -> bool {
        if !self.line_starts {
            return false;
        }
        let bytes = self.rest().as_bytes();
        let digits = bytes.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
        let is_marker = (1..=2).contains(&digits)
            && matches!(bytes.get(digits), Some(b'.' | b')'))
            && bytes.get(digits + 1).is_some_and(u8::is_ascii_whitespace);
        if is_marker {
            self.at += digits + 1;
            self.line_starts = false;
        }
        is_marker
    }
}

/// A longer run of hexadecimal digits is data, not an id (SHA-512 has this many).
const HEX_DIGITS_MAX: usize = 128;

/// The bytes of a hexadecimal id (a commit, a digest, a part of a UUID) at the start: at least seven hex digits, of which
/// some are letters and some are not.
pub(super) fn hex_id(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let run = bytes.iter().take(HEX_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let digits = bytes[..run].iter().filter(|byte| byte.is_ascii_digit()).count();
    let ends = rest[run..]
        .chars()
        .next()
        .is_none_or(|next| next != '_' && !is_letter(next) && number::digit(next).is_none());
    ((7..=HEX_DIGITS_MAX).contains(&run) && ends && digits > 0 && digits < run).then_some(run)
}
