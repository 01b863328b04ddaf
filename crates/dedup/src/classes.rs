//! Which class each entry belongs to, and which entry holds the normal form of each class.
//!
//! Where every text is its own normal form, entry, class and form are one number, and nothing is stored.

use crate::DedupOptions;
use crate::chunks::Chunks;
use crate::keys::Entry;

/// The class of an entry whose class is not known yet.
pub(crate) const NO_CLASS: u32 = u32::MAX;

/// Classes, numbered by first appearance.
#[derive(Debug, Clone)]
pub(crate) enum Classes {
    /// Every entry is a class of its own; so many are known.
    Entries(u32),
    /// Entries with one normal form are one class.
    Forms {
        /// The class of each entry, or [`NO_CLASS`].
        of_entries: Chunks<u32>,
        /// The entry that holds the normal form of each class.
        forms: Chunks<Entry>,
    },
}

impl Classes {
    pub(crate) fn new(options: &DedupOptions) -> Self {
        if options.texts_are_forms() {
            Self::Entries(0)
        } else {
            Self::Forms { of_entries: Chunks::default(), forms: Chunks::default() }
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Entries(known) => *known as usize,
            Self::Forms { forms, .. } => forms.len(),
        }
    }

    /// Makes room for the next entry.
    pub(crate) fn add_entry(&mut self) {
        if let Self::Forms { of_entries, .. } = self {
            of_entries.push(NO_CLASS);
        }
    }

    /// The class of an entry, or [`NO_CLASS`].
    pub(crate) fn of_entry(&self, entry: Entry) -> u32 {
        match self {
            Self::Entries(known) if entry < *known => entry,
            Self::Entries(_) => NO_CLASS,
            Self::Forms { of_entries, .. } => of_entries[entry as usize],
        }
    }

    /// The entry that holds the normal form of a class.
    pub(crate) fn form(&self, class: u32) -> Entry {
        match self {
            Self::Entries(_) => class,
            Self::Forms { forms, .. } => forms[class as usize],
        }
    }

    /// Puts an entry into the class of its normal form. Returns the class if it is new; entries come in order.
    pub(crate) fn join(&mut self, entry: Entry, form: Entry) -> Option<u32> {
        match self {
            Self::Entries(known) => {
                debug_assert_eq!((entry, form), (*known, *known));
                *known += 1;
                Some(entry)
            }
            Self::Forms { of_entries, forms } => {
                let known = of_entries[form as usize];
                let class = if known == NO_CLASS { forms.len() as u32 } else { known };
                if known == NO_CLASS {
                    forms.push(form);
                    of_entries[form as usize] = class;
                }
                of_entries[entry as usize] = class;
                (known == NO_CLASS).then_some(class)
            }
        }
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Entries(_) => 0,
            Self::Forms { of_entries, forms } => of_entries.bytes() + forms.bytes(),
        }
    }
}
