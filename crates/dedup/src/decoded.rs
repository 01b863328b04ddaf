//! Text out of bytes that may hold half of a surrogate pair, as strings of JavaScript do: WTF-8.

use std::borrow::Cow;

/// A text with U+FFFD in the place of what is no character: one for a lone surrogate, whose three bytes are one unit.
///
/// UTF-8, which nearly all texts are, is borrowed.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    // In UTF-8 no other sequence begins so.
    let is_surrogate = |at: usize| matches!(bytes[at..], [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..]);
    let (mut text, mut start, mut at) = (String::with_capacity(bytes.len()), 0, 0);
    while at < bytes.len() {
        if is_surrogate(at) {
            text += &String::from_utf8_lossy(&bytes[start..at]);
            text.push(char::REPLACEMENT_CHARACTER);
            at += 3;
            start = at;
        } else {
            at += 1;
        }
    }
    Cow::Owned(text + &String::from_utf8_lossy(&bytes[start..]))
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn a_lone_surrogate_is_one_replacement_character() {
        for (bytes, text) in [
            (&b"plain"[..], "plain"),
            ("\u{D7FF}\u{E000}\u{1F600}".as_bytes(), "\u{D7FF}\u{E000}\u{1F600}"),
            (b"\xED\xA0\xBD", "\u{FFFD}"),
            (b"a\xED\xA0\xBDb\xED\xBF\xBF", "a\u{FFFD}b\u{FFFD}"),
            (b"\xED\x9F\xBF\xED\xA0\x80", "\u{D7FF}\u{FFFD}"),
            (b"a\xFFb", "a\u{FFFD}b"),
            (b"\xED\xA0", "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(decoded(bytes), text, "{bytes:x?}");
        }
    }
}
