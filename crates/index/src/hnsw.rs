//! The backend `hnsw`: a graph chooses candidates, and the canonical score decides between them.
//!
//! The one idea: a walk needs to know which way is nearer, not how near, so that it compares rows as bytes
//! ([`sluice_vector::ByteRows`]) and touches a quarter of the memory; only the candidates it ends with are scored, and a proven margin
//! says when the rest of them need not be. The graph is that of Malkov and Yashunin, *Efficient and robust approximate
//! nearest neighbor search using Hierarchical Navigable Small World graphs*, 2018.
//!
//! | File | Answers |
//! |---|---|
//! | `nodes` | Which rows are the same to a walk? They are one node: a thousand copies cost one place in the graph |
//! | `graph` | Who is linked to whom, on which level? |
//! | `tree` | Who is found though no link leads there? |
//! | `build` | Which links does a new node get, and which does it take from others? |
//! | `walk` | Which nodes are near a row? |
//! | `body` | How does all this become bytes, and what is checked on the way back? |
//!
//! **Arguments.** `m`: links of a node on the upper levels, twice as many on the base (4 to 64, 16). `efConstruction`:
//! candidates that links are chosen from (8 to 4096, 128); build time grows with it. `efSearch`: candidates of a search
//! (1 to 65536, 64), or as many as are asked for, if that is more; recall and time grow with it. `seed`: of the levels
//! (0). The same rows in the same order make the same graph and the same bytes, however they are cut into calls.
//!
//! **Metric.** The cosine only. Dot and L2 are refused: over rows of one length they give the order of the cosine, and
//! over others a dot product has no neighbourhoods that a graph could follow. `flat` knows all three.
//!
//! **Crowds.** Of many hundred rows that are almost one most get no link that leads to them, since the heuristic keeps
//! links to their middle: the tree leads there. Where all that a walk found differ by less than the codes can tell, it
//! goes on until no other could be among the best, so that a query into a crowd costs about as much as scoring the crowd.
//!
//! **Removal.** A slot that may no longer be found stays as a waypoint until a rebuild.
//!
//! **Memory.** For each distinct row of `d` components: `4 d` bytes for the row, `d` (rounded up to 64) for its codes,
//! `8 m` for the base links and about 80 more; 8 for a slot with a row that is there already. With `d = 256` about 1,500,
//! and up to as much again as room to grow.

mod body;
mod build;
mod graph;
mod nodes;
mod tree;
mod walk;

use std::collections::BinaryHeap;
use std::io;
use std::sync::{Mutex, PoisonError};

use roaring::RoaringBitmap;
use sluice_vector::{ByteQuery, Dimension, Metric};

use self::build::Builder;
use self::graph::Graph;
use self::nodes::Nodes;
use self::walk::{Ending, Near, Scratch, Walk};
use crate::backend::{Among, Backend, BackendKind, Quality, Rows};
use crate::{BackendArgs, Hit, IndexError, exact};

/// How `hnsw` is made and read back.
pub const KIND: BackendKind = BackendKind { name: NAME, create, read: body::read };

const NAME: &str = "hnsw";

/// A walk for `ef` candidates compares about so many rows for each. Where fewer than that may be found, scoring them all
/// is quicker and loses none.
const COMPARED_PER_CANDIDATE: u64 = 8;
/// Rows are linked in runs of so many; between two runs the caller may cancel.
const RUN_NODES: usize = 128;

/// The arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Params {
    /// Links of a node on an upper level; the base has twice as many.
    m: u32,
    ef_construction: u32,
    ef_search: u32,
    seed: u32,
}

impl Params {
    fn from_args(args: &BackendArgs) -> Result<Self, IndexError> {
        args.only(NAME, &["m", "efConstruction", "efSearch", "seed"])?;
        Ok(Self {
            m: args.whole("m", 16, 4..=64)?,
            ef_construction: args.whole("efConstruction", 128, 8..=4096)?,
            ef_search: args.whole("efSearch", 64, 1..=65_536)?,
            seed: args.whole("seed", 0, 0..=u32::MAX)?,
        })
    }

    fn to_args(self) -> BackendArgs {
        BackendArgs::default()
            .with("m", self.m.into())
            .with("efConstruction", self.ef_construction.into())
            .with("efSearch", self.ef_search.into())
            .with("seed", self.seed.into())
    }
}

fn create(args: &BackendArgs, metric: Metric, dimension: Dimension) -> Result<Box<dyn Backend>, IndexError> {
    let params = Params::from_args(args)?;
    check_metric(metric)?;
    Ok(Box::new(Hnsw::new(params, dimension)))
}

fn check_metric(metric: Metric) -> Result<(), IndexError> {
    match metric {
        Metric::Cosine => Ok(()),
        Metric::Dot | Metric::L2 => {
            let (expected, received) = ("cosine; the backend flat knows every metric", metric.name());
            Err(IndexError::MetricUnsupported { backend: NAME, expected, received })
        }
    }
}

/// From which similarity on a walk must see everything, if all that it found are one to the codes: whom they call the
/// last could be the first, and so could whoever comes a margin after.
fn crowd_floor(found: &[Near], margin: f64) -> Option<f32> {
    let (first, last) = (found.first()?.similarity(), found.last()?.similarity());
    (f64::from(first - last) < 2.0 * margin).then(|| (f64::from(last) - margin) as f32)
}

/// Nodes and the links between them.
struct Hnsw {
    params: Params,
    nodes: Nodes,
    graph: Graph,
    /// The scratch memory of walks that are over, for those to come.
    scratches: Mutex<Vec<Scratch>>,
}

impl Hnsw {
    fn new(params: Params, dimension: Dimension) -> Self {
        Self {
            params,
            nodes: Nodes::new(dimension),
            graph: Graph::new(params.m as usize, params.seed),
            scratches: Mutex::default(),
        }
    }

    /// Links the nodes that are not in the graph yet. Tells whether it was not cancelled.
    fn link(&mut self, cancelled: &(dyn Fn() -> bool + Sync)) -> bool {
        let mut scratch = self.borrow_scratch();
        let ef = self.params.ef_construction as usize;
        while self.graph.len() < self.nodes.len() {
            if cancelled() {
                return false;
            }
            let mut builder = Builder::new(&mut self.graph, self.nodes.codes(), &mut scratch, ef);
            for _ in 0..RUN_NODES.min(self.nodes.len() - builder.len()) {
                builder.insert_next();
            }
        }
        self.return_scratch(scratch);
        true
    }

    fn borrow_scratch(&self) -> Scratch {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn return_scratch(&self, scratch: Scratch) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// Whether a slot of a node may be found.
    fn is_admitted(&self, node: u32, slots: &RoaringBitmap) -> bool {
        self.nodes.rows_of(node).any(|row| self.nodes.slots_of(row).any(|slot| slots.contains(slot)))
    }

    /// About how similar each slot is, in order.
    fn similarities(&self, coded: &ByteQuery, slots: &RoaringBitmap) -> Vec<f32> {
        let row_of_each = self.nodes.row_of_each();
        let nodes: Vec<u32> =
            slots.iter().map(|slot| self.nodes.node_of(row_of_each[slot as usize])).collect();
        let mut similarities = Vec::with_capacity(nodes.len());
        self.nodes.codes().similarities(coded.as_row(), &nodes, &mut similarities);
        similarities
    }

    /// The rows of a node with their scores.
    fn scores<'a>(&'a self, node: u32, query: &'a [f32]) -> impl Iterator<Item = (u32, f64)> + 'a {
        self.nodes.rows_of(node).map(|row| (row, Metric::Cosine.score(query, self.nodes.row(row))))
    }

    /// The hits of a row: its slots that may be found, in order.
    fn hits<'a>(&'a self, row: u32, score: f64, slots: &'a RoaringBitmap) -> impl Iterator<Item = Hit> + 'a {
        let admitted = self.nodes.slots_of(row).filter(|&slot| slots.contains(slot));
        admitted.map(move |slot| Hit { slot, score })
    }

    /// The best `k` of what a walk found. Nodes come with the nearest first; once those that are left cannot reach the
    /// worst hit, even at the margin, none of them is scored.
    fn scored(
        &self,
        query: &[f32],
        coded: &ByteQuery,
        k: usize,
        slots: &RoaringBitmap,
        scratch: &Scratch,
    ) -> Vec<Hit> {
        let margin = self.nodes.codes().margin(coded);
        // The worst is on top.
        let mut best: BinaryHeap<Hit> = BinaryHeap::with_capacity(k + 1);
        for near in scratch.found() {
            let out_of_reach = |worst: &Hit| f64::from(near.similarity()) + margin < worst.score;
            if best.len() == k && best.peek().is_some_and(out_of_reach) {
                break;
            }
            for hit in
                self.scores(near.node(), query).flat_map(|(row, score)| self.hits(row, score, slots).take(k))
            {
                best.push(hit);
                if best.len() > k {
                    best.pop();
                }
            }
        }
        best.into_sorted_vec()
    }

    /// All that a walk meets at or above a floor of the codes, with a score of at least `threshold`.
    fn reached(
        &self,
        query: &[f32],
        walk: Walk<'_>,
        (floor, threshold): (f32, f64),
        slots: &RoaringBitmap,
        scratch: &mut Scratch,
    ) -> Vec<Hit> {
        walk.search(Ending::Floor { ef: self.params.ef_search as usize, floor }, |_| true, scratch);
        let mut hits = Vec::new();
        for &node in scratch.reached() {
            let above = self.scores(node, query).filter(|&(_, score)| score >= threshold);
            hits.extend(above.flat_map(|(row, score)| self.hits(row, score, slots)));
        }
        hits.sort_unstable();
        hits
    }
}

impl Backend for Hnsw {
    fn name(&self) -> &'static str {
        NAME
    }

    fn quality(&self) -> Quality {
        Quality::Approximate
    }

    fn args(&self) -> BackendArgs {
        self.params.to_args()
    }

    fn len(&self) -> usize {
        self.nodes.slot_count()
    }

    fn row(&self, slot: u32) -> &[f32] {
        self.nodes.row(self.nodes.row_of_each()[slot as usize])
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes() + self.graph.bytes()
    }

    fn compared(&self, k: usize) -> usize {
        let ef = k.max(self.params.ef_search as usize);
        self.len().min(ef.saturating_mul(2 * COMPARED_PER_CANDIDATE as usize))
    }

    /// Memory: for more rows than a run, a copy of the links that were there before, in case the caller cancels.
    fn add(&mut self, rows: &Rows<'_>, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), IndexError> {
        if cancelled() {
            return Err(IndexError::Cancelled);
        }
        let (slots, nodes) = (self.nodes.slot_count(), self.nodes.len());
        let mut result = rows.iter().try_for_each(|row| self.nodes.push(row)).map_err(IndexError::from);
        if result.is_ok() {
            if self.nodes.len() - nodes <= RUN_NODES {
                self.link(&|| false);
                return Ok(());
            }
            let before = self.graph.clone();
            if self.link(cancelled) {
                return Ok(());
            }
            self.graph = before;
            result = Err(IndexError::Cancelled);
        }
        self.nodes.truncate(slots)?;
        result
    }

    fn top_k(&self, query: &[f32], k: usize, among: Among<'_>) -> Result<Vec<Hit>, IndexError> {
        let slots = among.slots();
        let wanted = slots.len().min(k as u64);
        let all = || self.top_k_exactly(Metric::Cosine, query, k, slots);
        let ef = u64::from(self.params.ef_search).max(wanted);
        if wanted == 0 || slots.len() <= ef * COMPARED_PER_CANDIDATE {
            return all();
        }
        let coded = self.nodes.codes().query(query)?;
        let (k, ending) = (wanted as usize, Ending::Best(ef as usize));
        let mut scratch = self.borrow_scratch();
        let walk = Walk { graph: &self.graph, codes: self.nodes.codes(), row: coded.as_row() };
        if slots.len() == self.len() as u64 {
            walk.search(ending, |_| true, &mut scratch);
        } else {
            walk.search(ending, |node| self.is_admitted(node, slots), &mut scratch);
        }
        let margin = self.nodes.codes().margin(&coded);
        let hits = match crowd_floor(scratch.found(), margin) {
            Some(floor) => {
                let mut hits = self.reached(query, walk, (floor, f64::NEG_INFINITY), slots, &mut scratch);
                hits.truncate(k);
                hits
            }
            None => self.scored(query, &coded, k, slots, &scratch),
        };
        self.return_scratch(scratch);
        // A part of the graph may be out of reach; what was promised is given all the same.
        if hits.len() < k { all() } else { Ok(hits) }
    }

    /// By the codes first: what they put two margins below the `k`-th best cannot be among the best, and is not scored.
    fn top_k_exactly(
        &self,
        metric: Metric,
        query: &[f32],
        k: usize,
        slots: &RoaringBitmap,
    ) -> Result<Vec<Hit>, IndexError> {
        if k == 0 || slots.len() <= k as u64 {
            return Ok(exact::top_k(metric, query, k, slots.iter(), |slot| self.row(slot)));
        }
        let coded = self.nodes.codes().query(query)?;
        let similarities = self.similarities(&coded, slots);
        let mut ordered = similarities.clone();
        let (_, &mut worst, _) = ordered.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
        let floor = f64::from(worst) - 2.0 * self.nodes.codes().margin(&coded);
        let near = slots.iter().zip(similarities).filter(|&(_, similarity)| f64::from(similarity) >= floor);
        Ok(exact::top_k(metric, query, k, near.map(|(slot, _)| slot), |slot| self.row(slot)))
    }

    /// By the codes first: what they put more than a margin below the threshold is not scored.
    fn at_least_exactly(
        &self,
        metric: Metric,
        query: &[f32],
        threshold: f64,
        slots: &RoaringBitmap,
    ) -> Result<Vec<Hit>, IndexError> {
        let coded = self.nodes.codes().query(query)?;
        let floor = threshold - self.nodes.codes().margin(&coded);
        let similarities = self.similarities(&coded, slots);
        let near = slots.iter().zip(similarities).filter(|&(_, similarity)| f64::from(similarity) >= floor);
        Ok(exact::at_least(metric, query, threshold, near.map(|(slot, _)| slot), |slot| self.row(slot)))
    }

    fn at_least(&self, query: &[f32], threshold: f64, among: Among<'_>) -> Result<Vec<Hit>, IndexError> {
        let (slots, ef) = (among.slots(), self.params.ef_search);
        if threshold > 1.0 {
            return Ok(Vec::new());
        }
        if threshold <= -1.0 || slots.len() <= u64::from(ef) * COMPARED_PER_CANDIDATE {
            return self.at_least_exactly(Metric::Cosine, query, threshold, slots);
        }
        let coded = self.nodes.codes().query(query)?;
        let floor = ((threshold - self.nodes.codes().margin(&coded)) as f32).next_down();
        let mut scratch = self.borrow_scratch();
        let walk = Walk { graph: &self.graph, codes: self.nodes.codes(), row: coded.as_row() };
        let hits = self.reached(query, walk, (floor, threshold), slots, &mut scratch);
        self.return_scratch(scratch);
        Ok(hits)
    }

    fn write(&self, into: &mut dyn io::Write) -> io::Result<()> {
        body::write(self, into)
    }
}
