//! What a text is made of: its normal form, its key, its words and its tokens.
//!
//! Everything here is a pure function of the text. Nothing here knows about records, files or vectors.
//!
//! ```
//! use sluice_text::{NormalForm, content_key, words};
//!
//! let normal = NormalForm::Case.apply("  Déjà\u{a0}\u{200b}vu\n");
//! assert_eq!(normal, "déjà vu");
//! assert_eq!(words(&normal).collect::<Vec<_>>(), ["déjà", "vu"]);
//! assert_eq!(content_key(normal.as_bytes()), content_key("déjà vu".as_bytes()));
//! ```

mod bert_category;
mod content_id;
mod content_key;
mod leading_word;
mod normal_form;
mod piece_table;
mod text_error;
mod word_piece;
mod words;

pub use content_id::ContentId;
pub use content_key::content_key;
pub use normal_form::NormalForm;
pub use text_error::TextError;
pub use word_piece::WordPiece;
pub use words::words;
