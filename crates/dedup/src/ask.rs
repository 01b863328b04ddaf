//! Asking: what a class is near, before it is decided whether that drops it.
//!
//! Nothing here decides. A class asks the tables and the shingles of the reference and of what is kept; those that nothing drops
//! ask for vectors, of the reference, of what is kept and of their own block.

use rayon::prelude::*;

use crate::found::{Found, Pair};
use crate::judge::{Judge, Other};
use crate::lexical::{LexicalIndex, Query, Rare};
use crate::semantic::{Hit, SemanticIndex};
use crate::shingles::Sets;
use crate::{Batch, DedupError, NearIn, Reference, Rules, SemanticRule, Vectors, Watch, Witness};

/// Pairs of a class that are judged between two looks at the cancel flag.
const JUDGED_AT_ONCE: usize = 256;

/// The kept classes, as far as the walk has come. Empty where near copies are looked for in the reference alone.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) lexical: Option<LexicalIndex>,
    pub(crate) semantic: Option<SemanticIndex>,
}

/// A class of a block, and what is known of it before the block is decided.
pub(crate) struct Asked {
    pub(crate) class: u32,
    /// The class of the reference with the same normal form.
    pub(crate) known: Option<u32>,
    /// Its prefix for the index of kept classes.
    pub(crate) prefix: Vec<Rare>,
    pub(crate) lexical: Found,
    pub(crate) semantic: Found,
    /// Classes before it in the block, kept or not, with a cosine at the floor or above.
    pub(crate) beside: Vec<(u32, f64)>,
}

impl Kept {
    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.lexical.as_ref().map_or(0, LexicalIndex::bytes)
            + self.semantic.as_ref().map_or(0, SemanticIndex::bytes)
    }
}

impl Asked {
    /// Memory held, itself apart.
    pub(crate) fn bytes(&self) -> usize {
        self.lexical.bytes()
            + self.semantic.bytes()
            + self.beside.capacity() * size_of::<(u32, f64)>()
            + self.prefix.capacity() * size_of::<Rare>()
    }

    pub(crate) fn new(class: u32, limit: usize) -> Self {
        let (lexical, semantic) = (Found::new(limit), Found::new(limit));
        Self { class, known: None, prefix: Vec::new(), lexical, semantic, beside: Vec::new() }
    }
}

/// Everything that stays the same during a walk.
pub(crate) struct Asker<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) vectors: Option<Vectors<'a>>,
    pub(crate) reference: Option<&'a Reference>,
    pub(crate) rules: &'a Rules,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) judge: Judge<'a>,
    /// The preferred record of each class.
    pub(crate) preferred: Vec<u32>,
}

/// Targets of a shingle index: their sets, and what a class of them is.
#[derive(Clone, Copy)]
struct Targets<'a> {
    index: &'a LexicalIndex,
    sets: &'a Sets,
    other: fn(u32) -> Other,
}

impl Asker<'_> {
    /// Memory of the order, a class: its preferred record, and its place in the order, which lives as long.
    pub(crate) const ORDER_BYTES: usize = 2 * size_of::<u32>();

    pub(crate) fn check_cancelled(&self) -> Result<(), DedupError> {
        if self.watch.cancelled() { Err(DedupError::Cancelled) } else { Ok(()) }
    }

    /// Refuses to go on when the watcher allows less than so many bytes, the order of the classes and the guard's facts.
    pub(crate) fn check_memory(&self, bytes: usize) -> Result<(), DedupError> {
        let received = bytes + self.preferred.len() * Self::ORDER_BYTES + self.judge.bytes();
        if self.watch.may_hold(received) { Ok(()) } else { Err(DedupError::Memory { received }) }
    }

    /// Asks the reference's tables and both shingle indexes for one class.
    pub(crate) fn ask_shingles(
        &self,
        asked: &mut Asked,
        kept: &Kept,
        candidates: &mut Vec<u32>,
    ) -> Result<(), DedupError> {
        self.check_cancelled()?;
        asked.known = self.reference.and_then(|reference| reference.find_class(self.batch, asked.class));
        let (None, Some(rule)) = (asked.known, self.rules.lexical) else { return Ok(()) };
        let set = self.batch.sets().get(asked.class);
        if let Some(reference) = self.reference
            && let Some(index) = reference.lexical()
        {
            let prefix = &index.prefix(set, rule.jaccard);
            let targets = Targets { index, sets: reference.items().sets(), other: Other::Reference };
            let query = Query { set, prefix, threshold: rule.jaccard, since: 0 };
            self.ask_index(asked.class, targets, &query, candidates, &mut asked.lexical)?;
        }
        if let Some(index) = &kept.lexical {
            asked.prefix = index.prefix(set, rule.jaccard);
        }
        self.ask_kept_since(0, asked, kept, candidates)
    }

    /// Asks the shingles of the kept classes from number `since` on.
    pub(crate) fn ask_kept_since(
        &self,
        since: u32,
        asked: &mut Asked,
        kept: &Kept,
        candidates: &mut Vec<u32>,
    ) -> Result<(), DedupError> {
        let (Some(rule), Some(index)) = (self.rules.lexical, &kept.lexical) else { return Ok(()) };
        let sets = self.batch.sets();
        let query =
            Query { set: sets.get(asked.class), prefix: &asked.prefix, threshold: rule.jaccard, since };
        let targets = Targets { index, sets, other: Other::Batch };
        self.ask_index(asked.class, targets, &query, candidates, &mut asked.lexical)
    }

    fn ask_index(
        &self,
        class: u32,
        Targets { index, sets, other }: Targets<'_>,
        query: &Query<'_>,
        candidates: &mut Vec<u32>,
        found: &mut Found,
    ) -> Result<(), DedupError> {
        let cancelled = || self.watch.cancelled();
        let finished = index.search(query, sets, candidates, &cancelled, |target, score| {
            self.add(found, class, other(target), score);
        });
        if finished { Ok(()) } else { Err(DedupError::Cancelled) }
    }

    /// Notes a pair that reached a threshold, unless a guard spares it.
    fn add(&self, found: &mut Found, class: u32, other: Other, score: f64) {
        let veto = self.judge.differ(class, other);
        found.add(Pair { witness: self.witness(other), score }, veto);
    }

    /// Notes a pair that reached the floor.
    pub(crate) fn add_cosine(
        &self,
        found: &mut Found,
        class: u32,
        other: Other,
        score: f64,
        rule: SemanticRule,
    ) {
        if score >= rule.cosine.get() {
            self.add(found, class, other, score);
        } else {
            found.add_near(Pair { witness: self.witness(other), score });
        }
    }

    /// The record that stands for a class.
    pub(crate) fn witness(&self, other: Other) -> Witness {
        match other {
            Other::Batch(class) => Witness::Batch(self.preferred[class as usize]),
            Other::Reference(class) => {
                Witness::Reference(self.reference.map_or(0, |reference| reference.first_of_class(class)))
            }
        }
    }

    /// Asks the vectors of the reference, of kept classes and of the block for those classes that nothing dropped yet.
    pub(crate) fn ask_vectors(
        &self,
        block: &mut [Asked],
        kept: &Kept,
        rule: SemanticRule,
        vectors: Vectors<'_>,
    ) -> Result<(), DedupError> {
        let mut open = Vec::new();
        let mut queries = Vec::new();
        for asked in
            block.iter_mut().filter(|asked| asked.known.is_none() && asked.lexical.duplicates.is_empty())
        {
            if let Some(row) = vectors.of(asked.class) {
                queries.extend_from_slice(row);
                open.push(asked);
            }
        }
        let floor = rule.floor.get().min(rule.cosine.get());
        let cancelled = || self.watch.cancelled();
        let reference = self.reference.and_then(Reference::semantic);
        let indexes =
            [(reference, Other::Reference as fn(u32) -> Other), (kept.semantic.as_ref(), Other::Batch)];
        for (index, other) in indexes {
            let Some(index) = index else { continue };
            index.search(&queries, floor, &cancelled, |hits| {
                self.check_memory(kept.bytes() + size_of_val(hits))?;
                let mut work = by_query(&mut open, hits);
                work.par_iter_mut().try_for_each(|(asked, hits)| {
                    hits.chunks(JUDGED_AT_ONCE).try_for_each(|hits| {
                        self.check_cancelled()?;
                        for hit in hits {
                            self.add_cosine(
                                &mut asked.semantic,
                                asked.class,
                                other(hit.class),
                                hit.score,
                                rule,
                            );
                        }
                        Ok(())
                    })
                })
            })?;
        }
        if self.rules.near_in == NearIn::ReferenceOnly {
            return Ok(());
        }
        // Pairs inside the block. Which of them count is known when the block is decided.
        let mut beside = SemanticIndex::new(vectors.dimension());
        for (asked, row) in open.iter().zip(queries.chunks_exact(vectors.dimension().get())) {
            beside.append(asked.class, row)?;
        }
        beside.search(&queries, floor, &cancelled, |hits| {
            for hit in hits.iter().filter(|hit| hit.target < hit.query) {
                open[hit.query as usize].beside.push((hit.class, hit.score));
            }
            Ok(())
        })
    }
}

/// Pairs each asked class that has hits with them. Queries are numbered by their place in `open`; hits are sorted by query.
fn by_query<'a, 'h>(open: &'a mut [&mut Asked], hits: &'h [Hit]) -> Vec<(&'a mut Asked, &'h [Hit])> {
    let mut groups = hits.chunk_by(|a, b| a.query == b.query).peekable();
    let mut work = Vec::new();
    for (query, asked) in open.iter_mut().enumerate() {
        if let Some(hits) = groups.next_if(|hits| hits[0].query as usize == query) {
            work.push((&mut **asked, hits));
        }
    }
    work
}
