//! Which nodes are near a row: greedy down the levels, then a beam.
//!
//! The one idea: a node and its similarity are one number that sorts as they do, so that heaps compare integers and ties
//! always fall the same way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sluice_vector::{ByteRow, ByteRows};

use super::graph::Graph;

/// A node and its similarity. More is nearer; equally near, the first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Near(u64);

impl Near {
    pub(super) fn new(similarity: f32, node: u32) -> Self {
        let bits = similarity.to_bits();
        // Negative floats sort the wrong way round, and below the others.
        let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
        Self(u64::from(ordered) << 32 | u64::from(!node))
    }

    pub(super) const fn node(self) -> u32 {
        !(self.0 as u32)
    }

    pub(super) const fn similarity(self) -> f32 {
        let ordered = (self.0 >> 32) as u32;
        f32::from_bits(if ordered >> 31 == 0 { !ordered } else { ordered & !(1 << 31) })
    }
}

/// When a walk has seen enough.
#[derive(Clone, Copy)]
pub(super) enum Ending {
    /// When nothing that is left is nearer than the so many best.
    Best(usize),
    /// When, besides, nothing that is left is at least so near.
    Floor {
        /// The best that the walk goes on for.
        ef: usize,
        /// The similarity from which on nodes are kept, however many.
        floor: f32,
    },
}

/// The memory of a walk; used again, it grows no more.
#[derive(Default)]
pub(super) struct Scratch {
    visited: Visited,
    candidates: BinaryHeap<Near>,
    /// The worst is on top.
    best: BinaryHeap<Reverse<Near>>,
    found: Vec<Near>,
    reached: Vec<u32>,
    fresh: Vec<u32>,
    similarities: Vec<f32>,
}

impl Scratch {
    /// What the last walk found, the nearest first.
    pub(super) fn found(&self) -> &[Near] {
        &self.found
    }

    /// The nodes at or above the floor of the last walk.
    pub(super) fn reached(&self) -> &[u32] {
        &self.reached
    }
}

/// A walk for one row.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub graph: &'a Graph,
    pub codes: &'a ByteRows,
    pub row: ByteRow<'a>,
}

impl Walk<'_> {
    /// Finds the nearest of the nodes that `admit` takes. The others are walked through.
    pub(super) fn search(self, ending: Ending, admit: impl Fn(u32) -> bool, scratch: &mut Scratch) {
        scratch.found.clear();
        if let Some((entry, top)) = self.graph.entry() {
            self.descend(entry, top, 0, scratch);
        }
        self.beam(0, ending, admit, scratch);
    }

    /// Goes down from a node of the level `top` to another level, greedily, and leaves the node found there.
    pub(super) fn descend(self, entry: u32, top: u32, to_level: u32, scratch: &mut Scratch) {
        self.codes.similarities(self.row, &[entry], &mut scratch.similarities);
        let mut nearest = Near::new(scratch.similarities[0], entry);
        for level in (to_level + 1..=top).rev() {
            loop {
                let links = self.graph.links(nearest.node(), level);
                self.codes.similarities(self.row, links, &mut scratch.similarities);
                let nears = scratch
                    .similarities
                    .iter()
                    .zip(links)
                    .map(|(&similarity, &node)| Near::new(similarity, node));
                match nears.max() {
                    Some(nearer) if nearer > nearest => nearest = nearer,
                    _ => break,
                }
            }
        }
        scratch.found.clear();
        scratch.found.push(nearest);
    }

    /// Goes on from what was found last, on one level, and leaves what was found now.
    pub(super) fn beam(self, level: u32, ending: Ending, admit: impl Fn(u32) -> bool, scratch: &mut Scratch) {
        let Scratch { visited, candidates, best, found, reached, fresh, similarities } = scratch;
        let (ef, floor) = match ending {
            Ending::Best(ef) => (ef, f32::INFINITY),
            Ending::Floor { ef, floor } => (ef, floor),
        };
        visited.begin(self.codes.len());
        candidates.clear();
        best.clear();
        reached.clear();
        // The worst that still counts; anything does while there are too few.
        let mut worst = Near(0);
        let mut meet = |near: Near, worst: &mut Near, candidates: &mut BinaryHeap<Near>| {
            let above = near.similarity() >= floor;
            if above {
                reached.push(near.node());
            }
            if near <= *worst {
                if above {
                    candidates.push(near);
                }
                return;
            }
            candidates.push(near);
            if admit(near.node()) {
                best.push(Reverse(near));
                if best.len() > ef {
                    best.pop();
                }
                if best.len() == ef {
                    *worst = best.peek().map_or(*worst, |&Reverse(near)| near);
                }
            }
        };
        for &near in &*found {
            if visited.is_first_visit(near.node()) {
                meet(near, &mut worst, candidates);
            }
        }
        while let Some(near) = candidates.pop() {
            if near < worst && near.similarity() < floor {
                break;
            }
            fresh.clear();
            let [links, children] =
                [self.graph.links(near.node(), level), self.graph.children(near.node(), level)];
            fresh.extend(links.iter().chain(children).filter(|&&node| visited.is_first_visit(node)));
            self.codes.similarities(self.row, fresh, similarities);
            for (&similarity, &node) in similarities.iter().zip(&*fresh) {
                meet(Near::new(similarity, node), &mut worst, candidates);
            }
        }
        found.clear();
        found.extend(best.drain().map(|Reverse(near)| near));
        found.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// Which nodes a walk has been to: a byte a node, which holds the number of the last walk that came by.
#[derive(Default)]
struct Visited {
    walks: Vec<u8>,
    walk: u8,
}

impl Visited {
    /// Begins a walk among so many nodes.
    fn begin(&mut self, nodes: usize) {
        if self.walk == u8::MAX {
            self.walks.fill(0);
            self.walk = 0;
        }
        self.walk += 1;
        if self.walks.len() < nodes {
            self.walks.resize(nodes, 0);
        }
    }

    fn is_first_visit(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.walks[node as usize], self.walk) != self.walk
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_near_sorts_by_similarity_then_the_first_node(
            a in (-1.01_f32..1.01, any::<u32>()), b in (-1.01_f32..1.01, any::<u32>()), same in any::<bool>()
        ) {
            let b = if same { (a.0, b.1) } else { b };
            let (near_a, near_b) = (Near::new(a.0, a.1), Near::new(b.0, b.1));
            prop_assert_eq!(near_a.cmp(&near_b), a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            prop_assert_eq!((near_a.similarity(), near_a.node()), a);
        }
    }

    #[test]
    fn a_walk_does_not_see_the_visits_of_walks_before() {
        let mut visited = Visited::default();
        for walk in 0..1_000 {
            visited.begin(3);
            let nodes = [walk % 3, (walk + 1) % 3];
            assert_eq!(nodes.map(|node| visited.is_first_visit(node)), [true; 2], "walk {walk}");
            assert_eq!(nodes.map(|node| visited.is_first_visit(node)), [false; 2], "walk {walk}");
        }
    }
}
