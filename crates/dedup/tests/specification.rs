//! What a user relies on, case by case.

mod brute;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use brute::jaccard_of;
use sluice_dedup::{
    Batch, Cosine, DedupError, DedupOptions, Empty, Jaccard, Keep, LexicalRule, NearIn, Outcome, Reason,
    Reference, Retain, Rules, SemanticRule, Shingles, Unit, Unwatched, Vectors, Verify, Watch, Witness, walk,
};
use sluice_text::NormalForm;

fn batch<T: AsRef<[u8]> + Sync>(texts: &[T], options: DedupOptions) -> Batch {
    let mut batch = Batch::new(options);
    batch.push_block(&texts).unwrap();
    batch
}

fn dedup<T: AsRef<[u8]> + Sync>(texts: &[T], options: DedupOptions, rules: &Rules) -> Outcome {
    walk(&batch(texts, options), None, None, rules, &Unwatched).unwrap()
}

/// Position, reason and witness of every dropped record.
fn dropped(outcome: &Outcome) -> Vec<(u32, Reason, Option<Witness>)> {
    let rows =
        outcome.filtered.positions.iter().zip(&outcome.filtered.reasons).zip(&outcome.filtered.witnesses);
    rows.map(|((&position, &reason), &witness)| (position, reason, witness)).collect()
}

fn lexical(jaccard: f64) -> Rules {
    Rules { lexical: Some(LexicalRule { jaccard: Jaccard::new(jaccard).unwrap() }), ..Rules::default() }
}

fn characters(size: usize) -> Shingles {
    Shingles { unit: Unit::Character, size: NonZeroUsize::new(size).unwrap() }
}

#[test]
fn nothing_in_nothing_out() {
    let outcome = dedup::<&str>(&[], DedupOptions::default(), &Rules::default());
    assert_eq!(outcome, Outcome::default());
}

#[test]
fn of_ten_identical_records_the_first_stays() {
    let outcome = dedup(&["one two three four"; 10], DedupOptions::default(), &Rules::default());
    assert_eq!(outcome.selected, [0]);
    assert_eq!(outcome.filtered.positions, (1..10).collect::<Vec<_>>());
    assert_eq!(outcome.filtered.reasons, [Reason::Exact; 9]);
    assert_eq!(outcome.filtered.scores, [1.0; 9]);
    assert_eq!(outcome.counts.groups, 1);
    assert_eq!(outcome.counts.largest_groups, [(Witness::Batch(0), 9)]);
    assert!((0..9).all(|at| outcome.filtered.duplicates(at).eq([(Witness::Batch(0), 1.0)])));
}

#[test]
fn blank_records_follow_the_policy() {
    let texts = ["", " \n", "text", "\u{200b}", ""];
    for normal_form in [NormalForm::None, NormalForm::Space, NormalForm::Case] {
        let outcome = |empty| {
            let options = DedupOptions { empty, normal_form, ..DedupOptions::default() };
            dropped(&dedup(&texts, options, &Rules::default()))
        };
        assert_eq!(outcome(Empty::Keep), []);
        assert_eq!(outcome(Empty::Drop), [0, 1, 3, 4].map(|position| (position, Reason::Empty, None)));
        assert_eq!(
            outcome(Empty::Collapse),
            [
                (1, Reason::Normalized, Some(Witness::Batch(0))),
                (3, Reason::Normalized, Some(Witness::Batch(0))),
                (4, Reason::Exact, Some(Witness::Batch(0)))
            ]
        );
    }
}

#[test]
fn a_normal_form_joins_what_differs_only_in_form() {
    let texts = ["Caf\u{e9} noir", "Cafe\u{301} noir", "caf\u{e9}  noir", "Cafe\u{301} noir"];
    let outcome = |normal_form| {
        let options = DedupOptions { normal_form, ..DedupOptions::default() };
        dropped(&dedup(&texts, options, &Rules { lexical: None, ..Rules::default() }))
    };
    assert_eq!(outcome(NormalForm::None), [(3, Reason::Exact, Some(Witness::Batch(1)))]);
    assert_eq!(
        outcome(NormalForm::Space),
        [(1, Reason::Normalized, Some(Witness::Batch(0))), (3, Reason::Exact, Some(Witness::Batch(0)))],
        "a copy of a dropped record names the kept one"
    );
    assert_eq!(outcome(NormalForm::Case).len(), 3);
}

#[test]
fn lone_surrogates_stay_distinct() {
    let texts: [&[u8]; 4] = [b"x\xed\xa0\x80", b"x\xed\xa0\x81", b"x\xef\xbf\xbd", b"x\xed\xa0\x80"];
    let outcome = dedup(&texts, DedupOptions::default(), &Rules { lexical: None, ..Rules::default() });
    assert_eq!(dropped(&outcome), [(3, Reason::Exact, Some(Witness::Batch(0)))]);
}

#[test]
fn a_chain_is_not_a_group() {
    // Each is near the next, no other pair is: A and C stay, for B is near A and D is near C.
    let chain = ["a b c d e f", "b c d e f g", "c d e f g h", "d e f g h i"];
    let shingles = Some(Shingles { unit: Unit::Word, size: NonZeroUsize::MIN });
    let options = DedupOptions { shingles, ..DedupOptions::default() };
    let rules = lexical(0.7);
    assert_eq!(dedup(&chain, options, &rules).selected, [0, 2]);
    let mut reversed = chain;
    reversed.reverse();
    assert_eq!(dedup(&reversed, options, &rules).selected, [0, 2]);
}

#[test]
fn the_lexical_threshold_is_inclusive() {
    // 4 of 5 characters are shared: 0.8, and nothing between 0.8 and the next number above it.
    let options = DedupOptions { shingles: Some(characters(1)), ..DedupOptions::default() };
    let texts = ["abcd", "abcde"];
    assert_eq!(jaccard_of(texts[0], texts[1], characters(1)).to_bits(), 0.8f64.to_bits());
    assert_eq!(dedup(&texts, options, &lexical(0.8)).selected, [0]);
    assert_eq!(dedup(&texts, options, &lexical(0.8f64.next_up())).selected, [0, 1]);
}

#[test]
fn short_texts_are_one_shingle_and_never_collapse_into_one() {
    let texts = ["yes", "no", "Yes!", "???", "!!!", "yes no"];
    let outcome = dedup(&texts, DedupOptions::default(), &Rules::default());
    assert_eq!(dropped(&outcome), [(2, Reason::Lexical, Some(Witness::Batch(0)))]);
}

#[test]
fn unspaced_scripts_are_compared_by_characters() {
    let texts = ["我们今天去北京大学看书学习", "我们今天去北京大学看书写字"];
    let by_words = dedup(&texts, DedupOptions::default(), &lexical(0.5));
    assert_eq!(by_words.selected, [0, 1]);
    let options = DedupOptions { shingles: Some(characters(2)), ..DedupOptions::default() };
    assert_eq!(
        dropped(&dedup(&texts, options, &lexical(0.5))),
        [(1, Reason::Lexical, Some(Witness::Batch(0)))]
    );
}

#[test]
fn the_preferred_record_of_a_class_stays() {
    let texts = ["a  b", "a b", "a    b", "other"];
    let priorities = [Some(2.0), None, Some(1.0), Some(9.0)];
    let mut batch = Batch::new(DedupOptions::default());
    for (text, priority) in texts.iter().zip(priorities) {
        batch.push(&[text.as_bytes()], priority).unwrap();
    }
    let kept =
        |keep| walk(&batch, None, None, &Rules { keep, ..Rules::default() }, &Unwatched).unwrap().selected;
    assert_eq!(kept(Keep::First), [0, 3]);
    assert_eq!(kept(Keep::Longest), [2, 3]);
    assert_eq!(kept(Keep::Highest), [0, 3]);
    assert_eq!(kept(Keep::Lowest), [2, 3]);
}

#[test]
fn the_walk_asks_preferred_records_first() {
    // The better record comes later in the input; the worse one is dropped because of it.
    let mut batch = Batch::new(DedupOptions::default());
    batch.push(&[b"the cat sat on the mat today"], Some(1.0)).unwrap();
    batch.push(&[b"the cat sat on the mat today indeed"], Some(2.0)).unwrap();
    let rules = Rules { keep: Keep::Highest, ..lexical(0.8) };
    let outcome = walk(&batch, None, None, &rules, &Unwatched).unwrap();
    assert_eq!(dropped(&outcome), [(0, Reason::Lexical, Some(Witness::Batch(1)))]);
    assert_eq!(outcome.filtered.scores, [5.0 / 6.0]);
}

#[test]
fn a_guard_spares_a_pair_and_says_so() {
    let texts = ["the contract for the office ends on day 15", "the contract for the office ends on day 16"];
    let guarded =
        Rules { guards: sluice_guard::Guards::empty().with(sluice_guard::Guard::Numbers), ..lexical(0.7) };
    assert_eq!(dedup(&texts, DedupOptions::default(), &lexical(0.7)).selected, [0]);
    let outcome = dedup(&texts, DedupOptions::default(), &guarded);
    assert_eq!(outcome.selected, [0, 1]);
    assert_eq!(outcome.counts.vetoed, 1);
    let veto = outcome.vetoes[0];
    assert_eq!((veto.position, veto.witness, veto.reason), (1, Witness::Batch(0), Reason::Lexical));
    assert_eq!(veto.guard, sluice_guard::Guard::Numbers);
}

#[test]
fn several_columns_are_one_tuple() {
    let mut batch =
        Batch::new(DedupOptions { columns: NonZeroUsize::new(2).unwrap(), ..DedupOptions::default() });
    for [a, b] in [["x", "yz"], ["xy", "z"], ["x", "yz"], ["x ", "yz"]] {
        batch.push(&[a.as_bytes(), b.as_bytes()], None).unwrap();
    }
    let outcome = walk(&batch, None, None, &Rules { lexical: None, ..Rules::default() }, &Unwatched).unwrap();
    assert_eq!(
        dropped(&outcome),
        [(2, Reason::Exact, Some(Witness::Batch(0))), (3, Reason::Normalized, Some(Witness::Batch(0)))]
    );
    assert_eq!(batch.class_text(1).unwrap(), "xy\nz");
    assert_eq!(batch.class_column(1, 1).unwrap(), b"z");
}

#[test]
fn a_reference_is_never_displaced_and_names_its_items() {
    let items = batch(&["one two three", "one  two three", "red green blue"], DedupOptions::default());
    let reference = Reference::fit(items, None, Some(Jaccard::new(0.5).unwrap())).unwrap();
    let new = [
        "new text one",
        "new text one",
        "one  two three",
        "One, two, three",
        " red green blue",
        "red green blue",
    ];
    let asked = batch(&new, DedupOptions::default());
    let outcome = |near_in| {
        let rules = Rules { near_in, ..Rules::default() };
        dropped(&walk(&asked, None, Some(&reference), &rules, &Unwatched).unwrap())
    };
    let item = |item| Some(Witness::Reference(item));
    let expected = [
        (1, Reason::Exact, Some(Witness::Batch(0))),
        (2, Reason::Exact, item(1)),
        (3, Reason::Lexical, item(0)),
        (4, Reason::Normalized, item(2)),
        (5, Reason::Exact, item(2)),
    ];
    assert_eq!(outcome(NearIn::Everything), expected);
    assert_eq!(outcome(NearIn::ReferenceOnly), expected);
}

#[test]
fn near_copies_inside_a_batch_stay_when_only_the_reference_is_asked() {
    let items = batch(&["red green blue"], DedupOptions::default());
    let reference = Reference::fit(items, None, Some(Jaccard::new(0.5).unwrap())).unwrap();
    let new = ["one two three", "One, two, three", "one  two three", "One, two, three"];
    let asked = batch(&new, DedupOptions::default());
    let outcome = |near_in| {
        let rules = Rules { near_in, ..Rules::default() };
        dropped(&walk(&asked, None, Some(&reference), &rules, &Unwatched).unwrap())
    };
    let first = Some(Witness::Batch(0));
    assert_eq!(
        outcome(NearIn::Everything),
        [(1, Reason::Lexical, first), (2, Reason::Normalized, first), (3, Reason::Exact, first)]
    );
    assert_eq!(
        outcome(NearIn::ReferenceOnly),
        [(2, Reason::Normalized, first), (3, Reason::Exact, Some(Witness::Batch(1)))]
    );
}

#[test]
fn a_reference_takes_positions_over_in_order() {
    let new = batch(&["one", "two", "three", "one"], DedupOptions::default());
    let rows = [1.0, 0.0, 0.0, 0.0, 0.6, 0.8f32];
    let vectors = Some(Vectors::new(&rows, 2, 3).unwrap());
    let empty = || {
        let nothing = Batch::new(DedupOptions::default());
        Reference::fit(nothing, Some(Vectors::new(&[], 2, 0).unwrap()), None).unwrap()
    };
    let mut reference = empty();
    assert_eq!(reference.extend(&new, vectors, &[1, 2]), Ok(0..2));
    assert_eq!(reference.extend(&new, vectors, &[2, 3]), Ok(2..4), "class by class, `three` has its vector");
    let semantic = SemanticRule { cosine: Cosine::new(0.59).unwrap(), floor: Cosine::new(0.59).unwrap() };
    let rules = Rules { lexical: None, semantic: Some(semantic), ..Rules::default() };
    let outcome = walk(reference.items(), reference.vectors(), None, &rules, &Unwatched).unwrap();
    assert_eq!(
        dropped(&outcome),
        [(2, Reason::Exact, Some(Witness::Batch(1))), (3, Reason::Semantic, Some(Witness::Batch(1)))]
    );
    assert_eq!(outcome.counts.without_vector, 1);

    for (positions, index, expected) in
        [(vec![4], 0, 0..4), (vec![0, 2, 2], 2, 3..4), (vec![1, 0], 1, 2..4), (vec![3, u32::MAX], 1, 4..4)]
    {
        let mut reference = empty();
        let refused = reference.extend(&new, vectors, &positions).unwrap_err();
        assert_eq!(refused.code(), "DEDUP_POSITIONS");
        assert_eq!(refused, DedupError::Positions { index, expected, received: positions[index] });
        assert!(reference.is_empty());
    }
}

#[test]
fn semantic_thresholds_and_floor() {
    let texts = ["alpha", "beta", "gamma", "delta"];
    let batch = batch(&texts, DedupOptions::default());
    let rows = [1.0, 0.0, 0.0, 1.0, 0.6, 0.8, 0.0, 0.0f32];
    let vectors = Vectors::new(&rows, 2, 4).unwrap();
    let rules = |cosine, floor| Rules {
        semantic: Some(SemanticRule {
            cosine: Cosine::new(cosine).unwrap(),
            floor: Cosine::new(floor).unwrap(),
        }),
        ..Rules::default()
    };
    let ask = |rules| walk(&batch, Some(vectors), None, &rules, &Unwatched).unwrap();
    let score = sluice_vector::dot(&rows[2..4], &rows[4..6]);
    let dropped_at = ask(rules(score, 1.0));
    assert_eq!(dropped(&dropped_at), [(2, Reason::Semantic, Some(Witness::Batch(1)))]);
    assert_eq!(dropped_at.filtered.scores[0].to_bits(), score.to_bits());
    assert_eq!(dropped_at.counts.without_vector, 1);
    let kept = ask(rules(score.next_up(), 0.5));
    assert_eq!(kept.selected, [0, 1, 2, 3]);
    assert_eq!(kept.near.len(), 1);
    assert_eq!((kept.near[0].position, kept.near[0].witness), (2, Witness::Batch(1)));
    let list: Vec<_> = ask(rules(0.5, 0.5)).filtered.duplicates(0).collect();
    assert_eq!(list.iter().map(|pair| pair.0).collect::<Vec<_>>(), [Witness::Batch(1), Witness::Batch(0)]);
}

#[test]
fn template_lines_meet_in_linear_time() {
    // 200,000 kept lines that share 17 of 23 shingles, just below the threshold: compared pair by pair this would take hours.
    let line = |n: u32| {
        format!(
            "the line {n} of the manual follows the same template with many shared words that every single page repeats again and again"
        )
    };
    let lines: Vec<String> = (0..200_000).map(line).collect();
    let score = jaccard_of(&lines[0], &lines[1], Shingles::default());
    assert!((0.7..0.8).contains(&score), "{score}");
    assert_eq!(dedup(&lines, DedupOptions::default(), &lexical(0.8)).selected.len(), 200_000);
    assert_eq!(dedup(&lines, DedupOptions::default(), &lexical(0.7)).selected, [0]);
}

#[test]
fn a_huge_text_and_a_tiny_threshold_are_no_trouble() {
    let words: Vec<String> = (0..150_000u32).map(|n| n.wrapping_mul(2_654_435_761).to_string()).collect();
    let long = words.join(" ");
    let longer = format!("{long} and one more word");
    let tail = words[149_000..].join(" ");
    let outcome =
        |jaccard| dedup(&[&long, &longer, &tail], DedupOptions::default(), &lexical(jaccard)).selected;
    assert_eq!(outcome(0.9), [0, 2]);
    assert_eq!(outcome(0.006), [0]);
    assert_eq!(outcome(1.0), [0, 1, 2]);
}

#[test]
fn one_long_text_of_different_words_takes_time_in_proportion() {
    let long = |words: u32| (0..words).map(|word| word.to_string()).collect::<Vec<_>>().join(" ");
    let texts = [long(3_000_000), long(3_000_001), long(1_000_000)];
    let outcome = dedup(&texts, DedupOptions::default(), &lexical(0.8));
    assert_eq!(dropped(&outcome), [(1, Reason::Lexical, Some(Witness::Batch(0)))]);
}

#[test]
fn every_refusal_says_what_was_expected() {
    let code = |result: Result<_, DedupError>| result.map_or_else(|error| error.code(), |_: Outcome| "fine");
    let two = batch(&["one", "two"], DedupOptions::default());
    let bare = DedupOptions {
        shingles: None,
        texts: Retain::Drop,
        lengths: Retain::Drop,
        verify: Verify::Caller,
        ..DedupOptions::default()
    };
    let bare = batch(&["one"], bare);
    let semantic = SemanticRule { cosine: Cosine::new(0.9).unwrap(), floor: Cosine::new(0.9).unwrap() };
    let exact = Rules { lexical: None, ..Rules::default() };
    let guarded = Rules { guards: sluice_guard::Guards::all(), ..exact };
    let ask = |batch, rules| code(walk(batch, None, None, &rules, &Unwatched));
    assert_eq!(ask(&bare, exact), "fine");
    assert_eq!(ask(&bare, Rules::default()), "DEDUP_NOT_KEPT");
    assert_eq!(ask(&bare, guarded), "DEDUP_NOT_KEPT");
    assert_eq!(ask(&bare, Rules { keep: Keep::Longest, ..exact }), "DEDUP_NOT_KEPT");
    assert_eq!(ask(&two, Rules { semantic: Some(semantic), ..exact }), "DEDUP_VECTORS_MISSING");

    let fitted = Reference::fit(two.clone(), None, Some(Jaccard::new(0.9).unwrap())).unwrap();
    assert_eq!(
        code(walk(&two, None, Some(&fitted), &Rules::default(), &Unwatched)),
        "DEDUP_REFERENCE_THRESHOLD"
    );
    assert_eq!(code(walk(&bare, None, Some(&fitted), &exact, &Unwatched)), "DEDUP_UNLIKE");

    for bad in [0.0, -1.0, 1.1, f64::NAN] {
        assert_eq!(Jaccard::new(bad).unwrap_err().code(), "DEDUP_THRESHOLD");
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        assert_eq!(Cosine::new(bad).unwrap_err().code(), "DEDUP_THRESHOLD");
    }
    let vectors =
        |rows: &[f32], dimension, classes| Vectors::new(rows, dimension, classes).unwrap_err().code();
    assert_eq!(vectors(&[1.0, 0.0], 2, 2), "DEDUP_VECTOR_SHAPE");
    assert_eq!(vectors(&[1.0, 1.0], 2, 1), "DEDUP_VECTOR_LENGTH");
    assert_eq!(vectors(&[f32::NAN, 1.0], 2, 1), "DEDUP_VECTOR_LENGTH");
    assert_eq!(vectors(&[], 0, 0), "VECTOR_DIMENSION_OUT_OF_RANGE");

    let mut batch = Batch::new(DedupOptions::default());
    assert_eq!(batch.push(&[b"a", b"b"], None).unwrap_err().code(), "DEDUP_COLUMNS");
    assert_eq!(batch.push(&[b"a"], Some(f64::NAN)).unwrap_err().code(), "DEDUP_PRIORITY");
    assert_eq!(batch.records(), 0, "a refused block leaves no trace");
}

#[test]
fn a_walk_can_be_stopped_midway() {
    struct StopAfter(AtomicU64);
    impl Watch for StopAfter {
        fn cancelled(&self) -> bool {
            self.0.fetch_sub(1, Ordering::Relaxed) == 0
        }
    }
    let texts: Vec<String> = (0..5000).map(|n| format!("text number {n}")).collect();
    let batch = batch(&texts, DedupOptions::default());
    let stop = StopAfter(AtomicU64::new(2500));
    assert_eq!(walk(&batch, None, None, &Rules::default(), &stop), Err(DedupError::Cancelled));
}

/// Texts of one template with one vector, spared by a guard: every pair is found, judged and kept apart.
fn spared(count: usize) -> (Batch, Vec<f32>, Rules) {
    let texts: Vec<String> = (0..count).map(|n| format!("order number {n}")).collect();
    let cosine = Cosine::new(0.9).unwrap();
    let rules = Rules {
        lexical: None,
        semantic: Some(SemanticRule { cosine, floor: cosine }),
        guards: sluice_guard::Guards::all(),
        ..Rules::default()
    };
    (batch(&texts, DedupOptions::default()), [1.0, 0.0].repeat(count), rules)
}

#[test]
fn a_walk_can_be_stopped_while_pairs_are_judged() {
    /// Counts the questions of the semantic step and says yes from some on.
    struct StopAfter(AtomicU64, u64);
    impl Watch for StopAfter {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= self.1
        }
    }
    let (batch, rows, rules) = spared(3000);
    let walk_until =
        |stop: &StopAfter| walk(&batch, Some(Vectors::new(&rows, 2, 3000).unwrap()), None, &rules, stop);
    let patient = StopAfter(AtomicU64::new(0), u64::MAX);
    assert_eq!(walk_until(&patient).unwrap().counts.vetoed, 3000 * 2999 / 2);
    // One question for every few hundred pairs at least: 2048 and 952 classes against those before their block.
    let asked = patient.0.into_inner();
    assert!(asked > (1024 * 1024 + 952 * 2048) / 256, "{asked}");
    for after in [0, asked / 2, asked - 1] {
        assert_eq!(walk_until(&StopAfter(AtomicU64::new(0), after)), Err(DedupError::Cancelled));
    }
}

#[test]
fn a_walk_holds_no_more_than_it_may() {
    struct Holds(usize);
    impl Watch for Holds {
        fn may_hold(&self, bytes: usize) -> bool {
            bytes <= self.0
        }
    }
    let (batch, rows, rules) = spared(3000);
    let walk_in =
        |bytes| walk(&batch, Some(Vectors::new(&rows, 2, 3000).unwrap()), None, &rules, &Holds(bytes));
    // The hits of a block alone: 1024 against 2048, of 24 bytes each.
    let error = walk_in(20 << 20).unwrap_err();
    assert_eq!(error.code(), "DEDUP_MEMORY");
    assert!(matches!(error, DedupError::Memory { received } if received > 20 << 20));
    assert_eq!(walk_in(200 << 20).unwrap().selected.len(), 3000);
}

#[test]
fn a_walk_counts_what_dropped_records_cost() {
    /// Remembers the most that was asked for.
    #[derive(Default)]
    struct Most(AtomicUsize);
    impl Watch for Most {
        fn may_hold(&self, bytes: usize) -> bool {
            self.0.fetch_max(bytes, Ordering::Relaxed);
            true
        }
    }
    struct Holds(usize);
    impl Watch for Holds {
        fn may_hold(&self, bytes: usize) -> bool {
            bytes <= self.0
        }
    }
    let letters = |n: usize| -> String {
        [n / 676, n / 26 % 26, n % 26].iter().map(|digit| char::from(b'a' + *digit as u8)).collect()
    };
    let shared = (0..200).map(|n| format!("shared{}", letters(n))).collect::<Vec<_>>().join(" ");
    let count = 100_000;
    for (title, texts) in [
        ("copies", vec!["a".to_owned(); count]),
        ("blanks", vec![" ".to_owned(); count]),
        ("near copies", (0..count / 100).map(|n| format!("{shared} {}", letters(n))).collect()),
    ] {
        let batch = batch(&texts, DedupOptions { empty: Empty::Drop, ..DedupOptions::default() });
        let most = Most::default();
        let outcome = walk(&batch, None, None, &Rules::default(), &most).unwrap();
        let asked = most.0.into_inner();
        assert!(outcome.filtered.len() + 1 >= texts.len(), "{title}");
        assert!(
            asked >= outcome.bytes() && outcome.bytes() >= 25 * outcome.filtered.len(),
            "{title}: {asked}"
        );
        let error = walk(&batch, None, None, &Rules::default(), &Holds(asked - 1)).unwrap_err();
        assert_eq!(error, DedupError::Memory { received: asked }, "{title}");
        assert_eq!(walk(&batch, None, None, &Rules::default(), &Holds(asked)).unwrap(), outcome, "{title}");
    }
}

#[test]
fn keys_alone_cost_little_and_name_what_to_compare() {
    let options = DedupOptions {
        normal_form: NormalForm::None,
        verify: Verify::Caller,
        shingles: None,
        texts: Retain::Drop,
        lengths: Retain::Drop,
        ..DedupOptions::default()
    };
    let texts: Vec<String> = (0..100_000).map(|n| format!("record {}", n % 90_000)).collect();
    let batch = batch(&texts, options);
    assert_eq!(batch.copy_of(0), None);
    assert_eq!(batch.copy_of(90_000), Some(0));
    assert_eq!(batch.classes(), 90_000);
}

#[test]
fn a_key_costs_at_most_32_bytes() {
    let options = DedupOptions {
        normal_form: NormalForm::None,
        verify: Verify::Caller,
        shingles: None,
        texts: Retain::Drop,
        lengths: Retain::Drop,
        ..DedupOptions::default()
    };
    // Asked again and again while it grows: a table costs most just after it has grown.
    let texts: Vec<String> = (0..600_000u32).map(|n| n.to_string()).collect();
    let mut batch = Batch::new(options);
    for (block, texts) in texts.chunks(1000).enumerate() {
        batch.push_block(&texts).unwrap();
        let each = batch.bytes() as f64 / batch.classes() as f64;
        assert!(
            block < 50 || each <= 32.0,
            "{each:.2} bytes a key of {}, its record included",
            batch.classes()
        );
    }
}
