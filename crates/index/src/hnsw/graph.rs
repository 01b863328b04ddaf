//! Who is linked to whom: lists of a fixed length in flat memory.
//!
//! The one idea: the level of a node is a hash of its number, so that where its lists lie follows from its number alone.
//! A file therefore holds links and nothing that points at them.

use sluice_vector::ByteRows;

use super::tree::Tree;

/// No link: what follows the last one in a list.
pub(super) const NONE: u32 = u32::MAX;

/// A node has a list on the base and on each level up to its own.
#[derive(Clone)]
pub(super) struct Graph {
    m: usize,
    seed: u32,
    /// `2 m` links a node.
    base: Vec<u32>,
    /// `m` links a node and level above the base.
    upper: Vec<u32>,
    /// The level of each node, and how many lists of `upper` come before its own.
    places: Vec<Place>,
    /// Leads to every node of the base.
    tree: Tree,
    /// The first of the nodes of the highest level.
    entry: Option<u32>,
}

#[derive(Clone, Copy)]
struct Place {
    first: u32,
    level: u32,
}

impl Graph {
    pub(super) fn new(m: usize, seed: u32) -> Self {
        let [base, upper] = [const { Vec::new() }; 2];
        Self { m, seed, base, upper, places: Vec::new(), tree: Tree::new(), entry: None }
    }

    /// The number of nodes.
    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }

    /// Where a walk begins: a node and its level.
    pub(super) fn entry(&self) -> Option<(u32, u32)> {
        self.entry.map(|node| (node, self.level(node)))
    }

    /// The highest level a node is on.
    pub(super) fn level(&self, node: u32) -> u32 {
        self.places[node as usize].level
    }

    /// The most links of a node on a level.
    pub(super) const fn links_max(&self, level: u32) -> usize {
        if level == 0 { 2 * self.m } else { self.m }
    }

    /// Adds the next node, without links.
    pub(super) fn push(&mut self) -> u32 {
        let node = self.len() as u32;
        let level = level_of(node, self.m, self.seed);
        self.places.push(Place { first: (self.upper.len() / self.m) as u32, level });
        self.tree.push();
        self.base.resize(self.base.len() + 2 * self.m, NONE);
        self.upper.resize(self.upper.len() + level as usize * self.m, NONE);
        if self.entry().is_none_or(|(_, top)| level > top) {
            self.entry = Some(node);
        }
        node
    }

    /// The links of a node on a level that it is on.
    pub(super) fn links(&self, node: u32, level: u32) -> &[u32] {
        let list = self.list(node, level);
        let links = if level == 0 { &self.base[list] } else { &self.upper[list] };
        let len = links.iter().position(|&link| link == NONE).unwrap_or(links.len());
        &links[..len]
    }

    /// Where a walk may go from a node besides its links.
    pub(super) fn children(&self, node: u32, level: u32) -> &[u32] {
        if level == 0 { self.tree.children(node) } else { &[] }
    }

    /// Gives a node a place in the tree, at or below `parent`.
    pub(super) fn hang(&mut self, node: u32, parent: u32, codes: &ByteRows, similarities: &mut Vec<f32>) {
        self.tree.hang(node, parent, codes, similarities);
    }

    /// Gives a node its links on a level.
    pub(super) fn set_links(&mut self, node: u32, level: u32, links: &[u32]) {
        let list = self.list(node, level);
        let places = if level == 0 { &mut self.base[list] } else { &mut self.upper[list] };
        let (taken, rest) = places.split_at_mut(links.len());
        taken.copy_from_slice(links);
        rest.fill(NONE);
    }

    /// Adds a link; tells whether there was room.
    pub(super) fn add_link(&mut self, node: u32, level: u32, link: u32) -> bool {
        let list = self.list(node, level);
        let places = if level == 0 { &mut self.base[list] } else { &mut self.upper[list] };
        let free = places.iter_mut().find(|place| **place == NONE);
        let has_room = free.is_some();
        if let Some(place) = free {
            *place = link;
        }
        has_room
    }

    /// Where a list lies in its memory.
    fn list(&self, node: u32, level: u32) -> std::ops::Range<usize> {
        let (first, links) = match level {
            0 => (node as usize, 2 * self.m),
            _ => (self.places[node as usize].first as usize + level as usize - 1, self.m),
        };
        first * links..(first + 1) * links
    }

    /// All links: those of the base, those above it, those of the tree.
    pub(super) fn arenas(&self) -> [&[u32]; 3] {
        [&self.base, &self.upper, self.tree.arena()]
    }

    /// How many links a graph of this kind with so many nodes holds in each arena.
    pub(super) fn arena_lens(&self, nodes: usize) -> [usize; 3] {
        let levels: usize = (0..nodes as u32).map(|node| level_of(node, self.m, self.seed) as usize).sum();
        [nodes * 2 * self.m, levels * self.m, Tree::arena_len(nodes)]
    }

    /// The graph with these arenas, or nothing if a link leads to a node that is not there, or not on that level, or
    /// comes after the end of its list, or the tree is none.
    pub(super) fn with_arenas(mut self, nodes: usize, arenas: [Vec<u32>; 3]) -> Option<Self> {
        let [base, upper, tree] = arenas;
        (0..nodes).for_each(|_| _ = self.push());
        self.tree = Tree::with_arena(nodes, tree)?;
        if [base.len(), upper.len()] != [self.base.len(), self.upper.len()] {
            return None;
        }
        (self.base, self.upper) = (base, upper);
        let sound = |node: u32, level: u32| {
            let (list, links) = (self.list(node, level), self.links(node, level));
            let arena = if level == 0 { &self.base } else { &self.upper };
            arena[list][links.len()..].iter().all(|&link| link == NONE)
                && links
                    .iter()
                    .all(|&link| (link as usize) < nodes && link != node && self.level(link) >= level)
        };
        let all_sound = (0..nodes as u32).all(|node| (0..=self.level(node)).all(|level| sound(node, level)));
        all_sound.then_some(self)
    }

    /// The memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        (self.base.capacity() + self.upper.capacity()) * size_of::<u32>()
            + self.places.capacity() * size_of::<Place>()
            + self.tree.bytes()
    }
}

/// The level of a node: `l` or higher for one in `m^l` nodes, by a hash of its number. Integers only, so that it is the
/// same on every machine.
fn level_of(node: u32, m: usize, seed: u32) -> u32 {
    let hash = mixed((u64::from(seed) << 32) | u64::from(node));
    let (mut level, mut limit) = (0, u64::MAX / m as u64);
    while hash < limit {
        level += 1;
        limit /= m as u64;
    }
    level
}

/// The finisher of `SplitMix64` (Steele, Lea, Flood 2014): every bit of the input reaches every bit of the output.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_node_in_m_is_on_the_next_level() {
        for m in [4, 16, 64] {
            for seed in [0, 7] {
                let nodes = 200_000;
                let on = |level| (0..nodes).filter(|&node| level_of(node, m, seed) >= level).count() as f64;
                for level in 1..3 {
                    let expected = f64::from(nodes) / (m as f64).powi(level as i32);
                    assert!(
                        (on(level) - expected).abs() < 5.0 * expected.sqrt(),
                        "m {m}, seed {seed}, level {level}"
                    );
                }
            }
        }
    }

    #[test]
    fn lists_hold_what_they_were_given() {
        let mut graph = Graph::new(4, 0);
        (0..500).for_each(|_| _ = graph.push());
        let (entry, top) = graph.entry().expect("nodes");
        assert!(
            (0..500).all(|node| graph.level(node) <= top) && (0..entry).all(|node| graph.level(node) < top)
        );
        for node in 0..500 {
            for level in 0..=graph.level(node) {
                graph.set_links(node, level, &[node ^ 1, level]);
                assert!(graph.add_link(node, level, 9));
            }
        }
        for node in 0..500 {
            for level in 0..=graph.level(node) {
                assert_eq!(graph.links(node, level), [node ^ 1, level, 9]);
                assert_eq!(
                    (3..20).filter(|&link| graph.add_link(node, level, link)).count(),
                    graph.links_max(level) - 3
                );
            }
        }
    }
}
