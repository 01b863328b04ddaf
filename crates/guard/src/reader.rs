//! Reads a text into words, once, from left to right.
//!
//! A word is a run of letters or a number, in lower case and in one spelling: markup is skipped, contractions are taken
//! apart, numbers in letters become digits. What case, place and neighbours say about a word is kept as its traits. This is
//! not the word splitting of search or shingles, which has no use for `1,000.5` as one word.

mod digits;
mod letters;

use crate::markup;
use crate::names;
use crate::negation;
use crate::number;
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
        boundary: Traits::SENTENCE.or(Traits::CLAUSE).or(Traits::OPENING),
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
        let opening = Traits::CLAUSE.or(Traits::OPENING);
        let ends = match mark {
            '\n' => {
                self.line_starts = true;
                opening.or(Traits::SENTENCE)
            }
            '.' if ends_here && self.is_abbreviation_point() => Traits::NONE,
            '.' | '!' | '?' | '\u{2026}' if ends_here => opening.or(Traits::SENTENCE),
            '\u{3002}' | '\u{ff01}' | '\u{ff1f}' => opening.or(Traits::SENTENCE),
            ',' | ';' | ')' | ']' | '\u{201d}' | '\u{bb}' | '\u{3001}' | '\u{ff0c}' => Traits::CLAUSE,
            '(' | '[' | '"' | '\u{201c}' | '\u{2018}' | '\u{ab}' | '\u{2013}' | '\u{2014}' | '|'
            | '\u{2022}' => opening,
            ':' if ends_here => opening,
            _ => Traits::NONE,
        };
        self.boundary = self.boundary.or(ends);
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
        let traits = traits.or(self.boundary);
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
    letter.is_alphabetic() || matches!(letter, '\u{300}'..='\u{36f}')
}
