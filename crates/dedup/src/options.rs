//! How records are read into a batch: columns, normal form, blank texts, and what to keep in memory for later.
//!
//! These options shape the batch itself; what makes two classes duplicates is in [`Rules`](crate::Rules).

use std::num::NonZeroUsize;

use sluice_text::NormalForm;

/// How records become groups and classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DedupOptions {
    /// Columns of a record; two records are exact copies when all columns are. Default 1.
    pub columns: NonZeroUsize,
    /// What counts as the same text but for its form. Default [`NormalForm::Space`].
    pub normal_form: NormalForm,
    /// What becomes of records whose columns are all blank. Default [`Empty::Keep`].
    pub empty: Empty,
    /// How equal keys are confirmed. Default [`Verify::Bytes`].
    pub verify: Verify,
    /// The shingles a lexical rule compares, made while records come in. Default: words, 3.
    pub shingles: Option<Shingles>,
    /// The normal form of every class: guards and embedders need it. Costs its bytes plus 8 a column. Default kept.
    pub texts: Retain,
    /// The characters of every text: [`Keep::Longest`](crate::Keep::Longest) needs them. Costs 4 bytes a text. Default
    /// kept.
    pub lengths: Retain,
}

impl Default for DedupOptions {
    fn default() -> Self {
        Self {
            columns: NonZeroUsize::MIN,
            normal_form: NormalForm::Space,
            empty: Empty::default(),
            verify: Verify::default(),
            shingles: Some(Shingles::default()),
            texts: Retain::Keep,
            lengths: Retain::Keep,
        }
    }
}

impl DedupOptions {
    /// Whether every text is its own normal form.
    pub(crate) fn texts_are_forms(&self) -> bool {
        self.normal_form == NormalForm::None && self.empty != Empty::Collapse
    }
}

/// What becomes of a blank record: one whose columns hold nothing but white space and invisible spacing characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Empty {
    /// Each is kept: a text that says nothing is a copy of nothing.
    #[default]
    Keep,
    /// Each is dropped, with the reason `empty` and without a witness.
    Drop,
    /// They are texts like any other and form one class: one is kept.
    Collapse,
}

/// How it is confirmed that two texts with the same 128-bit key are the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// By their bytes: every distinct text stays in memory.
    #[default]
    Bytes,
    /// By the caller, who still has the texts: [`Batch::copy_of`](crate::Batch::copy_of) names what to compare. Only the
    /// keys stay in memory.
    Caller,
}

/// Whether something is held in memory for a later step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retain {
    /// It is.
    Keep,
    /// It is not; a step that needs it is refused.
    Drop,
}

/// The pieces of a text that the lexical score counts: the set of all runs of `size` consecutive units.
///
/// The text is the lower-cased normal form, its columns joined by a newline. A text of fewer units is one shingle: its
/// words joined by a space, or the text itself if it has no word. A run of letters of a script that writes no spaces
/// (Han, Kana, Thai, Lao, Khmer, Myanmar) is one word by this definition: choose [`Unit::Character`] for such texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingles {
    /// What is counted.
    pub unit: Unit,
    /// How many consecutive units make one shingle.
    pub size: NonZeroUsize,
}

impl Default for Shingles {
    fn default() -> Self {
        Self { unit: Unit::Word, size: NonZeroUsize::MIN.saturating_add(2) }
    }
}

/// The unit a shingle is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A maximal run of letters, numbers and underscores ([`sluice_text::words`]).
    Word,
    /// A Unicode scalar value, white space and punctuation included.
    Character,
}
