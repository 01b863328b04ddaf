//! The walk: every class, in the order of its preferred record, is kept or dropped because of a *kept* one before it.
//!
//! Classes go in blocks. A block is first asked, in parallel, against the reference and everything kept before the block; then
//! its classes are decided one after the other, which adds what the block itself has kept. So every class meets exactly the
//! kept classes before it, whatever the size of the block and the number of threads (decision 0001).

use std::num::NonZeroUsize;

use rayon::prelude::*;

use crate::ask::{Asked, Asker, Kept};
use crate::found::{Found, Pair};
use crate::judge::{Judge, Other};
use crate::lexical::{LexicalIndex, Rarity};
use crate::order::Order;
use crate::outcome::Duplicates;
use crate::semantic::SemanticIndex;
use crate::spell::spell;
use crate::{Batch, DedupError, Near, NearIn, Outcome, Reason, Reference, Rules, Step, Vectors, Veto, Watch};

/// Classes of a block. Large enough to keep many threads busy, small enough that pairs inside a block cost nothing.
const BLOCK: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// Decides every record of a batch.
///
/// `vectors` are those of the batch's classes; only the semantic rule looks at them. Work runs in the current rayon pool. The
/// cost is that of the joins against kept classes; where guards veto most pairs of a large template, all classes are kept and
/// every pair is judged, which is quadratic (and can be cancelled).
pub fn walk(
    batch: &Batch,
    vectors: Option<Vectors<'_>>,
    reference: Option<&Reference>,
    rules: &Rules,
    watch: &dyn Watch,
) -> Result<Outcome, DedupError> {
    walk_in_blocks(batch, vectors, reference, rules, watch, BLOCK)
}

/// [`walk`] in blocks of another size. The outcome is the same; memory for hits grows with the block, and so does the share
/// of the work that runs in parallel.
pub fn walk_in_blocks(
    batch: &Batch,
    vectors: Option<Vectors<'_>>,
    reference: Option<&Reference>,
    rules: &Rules,
    watch: &dyn Watch,
    block: NonZeroUsize,
) -> Result<Outcome, DedupError> {
    let vectors = check(batch, vectors, reference, rules)?;
    watch.step(Step::Order, 0, batch.classes() as u64);
    let received = batch.classes() * (Asker::ORDER_BYTES + size_of::<Fate>());
    if !watch.may_hold(received) {
        return Err(DedupError::Memory { received });
    }
    let order = Order::of(batch, rules.keep)?;
    let asker = Asker {
        batch,
        vectors,
        reference,
        rules,
        watch,
        judge: Judge::new(rules.guards, batch, reference),
        preferred: order.preferred,
    };
    let mut walk = Walk::new(asker);
    let mut done = 0;
    for classes in order.classes.chunks(block.get()) {
        walk.block(classes, done)?;
        done += classes.len() as u64;
    }
    watch.step(Step::Spell, 0, batch.records() as u64);
    let Walk { asker, kept, decided } = walk;
    drop(kept);
    spell(&asker, decided)
}

/// Refuses rules that need what is not there. Returns the vectors, if the rules look at them.
fn check<'a>(
    batch: &Batch,
    vectors: Option<Vectors<'a>>,
    reference: Option<&Reference>,
    rules: &Rules,
) -> Result<Option<Vectors<'a>>, DedupError> {
    let not_kept = |rule, expected| Err(DedupError::NotKept { rule, expected });
    if let Some(reference) = reference {
        reference.check_like(batch)?;
    }
    if !rules.guards.is_empty() && !batch.has_texts() {
        return not_kept("a guard", "texts");
    }
    if let Some(rule) = rules.lexical {
        if batch.options().shingles.is_none() {
            return not_kept("the lexical rule", "shingles");
        }
        match reference.map(Reference::lexical) {
            Some(None) => return not_kept("the lexical rule", "a lexical threshold of the reference"),
            Some(Some(index)) if index.threshold() > rule.jaccard => {
                let (expected, received) = (index.threshold().get(), rule.jaccard.get());
                return Err(DedupError::ReferenceThreshold { expected, received });
            }
            Some(Some(_)) | None => {}
        }
    }
    if rules.semantic.is_none() {
        return Ok(None);
    }
    let vectors = vectors.ok_or(DedupError::VectorsMissing { of: "batch" })?;
    vectors.check_classes(batch.classes())?;
    if let Some(reference) = reference
        && reference.check_vectors(Some(vectors), batch)?.is_none()
    {
        return Err(DedupError::VectorsMissing { of: "reference" });
    }
    Ok(Some(vectors))
}

/// What became of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    /// Its preferred record stays.
    Kept,
    /// The reference has its normal form: this class there.
    Known(u32),
    /// It is near a kept one.
    Near {
        reason: Reason,
        best: Pair,
        /// Its list of duplicates.
        list: u32,
    },
}

/// Everything the walk decides.
#[derive(Default)]
pub(crate) struct Decided {
    /// By class.
    pub(crate) fates: Vec<Fate>,
    pub(crate) duplicates: Duplicates,
    pub(crate) vetoes: Vec<Veto>,
    pub(crate) near: Vec<Near>,
    pub(crate) vetoed: u64,
    pub(crate) vetoes_cut: u64,
    pub(crate) duplicates_cut: u64,
    pub(crate) without_vector: u64,
}

impl Decided {
    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.fates.capacity() * size_of::<Fate>()
            + self.duplicates.bytes()
            + self.vetoes.capacity() * size_of::<Veto>()
            + self.near.capacity() * size_of::<Near>()
    }
}

struct Walk<'a> {
    asker: Asker<'a>,
    kept: Kept,
    decided: Decided,
}

impl<'a> Walk<'a> {
    fn new(asker: Asker<'a>) -> Self {
        let mut kept = Kept::default();
        if asker.rules.near_in == NearIn::Everything {
            let index =
                |rule: crate::LexicalRule| LexicalIndex::new(rule.jaccard, Rarity::of(asker.batch.sets()));
            kept.lexical = asker.rules.lexical.map(index);
            kept.semantic = asker.vectors.map(|vectors| SemanticIndex::new(vectors.dimension()));
        }
        let fates = vec![Fate::Kept; asker.preferred.len()];
        Self { asker, kept, decided: Decided { fates, ..Decided::default() } }
    }

    /// Asks and decides one block.
    fn block(&mut self, classes: &[u32], done: u64) -> Result<(), DedupError> {
        let Asker { rules, watch, .. } = self.asker;
        let total = self.asker.batch.classes() as u64;
        let limit = rules.duplicates_max.get();
        let mut block: Vec<Asked> = classes.iter().map(|&class| Asked::new(class, limit)).collect();
        watch.step(Step::Lexical, done, total);
        block.par_iter_mut().with_min_len(16).try_for_each_init(Vec::new, |candidates, asked| {
            self.asker.ask_shingles(asked, &self.kept, candidates)
        })?;
        if let (Some(rule), Some(vectors)) = (rules.semantic, self.asker.vectors) {
            watch.step(Step::Semantic, done, total);
            self.asker.ask_vectors(&mut block, &self.kept, rule, vectors)?;
        }
        watch.step(Step::Resolve, done, total);
        let pending: usize = block.iter().map(Asked::bytes).sum();
        self.asker.check_memory(self.kept.bytes() + self.decided.bytes() + pending)?;
        let since = self.kept.lexical.as_ref().map_or(0, LexicalIndex::len) as u32;
        let mut candidates = Vec::new();
        for asked in block {
            self.resolve(asked, since, &mut candidates)?;
        }
        Ok(())
    }

    /// Decides one class: all kept classes before it are known now.
    fn resolve(&mut self, mut asked: Asked, since: u32, candidates: &mut Vec<u32>) -> Result<(), DedupError> {
        self.asker.check_cancelled()?;
        let class = asked.class;
        if let Some(known) = asked.known {
            self.decided.fates[class as usize] = Fate::Known(known);
            return Ok(());
        }
        self.asker.ask_kept_since(since, &mut asked, &self.kept, candidates)?;
        if self.settle(class, Reason::Lexical, asked.lexical) != Fate::Kept {
            return Ok(());
        }
        let row = self.asker.vectors.and_then(|vectors| vectors.of(class));
        if let Some(rule) = self.asker.rules.semantic {
            self.decided.without_vector += u64::from(row.is_none());
            for (before, score) in asked.beside {
                if self.decided.fates[before as usize] == Fate::Kept {
                    self.asker.add_cosine(&mut asked.semantic, class, Other::Batch(before), score, rule);
                }
            }
            let near = asked.semantic.near;
            if self.settle(class, Reason::Semantic, asked.semantic) != Fate::Kept {
                return Ok(());
            }
            let position = self.asker.preferred[class as usize];
            self.decided.near.extend(near.map(|Pair { witness, score }| Near { position, witness, score }));
        }
        if let Some(index) = &mut self.kept.lexical {
            index.insert(class, self.asker.batch.sets().get(class).len(), &asked.prefix);
        }
        if let (Some(index), Some(row)) = (&mut self.kept.semantic, row) {
            index.append(class, row)?;
        }
        Ok(())
    }

    /// Writes down what a join found for a class, and what becomes of it as far as this join goes.
    fn settle(&mut self, class: u32, reason: Reason, found: Found) -> Fate {
        let decided = &mut self.decided;
        let position = self.asker.preferred[class as usize];
        let offered = found.vetoes.offered();
        let vetoes = found.vetoes.into_sorted();
        decided.vetoed += offered;
        decided.vetoes_cut += offered - vetoes.len() as u64;
        let veto = |(Pair { witness, score }, guard)| Veto { position, witness, reason, score, guard };
        decided.vetoes.extend(vetoes.into_iter().map(veto));

        let offered = found.duplicates.offered();
        let duplicates = found.duplicates.into_sorted();
        let Some(&(best, ())) = duplicates.first() else { return Fate::Kept };
        decided.duplicates_cut += offered - duplicates.len() as u64;
        let list = decided.duplicates.push(duplicates.iter().map(|(pair, ())| (pair.witness, pair.score)));
        let fate = Fate::Near { reason, best, list };
        decided.fates[class as usize] = fate;
        fate
    }
}
