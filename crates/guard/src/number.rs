//! Numbers: digits of every script by value, and one spelling for each value.
//!
//! `1,000`, `1_000` and `1000` are one number; `1.10` and `1.1` are two, because versions are written like that.
//! Numbers below a hundred are also read in letters. Units, signs of percent and currencies are words, not numbers.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The most decimal digits that stand in a row: the five alphabets of mathematical ones.
const DIGIT_RUN_MAX: u32 = 50;

/// The value of a decimal digit of any script.
///
/// Unicode keeps the digits of a script together, in the order of their values from zero on (general category Nd), so that
/// the place of a digit in its run says its value.
pub(crate) fn digit(letter: char) -> Option<u8> {
    if letter.is_ascii() {
        return letter.is_ascii_digit().then(|| letter as u8 - b'0');
    }
    let code = u32::from(letter);
    if !is_decimal(code) {
        return None;
    }
    let before = (1..DIGIT_RUN_MAX).take_while(|&back| is_decimal(code - back)).count();
    Some((before % 10) as u8)
}

/// Whether a code is that of a decimal digit.
fn is_decimal(code: u32) -> bool {
    char::from_u32(code).is_some_and(|letter| letter.general_category() == GeneralCategory::DecimalNumber)
}

/// The value of a raised or lowered digit, as in `m²` and `CO₂`.
pub(crate) fn small_digit(letter: char) -> Option<u8> {
    let code = u32::from(letter);
    match letter {
        '\u{b9}' => Some(1),
        '\u{b2}' | '\u{b3}' => Some((code - 0xb0) as u8),
        '\u{2070}' | '\u{2074}'..='\u{2079}' => Some((code - 0x2070) as u8),
        '\u{2080}'..='\u{2089}' => Some((code - 0x2080) as u8),
        _ => None,
    }
}

/// A mark that may stand between two digits of one number, as it is kept.
pub(crate) const fn separator(letter: char) -> Option<char> {
    match letter {
        '.' | '\u{66b}' => Some('.'),
        ',' | '\u{66c}' => Some(','),
        ':' => Some(':'),
        '_' | '\'' | '\u{2019}' => Some('_'),
        _ => None,
    }
}

/// Whether a token is a number in digits: only digits and the marks between them, perhaps a sign before and `%` or an
/// ordinal ending after.
pub fn is_number(token: &str) -> bool {
    let unsigned = token.trim_start_matches(['-', '+', '\u{2212}']);
    let body = unsigned.trim_end_matches('%');
    let body = ["st", "nd", "rd", "th"].iter().find_map(|ending| body.strip_suffix(ending)).unwrap_or(body);
    let mut last_was_digit = false;
    for letter in body.chars() {
        match digit(letter) {
            Some(_) => last_was_digit = true,
            None if last_was_digit && separator(letter).is_some() => last_was_digit = false,
            None => return false,
        }
    }
    last_was_digit
}

/// Rewrites a number (ASCII digits with kept marks between them) from `start` on in its one spelling.
pub(crate) fn canonicalize(letters: &mut String, start: usize) {
    let number = &letters[start..];
    let integer = number.split('.').next().unwrap_or(number);
    let mut groups = integer.split(',');
    let grouped = groups.next().is_some_and(|first| first.len() <= 3)
        && groups.clone().next().is_some()
        && groups.all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()));
    let padded = integer.len() == 2 || integer.as_bytes().get(2) == Some(&b':');
    let skipped = usize::from(padded && integer.starts_with('0'));
    let canonical: String =
        number[skipped..].chars().filter(|&letter| letter != '_' && !(grouped && letter == ',')).collect();
    letters.truncate(start);
    letters.push_str(&canonical);
}

/// What a word in letters says about a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numeral {
    /// "one": a number or a pronoun.
    One,
    /// 2 to 19.
    Small(u8),
    /// 20, 30, ... 90.
    Tens(u8),
    /// A power of ten that multiplies the number before it.
    Scale(u8),
}

/// Reads a lower-cased word as a numeral.
pub(crate) fn numeral(word: &str) -> Option<Numeral> {
    let numeral = match word {
        "one" => Numeral::One,
        "two" => Numeral::Small(2),
        "three" => Numeral::Small(3),
        "four" => Numeral::Small(4),
        "five" => Numeral::Small(5),
        "six" => Numeral::Small(6),
        "seven" => Numeral::Small(7),
        "eight" => Numeral::Small(8),
        "nine" => Numeral::Small(9),
        "ten" => Numeral::Small(10),
        "eleven" => Numeral::Small(11),
        "twelve" => Numeral::Small(12),
        "thirteen" => Numeral::Small(13),
        "fourteen" => Numeral::Small(14),
        "fifteen" => Numeral::Small(15),
        "sixteen" => Numeral::Small(16),
        "seventeen" => Numeral::Small(17),
        "eighteen" => Numeral::Small(18),
        "nineteen" => Numeral::Small(19),
        "twenty" => Numeral::Tens(20),
        "thirty" => Numeral::Tens(30),
        "forty" => Numeral::Tens(40),
        "fifty" => Numeral::Tens(50),
        "sixty" => Numeral::Tens(60),
        "seventy" => Numeral::Tens(70),
        "eighty" => Numeral::Tens(80),
        "ninety" => Numeral::Tens(90),
        "hundred" => Numeral::Scale(2),
        "thousand" => Numeral::Scale(3),
        "million" => Numeral::Scale(6),
        "billion" => Numeral::Scale(9),
        "trillion" => Numeral::Scale(12),
        _ => return None,
    };
    Some(numeral)
}

/// A number with more digits is not multiplied: "million million ..." must not grow without end.
const SCALED_DIGITS_MAX: usize = 32;

/// Multiplies a canonical number by a power of ten, in place, and says whether it could: not when it has other marks than
/// one point, or too many digits.
pub(crate) fn scale(letters: &mut String, start: usize, zeros: u8) -> bool {
    let number = &letters[start..];
    let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if number.len() > SCALED_DIGITS_MAX || !digits(integer.trim_start_matches('-')) || !digits(fraction) {
        return false;
    }
    let zeros = usize::from(zeros);
    let moved = fraction.len().min(zeros);
    let mut scaled = format!("{integer}{}{}", &fraction[..moved], "0".repeat(zeros - moved));
    if moved < fraction.len() {
        scaled.push('.');
        scaled.push_str(&fraction[moved..]);
    }
    letters.truncate(start);
    letters.push_str(&scaled);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_have_their_value() {
        for (letter, expected) in [
            ('7', Some(7)),
            ('\u{667}', Some(7)),
            ('\u{96d}', Some(7)),
            ('\u{ff17}', Some(7)),
            ('\u{1d7ff}', Some(9)),
            ('a', None),
            ('\u{e9}', None),
            ('\u{4e03}', None),
            ('\u{bd}', None),
        ] {
            assert_eq!(digit(letter), expected, "{letter}");
        }
        assert_eq!(
            "¹²³⁰⁹₀₉".chars().map(|c| small_digit(c).unwrap()).collect::<Vec<_>>(),
            [1, 2, 3, 0, 9, 0, 9]
        );
    }

    #[test]
    fn the_place_in_its_run_is_the_value_of_every_digit() {
        // Each digit, other than the zero that a run begins with, is one more than the one before it, and nine is the last.
        let mut digits = 0;
        let mut before = None;
        for code in 0..=u32::from(char::MAX) {
            let letter = char::from_u32(code);
            let value = letter.and_then(digit);
            assert_eq!(value.is_some(), is_decimal(code), "{code:#x}");
            match (before, value) {
                (None | Some(9), None) => {}
                (None | Some(9), Some(value)) => assert_eq!(value, 0, "{code:#x}"),
                (Some(before), value) => assert_eq!(value, Some(before + 1), "{code:#x}"),
            }
            // The reader asks for letters first.
            assert!(value.is_none() || !letter.is_some_and(char::is_alphabetic), "{code:#x}");
            digits += usize::from(value.is_some());
            before = value;
        }
        assert!(digits >= 760, "{digits}");
    }

    #[test]
    fn one_value_has_one_spelling() {
        for (number, expected) in [
            ("1,000", "1000"),
            ("12,345,678.90", "12345678.90"),
            ("1_000", "1000"),
            ("1,00", "1,00"),
            ("1000,000", "1000,000"),
            ("1.10", "1.10"),
            ("05", "5"),
            ("00", "0"),
            ("08:30", "8:30"),
            ("007", "007"),
        ] {
            let mut letters = String::from("x") + number;
            canonicalize(&mut letters, 1);
            assert_eq!(letters, String::from("x") + expected);
        }
    }

    #[test]
    fn scales_move_the_point() {
        for (number, zeros, expected) in
            [("2", 6, "2000000"), ("1.5", 3, "1500"), ("1.2345", 2, "123.45"), ("-3", 2, "-300")]
        {
            let mut letters = String::from(number);
            assert!(scale(&mut letters, 0, zeros));
            assert_eq!(letters, expected);
        }
        assert!(!scale(&mut String::from("12:30"), 0, 3));
    }

    #[test]
    fn tokens_that_are_numbers() {
        for token in ["5", "1,000.5", "-3", "12:50", "15th", "40%", "\u{661}\u{662}", "2024"] {
            assert!(is_number(token), "{token}");
        }
        for token in ["", "th", "%", "five", "v2", "1,", ",1", "1..2", "-", "\u{bd}x"] {
            assert!(!is_number(token), "{token}");
        }
    }
}
