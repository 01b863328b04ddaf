//! Slots, the rows they hold, and the nodes that stand for the rows.
//!
//! The one idea: a corpus is full of copies, and a graph full of copies cannot be walked: the nearest neighbours of a
//! copy are the other copies, and no link leads out. So slots with equal rows share one row, and rows that a walk could
//! not tell apart, because they have the same codes, share one node: the rounding of an embedder makes many such.

use hashbrown::HashTable;
use sluice_vector::{ByteRows, CosineJoin, Dimension, Instructions, VectorError};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Distinct rows, the slots of each, and the rows of each node.
pub(super) struct Nodes {
    dimension: Dimension,
    /// Distinct rows, one after the other.
    rows: Vec<f32>,
    /// Slots by row.
    slots: Chains,
    /// Rows by node.
    alike: Chains,
    /// The codes of each node.
    codes: ByteRows,
    /// Rows by their bits.
    by_bits: HashTable<u32>,
    /// Nodes by their codes.
    by_codes: HashTable<u32>,
}

impl Nodes {
    pub(super) fn new(dimension: Dimension) -> Self {
        Self {
            dimension,
            rows: Vec::new(),
            slots: Chains::default(),
            alike: Chains::default(),
            codes: ByteRows::new(dimension, Instructions::detect()),
            by_bits: HashTable::new(),
            by_codes: HashTable::new(),
        }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The number of slots.
    pub(super) fn slot_count(&self) -> usize {
        self.slots.group_of.len()
    }

    /// The number of distinct rows.
    pub(super) fn row_count(&self) -> usize {
        self.alike.group_of.len()
    }

    /// A distinct row.
    pub(super) fn row(&self, row: u32) -> &[f32] {
        row_of(&self.rows, self.dimension, row)
    }

    /// The distinct rows, one after the other.
    pub(super) fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The codes by node.
    pub(super) const fn codes(&self) -> &ByteRows {
        &self.codes
    }

    /// The row of every slot.
    pub(super) fn row_of_each(&self) -> &[u32] {
        &self.slots.group_of
    }

    /// The node that stands for a row.
    pub(super) fn node_of(&self, row: u32) -> u32 {
        self.alike.group_of[row as usize]
    }

    /// The rows of a node, in order.
    pub(super) fn rows_of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.alike.members(node)
    }

    /// The slots of a row, in order.
    pub(super) fn slots_of(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        self.slots.members(row)
    }

    /// Takes the next slot in.
    ///
    /// # Errors
    /// For a row that is not of length one; nothing is taken in then.
    pub(super) fn push(&mut self, new: &[f32]) -> Result<(), VectorError> {
        let Self { dimension, rows, slots, alike, codes, by_bits, by_codes } = self;
        let received = slots.group_of.len() + 1;
        if received > CosineJoin::ROWS_MAX {
            return Err(VectorError::TooManyRows { expected: CosineJoin::ROWS_MAX, received });
        }
        let bits = hash(new);
        if let Some(&row) = by_bits.find(bits, |&row| same(row_of(rows, *dimension, row), new)) {
            slots.join(row);
            return Ok(());
        }
        let coded = codes.query(new)?;
        let hash_codes = coded.as_row().codes_hash();
        let known = by_codes.find(hash_codes, |&node| codes.row(node).has_codes_of(coded.as_row()));
        if let Some(&node) = known {
            codes.share(node, &coded);
            alike.join(node);
        } else {
            let node = alike.found();
            codes.append_coded(&coded);
            by_codes.insert_unique(hash_codes, node, |&node| codes.row(node).codes_hash());
        }
        rows.extend_from_slice(new);
        let row = slots.found();
        by_bits.insert_unique(bits, row, |&row| hash(row_of(rows, *dimension, row)));
        Ok(())
    }

    /// Forgets all slots from one on.
    ///
    /// # Errors
    /// None that [`Nodes::push`] did not have before.
    pub(super) fn truncate(&mut self, slots: usize) -> Result<(), VectorError> {
        let kept = std::mem::replace(self, Self::new(self.dimension));
        kept.row_of_each()[..slots].iter().try_for_each(|&row| self.push(kept.row(row)))
    }

    /// The memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<f32>()
            + self.slots.bytes()
            + self.alike.bytes()
            + self.codes.bytes()
            + self.by_bits.allocation_size()
            + self.by_codes.allocation_size()
    }
}

fn row_of(rows: &[f32], dimension: Dimension, row: u32) -> &[f32] {
    &rows[row as usize * dimension.get()..][..dimension.get()]
}

/// Whether two rows have the same bits. By number, `0.0` and `-0.0` would be one row, and one of them would be lost.
fn same(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// A hash of the bits of a row. It decides where a row is looked for, never an answer.
fn hash(row: &[f32]) -> u64 {
    row.chunks(16).fold(0, |hash, components| {
        let mut bytes = [[0; 4]; 16];
        bytes.iter_mut().zip(components).for_each(|(bytes, component)| *bytes = component.to_le_bytes());
        xxh3_64_with_seed(bytes.as_flattened(), hash)
    })
}

/// Members by number, in groups by number; a group is a chain of its members in order.
#[derive(Default)]
struct Chains {
    /// The group of each member.
    group_of: Vec<u32>,
    /// The member after each in its group.
    next: Vec<u32>,
    /// The first and the last member of each group.
    ends: Vec<[u32; 2]>,
}

impl Chains {
    /// The end of a chain.
    const NONE: u32 = u32::MAX;

    /// The next member is the first of a new group, which it tells.
    fn found(&mut self) -> u32 {
        let (member, group) = (self.group_of.len() as u32, self.ends.len() as u32);
        self.group_of.push(group);
        self.next.push(Self::NONE);
        self.ends.push([member; 2]);
        group
    }

    /// The next member joins a group.
    fn join(&mut self, group: u32) {
        let member = self.group_of.len() as u32;
        self.group_of.push(group);
        self.next.push(Self::NONE);
        let [_, last] = &mut self.ends[group as usize];
        self.next[*last as usize] = member;
        *last = member;
    }

    /// The members of a group, in order.
    fn members(&self, group: u32) -> impl Iterator<Item = u32> + '_ {
        let after = |&member: &u32| Some(self.next[member as usize]).filter(|&next| next != Self::NONE);
        std::iter::successors(Some(self.ends[group as usize][0]), after)
    }

    fn bytes(&self) -> usize {
        (self.group_of.capacity() + self.next.capacity() + 2 * self.ends.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slots by row by node.
    fn slots(nodes: &Nodes) -> Vec<Vec<Vec<u32>>> {
        let rows = |node| nodes.rows_of(node).map(|row| nodes.slots_of(row).collect()).collect();
        (0..nodes.len() as u32).map(rows).collect()
    }

    #[test]
    fn equal_rows_are_one_row_and_rows_with_equal_codes_one_node() {
        let mut nodes = Nodes::new(Dimension::new(2).expect("in range"));
        let rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, -0.0], [1.0, 1e-6], [1.0, 0.0], [0.8, 0.6]];
        for row in &rows {
            nodes.push(row).expect("a unit row");
        }
        assert_eq!(slots(&nodes), [vec![vec![0, 2, 5], vec![3], vec![4]], vec![vec![1]], vec![vec![6]]]);
        nodes.truncate(4).expect("rows it had");
        assert_eq!(slots(&nodes), [vec![vec![0, 2], vec![3]], vec![vec![1]]]);
        nodes.push(&rows[3]).expect("a unit row");
        assert_eq!(slots(&nodes), [vec![vec![0, 2], vec![3, 4]], vec![vec![1]]]);
        assert!(nodes.push(&[1.0, 1.0]).is_err());
        assert_eq!((nodes.slot_count(), nodes.row_count(), nodes.len()), (5, 3, 2));
    }
}
