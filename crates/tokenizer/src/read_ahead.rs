//! Reads a long text only as far as its tokens can count.
//!
//! A model sees some hundred tokens; a text may have a million. So the text is cut at a blank, somewhat behind the last token
//! that can count, and read on only when that gave too few. What the cut itself changes lies in the tokens around it, and
//! those are behind the ones that count. A text without blanks is read whole.

use tokenizers::{Encoding, Tokenizer};

/// Bytes that a token has at most, in nearly every text: the first cut.
const BYTES_A_TOKEN: usize = 8;
/// Tokens beyond the last that counts: what a cut changes is nearer to it than this.
const TOKENS_SPARE: usize = 64;
/// How much further the next cut lies.
const GROWTH: usize = 4;

/// The tokens of a text, without any around it: all, or at least the first `tokens` of them.
pub(crate) fn encode_start(
    tokenizer: &Tokenizer,
    text: &str,
    tokens: usize,
) -> Result<Encoding, tokenizers::Error> {
    let wanted = tokens + TOKENS_SPARE;
    let mut bytes = wanted * BYTES_A_TOKEN;
    loop {
        let start = cut(text, bytes);
        let encoding = tokenizer.encode_fast(start, false)?;
        if start.len() == text.len() || encoding.len() >= wanted {
            return Ok(encoding);
        }
        bytes = bytes.saturating_mul(GROWTH);
    }
}

/// The text up to the first blank at or behind a byte, with a sign before it; the whole text where there is none.
fn cut(text: &str, bytes: usize) -> &str {
    let tail = text.as_bytes().get(bytes..).unwrap_or_default();
    let blank = tail.iter().position(|byte| matches!(byte, b' ' | b'\n'));
    blank.map_or(text, |at| &text[..bytes + at])
}
