//! All payloads at once: which slots does a filter leave?
//!
//! The one idea: an inverted table. Every field knows the slots that have a value, and every value the slots that have it, so
//! that a filter becomes unions, intersections and differences of sets of slots; no payload is looked at again. What no filter
//! can ask for is not kept: keys that are no names, values that are objects or arrays within arrays (only that they exist).

mod column;
mod postings;

use std::collections::BTreeMap;
use std::mem::size_of;

use roaring::RoaringBitmap;
use serde_json::{Map, Value};

use crate::Filter;
use crate::condition::{Condition, Test};
use crate::field::{FIELD_BYTES_MAX, PARTS_MAX, is_part, values_of};
use crate::table::column::Column;
use crate::tree::Tree;

/// Payloads by slot, ready to be filtered.
///
/// Memory: every distinct value once for each field, and a few bytes for each slot that has it. Clearing keeps the memory of
/// what was cleared.
#[derive(Clone, Debug, Default)]
pub struct PayloadTable {
    /// By the name of the field.
    columns: BTreeMap<Box<str>, Column>,
    /// The slots that are not cleared. The sets of the columns may still name others.
    live: RoaringBitmap,
    slots: u32,
}

impl PayloadTable {
    /// A table without payloads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a payload and gives its slot: the number of pushes before. Takes about a microsecond a value.
    ///
    /// # Panics
    /// After 2^32 - 1 pushes.
    pub fn push(&mut self, payload: &Value) -> u32 {
        let slot = self.slots;
        self.slots = slot.checked_add(1).expect("a table has at most 2^32 - 1 slots");
        self.insert(slot, payload);
        slot
    }

    /// Puts another payload in a slot, cleared or not. A slot that was never pushed is left alone.
    ///
    /// Costs a look at every distinct value of the fields that the slot has: pushing anew and clearing is cheaper.
    pub fn replace(&mut self, slot: u32, payload: &Value) {
        if slot >= self.slots {
            return;
        }
        for column in self.columns.values_mut() {
            column.remove(slot);
        }
        self.insert(slot, payload);
    }

    /// Makes a slot match nothing, not even [`Filter::everything`].
    pub fn clear(&mut self, slot: u32) {
        self.live.remove(slot);
    }

    /// The number of pushes.
    pub const fn len(&self) -> u32 {
        self.slots
    }

    /// Whether nothing was ever pushed.
    pub const fn is_empty(&self) -> bool {
        self.slots == 0
    }

    /// The slots whose payload matches: those for which [`Filter::matches`] is true, and that are not cleared.
    ///
    /// An equality costs a look-up, a range the values inside it, a search for a text within texts all distinct texts of the
    /// field.
    pub fn select(&self, filter: &Filter) -> RoaringBitmap {
        // Only "everything" and "none of" look at the live slots on their way; any other set may hold cleared ones.
        &self.slots_of(filter.tree()) & &self.live
    }

    /// The memory held, in bytes, near enough. Costs a look at every distinct value.
    pub fn bytes(&self) -> usize {
        let columns = self.columns.iter();
        let bytes = columns.map(|(name, column)| name.len() + size_of::<Column>() + column.bytes());
        self.live.serialized_size() + bytes.sum::<usize>()
    }

    fn slots_of(&self, tree: &Tree) -> RoaringBitmap {
        match tree {
            Tree::All(parts) => self.all(parts),
            Tree::Any(parts) => self.any(parts),
            Tree::None(parts) => &self.live - self.any(parts),
            Tree::Leaf(condition) => self.having(condition),
        }
    }

    fn all(&self, parts: &[Tree]) -> RoaringBitmap {
        // What costs little comes first: it may leave nothing to look for.
        let mut parts: Vec<&Tree> = parts.iter().collect();
        parts.sort_by_key(|part| effort(part));
        let Some((first, rest)) = parts.split_first() else { return self.live.clone() };
        let mut left = self.slots_of(first);
        for part in rest {
            if left.is_empty() {
                break;
            }
            match part {
                // What is taken away need not be turned round first.
                Tree::None(parts) => left -= self.any(parts),
                part => left &= self.slots_of(part),
            }
        }
        left
    }

    fn any(&self, parts: &[Tree]) -> RoaringBitmap {
        parts.iter().fold(RoaringBitmap::new(), |found, part| found | self.slots_of(part))
    }

    fn having(&self, condition: &Condition) -> RoaringBitmap {
        self.columns
            .get(condition.field.as_str())
            .map(|column| column.having(&condition.test))
            .unwrap_or_default()
    }

    fn insert(&mut self, slot: u32, payload: &Value) {
        self.live.insert(slot);
        if let Value::Object(object) = payload {
            insert_object(&mut self.columns, slot, object, &mut String::new(), 1);
        }
    }
}

/// What it takes to find the slots of a tree, on a scale of its own.
fn effort(tree: &Tree) -> u32 {
    match tree {
        Tree::All(parts) | Tree::Any(parts) | Tree::None(parts) => {
            parts.iter().map(effort).max().unwrap_or(0) + 1
        }
        Tree::Leaf(condition) => match condition.test {
            Test::Equals(_) | Test::Exists => 0,
            Test::OneOf(_) => 1,
            Test::Numbers(_) | Test::Instants(_) => 10,
            Test::Contains(_) | Test::ContainsFolded(_) => 20,
        },
    }
}

/// Adds the values of an object whose keys are the parts number `part` of names that begin with `name`.
fn insert_object(
    columns: &mut BTreeMap<Box<str>, Column>,
    slot: u32,
    object: &Map<String, Value>,
    name: &mut String,
    part: usize,
) {
    let before = name.len();
    for (key, value) in object.iter().filter(|(key, _)| is_part(key)) {
        if before > 0 {
            name.push('.');
        }
        name.push_str(key);
        if name.len() <= FIELD_BYTES_MAX {
            insert_field(columns, slot, value, name);
            if let (Value::Object(inner), true) = (value, part < PARTS_MAX) {
                insert_object(columns, slot, inner, name, part + 1);
            }
        }
        name.truncate(before);
    }
}

fn insert_field(columns: &mut BTreeMap<Box<str>, Column>, slot: u32, value: &Value, name: &str) {
    let mut values = values_of(value).peekable();
    if values.peek().is_none() {
        return;
    }
    // Looked up before it is made: a name is only copied once.
    if let Some(column) = columns.get_mut(name) {
        column.insert(slot, values);
    } else {
        columns.entry(name.into()).or_default().insert(slot, values);
    }
}
