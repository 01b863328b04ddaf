//! The rules of a walk and the options of a batch, as JavaScript gives them.

use std::num::NonZeroUsize;

use napi_derive::napi;
use sluice_dedup::{
    Cosine, DedupOptions, Empty, Jaccard, Keep, LexicalRule, NearIn, Retain, Rules, SemanticRule, Shingles,
    Unit, Verify,
};
use sluice_text::NormalForm;
use sluice_vector::Metric;

use crate::failure::Failure;
use crate::guard::guards_named;

/// What a batch is made for.
#[napi(object)]
pub struct NativeBatchOptions {
    /// Columns of a record.
    pub columns: u32,
    /// `none`, `space` or `case`.
    pub normalize: String,
    /// `keep`, `drop` or `collapse`.
    pub empty: String,
    /// Whether the core keeps texts to confirm copies; otherwise the caller confirms.
    pub verify_bytes: bool,
    /// `word` or `character`; absent when nothing is compared lexically.
    pub shingle_unit: Option<String>,
    /// Units of a shingle.
    pub shingle_size: Option<u32>,
    /// Whether guards or an embedder will need the texts.
    pub keep_texts: bool,
    /// Whether the longest record of a group is to be kept.
    pub keep_lengths: bool,
    /// Bound on the memory of the batch.
    pub memory_bytes: Option<f64>,
}

/// The rules of one walk.
#[napi(object)]
pub struct NativeRules {
    /// `first`, `longest`, `highest` or `lowest`.
    pub keep: String,
    /// Whether near-duplicates are looked for in the reference alone.
    pub reference_only: bool,
    /// Lexical threshold; absent when nothing is compared lexically.
    pub jaccard: Option<f64>,
    /// Semantic threshold; absent when nothing is compared semantically.
    pub cosine: Option<f64>,
    /// Lowest cosine that is reported.
    pub floor: Option<f64>,
    /// Names of the guards.
    pub guards: Vec<String>,
    /// Witnesses listed for a record.
    pub duplicates_max: u32,
}

impl NativeBatchOptions {
    /// The options as the core knows them.
    pub fn to_core(&self) -> Result<DedupOptions, Failure> {
        let retain = |keep| if keep { Retain::Keep } else { Retain::Drop };
        Ok(DedupOptions {
            columns: positive(self.columns, "columns")?,
            normal_form: named(
                "normalize",
                &self.normalize,
                &[("none", NormalForm::None), ("space", NormalForm::Space), ("case", NormalForm::Case)],
            )?,
            empty: named(
                "empty",
                &self.empty,
                &[("keep", Empty::Keep), ("drop", Empty::Drop), ("collapse", Empty::Collapse)],
            )?,
            verify: if self.verify_bytes { Verify::Bytes } else { Verify::Caller },
            shingles: match (&self.shingle_unit, self.shingle_size) {
                (Some(unit), Some(size)) => Some(Shingles {
                    unit: named("shingles", unit, &[("word", Unit::Word), ("character", Unit::Character)])?,
                    size: positive(size, "shingles")?,
                }),
                _ => None,
            },
            texts: retain(self.keep_texts),
            lengths: retain(self.keep_lengths),
        })
    }
}

impl NativeRules {
    /// The rules as the core knows them.
    pub fn to_core(&self) -> Result<Rules, Failure> {
        Ok(Rules {
            keep: named(
                "keep",
                &self.keep,
                &[
                    ("first", Keep::First),
                    ("longest", Keep::Longest),
                    ("highest", Keep::Highest),
                    ("lowest", Keep::Lowest),
                ],
            )?,
            near_in: if self.reference_only { NearIn::ReferenceOnly } else { NearIn::Everything },
            lexical: self.lexical()?,
            semantic: match self.cosine {
                Some(cosine) => Some(SemanticRule {
                    cosine: Cosine::new(cosine)?,
                    floor: Cosine::new(self.floor.unwrap_or(cosine))?,
                }),
                None => None,
            },
            guards: guards_named(&self.guards)?,
            duplicates_max: positive(self.duplicates_max, "duplicatesMax")?,
        })
    }

    fn lexical(&self) -> Result<Option<LexicalRule>, Failure> {
        Ok(match self.jaccard {
            Some(jaccard) => Some(LexicalRule { jaccard: Jaccard::new(jaccard)? }),
            None => None,
        })
    }
}

/// The choice that an option names.
pub fn named<T: Copy>(option: &str, received: &str, choices: &[(&str, T)]) -> Result<T, Failure> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == received) {
        return Ok(*choice);
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    Err(Failure {
        field: Some(option.to_owned()),
        expected: Some(names.join(", ")),
        received: Some(received.to_owned()),
        ..Failure::new("OPTION_INVALID", format!("The option {option} has no choice of that name."))
    })
}

/// The metric of a name.
pub fn metric_named(name: &str) -> Result<Metric, Failure> {
    named("metric", name, &Metric::ALL.map(|metric| (metric.name(), metric)))
}

/// A number that must not be zero.
pub fn positive(number: u32, option: &str) -> Result<NonZeroUsize, Failure> {
    NonZeroUsize::new(number as usize).ok_or_else(|| Failure {
        field: Some(option.to_owned()),
        expected: Some("at least 1".to_owned()),
        received: Some("0".to_owned()),
        ..Failure::new("OPTION_INVALID", format!("The option {option} must be at least 1."))
    })
}
