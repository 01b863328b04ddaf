//! The tokenizer of uncased BERT models: text to the ids of its word pieces.
//!
//! What it computes is the pipeline of Devlin et al. 2018 as the Hugging Face library runs it: clean, set ideographs apart,
//! decompose, drop non-spacing marks, lower-case, split at white space and punctuation, and cut every word greedily into the
//! longest pieces of the vocabulary. How it computes: a short word that is a token is found at once in a table, any other
//! word of ASCII is cut by a trie, and only words with a character outside printable ASCII walk the pipeline as written. It adds no `[CLS]` or `[SEP]`, and truncates nothing.

use unicode_normalization::UnicodeNormalization;

use crate::bert_category::BertCategory;
use crate::text_error::TextError;
use crate::trie::{Node, SLOTS_MAX, Trie};
use crate::word_table::{LeadingWord, WINDOW, WordTable};

/// The token that stands for a word the vocabulary cannot spell.
const UNKNOWN: &str = "[UNK]";
/// The mark of a piece that continues a word.
const CONTINUATION: &str = "##";
/// Longer words are unknown, whatever their pieces.
const WORD_CHARACTERS_MAX: usize = 100;

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
    /// The short words that are tokens, and the tokens of ASCII punctuation by byte.
    words: WordTable,
    punctuation: [u32; 128],
    trie: Trie,
    /// Where a word starts in the trie, and where it goes on after a piece.
    initial: Node,
    continuing: Node,
    unknown_id: u32,
}

impl WordPiece {
    /// Reads a vocabulary: one token a line, the line number is the id. Trailing white space does not belong to a token.
    ///
    /// Takes a few milliseconds for 30,000 tokens.
    ///
    /// # Errors
    ///
    /// As [`WordPiece::from_tokens`].
    pub fn from_vocabulary(vocabulary: &str) -> Result<Self, TextError> {
        Self::from_tokens(&vocabulary.lines().map(str::trim_end).collect::<Vec<_>>())
    }

    /// Takes the tokens of a vocabulary in the order of their ids; of equal tokens, the last one counts.
    ///
    /// # Errors
    ///
    /// [`TextError::NoUnknownToken`] without a token `[UNK]`, [`TextError::VocabularyTooLarge`] beyond about 16 MiB.
    pub fn from_tokens(tokens: &[&str]) -> Result<Self, TextError> {
        let size = tokens.iter().map(|token| token.len()).sum();
        let too_large = TextError::VocabularyTooLarge { expected: SLOTS_MAX, received: size };
        if size > SLOTS_MAX || tokens.len() > SLOTS_MAX {
            return Err(too_large);
        }
        let mut joined = String::with_capacity(size);
        let mut token_ends = Vec::with_capacity(tokens.len());
        let mut unknown_id = None;
        let (mut initial, mut continuing) =
            (Vec::with_capacity(tokens.len()), Vec::with_capacity(tokens.len()));
        for (&token, id) in tokens.iter().zip(0..) {
            joined.push_str(token);
            token_ends.push(joined.len() as u32);
            if token == UNKNOWN {
                unknown_id = Some(id);
            }
            let (pieces, piece) = match token.strip_prefix(CONTINUATION) {
                Some(piece) if !piece.is_empty() => (&mut continuing, piece),
                _ => (&mut initial, token),
            };
            // Pieces that are empty, longer than any word, or with a character that cleaning drops, never match.
            let fits = (1..=WORD_CHARACTERS_MAX).contains(&piece.chars().count());
            if fits && !piece.contains('\0') {
                pieces.push((piece.as_bytes(), id));
            }
        }
        let unknown_id =
            unknown_id.ok_or(TextError::NoUnknownToken { expected: UNKNOWN, received: tokens.len() })?;
        let words = WordTable::new(&initial);
        let mut punctuation = [unknown_id; 128];
        for (piece, id) in &initial {
            if let [byte @ ..128] = piece {
                punctuation[*byte as usize] = *id;
            }
        }
        let (trie, [initial, continuing]) = Trie::new([initial, continuing]).ok_or(too_large)?;
        Ok(Self { tokens: joined, token_ends, words, punctuation, trie, initial, continuing, unknown_id })
    }

    /// Appends the ids of the pieces of a text.
    ///
    /// All of the text is text: a literal `[CLS]` in it is a bracket, a word and a bracket, never the special token. Linear in
    /// the length of the text.
    pub fn encode(&self, text: &str, ids: &mut Vec<u32>) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let word = LeadingWord::read(&bytes[at..]);
            if word.length > 0 {
                let end = at + word.length;
                if word.length < WINDOW
                    && bytes.get(end).is_none_or(|&byte| KIND[byte as usize].ends_word())
                    && let Some(id) = self.words.find(&word)
                {
                    ids.push(id);
                    at = end;
                } else {
                    at += self.encode_stretch(&text[at..], ids);
                }
                continue;
            }
            match KIND[byte as usize] {
                Kind::Space => at += 1,
                Kind::Punctuation => {
                    ids.push(self.punctuation[byte as usize]);
                    at += 1;
                }
                Kind::Word => at += self.encode_stretch(&text[at..], ids),
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

    /// Encodes one word of normalised text, which may be empty.
    fn encode_word(&self, word: &[u8], ids: &mut Vec<u32>) {
        let first_id = ids.len();
        let is_character = |&&byte: &&u8| byte & 0xc0 != 0x80;
        let too_long = word.len() > WORD_CHARACTERS_MAX
            && word.iter().filter(is_character).count() > WORD_CHARACTERS_MAX;
        let mut rest = word;
        let mut root = self.initial;
        while !rest.is_empty() {
            let mut node = root;
            let mut piece = None;
            for (byte, length) in rest.iter().zip(1..) {
                let Some((child, token)) = self.trie.step(node, *byte) else { break };
                node = child;
                piece = token.map(|id| (id, length)).or(piece);
            }
            let Some((id, length)) = piece.filter(|_| !too_long) else {
                ids.truncate(first_id);
                ids.push(self.unknown_id);
                return;
            };
            ids.push(id);
            rest = &rest[length..];
            root = self.continuing;
        }
    }
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
