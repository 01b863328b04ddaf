//! A trie over the bytes of all tokens, as a double array: one load and one compare a byte.
//!
//! Every node has a base; the child of a node by a byte sits in the slot `base ^ byte`, and is a child only if the slot holds
//! that byte as its label. Two nodes never share a base, so the label alone tells whose child a slot is. (Double arrays: Aoe
//! 1989; bases by exclusive or: the darts-clone library.) The trie is built once and never changed.

/// The most slots a trie may have; bases have 24 bits.
pub(crate) const SLOTS_MAX: usize = 1 << 24;
/// Where the label begins in [`Slot::base_and_label`].
const LABEL_SHIFT: u32 = 24;
/// Slots are added in blocks, so that `base ^ byte` stays inside the block of its base.
const BLOCK: usize = 256;
/// The label of a slot that is nobody's child; no UTF-8 text has this byte.
const NO_LABEL: u8 = 0xff;
/// How many free slots are tried for a node before a new block is opened: a bound on the time of building.
const TRIES_MAX: usize = 32;

/// One slot of the array: the node in it.
#[derive(Clone, Copy)]
struct Slot {
    /// The base of the node in the low 24 bits, its label in the high 8.
    base_and_label: u32,
    /// The token that ends in this node, plus one; zero if none does.
    token: u32,
}

const FREE: Slot = Slot { base_and_label: (NO_LABEL as u32) << LABEL_SHIFT, token: 0 };

/// A set of byte strings, each with a number, that finds the longest one at the start of a text.
pub(crate) struct Trie {
    slots: Vec<Slot>,
}

/// A node of the trie: a place from which a text can be followed.
#[derive(Clone, Copy)]
pub(crate) struct Node(u32);

impl Trie {
    /// A trie with one root for each set of keys, and these roots; `None` if it would have more than 2^24 slots.
    ///
    /// Keys are non-empty and free of the byte 0xff; of equal keys, the last one counts. Costs a sort of the keys.
    pub(crate) fn new<const ROOTS: usize>(
        mut sets: [Vec<(&[u8], u32)>; ROOTS],
    ) -> Option<(Self, [Node; ROOTS])> {
        let mut builder = Builder::with_capacity(sets.iter().flatten().map(|(key, _)| key.len()).sum());
        let mut roots = [Node(0); ROOTS];
        for (keys, root) in sets.iter_mut().zip(&mut roots) {
            sort(keys);
            *root = Node(builder.place(keys, 0)?);
        }
        builder.slots.shrink_to_fit();
        Some((Self { slots: builder.slots }, roots))
    }

    /// Follows one byte: the child, and the token that ends there.
    #[inline]
    pub(crate) fn step(&self, node: Node, byte: u8) -> Option<(Node, Option<u32>)> {
        let slot = self.slots.get((node.0 ^ u32::from(byte)) as usize)?;
        if slot.base_and_label >> LABEL_SHIFT != u32::from(byte) {
            return None;
        }
        Some((Node(slot.base_and_label & ((1 << LABEL_SHIFT) - 1)), slot.token.checked_sub(1)))
    }
}

/// Sorts keys, by their first eight bytes as one number where these differ, which they mostly do.
fn sort(keys: &mut [(&[u8], u32)]) {
    let prefix = |key: &[u8]| {
        let mut bytes = [0; 8];
        let length = key.len().min(8);
        bytes[..length].copy_from_slice(&key[..length]);
        u64::from_be_bytes(bytes)
    };
    keys.sort_by_cached_key(|(key, _)| prefix(key));
    for same in keys.chunk_by_mut(|(a, _), (b, _)| prefix(a) == prefix(b)) {
        same.sort_unstable();
    }
}

/// A trie under construction.
struct Builder {
    slots: Vec<Slot>,
    /// For every slot, whether a node has it as its base.
    is_base: Vec<bool>,
    /// The free slots as a doubly linked ring through slot 0, which is never handed out: the next one, the one before.
    free: Vec<[u32; 2]>,
    /// The member of the ring that is tried next. Going round lets no slot that fits nobody stand in the way for long.
    next_try: u32,
}

impl Builder {
    /// An empty trie. Its first block stays unused: nodes without children have base 0, and so find none.
    fn with_capacity(nodes: usize) -> Self {
        let mut builder = Self {
            slots: Vec::with_capacity(nodes),
            is_base: Vec::with_capacity(nodes),
            free: Vec::with_capacity(nodes),
            next_try: 0,
        };
        builder.slots.resize(BLOCK, FREE);
        builder.is_base.resize(BLOCK, true);
        builder.free.resize(BLOCK, [0, 0]);
        builder
    }

    /// Places the children of the node that `depth` bytes lead to, and all below; returns the base of the node.
    ///
    /// The keys are sorted, start with the same `depth` bytes, and are all longer. Recurses once a byte of the longest key.
    fn place(&mut self, keys: &[(&[u8], u32)], depth: usize) -> Option<u32> {
        if keys.is_empty() {
            return Some(0);
        }
        let families = || keys.chunk_by(|(a, _), (b, _)| a[depth] == b[depth]);
        let base = self.find_base(&families().map(|family| u32::from(family[0].0[depth])))?;
        self.is_base[base as usize] = true;
        for family in families() {
            let label = family[0].0[depth];
            let slot = (base ^ u32::from(label)) as usize;
            self.take(slot);
            self.slots[slot].base_and_label = u32::from(label) << LABEL_SHIFT;
        }
        for family in families() {
            let slot = (base ^ u32::from(family[0].0[depth])) as usize;
            let (ending, longer) = family.split_at(family.partition_point(|(key, _)| key.len() == depth + 1));
            if let Some((_, token)) = ending.last() {
                self.slots[slot].token = token + 1;
            }
            self.slots[slot].base_and_label |= self.place(longer, depth + 1)?;
        }
        Some(base)
    }

    /// A base that no node has and whose slots for these labels are free.
    fn find_base(&mut self, labels: &(impl Iterator<Item = u32> + Clone)) -> Option<u32> {
        let first = labels.clone().next()?;
        for _ in 0..TRIES_MAX {
            let slot = self.next_try;
            self.next_try = self.free[slot as usize][0];
            if slot == 0 {
                continue;
            }
            let base = slot ^ first;
            let is_free = |label| self.slots[(base ^ label) as usize].base_and_label == FREE.base_and_label;
            if !self.is_base[base as usize] && labels.clone().all(is_free) {
                return Some(base);
            }
        }
        let block = self.add_block()?;
        self.next_try = block;
        Some(block)
    }

    /// Adds a block of free slots and returns its first.
    fn add_block(&mut self) -> Option<u32> {
        let start = self.slots.len();
        if start + BLOCK > SLOTS_MAX {
            return None;
        }
        self.slots.resize(start + BLOCK, FREE);
        self.is_base.resize(start + BLOCK, false);
        let mut before = self.free[0][1];
        for slot in start as u32..(start + BLOCK) as u32 {
            self.free[before as usize][0] = slot;
            self.free.push([0, before]);
            before = slot;
        }
        self.free[0][1] = before;
        Some(start as u32)
    }

    /// Takes a slot out of the ring of free ones.
    fn take(&mut self, slot: usize) {
        let [next, before] = self.free[slot];
        if self.next_try as usize == slot {
            self.next_try = next;
        }
        self.free[before as usize][0] = next;
        self.free[next as usize][1] = before;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::Trie;

    proptest! {
        #[test]
        fn finds_exactly_its_keys(
            keys in proptest::collection::vec("[a-d\u{e9}\u{6f22}]{1,6}", 0..200),
            others in proptest::collection::vec("[a-e\u{e9}]{1,7}", 0..50),
        ) {
            let numbered = |offset: usize| -> Vec<(&[u8], u32)> {
                keys.iter().skip(offset).step_by(2).zip(0..).map(|(key, id)| (key.as_bytes(), id)).collect()
            };
            let sets = [numbered(0), numbered(1)];
            let (trie, roots) = Trie::new(sets.clone()).unwrap();
            for (set, root) in sets.iter().zip(roots) {
                let expected: BTreeMap<&[u8], u32> = set.iter().copied().collect();
                for text in keys.iter().chain(&others) {
                    let mut node = Some((root, None));
                    for &byte in text.as_bytes() {
                        node = node.and_then(|(node, _)| trie.step(node, byte));
                    }
                    let found = node.and_then(|(_, token)| token);
                    prop_assert_eq!(found, expected.get(text.as_bytes()).copied());
                }
            }
        }
    }
}
