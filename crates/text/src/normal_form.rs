//! Normal forms: which differences between two texts do not count.
//!
//! A normal form is a function that a second application leaves alone, so that equality of normal forms is an equivalence of
//! texts. It is not a tokenizer: punctuation, accents and markup stay.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Which differences between two texts do not count.
///
/// The forms are ordered: texts that are equal in one are equal in every later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NormalForm {
    /// Every difference counts: the text as it is.
    None,
    /// Spacing does not count, nor the way in which a character is composed.
    ///
    /// Drops the invisible spacing characters U+00AD, U+200B, U+2060 and U+FEFF, composes (Unicode NFC), replaces every run of
    /// Unicode white space by one space, and trims.
    #[default]
    Space,
    /// As [`NormalForm::Space`], and case does not count: Unicode lower case, without the rules of single languages.
    Case,
}

impl NormalForm {
    /// Counts the changes of meaning: a stored key is comparable only with keys of the same version.
    pub const VERSION: u32 = 1;

    /// The normal form of a text; borrowed when the text is already in it.
    ///
    /// Linear in the length of the text. Clean ASCII costs one read of it.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(text),
            Self::Space => spaced(text),
            Self::Case => lowered(spaced(text)),
        }
    }
}

/// The text in the form [`NormalForm::Space`].
fn spaced(text: &str) -> Cow<'_, str> {
    if is_spaced_ascii(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    // Dropping comes before composing: what an invisible character kept apart may now compose. Composing keeps white space
    // white, and no white space composes with its neighbours, so that the last step leaves the text composed.
    let visible = text.chars().filter(|&c| !is_invisible_spacing(c));
    let mut normal = String::with_capacity(text.len());
    if is_nfc_quick(visible.clone()) == IsNormalized::Yes {
        push_spaced(&mut normal, visible);
    } else {
        push_spaced(&mut normal, visible.nfc());
    }
    if normal == text { Cow::Borrowed(text) } else { Cow::Owned(normal) }
}

/// How many bytes of clean ASCII are asked together, without an early exit: compilers turn such a loop into SIMD.
const SCAN_BLOCK: usize = 256;

/// Whether a text is ASCII and already in the form [`NormalForm::Space`].
fn is_spaced_ascii(bytes: &[u8]) -> bool {
    let [first, rest @ ..] = bytes else {
        return true;
    };
    let needs_work = |byte: u8| u8::from(!byte.is_ascii()) | u8::from(matches!(byte, b'\t'..=b'\r'));
    let is_space = |byte: u8| u8::from(byte == b' ');
    let clean = rest.chunks(SCAN_BLOCK).zip(bytes.chunks(SCAN_BLOCK)).all(|(block, before)| {
        let found = block.iter().zip(before).fold(0, |found, (&byte, &before)| {
            found | needs_work(byte) | (is_space(byte) & is_space(before))
        });
        found == 0
    });
    clean && needs_work(*first) == 0 && *first != b' ' && bytes[bytes.len() - 1] != b' '
}

/// Appends the characters with every run of white space as one space, none at the ends.
fn push_spaced(normal: &mut String, characters: impl Iterator<Item = char>) {
    let mut space_is_due = false;
    for c in characters {
        if c.is_whitespace() {
            space_is_due = !normal.is_empty();
        } else {
            if space_is_due {
                normal.push(' ');
                space_is_due = false;
            }
            normal.push(c);
        }
    }
}

/// Whether a character has no width and only guides spacing or line breaks.
fn is_invisible_spacing(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// The lower case of a text in the form [`NormalForm::Space`].
fn lowered(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_ascii() {
        if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return text;
        }
        let mut owned = text.into_owned();
        owned.make_ascii_lowercase();
        return Cow::Owned(owned);
    }
    // A lower-case letter may compose with a mark where its upper case does not, so the result is composed once more.
    let mut lower = text.to_lowercase();
    if is_nfc_quick(lower.chars()) != IsNormalized::Yes {
        lower = lower.nfc().collect();
    }
    if lower == text { text } else { Cow::Owned(lower) }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::NormalForm;

    const FORMS: [NormalForm; 3] = [NormalForm::None, NormalForm::Space, NormalForm::Case];

    #[test]
    fn drop_what_their_name_says() {
        // text, its form Space, its form Case
        let cases = [
            ("", "", ""),
            (" \t\r\n\u{3000}", "", ""),
            ("Plain text.", "Plain text.", "plain text."),
            ("  two  spaces ", "two spaces", "two spaces"),
            ("line\r\nbreak\u{2028}", "line break", "line break"),
            ("no\u{a0}break", "no break", "no break"),
            ("soft\u{ad}hyphen", "softhyphen", "softhyphen"),
            ("\u{feff}mark\u{200b}ed\u{2060}", "marked", "marked"),
            ("a \u{200b} b", "a b", "a b"),
            ("E\u{301}", "É", "é"),
            ("e\u{200b}\u{301}", "é", "é"),
            ("\u{2000}x\u{2001}", "x", "x"),
            ("\u{212a}", "K", "k"),
            ("ΣΑΣ", "ΣΑΣ", "σας"),
            ("İ", "İ", "i\u{307}"),
            ("ﬁ Ⅷ ①", "ﬁ Ⅷ ①", "ﬁ ⅷ ①"),
            ("\u{1c}kept\0", "\u{1c}kept\0", "\u{1c}kept\0"),
            (
                "zero\u{200c}width\u{200d}joiners",
                "zero\u{200c}width\u{200d}joiners",
                "zero\u{200c}width\u{200d}joiners",
            ),
        ];
        for (text, space, case) in cases {
            assert_eq!(NormalForm::None.apply(text), text);
            assert_eq!(NormalForm::Space.apply(text), space, "{text:?}");
            assert_eq!(NormalForm::Case.apply(text), case, "{text:?}");
        }
    }

    #[test]
    fn are_stable_on_every_character() {
        for c in '\0'..=char::MAX {
            for text in [c.to_string(), format!("a{c}\u{301}"), format!("\u{3a3}{c}")] {
                assert_is_stable(&text);
            }
        }
    }

    /// Applying a form twice is applying it once, and the second time costs no copy.
    fn assert_is_stable(text: &str) {
        for form in FORMS {
            let once = form.apply(text);
            let twice = form.apply(&once);
            assert_eq!(once, twice, "{form:?} of {text:?}");
            assert!(matches!(twice, Cow::Borrowed(_)), "{form:?} of {text:?}");
        }
    }

    proptest! {
        #[test]
        fn are_stable_on_any_text(text in any::<String>(), spaces in "[ \t\n\u{a0}\u{200b}\u{301}A-Ca-cΣ]{0,80}") {
            assert_is_stable(&text);
            assert_is_stable(&spaces);
        }

        #[test]
        fn borrow_exactly_when_nothing_changes(text in "[ \ta-zé]{0,40}") {
            for form in FORMS {
                let normal = form.apply(&text);
                prop_assert_eq!(matches!(normal, Cow::Borrowed(_)), normal == text);
            }
        }

        #[test]
        fn of_ascii_take_the_same_road_as_of_all_other_text(text in "[ \n\ta-zA-Z.]{0,600}") {
            // A character outside ASCII in front sends the text past the fast path.
            let other = NormalForm::Space.apply(&text);
            let slow = format!("é {text}");
            let slow = NormalForm::Space.apply(&slow);
            prop_assert_eq!(slow.strip_prefix('é').unwrap().trim_start(), other);
        }

        #[test]
        fn become_coarser_in_order(text in any::<String>()) {
            let space = NormalForm::Space.apply(&text);
            prop_assert_eq!(NormalForm::Case.apply(&space), NormalForm::Case.apply(&text));
        }
    }
}
