//! One field of all payloads: which slots have which values.

use memchr::memmem::Finder;
use roaring::RoaringBitmap;
use serde_json::Value;

use crate::condition::{Test, fold_into};
use crate::instant::{self, Instant};
use crate::scalar::{Number, Scalar, number_of};
use crate::table::postings::{Postings, union};

/// The slots of a field by value, one table for each type: types are strict.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The slots with a value of any kind.
    present: RoaringBitmap,
    texts: Postings<Box<str>>,
    /// The texts that are dates once more, by what they mean.
    instants: Postings<Instant>,
    numbers: Postings<Number>,
    truths: Postings<bool>,
}

impl Column {
    /// Adds the values that a slot has, of which there is at least one.
    pub fn insert<'a>(&mut self, slot: u32, values: impl Iterator<Item = &'a Value>) {
        self.present.insert(slot);
        for value in values {
            match value {
                Value::String(text) => {
                    self.texts.insert_text(text, slot);
                    if let Some(instant) = instant::read(text) {
                        self.instants.insert(instant, slot);
                    }
                }
                Value::Bool(truth) => self.truths.insert(*truth, slot),
                // Objects and arrays equal nothing: that the field is present is all there is to know.
                other => {
                    if let Some(number) = number_of(other) {
                        self.numbers.insert(number, slot);
                    }
                }
            }
        }
    }

    /// Takes a slot out of every set.
    pub fn remove(&mut self, slot: u32) {
        if self.present.remove(slot) {
            self.texts.remove(slot);
            self.instants.remove(slot);
            self.numbers.remove(slot);
            self.truths.remove(slot);
        }
    }

    /// The slots with a value that passes.
    pub fn having(&self, test: &Test) -> RoaringBitmap {
        match test {
            Test::Equals(scalar) => self.equal(scalar),
            Test::OneOf(scalars) => {
                scalars.iter().fold(RoaringBitmap::new(), |found, scalar| found | self.equal(scalar))
            }
            Test::Numbers(range) => self.numbers.within(range),
            Test::Instants(range) => self.instants.within(range),
            Test::Exists => self.present.clone(),
            Test::Contains(needle) => {
                let finder = Finder::new(needle.as_bytes());
                self.texts_where(|text| finder.find(text.as_bytes()).is_some())
            }
            Test::ContainsFolded(needle) => {
                let finder = Finder::new(needle.as_bytes());
                let mut folded = String::new();
                self.texts_where(|text| {
                    fold_into(text, &mut folded);
                    finder.find(folded.as_bytes()).is_some()
                })
            }
        }
    }

    fn equal(&self, scalar: &Scalar) -> RoaringBitmap {
        match scalar {
            Scalar::Text(text) => self.texts.of(text),
            Scalar::Number(number) => self.numbers.of(number),
            Scalar::Truth(truth) => self.truths.of(truth),
        }
    }

    fn texts_where(&self, mut passes: impl FnMut(&str) -> bool) -> RoaringBitmap {
        union(self.texts.iter().filter(|(text, _)| passes(text)).map(|(_, posting)| posting))
    }

    /// The memory held, in bytes, near enough.
    pub fn bytes(&self) -> usize {
        self.present.serialized_size()
            + self.texts.bytes(|text| text.len())
            + self.instants.bytes(|_| 0)
            + self.numbers.bytes(|_| 0)
            + self.truths.bytes(|_| 0)
    }
}
