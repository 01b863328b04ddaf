//! A second way to every node of the base: below a node near it, for good.
//!
//! The one idea: links are chosen anew when a list is full, and in a crowd of rows that are almost one nearly all links
//! lead to its middle, so that most of the crowd would have none that leads to them. A tree that only grows cannot lose
//! anybody. It has two places a node, as a node is the child of exactly one other.

use std::cmp::Ordering;

use sluice_vector::ByteRows;

use super::graph::NONE;

/// The children of a node: few, since a walk looks at them besides the links.
const CHILDREN: usize = 2;

/// Who hangs below whom.
#[derive(Clone)]
pub(super) struct Tree {
    /// `CHILDREN` places a node.
    children: Vec<u32>,
}

impl Tree {
    pub(super) const fn new() -> Self {
        Self { children: Vec::new() }
    }

    /// Adds the next node, without children.
    pub(super) fn push(&mut self) {
        self.children.resize(self.children.len() + CHILDREN, NONE);
    }

    /// The children of a node.
    pub(super) fn children(&self, node: u32) -> &[u32] {
        let places = &self.children[Self::places(node)];
        let len = places.iter().position(|&child| child == NONE).unwrap_or(CHILDREN);
        &places[..len]
    }

    /// Hangs a node, the last one, below `parent` or below the nearest of its children, and so on. Where it is nearer than
    /// a child, it takes its place and has it as its own: whoever goes from a node to a near one then stays near.
    pub(super) fn hang(&mut self, node: u32, mut parent: u32, codes: &ByteRows, similarities: &mut Vec<f32>) {
        let places = loop {
            let places = Self::places(parent);
            if self.children(parent).len() < CHILDREN {
                break places;
            }
            codes.similarities(codes.row(parent), &[self.children(parent), &[node]].concat(), similarities);
            let far = usize::from(similarities[0] >= similarities[1]);
            if similarities[CHILDREN] > similarities[far] {
                break places.start + far..places.end;
            }
            codes.similarities(codes.row(node), self.children(parent), similarities);
            // Of two that are equally near each has its turn, or a crowd would hang on one thread.
            let near = match similarities[0].total_cmp(&similarities[1]) {
                Ordering::Greater => 0,
                Ordering::Less => 1,
                Ordering::Equal => (node ^ parent) as usize & 1,
            };
            parent = self.children(parent)[near];
        };
        let place = places.start + self.children[places].iter().position(|&child| child == NONE).unwrap_or(0);
        let displaced = std::mem::replace(&mut self.children[place], node);
        self.children[Self::places(node).start] = displaced;
    }

    /// All places, node after node.
    pub(super) fn arena(&self) -> &[u32] {
        &self.children
    }

    /// The places of so many nodes.
    pub(super) const fn arena_len(nodes: usize) -> usize {
        nodes * CHILDREN
    }

    /// The tree with this arena, or nothing if it is none: from the first node a way leads to every other, and one only.
    pub(super) fn with_arena(nodes: usize, children: Vec<u32>) -> Option<Self> {
        let tree = Self { children };
        if tree.children.len() != Self::arena_len(nodes) {
            return None;
        }
        let mut met = vec![false; nodes];
        let mut open: Vec<u32> = (0..nodes.min(1) as u32).collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(met.get_mut(node as usize)?, true) {
                return None;
            }
            let places = &tree.children[Self::places(node)];
            let children = tree.children(node);
            if places[children.len()..].iter().any(|&child| child != NONE) {
                return None;
            }
            open.extend(children);
        }
        met.into_iter().all(|met| met).then_some(tree)
    }

    /// The memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.children.capacity() * size_of::<u32>()
    }

    const fn places(node: u32) -> std::ops::Range<usize> {
        node as usize * CHILDREN..(node as usize + 1) * CHILDREN
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sluice_vector::{Dimension, Instructions};

    use super::*;

    /// A tree over rows around a circle, each hung below the one that `parents` chooses.
    fn tree(parents: &[prop::sample::Index]) -> Tree {
        let mut codes = ByteRows::new(Dimension::new(2).expect("in range"), Instructions::detect());
        let (mut tree, mut similarities) = (Tree::new(), Vec::new());
        for (node, parent) in parents.iter().enumerate() {
            let angle = (node * node) as f32;
            codes.append(&[angle.cos(), angle.sin()]).expect("a unit row");
            tree.push();
            if node > 0 {
                tree.hang(node as u32, parent.index(node) as u32, &codes, &mut similarities);
            }
        }
        tree
    }

    proptest! {
        #[test]
        fn nobody_is_lost_wherever_they_are_hung(parents in prop::collection::vec(any::<prop::sample::Index>(), 0..200)) {
            let tree = tree(&parents);
            prop_assert!(Tree::with_arena(parents.len(), tree.arena().to_vec()).is_some());
        }

        #[test]
        fn a_changed_place_is_refused(
            parents in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
            at in any::<prop::sample::Index>(),
            child in prop_oneof![0..41_u32, Just(NONE), any::<u32>()],
        ) {
            let mut arena = tree(&parents).arena().to_vec();
            let at = at.index(arena.len());
            prop_assume!(arena[at] != child);
            arena[at] = child;
            prop_assert!(Tree::with_arena(parents.len(), arena).is_none());
        }
    }
}
