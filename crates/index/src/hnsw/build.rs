//! Which links a new node gets.
//!
//! The one idea is the heuristic of the paper (algorithm 4): a candidate is linked only if no link chosen before is
//! nearer to it than the new node is. Links then lead in every direction and not only into the nearest crowd.

use sluice_vector::ByteRows;

use super::graph::Graph;
use super::walk::{Ending, Near, Scratch, Walk};

/// So many chosen links are compared with a candidate at once: most candidates fall at the first few.
const COMPARED_AT_ONCE: usize = 4;

/// Puts nodes into a graph.
pub(super) struct Builder<'a> {
    graph: &'a mut Graph,
    codes: &'a ByteRows,
    scratch: &'a mut Scratch,
    ef: usize,
    chosen: Vec<u32>,
    crowd: Vec<Near>,
    similarities: Vec<f32>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        graph: &'a mut Graph,
        codes: &'a ByteRows,
        scratch: &'a mut Scratch,
        ef: usize,
    ) -> Self {
        let (chosen, crowd, similarities) = (Vec::new(), Vec::new(), Vec::new());
        Self { graph, codes, scratch, ef, chosen, crowd, similarities }
    }

    /// The number of nodes in the graph.
    pub(super) const fn len(&self) -> usize {
        self.graph.len()
    }

    /// Puts the next node in.
    pub(super) fn insert_next(&mut self) {
        let entry = self.graph.entry();
        let node = self.graph.push();
        // The first node has nobody to be linked to.
        let Some((entry, top)) = entry else { return };
        let level = self.graph.level(node).min(top);
        let walk = Walk { graph: self.graph, codes: self.codes, row: self.codes.row(node) };
        walk.descend(entry, top, level, self.scratch);
        let mut parent = entry;
        for level in (0..=level).rev() {
            let walk = Walk { graph: self.graph, codes: self.codes, row: self.codes.row(node) };
            walk.beam(level, Ending::Best(self.ef), |_| true, self.scratch);
            parent = self.scratch.found().first().map_or(parent, |nearest| nearest.node());
            let links_max = self.graph.links_max(1);
            choose(self.codes, self.scratch.found(), links_max, &mut self.chosen, &mut self.similarities);
            self.graph.set_links(node, level, &self.chosen);
            for place in 0..self.chosen.len() {
                self.link_back(self.chosen[place], level, node);
            }
        }
        self.graph.hang(node, parent, self.codes, &mut self.similarities);
    }

    /// Links `node` to `new`; where its list is full, the best of both are chosen anew.
    fn link_back(&mut self, node: u32, level: u32, new: u32) {
        if self.graph.add_link(node, level, new) {
            return;
        }
        let row = self.codes.row(node);
        self.crowd.clear();
        for nodes in [self.graph.links(node, level), &[new]] {
            self.codes.similarities(row, nodes, &mut self.similarities);
            self.crowd.extend(
                self.similarities.iter().zip(nodes).map(|(&similarity, &node)| Near::new(similarity, node)),
            );
        }
        self.crowd.sort_unstable_by(|a, b| b.cmp(a));
        let mut chosen = Vec::with_capacity(self.crowd.len());
        choose(self.codes, &self.crowd, self.graph.links_max(level), &mut chosen, &mut self.similarities);
        self.graph.set_links(node, level, &chosen);
    }
}

/// Chooses at most `links_max` of some candidates, which come with the nearest first.
fn choose(
    codes: &ByteRows,
    candidates: &[Near],
    links_max: usize,
    chosen: &mut Vec<u32>,
    similarities: &mut Vec<f32>,
) {
    chosen.clear();
    for candidate in candidates {
        if chosen.len() == links_max {
            break;
        }
        let row = codes.row(candidate.node());
        let apart = chosen.chunks(COMPARED_AT_ONCE).all(|chosen| {
            codes.similarities(row, chosen, similarities);
            similarities.iter().all(|&similarity| similarity < candidate.similarity())
        });
        if apart {
            chosen.push(candidate.node());
        }
    }
}
