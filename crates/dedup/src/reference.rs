//! A fitted set of items that batches are compared with: tables, shingle index and vectors, built once and asked often.

use std::fmt;
use std::ops::Range;

use sluice_vector::Dimension;

use crate::judge::FactsCache;
use crate::lexical::{LexicalIndex, Rarity};
use crate::semantic::SemanticIndex;
use crate::shingles::Sets;
use crate::{Batch, DedupError, Jaccard, Vectors};

/// Items that batches are compared with. Every item is a witness: nothing is looked for among the items themselves.
///
/// A near copy of several items with one normal form names the first of them; an exact copy names the first with its text.
pub struct Reference {
    items: Batch,
    /// The first item of each class.
    firsts: Vec<u32>,
    lexical: Option<LexicalIndex>,
    /// How many classes there were when shingles were last counted.
    counted: usize,
    semantic: Option<Semantic>,
    facts: FactsCache,
}

/// The vectors of the classes.
struct Semantic {
    /// One row a class, zero for none, as the caller gave them.
    rows: Vec<f32>,
    /// Those that are not zero, as the join needs them: the numbers again, and their codes.
    index: SemanticIndex,
}

impl Semantic {
    fn new(dimension: Dimension) -> Self {
        Self { rows: Vec::new(), index: SemanticIndex::new(dimension) }
    }

    /// Appends the vectors of the next classes, given as (class here, class of the vectors).
    fn append(
        &mut self,
        classes: impl Iterator<Item = (u32, u32)>,
        vectors: &Vectors<'_>,
    ) -> Result<(), DedupError> {
        for (class, theirs) in classes {
            self.rows.extend_from_slice(vectors.row(theirs));
            if let Some(row) = vectors.of(theirs) {
                self.index.append(class, row)?;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<f32>() + self.index.bytes()
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reference").field("items", &self.len()).finish_non_exhaustive()
    }
}

impl Reference {
    /// Fits the items of a batch; item numbers are its positions.
    ///
    /// `lexical` is the lowest threshold that walks will ask for: a lower one makes a longer index. `vectors` are those of the
    /// batch's classes. A walk whose rules need what was not fitted is refused.
    pub fn fit(
        items: Batch,
        vectors: Option<Vectors<'_>>,
        lexical: Option<Jaccard>,
    ) -> Result<Self, DedupError> {
        if lexical.is_some() && items.options().shingles.is_none() {
            return Err(DedupError::NotKept { rule: "the lexical rule", expected: "shingles" });
        }
        let classes = items.classes();
        let mut semantic = None;
        if let Some(vectors) = vectors {
            vectors.check_classes(classes)?;
            let mut fitted = Semantic::new(vectors.dimension());
            fitted.append((0..classes as u32).zip(0..), &vectors)?;
            semantic = Some(fitted);
        }
        let firsts = items.first_records();
        let facts = FactsCache::new(classes);
        let mut reference = Self { items, firsts, lexical: None, counted: 0, semantic, facts };
        reference.lexical = lexical.map(|threshold| reference.count(threshold));
        Ok(reference)
    }

    /// Adds the records of a batch at some positions as new items, in order, and returns their item numbers.
    ///
    /// Positions ascend strictly: usually they are what a walk [selected](crate::Outcome::selected). `vectors` are those of the
    /// batch's classes; a reference without vectors does not look at them. On an error nothing was added.
    pub fn extend(
        &mut self,
        batch: &Batch,
        vectors: Option<Vectors<'_>>,
        positions: &[u32],
    ) -> Result<Range<u32>, DedupError> {
        self.check_like(batch)?;
        check_positions(positions, batch)?;
        let total = self.items.records() as u64 + positions.len() as u64;
        if total > Batch::RECORDS_MAX {
            return Err(DedupError::TooManyRecords { expected: Batch::RECORDS_MAX, received: total });
        }
        let vectors = self.check_vectors(vectors, batch)?;
        let start = self.items.records() as u32;
        let mut fresh = Vec::new();
        for &position in positions {
            let item = self.items.records() as u32;
            if let (Some(class), Some(theirs)) =
                (self.items.absorb(batch, position), batch.class_of(position))
            {
                self.firsts.push(item);
                fresh.push((class, theirs));
            }
        }
        self.facts.grow(self.items.classes());
        self.extend_lexical(&fresh);
        if let (Some(semantic), Some(vectors)) = (&mut self.semantic, vectors) {
            semantic.append(fresh.into_iter(), &vectors)?;
        }
        Ok(start..self.items.records() as u32)
    }

    /// Adds new classes to the shingle index. Once there are twice as many as were counted, what is rare is counted anew.
    fn extend_lexical(&mut self, fresh: &[(u32, u32)]) {
        let Some(mut index) = self.lexical.take() else { return };
        if self.items.classes() >= 2 * self.counted.max(1) {
            index = self.count(index.threshold());
        } else {
            insert_sets(&mut index, self.items.sets(), fresh.iter().map(|&(class, _)| class));
        }
        self.lexical = Some(index);
    }

    /// Counts shingles and indexes every class.
    fn count(&mut self, threshold: Jaccard) -> LexicalIndex {
        self.counted = self.items.classes();
        let sets = self.items.sets();
        let mut index = LexicalIndex::new(threshold, Rarity::of(sets));
        insert_sets(&mut index, sets, 0..self.items.classes() as u32);
        index
    }

    /// The items as a batch: with [`Reference::vectors`], all that a walk among the items themselves needs.
    pub fn items(&self) -> &Batch {
        &self.items
    }

    /// The vectors of the items' classes, if it was fitted with any.
    pub fn vectors(&self) -> Option<Vectors<'_>> {
        let Semantic { rows, index } = self.semantic.as_ref()?;
        Some(Vectors::checked(rows, index.dimension()))
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.records()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory held. Vectors count twice: by class for [`Reference::vectors`], and in the index.
    pub fn bytes(&self) -> usize {
        self.items.bytes()
            + self.firsts.capacity() * size_of::<u32>()
            + self.lexical.as_ref().map_or(0, LexicalIndex::bytes)
            + self.semantic.as_ref().map_or(0, Semantic::bytes)
            + self.facts.bytes()
    }

    /// Refuses a batch that was read in another way.
    pub(crate) fn check_like(&self, batch: &Batch) -> Result<(), DedupError> {
        let (ours, theirs) = (self.items.options(), batch.options());
        if ours.columns != theirs.columns {
            return Err(unlike("columns", ours.columns, theirs.columns));
        }
        if ours.normal_form != theirs.normal_form {
            return Err(unlike("normal form", ours.normal_form, theirs.normal_form));
        }
        if ours.verify != theirs.verify {
            return Err(unlike("verify", ours.verify, theirs.verify));
        }
        if ours.texts != theirs.texts {
            return Err(unlike("texts", ours.texts, theirs.texts));
        }
        if ours.lengths != theirs.lengths {
            return Err(unlike("lengths", ours.lengths, theirs.lengths));
        }
        if ours.shingles != theirs.shingles {
            return Err(unlike("shingles", ours.shingles, theirs.shingles));
        }
        Ok(())
    }

    /// Refuses vectors that cannot meet those of the items. None where the items have none.
    pub(crate) fn check_vectors<'a>(
        &self,
        vectors: Option<Vectors<'a>>,
        batch: &Batch,
    ) -> Result<Option<Vectors<'a>>, DedupError> {
        let Some(ours) = self.vectors() else { return Ok(None) };
        let vectors = vectors.ok_or(DedupError::VectorsMissing { of: "batch" })?;
        vectors.check_classes(batch.classes())?;
        if vectors.dimension() != ours.dimension() {
            return Err(unlike("dimension", ours.dimension().get(), vectors.dimension().get()));
        }
        Ok(Some(vectors))
    }

    pub(crate) fn lexical(&self) -> Option<&LexicalIndex> {
        self.lexical.as_ref()
    }

    pub(crate) fn semantic(&self) -> Option<&SemanticIndex> {
        self.semantic.as_ref().map(|semantic| &semantic.index)
    }

    pub(crate) fn facts(&self) -> &FactsCache {
        &self.facts
    }

    /// The item that stands for a class.
    pub(crate) fn first_of_class(&self, class: u32) -> u32 {
        self.firsts[class as usize]
    }

    /// The class with the same normal form as a class of a batch.
    pub(crate) fn find_class(&self, batch: &Batch, class: u32) -> Option<u32> {
        let entry = self.items.find_entry_of(batch, batch.form_of_class(class))?;
        Some(self.items.class_of_entry(entry))
    }

    /// The first item with exactly the text of an entry of a batch.
    pub(crate) fn find_text(&self, batch: &Batch, entry: u32) -> Option<u32> {
        self.items.first_of_entry(self.items.find_entry_of(batch, entry)?)
    }
}

/// Indexes the sets of classes.
fn insert_sets(index: &mut LexicalIndex, sets: &Sets, classes: impl Iterator<Item = u32>) {
    for class in classes {
        let set = sets.get(class);
        let prefix = index.prefix(set, index.threshold());
        index.insert(class, set.len(), &prefix);
    }
}

/// Refuses positions that do not ascend strictly or lie outside the batch.
fn check_positions(positions: &[u32], batch: &Batch) -> Result<(), DedupError> {
    let mut expected = 0..batch.records() as u32;
    for (index, &received) in positions.iter().enumerate() {
        if !expected.contains(&received) {
            return Err(DedupError::Positions { index, expected, received });
        }
        expected.start = received + 1;
    }
    Ok(())
}

fn unlike(option: &'static str, expected: impl fmt::Debug, received: impl fmt::Debug) -> DedupError {
    DedupError::Unlike { option, expected: format!("{expected:?}"), received: format!("{received:?}") }
}
