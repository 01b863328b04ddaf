//! What came in: records by position, grouped at once into distinct texts and classes of equal normal form.
//!
//! A block is prepared in parallel and inserted in order, so that positions, classes and every later result are those of
//! pushing record by record. Each distinct text is normalised once and each class is shingled once.

mod absorb;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::chunks::Chunks;
use crate::classes::Classes;
use crate::form::{Form, characters, is_blank, joined};
use crate::keys::{Entry, Keys, key_of};
use crate::records::{One, Records};
use crate::shingles::{Sets, shingle_set};
use crate::texts::{Texts, cells};
use crate::{DedupError, DedupOptions, Empty, Retain, Verify};

/// The record is blank and set aside: it has no text.
const BLANK: Entry = u32::MAX;
/// No record has exactly this text (yet): it is only the normal form of others.
const NO_RECORD: u32 = u32::MAX;
/// Fewer items than this are prepared on the calling thread.
const PARALLEL_MIN: usize = 64;

/// Records, grouped.
#[derive(Debug, Clone)]
pub struct Batch {
    options: DedupOptions,
    keys: Keys,
    classes: Classes,
    /// The first record of each entry, or [`NO_RECORD`].
    firsts: Chunks<u32>,
    /// Characters of each entry, if kept.
    lengths: Chunks<u32>,
    /// The entry of each record, or [`BLANK`].
    entries: Chunks<Entry>,
    /// By entry when bytes are verified, else by class.
    texts: Texts,
    sets: Sets,
    /// By record, not a number for none; empty as long as no record has one.
    priorities: Vec<f64>,
}

/// What the parallel pass finds out about a record.
struct Prepared {
    key: u128,
    blank: bool,
}

impl Batch {
    /// The most records of a batch: positions have 32 bits, and two are set aside.
    pub const RECORDS_MAX: u64 = u32::MAX as u64 - 1;

    /// An empty batch.
    pub fn new(options: DedupOptions) -> Self {
        Self {
            options,
            keys: Keys::default(),
            classes: Classes::new(&options),
            firsts: Chunks::default(),
            lengths: Chunks::default(),
            entries: Chunks::default(),
            texts: Texts::new(options.columns.get()),
            sets: Sets::default(),
            priorities: Vec::new(),
        }
    }

    /// Adds one record and returns its position. For many records, [`Batch::push_block`] is faster.
    pub fn push(&mut self, columns: &[&[u8]], priority: Option<f64>) -> Result<u32, DedupError> {
        let position = self.entries.len() as u32;
        self.push_block(&One { columns, priority })?;
        Ok(position)
    }

    /// Adds a block of records: prepared in parallel in the current rayon pool, inserted in order.
    ///
    /// A refused block leaves the batch as it was. Memory for the preparation is proportional to the block: some thousand
    /// records are a good size.
    pub fn push_block(&mut self, block: &dyn Records) -> Result<(), DedupError> {
        self.check(block)?;
        self.push_priorities(block);
        let fresh = self.insert_texts(block);
        self.insert_classes(block, &fresh);
        Ok(())
    }

    /// Refuses a block that does not fit.
    fn check(&self, block: &dyn Records) -> Result<(), DedupError> {
        let before = self.entries.len() as u64;
        let (expected, received) = (self.options.columns.get(), block.columns());
        if expected != received && !block.is_empty() {
            return Err(DedupError::Columns { position: before, expected, received });
        }
        let received = before + block.len() as u64;
        if received > Self::RECORDS_MAX {
            return Err(DedupError::TooManyRecords { expected: Self::RECORDS_MAX, received });
        }
        let unordered = |&record: &usize| block.priority(record).is_some_and(f64::is_nan);
        match (0..block.len()).find(unordered) {
            Some(record) => Err(DedupError::Priority { position: before + record as u64 }),
            None => Ok(()),
        }
    }

    fn push_priorities(&mut self, block: &dyn Records) {
        let before = self.entries.len();
        for record in 0..block.len() {
            let priority = block.priority(record);
            if priority.is_some() && self.priorities.is_empty() {
                self.priorities.resize(before + record, f64::NAN);
            }
            if priority.is_some() || !self.priorities.is_empty() {
                self.priorities.push(priority.unwrap_or(f64::NAN));
            }
        }
    }

    /// Finds the entry of every record and returns the new ones, each with the record that brought it.
    fn insert_texts(&mut self, block: &dyn Records) -> Vec<(Entry, usize)> {
        let columns = block.columns();
        let prepared = map_all(block.len(), |record| Prepared {
            key: key_of((0..columns).map(|column| block.column(record, column))),
            blank: cells(block, record).all(is_blank),
        });
        let mut fresh = Vec::new();
        for (record, Prepared { key, blank }) in prepared.into_iter().enumerate() {
            let position = self.entries.len() as u32;
            let entry = if blank && self.options.empty != Empty::Collapse {
                BLANK
            } else if let Some(entry) = self.find(key, || cells(block, record)) {
                entry
            } else {
                let entry = self.insert_entry(key, cells(block, record));
                fresh.push((entry, record));
                entry
            };
            if entry != BLANK && self.firsts[entry as usize] == NO_RECORD {
                self.firsts[entry as usize] = position;
                if self.options.lengths == Retain::Keep {
                    self.lengths[entry as usize] = characters(cells(block, record));
                }
            }
            self.entries.push(entry);
        }
        fresh
    }

    /// Finds or makes the class of every new entry, and the shingle set of every new class.
    fn insert_classes(&mut self, block: &dyn Records, fresh: &[(Entry, usize)]) {
        let options = self.options;
        let forms = map_all(fresh.len(), |at| Form::of(block, fresh[at].1, options));
        let mut new_classes = Vec::new();
        for (at, (&(entry, record), form)) in fresh.iter().zip(&forms).enumerate() {
            let home = match &form.cells {
                None => entry,
                Some(normal) => self.form_entry(form.key, normal),
            };
            if self.classes.join(entry, home).is_none() {
                continue;
            }
            new_classes.push(at);
            if options.verify == Verify::Caller && options.texts == Retain::Keep {
                match &form.cells {
                    None => self.texts.push(cells(block, record)),
                    Some(normal) => self.texts.push(normal.iter().map(Vec::as_slice)),
                }
            }
        }
        let Some(shingles) = options.shingles else { return };
        let sets = map_all(new_classes.len(), |new| {
            let at = new_classes[new];
            let text = match &forms[at].cells {
                None => joined(cells(block, fresh[at].1)),
                Some(normal) => joined(normal.iter().map(Vec::as_slice)),
            };
            shingle_set(&text, shingles)
        });
        for set in sets {
            self.sets.push(&set);
        }
    }

    /// The entry that holds a normal form, made if there is none.
    fn form_entry(&mut self, key: u128, normal: &[Vec<u8>]) -> Entry {
        let normal = || normal.iter().map(Vec::as_slice);
        match self.find(key, normal) {
            Some(entry) => entry,
            None => self.insert_entry(key, normal()),
        }
    }

    fn insert_entry<'a>(&mut self, key: u128, cells: impl Iterator<Item = &'a [u8]>) -> Entry {
        let entry = self.keys.insert(key);
        self.classes.add_entry();
        self.firsts.push(NO_RECORD);
        if self.options.lengths == Retain::Keep {
            self.lengths.push(0);
        }
        if self.options.verify == Verify::Bytes {
            self.texts.push(cells);
        }
        entry
    }

    /// The entry of a text.
    fn find<'a, C: Iterator<Item = &'a [u8]>>(&self, key: u128, cells: impl Fn() -> C) -> Option<Entry> {
        let unchecked = self.options.verify == Verify::Caller;
        self.keys.find(key, |entry| unchecked || self.texts.holds(entry as usize, cells()))
    }

    /// The options the batch was made with.
    pub fn options(&self) -> &DedupOptions {
        &self.options
    }

    /// How many records came in.
    pub fn records(&self) -> usize {
        self.entries.len()
    }

    /// How many distinct normal forms they have. Classes are numbered by first appearance.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        self.keys.bytes()
            + self.classes.bytes()
            + self.firsts.bytes()
            + self.lengths.bytes()
            + self.entries.bytes()
            + self.texts.bytes()
            + self.sets.bytes()
            + self.priorities.capacity() * size_of::<f64>()
    }

    /// The first record with the same key as the one at `position`, if it is an earlier one.
    ///
    /// Under [`Verify::Caller`] the caller compares the two texts. They differ only if somebody made them to: xxh3 is not a
    /// cryptographic hash. Start again with [`Verify::Bytes`] then.
    ///
    /// # Panics
    /// When `position >= records()`.
    pub fn copy_of(&self, position: u32) -> Option<u32> {
        let first = self.firsts[self.entry_of(position)? as usize];
        (first != position).then_some(first)
    }

    /// The class of a record; none if it is blank and set aside.
    ///
    /// # Panics
    /// When `position >= records()`.
    pub fn class_of(&self, position: u32) -> Option<u32> {
        self.entry_of(position).map(|entry| self.class_of_entry(entry))
    }

    /// The first record of every class, by class. Linear in the records.
    pub fn first_records(&self) -> Vec<u32> {
        let mut firsts = vec![NO_RECORD; self.classes()];
        for position in (0..self.records() as u32).rev() {
            if let Some(class) = self.class_of(position) {
                firsts[class as usize] = position;
            }
        }
        firsts
    }

    /// One column of the normal form of a class; none when texts are not kept.
    ///
    /// # Panics
    /// When `class >= classes()` or there is no such column.
    pub fn class_column(&self, class: u32, column: usize) -> Option<&[u8]> {
        assert!(column < self.options.columns.get(), "column {column} of {}", self.options.columns);
        self.class_row(class).map(|row| self.texts.cell(row, column))
    }

    /// The normal form of a class as text: its columns joined by a newline, decoded with replacement characters where it is
    /// not UTF-8. None when texts are not kept.
    ///
    /// # Panics
    /// When `class >= classes()`.
    pub fn class_text(&self, class: u32) -> Option<Cow<'_, str>> {
        self.class_row(class).map(|row| joined(self.texts.row(row)))
    }

    /// Where the normal form of a class lies in `texts`.
    fn class_row(&self, class: u32) -> Option<usize> {
        let form = self.form_of_class(class) as usize;
        match (self.options.verify, self.options.texts) {
            (Verify::Bytes, _) => Some(form),
            (Verify::Caller, Retain::Keep) => Some(class as usize),
            (Verify::Caller, Retain::Drop) => None,
        }
    }

    /// Whether class texts can be asked for.
    pub(crate) fn has_texts(&self) -> bool {
        self.options.verify == Verify::Bytes || self.options.texts == Retain::Keep
    }

    /// The entry of a record; none if it is set aside.
    pub(crate) fn entry_of(&self, position: u32) -> Option<Entry> {
        let entry = self.entries[position as usize];
        (entry != BLANK).then_some(entry)
    }

    pub(crate) fn class_of_entry(&self, entry: Entry) -> u32 {
        self.classes.of_entry(entry)
    }

    /// How many entries the table has; they are numbered from 0.
    pub(crate) fn entry_count(&self) -> usize {
        self.keys.len()
    }

    /// The first record with exactly the text of an entry.
    pub(crate) fn first_of_entry(&self, entry: Entry) -> Option<u32> {
        let first = self.firsts[entry as usize];
        (first != NO_RECORD).then_some(first)
    }

    pub(crate) fn form_of_class(&self, class: u32) -> Entry {
        self.classes.form(class)
    }

    /// The entry with the same text as `entry` of another batch with the same options.
    pub(crate) fn find_entry_of(&self, other: &Self, entry: Entry) -> Option<Entry> {
        self.find(other.keys.key(entry), || other.texts.row(entry as usize))
    }

    pub(crate) fn length_of_entry(&self, entry: Entry) -> u32 {
        self.lengths[entry as usize]
    }

    /// The priority of a record; none was given if it is not a number.
    pub(crate) fn priority(&self, position: u32) -> f64 {
        self.priorities.get(position as usize).copied().unwrap_or(f64::NAN)
    }

    /// Whether any record came with a priority.
    pub fn has_priorities(&self) -> bool {
        !self.priorities.is_empty()
    }

    pub(crate) fn sets(&self) -> &Sets {
        &self.sets
    }
}

/// `make` of every index in order: in parallel when there are enough of them.
fn map_all<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if count < PARALLEL_MIN {
        return (0..count).map(make).collect();
    }
    (0..count).into_par_iter().with_min_len(PARALLEL_MIN).map(make).collect()
}
