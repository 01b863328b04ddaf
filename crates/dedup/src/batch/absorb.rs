//! Taking records over from another batch, as if they had been pushed: nothing is normalised or shingled again.

use super::{BLANK, Batch, NO_RECORD};
use crate::classes::NO_CLASS;
use crate::keys::Entry;
use crate::{Retain, Verify};

impl Batch {
    /// Adds one record of another batch with the same options. Returns its class if it made a new one.
    pub(crate) fn absorb(&mut self, other: &Self, position: u32) -> Option<u32> {
        let here = self.entries.len() as u32;
        if !self.priorities.is_empty() || !other.priorities.is_empty() {
            self.priorities.resize(here as usize, f64::NAN);
            self.priorities.push(other.priority(position));
        }
        let Some(theirs) = other.entry_of(position) else {
            self.entries.push(BLANK);
            return None;
        };
        let entry = self.absorb_entry(other, theirs);
        if self.firsts[entry as usize] == NO_RECORD {
            self.firsts[entry as usize] = here;
            if self.options.lengths == Retain::Keep {
                self.lengths[entry as usize] = other.lengths[theirs as usize];
            }
        }
        self.entries.push(entry);
        if self.class_of_entry(entry) != NO_CLASS {
            return None;
        }
        let their_class = other.class_of_entry(theirs);
        let home = self.absorb_entry(other, other.form_of_class(their_class));
        let class = self.classes.join(entry, home)?;
        if self.options.verify == Verify::Caller && self.options.texts == Retain::Keep {
            self.texts.push(other.texts.row(their_class as usize));
        }
        if self.options.shingles.is_some() {
            self.sets.push(other.sets.get(their_class));
        }
        Some(class)
    }

    fn absorb_entry(&mut self, other: &Self, entry: Entry) -> Entry {
        match self.find_entry_of(other, entry) {
            Some(known) => known,
            None => self.insert_entry(other.keys.key(entry), other.text_row(entry)),
        }
    }

    /// The cells of an entry where entries have texts, else nothing.
    fn text_row(&self, entry: Entry) -> impl Iterator<Item = &[u8]> {
        let columns = if self.options.verify == Verify::Bytes { self.options.columns.get() } else { 0 };
        (0..columns).map(move |column| self.texts.cell(entry as usize, column))
    }
}
