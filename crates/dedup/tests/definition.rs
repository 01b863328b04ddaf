//! The outcome is that of the definition, for any records, options and rules, and for any number of threads and any block.

mod brute;

use std::num::NonZeroUsize;

use brute::{Expected, Grouped, Record};
use proptest::prelude::*;
use sluice_dedup::{
    Batch, Cosine, DedupOptions, Empty, Jaccard, Keep, LexicalRule, NearIn, Outcome, Reference, Retain,
    Rules, SemanticRule, Shingles, Unit, Unwatched, Vectors, Verify, walk, walk_in_blocks,
};
use sluice_text::NormalForm;

const DIMENSION: usize = 3;

/// Everything a walk depends on.
#[derive(Debug, Clone)]
struct Case {
    options: DedupOptions,
    rules: Rules,
    batch: Vec<Record>,
    reference: Option<Vec<Record>>,
    /// Directions that classes take in turn; zero is no vector.
    directions: Vec<[i8; DIMENSION]>,
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        &b"a"[..],
        b"b",
        b"c",
        b"A",
        b"1",
        b"2",
        b"not",
        b"\xc3\xa9",
        b"e\xcc\x81",
        b"\xed\xa0\x80",
        b"\xed\xa0\x81",
        b"-",
    ]);
    let space = prop::sample::select(vec![&b" "[..], b" ", b" ", b"  ", b"\n", b", ", b"\xe2\x80\x8b"]);
    prop::collection::vec((word, space), 0..9).prop_map(|pieces| {
        let mut text = Vec::new();
        for (at, (word, space)) in pieces.iter().enumerate() {
            text.extend_from_slice(word);
            if at + 1 < pieces.len() || space.len() == 2 {
                text.extend_from_slice(space);
            }
        }
        text
    })
}

fn records(columns: usize, count: usize) -> impl Strategy<Value = Vec<Record>> {
    let priority = prop::option::of(prop::sample::select(vec![0.0, -0.0, 1.0, -1.5, f64::INFINITY]));
    let record = (prop::collection::vec(text(), columns), priority);
    let fresh = prop::collection::vec(record, 0..count);
    // Copies on purpose: positions to repeat.
    (fresh, prop::collection::vec(any::<prop::sample::Index>(), 0..count / 3)).prop_map(|(fresh, copies)| {
        let mut records: Vec<Record> =
            fresh.into_iter().map(|(columns, priority)| Record { columns, priority }).collect();
        for copy in copies {
            if !records.is_empty() {
                let record = records[copy.index(records.len())].clone();
                records.push(record);
            }
        }
        records
    })
}

prop_compose! {
    fn options()(
        columns in 1..=2usize,
        normal_form in prop::sample::select(vec![NormalForm::None, NormalForm::Space, NormalForm::Case]),
        empty in prop::sample::select(vec![Empty::Keep, Empty::Drop, Empty::Collapse]),
        verify in prop::sample::select(vec![Verify::Bytes, Verify::Caller]),
        unit in prop::sample::select(vec![Unit::Word, Unit::Word, Unit::Character]),
        size in 1..=3usize,
    ) -> DedupOptions {
        DedupOptions {
            columns: NonZeroUsize::new(columns).unwrap(),
            normal_form,
            empty,
            verify,
            shingles: Some(Shingles { unit, size: NonZeroUsize::new(size).unwrap() }),
            texts: Retain::Keep,
            lengths: Retain::Keep,
        }
    }
}

prop_compose! {
    fn rules()(
        keep in prop::sample::select(vec![Keep::First, Keep::First, Keep::Longest, Keep::Highest, Keep::Lowest]),
        near_in in prop::sample::select(vec![NearIn::Everything, NearIn::Everything, NearIn::Everything, NearIn::ReferenceOnly]),
        jaccard in prop::option::weighted(0.8, prop::sample::select(vec![0.01, 0.2, 1.0 / 3.0, 0.5, 0.6, 2.0 / 3.0, 0.8, 1.0])),
        cosine in prop::option::of((prop::sample::select(vec![0.0, 0.5, 0.8, 0.9, 1.0]), 0.0..=1.0f64)),
        guards in prop::sample::subsequence(sluice_guard::Guard::ALL.to_vec(), 0..=2),
        guarded in any::<bool>(),
        duplicates_max in prop::sample::select(vec![1usize, 2, 100]),
    ) -> Rules {
        Rules {
            keep,
            near_in,
            lexical: jaccard.map(|jaccard| LexicalRule { jaccard: Jaccard::new(jaccard).unwrap() }),
            semantic: cosine.map(|(cosine, floor)| SemanticRule {
                cosine: Cosine::new(cosine).unwrap(),
                floor: Cosine::new(floor).unwrap(),
            }),
            guards: if guarded { guards.into_iter().collect() } else { sluice_guard::Guards::empty() },
            duplicates_max: NonZeroUsize::new(duplicates_max).unwrap(),
        }
    }
}

fn case() -> impl Strategy<Value = Case> {
    (options(), rules()).prop_flat_map(|(options, rules)| {
        let columns = options.columns.get();
        let directions = prop::collection::vec(prop::array::uniform3(-1..=3i8), 1..12);
        (records(columns, 40), prop::option::of(records(columns, 15)), directions).prop_map(
            move |(batch, reference, directions)| Case { options, rules, batch, reference, directions },
        )
    })
}

/// The unit vector of a class; none if its direction is zero.
fn vector(directions: &[[i8; DIMENSION]], class: usize) -> Option<Vec<f32>> {
    let mut row: Vec<f32> = directions[class % directions.len()].iter().map(|&x| f32::from(x)).collect();
    sluice_vector::normalize(&mut row, class).ok().map(|()| row)
}

fn flat(directions: &[[i8; DIMENSION]], classes: usize) -> Vec<f32> {
    (0..classes).flat_map(|class| vector(directions, class).unwrap_or(vec![0.0; DIMENSION])).collect()
}

/// A batch, in blocks of a size.
fn batch(records: &[Record], options: DedupOptions, block: usize) -> Batch {
    struct Block<'a>(&'a [Record], usize);
    impl sluice_dedup::Records for Block<'_> {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn columns(&self) -> usize {
            self.1
        }
        fn column(&self, record: usize, column: usize) -> &[u8] {
            &self.0[record].columns[column]
        }
        fn priority(&self, record: usize) -> Option<f64> {
            self.0[record].priority
        }
    }
    let mut batch = Batch::new(options);
    for block in records.chunks(block) {
        batch.push_block(&Block(block, options.columns.get())).unwrap();
    }
    batch
}

impl Case {
    fn reference(&self, block: usize) -> Option<Reference> {
        let items = batch(self.reference.as_deref()?, self.options, block);
        let rows = flat(&self.directions, items.classes());
        let vectors = Vectors::new(&rows, DIMENSION, items.classes()).unwrap();
        Some(Reference::fit(items, Some(vectors), Some(Jaccard::new(0.01).unwrap())).unwrap())
    }

    /// The outcome with blocks of a size when pushing, and of another when walking.
    fn outcome(&self, push: usize, block: usize) -> Outcome {
        let batch = batch(&self.batch, self.options, push);
        let rows = flat(&self.directions, batch.classes());
        let vectors = Vectors::new(&rows, DIMENSION, batch.classes()).unwrap();
        let reference = self.reference(push);
        let block = NonZeroUsize::new(block).unwrap();
        walk_in_blocks(&batch, Some(vectors), reference.as_ref(), &self.rules, &Unwatched, block).unwrap()
    }

    fn expected(&self) -> Expected {
        let vector = |class: usize| vector(&self.directions, class);
        let grouped = |records: &[Record]| Grouped::new(records, self.options, &vector);
        brute::walk(&grouped(&self.batch), self.reference.as_deref().map(grouped).as_ref(), &self.rules)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_outcome_is_that_of_the_definition(case in case()) {
        prop_assert_eq!(Expected::from(&case.outcome(1000, 1000)), case.expected());
    }

    #[test]
    fn blocks_do_not_change_the_outcome(case in case(), push in 1..20usize, block in 1..20usize) {
        prop_assert_eq!(case.outcome(push, block), case.outcome(1000, 1000));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn threads_do_not_change_the_outcome(case in case()) {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.outcome(70, 30))
        };
        let one = on(1);
        prop_assert_eq!(&on(2), &one);
        prop_assert_eq!(&on(4), &one);
    }

    #[test]
    fn a_reference_may_grow_in_steps(case in case()) {
        // What a batch selects becomes the reference, at once or after the same selection of an empty reference.
        let first = case.reference.clone().unwrap_or_default();
        let items = batch(&first, case.options, 7);
        let rows = flat(&case.directions, items.classes());
        let vectors = Vectors::new(&rows, DIMENSION, items.classes()).unwrap();
        let outcome = walk(&items, Some(vectors), None, &case.rules, &Unwatched).unwrap();
        let nothing = batch(&[], case.options, 1);
        let none = Vectors::new(&[], DIMENSION, 0).unwrap();
        let mut grown = Reference::fit(nothing, Some(none), Some(Jaccard::new(0.01).unwrap())).unwrap();
        let numbers = grown.extend(&items, Some(vectors), &outcome.selected).unwrap();
        prop_assert_eq!(numbers, 0..outcome.selected.len() as u32);

        let kept: Vec<Record> = outcome.selected.iter().map(|&at| first[at as usize].clone()).collect();
        let kept = batch(&kept, case.options, 100);
        prop_assert_eq!(grown.items().classes(), kept.classes());
        let mut kept_rows = vec![0.0; kept.classes() * DIMENSION];
        for (at, &position) in outcome.selected.iter().enumerate() {
            if let (Some(here), Some(there)) = (kept.class_of(at as u32), items.class_of(position)) {
                let (here, there) = (here as usize * DIMENSION, there as usize * DIMENSION);
                kept_rows[here..here + DIMENSION].copy_from_slice(&rows[there..there + DIMENSION]);
            }
        }
        let kept_vectors = Vectors::new(&kept_rows, DIMENSION, kept.classes()).unwrap();
        let fitted = Reference::fit(kept, Some(kept_vectors), Some(Jaccard::new(0.01).unwrap())).unwrap();
        let among = |reference: &Reference| walk(reference.items(), reference.vectors(), None, &case.rules, &Unwatched);
        prop_assert_eq!(among(&grown).unwrap(), among(&fitted).unwrap());

        let second = batch(&case.batch, case.options, 9);
        let rows = flat(&case.directions, second.classes());
        let vectors = Some(Vectors::new(&rows, DIMENSION, second.classes()).unwrap());
        let ask = |reference| walk(&second, vectors, Some(reference), &case.rules, &Unwatched).unwrap();
        prop_assert_eq!(ask(&grown), ask(&fitted));
    }
}
