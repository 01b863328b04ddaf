//! Reads a text into words, once, from left to right.
//!
//! A word is a run of letters or a number, in lower case and in one spelling: markup is skipped, contractions are taken
//! apart, numbers in letters become digits. What case, place and neighbours say about a word is kept as its traits. This is
//! not the word splitting of search or shingles, which has no use for `1,000.5` as one word.

use crate::markup;
use crate::names;
use crate::negation;
use crate::number::{self, Numeral};
use crate::word::{Traits, Word};

/// What one pass over a text gives.
pub(crate) struct Reading {
    pub(crate) letters: String,
    pub(crate) words: Vec<Word>,
    /// The text says that it was cut: it ends in an ellipsis.
    pub(crate) is_cut: bool,
}

/// Reads a text; time and memory grow linearly with its length.
pub(crate) fn read(text: &str) -> Reading {
    let mut reader = Reader {
        text,
        at: 0,
        letters: String::with_capacity(text.len()),
        words: Vec::with_capacity(text.len() / 5 + 1),
        boundary: Traits::SENTENCE.and(Traits::CLAUSE).and(Traits::OPENING),
        line_starts: true,
        previous: ' ',
        apart: true,
    };
    reader.run();
    let Reader { letters, mut words, .. } = reader;
    names::forget_uninformative_capitals(&mut words);
    negation::excuse_phrases(&letters, &mut words);
    let end = text.trim_end();
    let is_cut = end.ends_with("...") || end.ends_with('\u{2026}');
    Reading { letters, words, is_cut }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    letters: String,
    words: Vec<Word>,
    /// What the next word is the first of.
    boundary: Traits,
    /// Nothing but markup has been seen on this line.
    line_starts: bool,
    /// The character before `at`.
    previous: char,
    /// Something other than spaces and hyphens has been seen since the last word.
    apart: bool,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(letter) = self.peek() {
            if letter == ' ' {
                self.previous = ' ';
                self.at += 1;
            } else if is_letter(letter) {
                self.word(letter);
            } else if number::digit(letter).is_some() {
                self.number();
            } else {
                self.mark(letter);
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at)? {
            &byte if byte.is_ascii() => Some(char::from(byte)),
            _ => self.rest().chars().next(),
        }
    }

    /// The first character `bytes` further on.
    fn ahead(&self, bytes: usize) -> Option<char> {
        self.text[self.at + bytes..].chars().next()
    }

    /// Anything that is neither letter nor digit.
    fn mark(&mut self, mark: char) {
        let skipped = match mark {
            '<' => markup::tag(self.rest()),
            '&' => markup::entity(self.rest()),
            _ => None,
        };
        if let Some(bytes) = skipped {
            self.at += bytes;
            self.previous = ' ';
            return;
        }
        let bytes = mark.len_utf8();
        if matches!(mark, '-' | '\u{2212}') && self.is_sign(self.ahead(bytes)) {
            self.at += bytes;
            self.signed_number();
            return;
        }
        self.note_boundary(mark, bytes);
        if let Some(small) = number::small_digit(mark) {
            self.push_with(Traits::NUMBER, |letters| letters.push(char::from(b'0' + small)));
        } else if mark.is_numeric() {
            self.push_with(Traits::NUMBER, |letters| letters.push(mark)); // a fraction, a Roman numeral: itself
        }
        if !mark.is_whitespace() {
            self.apart |= mark != '-';
            self.line_starts &= matches!(mark, '#' | '>' | '*' | '-' | '`');
        }
        self.previous = mark;
        self.at += bytes;
    }

    /// Keeps what a mark says about the next word: the first of a sentence, of a clause, or free to have a capital.
    fn note_boundary(&mut self, mark: char, bytes: usize) {
        let next = self.ahead(bytes);
        let ends_here = next.is_none_or(|next| !is_letter(next) && number::digit(next).is_none());
        let opening = Traits::CLAUSE.and(Traits::OPENING);
        let ends = match mark {
            '\n' => {
                self.line_starts = true;
                opening.and(Traits::SENTENCE)
            }
            '.' if ends_here && self.is_abbreviation_point() => Traits::NONE,
            '.' | '!' | '?' | '\u{2026}' if ends_here => opening.and(Traits::SENTENCE),
            '\u{3002}' | '\u{ff01}' | '\u{ff1f}' => opening.and(Traits::SENTENCE),
            ',' | ';' | ')' | ']' | '\u{201d}' | '\u{bb}' | '\u{3001}' | '\u{ff0c}' => Traits::CLAUSE,
            '(' | '[' | '"' | '\u{201c}' | '\u{2018}' | '\u{ab}' | '\u{2013}' | '\u{2014}' | '|'
            | '\u{2022}' => opening,
            ':' if ends_here => opening,
            _ => Traits::NONE,
        };
        self.boundary = self.boundary.and(ends);
    }

    /// Whether the point here shortens the word before it. "No. 5" is a number, "I said no." is a sentence.
    fn is_abbreviation_point(&mut self) -> bool {
        let Some(word) = self.words.last_mut() else { return false };
        let letters = word.letters(&self.letters);
        if letters != "no" {
            return names::is_abbreviated(letters);
        }
        let counts = self.text[self.at + 1..].trim_start().chars().next().and_then(number::digit).is_some();
        if counts {
            word.traits = word.traits.less(Traits::NEGATION);
        }
        counts
    }

    /// Whether a minus here belongs to the number that follows: not in a range, not a bullet.
    fn is_sign(&self, next: Option<char>) -> bool {
        !self.line_starts
            && next.and_then(number::digit).is_some()
            && (self.previous.is_whitespace() || matches!(self.previous, '(' | '=' | ':' | ','))
    }

    fn signed_number(&mut self) {
        let start = self.letters.len();
        self.letters.push('-');
        self.scan_number();
        self.finish_number(start);
    }

    fn number(&mut self) {
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

    fn word(&mut self, first: char) {
        if first.is_ascii_hexdigit()
            && let Some(bytes) = hex_id(self.rest())
        {
            self.identifier(bytes);
            return;
        }
        let start = self.letters.len();
        let mut traits = Traits::NONE;
        // Most words are ASCII to their end: one run, without looking at its letters as characters.
        let bytes = &self.text.as_bytes()[self.at..];
        let run = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let bytes = &bytes[..run];
        let mut count = run;
        let has_capitals = bytes.iter().any(u8::is_ascii_uppercase);
        let mut after_small = bytes.last().is_some_and(u8::is_ascii_lowercase);
        if has_capitals
            && bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        {
            traits = traits.and(Traits::IDENTIFIER);
        }
        self.letters.push_str(&self.text[self.at..self.at + run]);
        self.letters[start..].make_ascii_lowercase();
        self.at += run;
        while let Some(letter) = self.peek() {
            if letter == '_' {
                let next = self.ahead(1);
                if next.is_some_and(is_letter) {
                    traits = traits.and(Traits::IDENTIFIER);
                } else if next.and_then(number::digit).is_none() {
                    break;
                }
                self.letters.push('_');
                after_small = false;
            } else if is_letter(letter) {
                let is_capital = letter.is_uppercase();
                if is_capital && after_small {
                    traits = traits.and(Traits::IDENTIFIER);
                }
                after_small = letter.is_lowercase();
                count += 1;
                if is_capital {
                    self.letters.extend(letter.to_lowercase());
                } else {
                    self.letters.push(letter);
                }
            } else {
                break;
            }
            self.at += letter.len_utf8();
        }
        if first.is_uppercase() {
            traits = traits.and(Traits::CAPITAL);
            if count >= 2 && !names::is_abbreviated(&self.letters[start..]) {
                traits = traits.and(Traits::NAME);
            }
        }
        if self.rest().starts_with("()") {
            traits = traits.and(Traits::IDENTIFIER);
        }
        self.previous = 'a';
        self.finish_word(start, traits);
    }

    /// Looks at what was read and at an apostrophe after it, and adds one word or two.
    fn finish_word(&mut self, start: usize, traits: Traits) {
        if let Some(bytes) = markup::apostrophe(self.rest()) {
            let tail_bytes = self.text[self.at + bytes..]
                .find(|letter| !is_letter(letter))
                .unwrap_or(self.text.len() - self.at - bytes);
            let tail = &self.text[self.at + bytes..self.at + bytes + tail_bytes];
            if !tail.is_empty() {
                self.at += bytes + tail_bytes;
                if tail.eq_ignore_ascii_case("t")
                    && let Some(verb) = negation::contracted_verb(&self.letters[start..]).map(String::from)
                {
                    self.negated(start, &verb);
                    return;
                }
                if !tail.eq_ignore_ascii_case("s") {
                    self.letters.push('\'');
                    self.letters.extend(tail.chars().flat_map(char::to_lowercase));
                }
                self.push_ending(start, traits);
                return;
            }
        }
        let word = &self.letters[start..];
        if word == "cannot" {
            self.negated(start, "can");
        } else if let Some(verb) = negation::bare_contraction(word).map(String::from) {
            self.negated(start, &verb);
        } else if let Some(numeral) = number::numeral(word) {
            self.numeral(start, numeral, traits);
        } else {
            let calendar = names::calendar(word, traits.any(Traits::CAPITAL)).is_some();
            let denies = negation::denies(word);
            let traits = if calendar { traits.and(Traits::CALENDAR) } else { traits };
            let traits = if denies { Traits::NEGATION } else { traits };
            self.push_ending(start, traits);
        }
    }

    /// Replaces what was read by a verb and "not".
    fn negated(&mut self, start: usize, verb: &str) {
        self.letters.truncate(start);
        self.letters.push_str(verb);
        self.push_ending(start, Traits::NONE);
        self.push_with(Traits::NEGATION, |letters| letters.push_str("not"));
    }

    /// Replaces a number in letters by its digits, together with the number before it where the two are one.
    fn numeral(&mut self, start: usize, numeral: Numeral, traits: Traits) {
        let before = self
            .words
            .last()
            .copied()
            .filter(|word| !self.apart && word.has(Traits::NUMBER.and(Traits::ONE)));
        let unit = match numeral {
            Numeral::One => Some(1),
            Numeral::Small(value @ ..=9) => Some(value),
            _ => None,
        };
        if let (Some(unit), Some(tens)) = (unit, before.filter(|word| word.has(Traits::TENS))) {
            // "twenty" is there as "20": the unit takes the place of the zero.
            self.letters.truncate(start - 1);
            self.letters.push(char::from(b'0' + unit));
            self.replace_last(tens.traits.less(Traits::TENS));
            return;
        }
        self.letters.truncate(start);
        match numeral {
            Numeral::One => {
                self.letters.push_str("one");
                self.push_ending(start, Traits::ONE);
            }
            Numeral::Small(value) => {
                self.letters.push_str(&value.to_string());
                self.push_ending(start, Traits::NUMBER);
            }
            Numeral::Tens(value) => {
                self.letters.push_str(&value.to_string());
                self.push_ending(start, Traits::NUMBER.and(Traits::TENS));
            }
            Numeral::Scale(zeros) => {
                if let Some(factor) = before {
                    if factor.has(Traits::ONE) {
                        self.letters.truncate(factor.start());
                        self.letters.push('1');
                    }
                    if number::scale(&mut self.letters, factor.start(), zeros) {
                        self.replace_last(
                            factor.traits.less(Traits::ONE.and(Traits::TENS)).and(Traits::NUMBER),
                        );
                        return;
                    }
                }
                let start = self.letters.len();
                self.letters.push('1');
                number::scale(&mut self.letters, start, zeros);
                self.push_ending(start, traits.less(Traits::NAME).and(Traits::NUMBER));
            }
        }
    }

    /// Takes so many bytes as one identifier.
    fn identifier(&mut self, bytes: usize) {
        let start = self.letters.len();
        let token = &self.text[self.at..self.at + bytes];
        self.letters.extend(token.chars().map(|letter| letter.to_ascii_lowercase()));
        self.at += bytes;
        self.previous = 'a';
        self.push_ending(start, Traits::IDENTIFIER);
    }

    fn push_with(&mut self, traits: Traits, write: impl FnOnce(&mut String)) {
        let start = self.letters.len();
        write(&mut self.letters);
        self.push_ending(start, traits);
    }

    /// Adds the word whose letters are the last ones read.
    fn push_ending(&mut self, start: usize, traits: Traits) {
        let traits = traits.and(self.boundary);
        self.words.push(Word::ending(&self.letters, start, traits));
        self.boundary = Traits::NONE;
        self.line_starts = false;
        self.apart = false;
    }

    /// Reads the last word again after its letters have changed.
    fn replace_last(&mut self, traits: Traits) {
        if let Some(last) = self.words.pop() {
            self.boundary = Traits::NONE;
            self.push_ending(last.start(), traits);
        }
    }
}

/// A letter, or a mark that combines with one.
fn is_letter(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphabetic();
    }
    letter.is_alphabetic() && number::digit(letter).is_none() || matches!(letter, '\u{300}'..='\u{36f}')
}

/// A longer run of hexadecimal digits is data, not an id (SHA-512 has this many).
const HEX_DIGITS_MAX: usize = 128;

/// The bytes of a hexadecimal id (a commit, a digest, a part of a UUID) at the start: at least seven hex digits, of which
/// some are letters and some are not.
fn hex_id(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let run = bytes.iter().take(HEX_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let digits = bytes[..run].iter().filter(|byte| byte.is_ascii_digit()).count();
    let ends = rest[run..]
        .chars()
        .next()
        .is_none_or(|next| next != '_' && !is_letter(next) && number::digit(next).is_none());
    ((7..=HEX_DIGITS_MAX).contains(&run) && ends && digits > 0 && digits < run).then_some(run)
}
