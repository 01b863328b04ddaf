//! Reads one JSON object strictly (RFC 8259) and reports its members as ranges.
//!
//! The one idea: to deduplicate, one or two fields of an object are needed, yet a line that is not JSON must not pass. So every
//! byte is checked, nothing is built, and the caller decodes the members it wants. Strings, which are nearly all of a corpus,
//! are checked eight bytes at a time inside one register. Nesting is followed with a stack on the heap: depth is
//! bounded by the record, not by the thread.
//!
//! Not here: what a member means. A lone surrogate (`"\ud800"`) is valid JSON and becomes an error only when decoded.

use crate::block::Span;

/// What JSON asks for at a place where something else is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub at: usize,
    pub expected: &'static str,
}

/// A value: where it is, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub span: Span,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    String(StringForm),
    Number,
    Boolean,
    Null,
    Object,
    Array,
}

/// Whether a string can be taken as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringForm {
    Plain,
    Escaped,
}

impl Kind {
    /// The word for error messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::String(_) => "string",
            Kind::Number => "number",
            Kind::Boolean => "boolean",
            Kind::Null => "null",
            Kind::Object => "object",
            Kind::Array => "array",
        }
    }
}

/// Walks over a JSON text; keeps its memory from text to text.
#[derive(Default)]
pub(crate) struct Scanner {
    /// The closing bracket of every open array and object.
    open: Vec<u8>,
}

/// Calls `member` with the key (a string) and the value of each member of the one object that `text` must be.
pub(crate) fn scan_object(
    scanner: &mut Scanner,
    text: &str,
    mut member: impl FnMut(Value, Value),
) -> Result<(), JsonError> {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    cursor.skip_space();
    cursor.require(b'{', "an object")?;
    cursor.skip_space();
    if !cursor.accept(b'}') {
        loop {
            let key = cursor.key()?;
            member(key, scanner.value(&mut cursor)?);
            cursor.skip_space();
            if cursor.accept(b'}') {
                break;
            }
            cursor.require(b',', "a comma or a closing brace")?;
            cursor.skip_space();
        }
    }
    cursor.skip_space();
    if cursor.at < cursor.bytes.len() { Err(cursor.expected("the end of the line")) } else { Ok(()) }
}

impl Scanner {
    /// Reads any value, nested ones with all they hold.
    fn value(&mut self, cursor: &mut Cursor) -> Result<Value, JsonError> {
        cursor.skip_space();
        let start = cursor.at;
        let kind = match cursor.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            _ => cursor.scalar()?,
        };
        if matches!(kind, Kind::Object | Kind::Array) {
            self.nested(cursor)?;
        }
        Ok(Value { span: Span { start, end: cursor.at }, kind })
    }

    /// Reads an array or object up to its closing bracket.
    fn nested(&mut self, cursor: &mut Cursor) -> Result<(), JsonError> {
        self.open.clear();
        loop {
            cursor.skip_space();
            let opened = match cursor.peek() {
                Some(b'{') => Some(b'}'),
                Some(b'[') => Some(b']'),
                _ => None,
            };
            if let Some(close) = opened {
                cursor.at += 1;
                cursor.skip_space();
                if !cursor.accept(close) {
                    self.open.push(close);
                    if close == b'}' {
                        cursor.key()?;
                    }
                    continue;
                }
            } else {
                cursor.scalar()?;
            }
            // A value has ended: close what ends with it, then go to the next one.
            loop {
                let Some(&close) = self.open.last() else { return Ok(()) };
                cursor.skip_space();
                if cursor.accept(close) {
                    self.open.pop();
                    continue;
                }
                cursor.require(b',', "a comma or a closing bracket")?;
                if close == b'}' {
                    cursor.skip_space();
                    cursor.key()?;
                }
                break;
            }
        }
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let accepted = self.peek() == Some(byte);
        self.at += usize::from(accepted);
        accepted
    }

    fn expected(&self, expected: &'static str) -> JsonError {
        JsonError { at: self.at, expected }
    }

    fn require(&mut self, byte: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.accept(byte) { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key in quotes"));
        }
        let form = self.string()?;
        let key = Value { span: Span { start, end: self.at }, kind: Kind::String(form) };
        self.skip_space();
        self.require(b':', "a colon")?;
        Ok(key)
    }

    /// Reads a value that holds no others.
    fn scalar(&mut self) -> Result<Kind, JsonError> {
        match self.peek() {
            Some(b'"') => self.string().map(Kind::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| Kind::Number),
            Some(b't') => self.word(b"true").map(|()| Kind::Boolean),
            Some(b'f') => self.word(b"false").map(|()| Kind::Boolean),
            Some(b'n') => self.word(b"null").map(|()| Kind::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), JsonError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        self.accept(b'-');
        if !self.accept(b'0') {
            self.digits()?;
        }
        if self.accept(b'.') {
            self.digits()?;
        }
        if self.accept(b'e') || self.accept(b'E') {
            let _sign = self.accept(b'+') || self.accept(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.expected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    /// Reads a string, its quotes included.
    fn string(&mut self) -> Result<StringForm, JsonError> {
        self.at += 1;
        let mut form = StringForm::Plain;
        loop {
            self.at += plain_length(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(form);
                }
                Some(b'\\') => {
                    form = StringForm::Escaped;
                    self.escape()?;
                }
                Some(_) => return Err(self.expected("an escape for a control character")),
                None => return Err(self.expected("a closing quote")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let length = match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if code_unit(&self.bytes[self.at + 2..]).is_some() => 6,
            Some(b'u') => return Err(self.expected("four hexadecimal digits after \\u")),
            _ => return Err(self.expected("an escape of JSON")),
        };
        self.at += length;
        Ok(())
    }
}

/// How many bytes stand for themselves before a quote, a backslash or a control character.
fn plain_length(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return index * size_of::<u64>() + special.trailing_zeros() as usize / 8;
        }
    }
    bytes.len() - rest.len() + rest.iter().take_while(|&&byte| !is_special(byte)).count()
}

fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// Sets the high bit of bytes that are special; only the lowest one set is to be trusted, as borrows run upwards.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, b' ') | is(b'"') | is(b'\\')) & HIGHS
}

fn code_unit(digits: &[u8]) -> Option<u16> {
    digits
        .get(..4)?
        .iter()
        .try_fold(0, |unit, &digit| Some((unit << 4) | (digit as char).to_digit(16)? as u16))
}

/// Appends what a scanned string means; `text` is the string without its quotes. Fails on a lone surrogate, with its offset.
pub(crate) fn unescape(text: &str, into: &mut String) -> Result<(), JsonError> {
    let mut at = 0;
    while let Some(run) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        into.push_str(&text[at..at + run]);
        at += run;
        let (decoded, length) = match text.as_bytes()[at + 1] {
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => unicode_escape(&text.as_bytes()[at..])
                .ok_or(JsonError { at, expected: "a surrogate pair, not half of one" })?,
            itself => (char::from(itself), 2),
        };
        into.push(decoded);
        at += length;
    }
    into.push_str(&text[at..]);
    Ok(())
}

/// Decodes `\uXXXX`, or a pair of them, at the start of `bytes`; the length is that of the escape.
fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let first = code_unit(&bytes[2..])?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Some((character, 6));
    }
    let second = bytes.get(6..8).filter(|escape| escape == b"\\u").and_then(|_| code_unit(&bytes[8..]))?;
    let mut decoded = char::decode_utf16([first, second]);
    decoded.next()?.ok().map(|character| (character, 12))
}

#[cfg(test)]
mod tests;
