//! Words that begin with a letter: plain words, names, identifiers, contractions, and numbers in letters.

use super::digits::hex_id;
use super::{Reader, is_letter};
use crate::markup;
use crate::names;
use crate::negation;
use crate::number::{self, Numeral};
use crate::word::Traits;

/// What was noticed of a word while its letters were read.
struct Letters {
    count: usize,
    traits: Traits,
    /// The last one is a small letter, after which a capital is unusual.
    ends_small: bool,
}

impl Reader<'_> {
    pub(super) fn word(&mut self, first: char) {
        if first.is_ascii_hexdigit()
            && let Some(bytes) = hex_id(self.rest())
        {
            self.identifier(bytes);
            return;
        }
        let start = self.letters.len();
        let mut read = self.scan_ascii();
        self.scan_letters(&mut read);
        let Letters { count, mut traits, .. } = read;
        if first.is_uppercase() {
            traits = traits.or(Traits::CAPITAL);
            if count >= 2 && !names::is_abbreviated(&self.letters[start..]) {
                traits = traits.or(Traits::NAME);
            }
        }
        if self.rest().starts_with("()") {
            traits = traits.or(Traits::IDENTIFIER);
        }
        self.previous = 'a';
        self.finish_word(start, traits);
    }

    /// Copies a run of ASCII letters, in lower case. Most words are ASCII to their end: no letter is looked at as a character.
    fn scan_ascii(&mut self) -> Letters {
        let bytes = &self.text.as_bytes()[self.at..];
        let count = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let bytes = &bytes[..count];
        let ends_small = bytes.last().is_some_and(u8::is_ascii_lowercase);
        let is_camel_case = bytes.iter().any(u8::is_ascii_uppercase)
            && bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        let traits = if is_camel_case { Traits::IDENTIFIER } else { Traits::NONE };
        let start = self.letters.len();
        self.letters.push_str(&self.text[self.at..self.at + count]);
        self.letters[start..].make_ascii_lowercase();
        self.at += count;
        Letters { count, traits, ends_small }
    }

    /// Copies the rest of a word: letters of any script, in lower case, and underscores that join.
    fn scan_letters(&mut self, read: &mut Letters) {
        while let Some(letter) = self.peek() {
            if letter == '_' {
                let next = self.ahead(1);
                if next.is_some_and(is_letter) {
                    read.traits = read.traits.or(Traits::IDENTIFIER);
                } else if next.and_then(number::digit).is_none() {
                    break;
                }
                self.letters.push('_');
                read.ends_small = false;
            } else if is_letter(letter) {
                let is_capital = letter.is_uppercase();
                if is_capital && read.ends_small {
                    read.traits = read.traits.or(Traits::IDENTIFIER);
                }
                read.ends_small = letter.is_lowercase();
                read.count += 1;
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
            let calendar = names::calendar(word, traits.has_any(Traits::CAPITAL)).is_some();
            let denies = negation::denies(word);
            let traits = if calendar { traits.or(Traits::CALENDAR) } else { traits };
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
            .filter(|word| !self.apart && word.has_any(Traits::NUMBER.or(Traits::ONE)));
        let unit = match numeral {
            Numeral::One => Some(1),
            Numeral::Small(value @ ..=9) => Some(value),
            _ => None,
        };
        if let (Some(unit), Some(tens)) = (unit, before.filter(|word| word.has_any(Traits::TENS))) {
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
                self.push_ending(start, Traits::NUMBER.or(Traits::TENS));
            }
            Numeral::Scale(zeros) => {
                if let Some(factor) = before {
                    if factor.has_any(Traits::ONE) {
                        self.letters.truncate(factor.start());
                        self.letters.push('1');
                    }
                    if number::scale(&mut self.letters, factor.start(), zeros) {
                        self.replace_last(
                            factor.traits.less(Traits::ONE.or(Traits::TENS)).or(Traits::NUMBER),
                        );
                        return;
                    }
                }
                let start = self.letters.len();
                self.letters.push('1');
                number::scale(&mut self.letters, start, zeros);
                self.push_ending(start, traits.less(Traits::NAME).or(Traits::NUMBER));
            }
        }
    }
}
