//! A query and a text as one input, for every text: what a cross-encoder reads.

use tokenizers::{Encoding, PostProcessor, TruncationDirection};

use crate::error::TokenizerError;
use crate::model_tokenizer::ModelTokenizer;
use crate::read_ahead::encode_start;

/// Inputs of many pairs, end to end.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Which part of the pair each token belongs to, as the model was taught.
    pub type_ids: Vec<u32>,
    /// Where each pair ends.
    pub ends: Vec<u32>,
}

impl ModelTokenizer {
    /// The query with each text, cut to `tokens_max` tokens: token by token from the end of whichever is longer, so that
    /// neither pushes the other out. Asks `cancelled` before each text.
    ///
    /// # Errors
    ///
    /// A bound below [`pair_tokens_least`](Self::pair_tokens_least), and what the library cannot do.
    pub fn encode_pairs<T: AsRef<str>>(
        &self,
        query: &str,
        texts: &[T],
        tokens_max: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Pairs, TokenizerError> {
        let least = self.pair_tokens_least();
        if tokens_max < least {
            return Err(TokenizerError::TokensMax { expected: least, received: tokens_max });
        }
        let room = tokens_max - self.around_pair;
        // The query is read whole: which of the two is longer decides where an odd token goes.
        let mut query = self.inner.encode_fast(query, false).map_err(|error| failed_on(None, &*error))?;
        let query_tokens = query.len();
        shorten(&mut query, room);
        let mut pairs = Pairs::default();
        for (position, text) in texts.iter().enumerate() {
            if cancelled() {
                return Err(TokenizerError::Cancelled);
            }
            let pair = encode_start(&self.inner, text.as_ref(), room.max(query_tokens))
                .and_then(|text| {
                    let (query_kept, text_kept) = kept(query_tokens, text.len(), room);
                    self.join((query.clone(), query_kept), (text, text_kept))
                })
                .map_err(|error| failed_on(Some(position), &*error))?;
            pairs.ids.extend_from_slice(pair.get_ids());
            pairs.type_ids.extend_from_slice(pair.get_type_ids());
            let end = u32::try_from(pairs.ids.len())
                .map_err(|_| TokenizerError::TooManyTokens { expected: u32::MAX })?;
            pairs.ends.push(end);
        }
        Ok(pairs)
    }

    /// The first so many tokens of both, with what stands around them.
    fn join(
        &self,
        (mut query, query_kept): (Encoding, usize),
        (mut text, text_kept): (Encoding, usize),
    ) -> Result<Encoding, tokenizers::Error> {
        shorten(&mut query, query_kept);
        shorten(&mut text, text_kept);
        match self.inner.get_post_processor() {
            Some(processor) => processor.process(query, Some(text), true),
            None => self.inner.post_process(query, Some(text), true),
        }
    }
}

/// How many tokens of a query and a text are kept: `longest_first` of the library. The shorter loses none before the longer
/// is as short; an odd token is the longer's.
fn kept(query: usize, text: usize, room: usize) -> (usize, usize) {
    if query + text <= room {
        return (query, text);
    }
    let shorter = query.min(text).min(room / 2);
    if query > text { (room - shorter, shorter) } else { (shorter, room - shorter) }
}

fn shorten(encoding: &mut Encoding, tokens: usize) {
    encoding.truncate(tokens, 0, TruncationDirection::Right);
    // What was cut off would be joined as well, piece by piece.
    encoding.take_overflowing();
}

fn failed_on(position: Option<usize>, error: &(dyn std::error::Error + Send + Sync)) -> TokenizerError {
    TokenizerError::Text { position, reason: error.to_string() }
}
