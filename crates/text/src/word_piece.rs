//! The tokenizer of uncased BERT models: text to the ids of its word pieces.
//!
//! What it computes is the pipeline of Devlin et al. 2018 as the Hugging Face library runs it: clean, set ideographs apart,
//! decompose, drop non-spacing marks, lower-case, split at white space and punctuation, and cut every word greedily into the
//! longest pieces of the vocabulary. How it computes: a short word of ASCII is one integer, found or cut by probes of a hash
//! table; longer ones are cut by the bytes, and only words with a character outside printable ASCII walk the pipeline as
//! written. It adds no `[CLS]` or `[SEP]`, and truncates nothing.

use unicode_normalization::UnicodeNormalization;

use crate::bert_category::BertCategory;
use crate::leading_word::{LeadingWord, WINDOW};
use crate::piece_table::{PIECES_MAX, PieceTable};
use crate::text_error::TextError;

/// The token that stands for a word the vocabulary cannot spell.
const UNKNOWN: &str = "[UNK]";
/// The mark of a piece that continues a word.
const CONTINUATION: &str = "##";
/// Longer words are unknown, whatever their pieces.
const WORD_CHARACTERS_MAX: usize = 100;
/// The largest vocabulary, in bytes. It cannot have more tokens than its tables have places.
const VOCABULARY_BYTES_MAX: usize = PIECES_MAX;

/// The tokenizer of uncased BERT models, for one vocabulary.
///
/// ```
/// use sluice_text::WordPiece;
///
/// let pieces = WordPiece::from_vocabulary("[UNK]\nun\n##believ\n##able\n!\n")?;
/// let mut ids = Vec::new();
/// pieces.encode("Unbelievable! [UNK]", &mut ids);
/// let tokens: Vec<_> = ids.iter().map(|&id| pieces.token(id).unwrap()).collect();
/// assert_eq!(tokens, ["un", "##believ", "##able", "!", "[UNK]", "[UNK]", "[UNK]"]);
/// # Ok::<(), sluice_text::TextError>(())
/// ```
pub struct WordPiece {
    /// All tokens, one after the other, and where each ends.
    tokens: String,
    token_ends: Vec<u32>,
    /// The pieces that start a word, and those that continue one.
    initial: PieceTable,
    continuing: PieceTable,
    /// The tokens of ASCII punctuation, by byte.
    punctuation: [u32; 128],
    unknown_id: u32,
}

impl WordPiece {
    /// Reads a vocabulary: one token a line, the line number is the id. Trailing white space does not belong to a token.
    ///
    /// Takes about a millisecond for 30,000 tokens.
    ///
    /// # Errors
    ///
    /// As [`WordPiece::from_tokens`].
    pub fn from_vocabulary(vocabulary: &str) -> Result<Self, TextError> {
        Self::read(vocabulary.lines().map(str::trim_end), vocabulary.len())
    }

    /// Takes the tokens of a vocabulary in the order of their ids; of equal tokens, the last one counts.
    ///
    /// # Errors
    ///
    /// [`TextError::NoUnknownToken`] without a token `[UNK]`, [`TextError::VocabularyTooLarge`] from 16 MiB on.
    pub fn from_tokens(tokens: &[&str]) -> Result<Self, TextError> {
        Self::read(tokens.iter().copied(), tokens.iter().map(|token| token.len() + 1).sum())
    }

    /// Takes the tokens of a vocabulary of some size, which counts every token and the end of its line.
    fn read<'a>(tokens: impl Iterator<Item = &'a str>, size_bytes: usize) -> Result<Self, TextError> {
        if size_bytes > VOCABULARY_BYTES_MAX {
            return Err(TextError::VocabularyTooLarge {
                expected: VOCABULARY_BYTES_MAX,
                received: size_bytes,
            });
        }
        let count_guess = size_bytes / 8; // tokens of English have seven letters
        let mut joined = String::with_capacity(size_bytes);
        let mut token_ends = Vec::with_capacity(count_guess);
        let mut initial = PieceTable::with_capacity(count_guess);
        let mut continuing = PieceTable::with_capacity(count_guess / 4);
        let mut unknown_id = None;
        for (token, id) in tokens.zip(0..) {
            joined.push_str(token);
            token_ends.push(joined.len() as u32);
            if token == UNKNOWN {
                unknown_id = Some(id);
            }
            let (pieces, piece) = match token.strip_prefix(CONTINUATION) {
                Some(piece) if !piece.is_empty() => (&mut continuing, piece),
                _ => (&mut initial, token),
            };
            if can_match(piece) {
                pieces.insert(piece.as_bytes(), id);
            }
        }
        let unknown_id =
            unknown_id.ok_or(TextError::NoUnknownToken { expected: UNKNOWN, received: token_ends.len() })?;
        let mut punctuation = [unknown_id; 128];
        for (id, byte) in punctuation.iter_mut().zip(0..) {
            *id = initial.find(byte).unwrap_or(unknown_id);
        }
        Ok(Self { tokens: joined, token_ends, initial, continuing, punctuation, unknown_id })
    }

    /// Appends the ids of the pieces of a text.
    ///
    /// All of the text is text: a literal `[CLS]` in it is a bracket, a word and a bracket, never the special token. Linear in
    /// the length of the text.
    pub fn encode(&self, text: &str, ids: &mut Vec<u32>) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match KIND[byte as usize] {
                Kind::Space => at += 1,
                Kind::Punctuation => {
                    ids.push(self.punctuation[byte as usize]);
                    at += 1;
                }
                Kind::Word => {
                    let word = LeadingWord::read(bytes, at);
                    let end = at + word.length;
                    let next = bytes.get(end).map_or(Kind::Space, |&byte| KIND[byte as usize]);
                    if word.length == WINDOW || next == Kind::Word {
                        at += self.encode_stretch(&text[at..], ids);
                        continue;
                    }
                    match self.initial.find(word.letters) {
                        Some(id) => ids.push(id),
                        None => self.encode_short_word(word, ids),
                    }
                    // A word mostly ends at one space, which is nothing to look at again.
                    at = end + usize::from(next == Kind::Space);
                }
            }
        }
    }

    /// The id of the token that stands for every word the vocabulary cannot spell.
    pub fn unknown_id(&self) -> u32 {
        self.unknown_id
    }

    /// How many tokens the vocabulary has: the lines of its file.
    #[expect(clippy::len_without_is_empty, reason = "a vocabulary without tokens is refused")]
    pub fn len(&self) -> usize {
        self.token_ends.len()
    }

    /// The token of an id, `##` included; `None` beyond the vocabulary.
    pub fn token(&self, id: u32) -> Option<&str> {
        let end = *self.token_ends.get(id as usize)?;
        let start = id.checked_sub(1).map_or(0, |before| self.token_ends[before as usize]);
        self.tokens.get(start as usize..end as usize)
    }

    /// Encodes the text up to its first ASCII white space or punctuation, and returns the length of that stretch.
    fn encode_stretch(&self, text: &str, ids: &mut Vec<u32>) -> usize {
        let bytes = text.as_bytes();
        let length = bytes.iter().position(|&byte| KIND[byte as usize].ends_word()).unwrap_or(bytes.len());
        let stretch = &bytes[..length];
        let mut lowered = [0; WORD_CHARACTERS_MAX];
        match lowered.get_mut(..length) {
            Some(word) if stretch.iter().all(u8::is_ascii_alphanumeric) => {
                word.copy_from_slice(stretch);
                word.make_ascii_lowercase();
                self.encode_word(word, ids);
            }
            _ => self.encode_any(&text[..length], ids),
        }
        length
    }

    /// Encodes a stretch of any characters: the pipeline as it is written down.
    #[cold]
    fn encode_any(&self, text: &str, ids: &mut Vec<u32>) {
        let characters = text
            .chars()
            .filter(|&c| !is_dropped(c))
            .flat_map(set_apart)
            .nfd()
            .filter(|&c| c.is_ascii() || BertCategory::of(c) != BertCategory::NonspacingMark)
            .flat_map(char::to_lowercase);
        let mut word = String::new();
        for c in characters {
            let is_space = c.is_whitespace();
            let is_punctuation = is_punctuation(c);
            if is_space || is_punctuation {
                self.encode_word(word.as_bytes(), ids);
                word.clear();
            }
            if is_punctuation {
                self.encode_word(c.encode_utf8(&mut [0; 4]).as_bytes(), ids);
            } else if !is_space {
                word.push(c);
            }
        }
        self.encode_word(word.as_bytes(), ids);
    }

    /// Encodes a word that is shorter than its window.
    fn encode_short_word(&self, word: LeadingWord, ids: &mut Vec<u32>) {
        let first_id = ids.len();
        let LeadingWord { mut letters, mut length } = word;
        let mut pieces = &self.initial;
        while length > 0 {
            let Some((id, taken)) = pieces.longest_packed(letters, length) else {
                return self.replace_by_unknown(first_id, ids);
            };
            ids.push(id);
            letters >>= 8 * taken;
            length -= taken;
            pieces = &self.continuing;
        }
    }

    /// Encodes one word of normalised text, which may be empty.
    fn encode_word(&self, word: &[u8], ids: &mut Vec<u32>) {
        let first_id = ids.len();
        if is_too_long(word) {
            return self.replace_by_unknown(first_id, ids);
        }
        let mut rest = word;
        let mut pieces = &self.initial;
        while !rest.is_empty() {
            let Some((id, taken)) = pieces.longest(rest) else {
                return self.replace_by_unknown(first_id, ids);
            };
            ids.push(id);
            rest = &rest[taken..];
            pieces = &self.continuing;
        }
    }

    /// Makes the pieces from a position on one unknown word.
    fn replace_by_unknown(&self, first_id: usize, ids: &mut Vec<u32>) {
        ids.truncate(first_id);
        ids.push(self.unknown_id);
    }
}

/// Whether a piece can be part of a word: not empty, not longer than any word, and without what cleaning drops.
fn can_match(piece: &str) -> bool {
    !piece.is_empty() && !is_too_long(piece.as_bytes()) && !piece.as_bytes().contains(&0)
}

/// Whether a word has too many characters to be looked up.
fn is_too_long(word: &[u8]) -> bool {
    let is_character = |&&byte: &&u8| byte & 0xc0 != 0x80;
    word.len() > WORD_CHARACTERS_MAX && word.iter().filter(is_character).count() > WORD_CHARACTERS_MAX
}

/// What a byte is to the pass over ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// White space: between words.
    Space,
    /// A word of its own.
    Punctuation,
    /// A letter or digit, a control character, or part of a character outside ASCII.
    Word,
}

impl Kind {
    fn ends_word(self) -> bool {
        matches!(self, Self::Space | Self::Punctuation)
    }
}

/// The kind of every byte.
static KIND: [Kind; 256] = {
    let mut kinds = [Kind::Word; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        kinds[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => Kind::Space,
            _ if byte.is_ascii_punctuation() => Kind::Punctuation,
            _ => Kind::Word,
        };
        byte += 1;
    }
    kinds
};

/// Whether cleaning drops the character.
fn is_dropped(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        '\0'..='\x7f' => c.is_ascii_control(),
        _ => BertCategory::of(c) == BertCategory::Other,
    }
}

/// Whether the character is a word of its own.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { BertCategory::of(c) == BertCategory::Punctuation }
}

/// The character; between two spaces if it is an ideograph.
fn set_apart(c: char) -> impl Iterator<Item = char> {
    let space = is_ideograph(c).then_some(' ');
    space.into_iter().chain([c]).chain(space)
}

/// Whether the tokenizer takes the character for an ideograph: eight blocks, without the later extensions.
fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2b73f}'
            | '\u{2b740}'..='\u{2b81f}'
            | '\u{2b920}'..='\u{2ceaf}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}

#[cfg(test)]
mod tests {
    use super::{VOCABULARY_BYTES_MAX, WordPiece};

    #[test]
    fn refuses_a_vocabulary_without_the_unknown_token_or_beyond_the_bound() {
        let largest = format!("[UNK]{}", "\n".repeat(VOCABULARY_BYTES_MAX - 5));
        for (vocabulary, code) in [
            ("", Some("VOCABULARY_NO_UNKNOWN_TOKEN")),
            ("[unk]\na\n", Some("VOCABULARY_NO_UNKNOWN_TOKEN")),
            (&largest, None),
            (&format!("{largest}\n"), Some("VOCABULARY_TOO_LARGE")),
        ] {
            let error = WordPiece::from_vocabulary(vocabulary).err();
            assert_eq!(error.map(|error| error.code()), code, "{} bytes", vocabulary.len());
        }
    }

    #[test]
    fn tells_the_token_of_every_id() {
        let pieces = WordPiece::from_tokens(&["a", "[UNK]", "", "##b"]).unwrap();
        assert_eq!((pieces.len(), pieces.unknown_id()), (4, 1));
        let tokens = [Some("a"), Some("[UNK]"), Some(""), Some("##b"), None];
        for (id, token) in tokens.into_iter().enumerate() {
            assert_eq!(pieces.token(id as u32), token);
        }
    }
}
