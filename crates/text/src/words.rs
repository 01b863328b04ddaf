//! The words of a text: what the lexical comparison counts.
//!
//! A word is a maximal run of letters, numbers and underscores, by Unicode general category. This is not a segmentation of
//! language: an unspaced script gives one long word, and a combining mark that has no composed form ends a word.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The words of a text, in order: maximal runs of characters of the categories `L*` and `N*`, and of underscores.
///
/// The text is taken as it is; pass it lower-cased where case must not matter.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word_character(c)).filter(|word| !word.is_empty())
}

/// Whether a character belongs to a word.
fn is_word_character(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c.is_ascii_alphanumeric() || c == '_',
        _ => {
            matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn are_runs_of_letters_numbers_and_underscores() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" .-! ", &[]),
            ("one", &["one"]),
            ("one, two--three", &["one", "two", "three"]),
            ("snake_case 3.14", &["snake_case", "3", "14"]),
            ("don't", &["don", "t"]),
            ("naïve café", &["naïve", "café"]),
            ("Ⅷ ½ ٣", &["Ⅷ", "½", "٣"]),
            ("漢字かな", &["漢字かな"]),
            ("a\u{301}b", &["a", "b"]),
            ("ⓐ", &[]),
            ("x🙂y", &["x", "y"]),
        ];
        for (text, expected) in cases {
            assert_eq!(&words(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
