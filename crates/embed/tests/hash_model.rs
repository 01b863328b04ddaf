//! The model without weights sees spelling, in any language.

use proptest::prelude::*;
use sluice_embed::{Coverage, Embedder, HashModel, Scratch};

fn row(model: &HashModel, text: &str) -> (Vec<f32>, Coverage) {
    let mut row = vec![f32::NAN; model.dimension()];
    let coverage = model.embed(text, &mut Scratch::default(), &mut row);
    (row, coverage)
}

fn cosine(one: &str, other: &str) -> f64 {
    let model = HashModel::new(HashModel::DIMENSION).unwrap();
    sluice_vector::dot(&row(&model, one).0, &row(&model, other).0)
}

#[test]
fn similar_spelling_is_near_and_other_spelling_is_far() {
    for (one, other, range) in [
        ("The quick brown fox", "the  QUICK brown\tfox", 0.999..1.001),
        ("The quick brown fox jumps over the dog", "The quick brown fox jumped over the dog", 0.8..0.99),
        ("機械学習の基礎を学ぶ講座です", "機械学習の基礎を学ぶ講座でした", 0.6..0.99),
        ("Все люди рождаются свободными", "Все люди рождаются равными", 0.5..0.95),
        ("The quick brown fox", "Colourless green ideas", -0.3..0.3),
        ("a", "a", 0.999..1.001),
    ] {
        let cosine = cosine(one, other);
        assert!(range.contains(&cosine), "{one:?} and {other:?}: {cosine}");
    }
}

#[test]
fn refuses_a_dimension_that_no_vector_has() {
    for dimension in [0, usize::MAX] {
        assert_eq!(HashModel::new(dimension).err().unwrap().code(), "MODEL_DIMENSION");
    }
    assert_eq!(HashModel::new(7).unwrap().id(), "hash-7@1");
}

#[test]
fn its_rows_never_change() {
    // Pinned: rows that are stored must stay comparable with those of later releases, or the id must change.
    let (row, coverage) = row(&HashModel::new(8).unwrap(), "Sluice holds water back.");
    assert_eq!(coverage, Coverage { tokens: 4, unknown: 0 });
    let bits: Vec<u32> = row.iter().map(|element| element.to_bits()).collect();
    assert_eq!(bits, PINNED, "{row:?}");
}

/// The row of the pinned text.
const PINNED: [u32; 8] =
    [1_057_083_601, 1_051_530_860, 0, 3_199_014_508, 1_059_919_468, 0, 1_043_142_252, 3_190_625_900];

proptest! {
    #[test]
    fn a_row_has_length_one_or_zero(text in any::<String>(), dimension in 1..700_usize) {
        let (row, coverage) = row(&HashModel::new(dimension).unwrap(), &text);
        let square = sluice_vector::dot(&row, &row);
        // Features of opposite signs may cancel out, but only where few elements hold them.
        prop_assert!((square - 1.0).abs() < 1e-6 || (square == 0.0 && (coverage.tokens == 0 || dimension < 64)));
    }

    #[test]
    fn the_order_of_words_does_not_count(words in proptest::collection::vec("[a-zé漢]{1,8}", 0..12)) {
        let model = HashModel::new(HashModel::DIMENSION).unwrap();
        let reversed: Vec<String> = words.iter().rev().cloned().collect();
        prop_assert_eq!(row(&model, &words.join(" ")), row(&model, &reversed.join(" ")));
    }
}
