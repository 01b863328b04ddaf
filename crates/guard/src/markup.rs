//! Markup that is not text: HTML tags and character entities.
//!
//! Only tags of HTML are recognised, because `<T>` in `Vec<T>` and `<host>` in a manual are words of the text.

/// A tag with its attributes is at most this many bytes; a longer one is read as text.
const TAG_BYTES_MAX: usize = 512;

/// The elements people write in prose, sorted.
const ELEMENTS: [&str; 52] = [
    "a",
    "abbr",
    "article",
    "b",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "cite",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "img",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "s",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "td",
    "th",
    "tr",
    "u",
    "ul",
];

/// The bytes of the HTML tag that `rest` starts with.
pub(crate) fn tag(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let name_start = 1 + usize::from(bytes.get(1) == Some(&b'/'));
    let name_bytes =
        bytes[name_start..].iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = rest[name_start..name_start + name_bytes].to_ascii_lowercase();
    ELEMENTS.binary_search(&name.as_str()).ok()?;
    match bytes.get(name_start + name_bytes)? {
        b'>' | b'/' => {}
        byte if byte.is_ascii_whitespace() => {}
        _ => return None,
    }
    let end = bytes.iter().take(TAG_BYTES_MAX).position(|&byte| byte == b'>')?;
    Some(end + 1)
}

/// The bytes of the character entity that `rest` starts with.
pub(crate) fn entity(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let end = bytes.iter().take(12).position(|&byte| byte == b';')?;
    let name = &bytes[1..end];
    let numeric = name.first() == Some(&b'#');
    let body = &name[usize::from(numeric)..];
    (!body.is_empty() && body.iter().all(u8::is_ascii_alphanumeric)).then_some(end + 1)
}

/// The bytes of the apostrophe that `rest` starts with, in any of the ways in which it is written.
pub(crate) fn apostrophe(rest: &str) -> Option<usize> {
    match rest.as_bytes().first()? {
        b'\'' => Some(1),
        b'&' => ["&#39;", "&apos;", "&rsquo;", "&#x27;"]
            .into_iter()
            .find(|mark| rest.starts_with(mark))
            .map(str::len),
        byte if byte.is_ascii() => None,
        _ => ["\u{2019}", "\u{2bc}"].into_iter().find(|mark| rest.starts_with(mark)).map(str::len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_html_are_markup_and_others_are_text() {
        assert!(ELEMENTS.is_sorted());
        for (rest, expected) in [
            ("<p>One", Some(3)),
            ("</h2> 5", Some(5)),
            ("<a href=\"x\">y", Some(12)),
            ("<br/>", Some(5)),
            ("<T>", None),
            ("<u16>", None),
            ("<host>", None),
            ("<p", None),
            ("<", None),
            ("<\u{e9}>", None),
        ] {
            assert_eq!(tag(rest), expected, "{rest}");
        }
    }

    #[test]
    fn entities_end_in_a_semicolon() {
        for (rest, expected) in [
            ("&amp; b", Some(5)),
            ("&#39;s", Some(5)),
            ("& b; c", None),
            ("&;", None),
            ("&#;", None),
            ("&", None),
        ] {
            assert_eq!(entity(rest), expected, "{rest}");
        }
    }
}
