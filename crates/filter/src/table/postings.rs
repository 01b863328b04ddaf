//! The slots of each value, by value in order: one table answers equalities and ranges.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::mem::size_of;

use roaring::RoaringBitmap;

use crate::condition::Range;

/// The slots of each value.
#[derive(Clone, Debug)]
pub struct Postings<K>(BTreeMap<K, Posting>);

/// The slots of one value, of which there is at least one. Most values of a field such as a title have one slot, which needs
/// no bitmap.
#[derive(Clone, Debug)]
pub enum Posting {
    One(u32),
    Many(RoaringBitmap),
}

impl<K> Default for Postings<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Postings<K> {
    pub fn insert(&mut self, value: K, slot: u32) {
        self.0.entry(value).and_modify(|posting| posting.insert(slot)).or_insert(Posting::One(slot));
    }

    /// The slots of a value.
    pub fn of<Q: Ord + ?Sized>(&self, value: &Q) -> RoaringBitmap
    where
        K: Borrow<Q>,
    {
        self.0.get(value).map(Posting::to_bitmap).unwrap_or_default()
    }

    /// The slots of the values between two bounds.
    pub fn within(&self, range: &Range<K>) -> RoaringBitmap
    where
        K: Copy,
    {
        // `BTreeMap::range` panics on bounds that cross.
        if range.is_empty() {
            return RoaringBitmap::new();
        }
        union(self.0.range((range.lower, range.upper)).map(|(_, posting)| posting))
    }

    /// Takes a slot out, and the values that only it had.
    pub fn remove(&mut self, slot: u32) {
        self.0.retain(|_, posting| posting.keeps_some_without(slot));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &Posting)> {
        self.0.iter()
    }

    /// The memory held, in bytes, near enough; `heap` tells what a value holds outside of itself.
    pub fn bytes(&self, heap: impl Fn(&K) -> usize) -> usize {
        // A node of the tree is about two thirds full.
        let entry = (size_of::<K>() + size_of::<Posting>()) * 3 / 2;
        self.0.iter().map(|(value, posting)| entry + heap(value) + posting.heap_bytes()).sum()
    }
}

impl Postings<Box<str>> {
    /// As `insert`; a text is copied only when it is new.
    pub fn insert_text(&mut self, text: &str, slot: u32) {
        match self.0.get_mut(text) {
            Some(posting) => posting.insert(slot),
            None => self.insert(text.into(), slot),
        }
    }
}

impl Posting {
    fn insert(&mut self, slot: u32) {
        match self {
            Self::One(first) if *first == slot => {}
            Self::One(first) => *self = Self::Many(RoaringBitmap::from([*first, slot])),
            Self::Many(slots) => {
                slots.insert(slot);
            }
        }
    }

    fn keeps_some_without(&mut self, slot: u32) -> bool {
        match self {
            Self::One(only) => *only != slot,
            Self::Many(slots) => {
                slots.remove(slot);
                !slots.is_empty()
            }
        }
    }

    fn to_bitmap(&self) -> RoaringBitmap {
        match self {
            Self::One(slot) => RoaringBitmap::from([*slot]),
            Self::Many(slots) => slots.clone(),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Many(slots) => slots.serialized_size(),
        }
    }
}

/// The slots of all of some values.
pub fn union<'a>(postings: impl Iterator<Item = &'a Posting>) -> RoaringBitmap {
    let (mut found, mut single) = (RoaringBitmap::new(), Vec::new());
    for posting in postings {
        match posting {
            Posting::One(slot) => single.push(*slot),
            Posting::Many(slots) => found |= slots,
        }
    }
    found | from_unordered(single)
}

/// A set of slots in any order, however often each comes.
fn from_unordered(mut slots: Vec<u32>) -> RoaringBitmap {
    let bits = slots.iter().max().map_or(0, |&last| last as usize + 1);
    if bits / BITS_A_SLOT_MAX > slots.len() {
        slots.sort_unstable();
        return slots.into_iter().collect();
    }
    let mut bytes = vec![0_u8; bits.div_ceil(8)];
    for slot in slots {
        bytes[slot as usize / 8] |= 1 << (slot % 8);
    }
    RoaringBitmap::from_lsb0_bytes(0, &bytes)
}

/// Up to so many bits for each slot, setting bits is faster than sorting.
const BITS_A_SLOT_MAX: usize = 256;

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few slots far apart are sorted, many are set as bits.
        #[test]
        fn a_set_is_the_same_by_bits_and_by_order(
            few in vec(0_u32..5_000_000, 0..20),
            many in vec(60_000_u32..70_000, 0..600),
        ) {
            for slots in [few, many] {
                let expected: RoaringBitmap = slots.iter().copied().collect();
                prop_assert_eq!(from_unordered(slots), expected);
            }
        }
    }

    #[test]
    fn slots_of_one_and_of_many_values_are_united() {
        let mut postings = Postings::default();
        for (value, slot) in [(1, 9), (1, 9), (2, 4), (2, 3), (2, 4), (3, 0)] {
            postings.insert(value, slot);
        }
        let found = |postings: &Postings<i32>| {
            union(postings.iter().map(|(_, posting)| posting)).iter().collect::<Vec<_>>()
        };
        assert_eq!(found(&postings), [0, 3, 4, 9]);
        for (slot, left) in [(3, [0, 4, 9].as_slice()), (9, &[0, 4]), (9, &[0, 4]), (4, &[0])] {
            postings.remove(slot);
            assert_eq!(found(&postings), left);
        }
        assert_eq!(postings.iter().count(), 1, "values without slots are gone");
    }
}
