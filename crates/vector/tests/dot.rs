//! The canonical dot product: one definition, the same bits with every instruction set.

use proptest::prelude::*;
use sluice_vector::{Instructions, dot};

/// The definition: products in `f64`, lane `i % 16` in order, halves onto halves.
fn definition(a: &[f32], b: &[f32]) -> f64 {
    lanes_of(a, b, |a, b| a * b)
}

/// The same with the squares of differences.
fn distance_definition(a: &[f32], b: &[f32]) -> f64 {
    lanes_of(a, b, |a, b| (a - b) * (a - b))
}

fn lanes_of(a: &[f32], b: &[f32], of: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [0.0_f64; 16];
    for (position, (&a, &b)) in a.iter().zip(b).enumerate() {
        lanes[position % 16] += of(f64::from(a), f64::from(b));
    }
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
    }
    lanes[0]
}

/// Finite numbers of every size, subnormal and largest included.
fn component() -> impl Strategy<Value = f32> {
    prop_oneof![-1.0_f32..1.0, any::<f32>().prop_filter("finite", |number| number.is_finite())]
}

proptest! {
    #[test]
    fn every_instruction_set_gives_the_bits_of_the_definition(
        pairs in prop::collection::vec((component(), component()), 0..300)
    ) {
        let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let expected = definition(&a, &b);
        prop_assert_eq!(dot(&a, &b).to_bits(), expected.to_bits());
        prop_assert_eq!(dot(&b, &a).to_bits(), expected.to_bits());
        for instructions in Instructions::available() {
            prop_assert_eq!(instructions.dot(&a, &b).to_bits(), expected.to_bits(), "{}", instructions.name());
        }
    }

    #[test]
    fn every_instruction_set_gives_the_bits_of_the_squared_distance(
        pairs in prop::collection::vec((component(), component()), 0..300)
    ) {
        let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let expected = distance_definition(&a, &b);
        for instructions in Instructions::available() {
            let name = instructions.name();
            prop_assert_eq!(instructions.squared_distance(&a, &b).to_bits(), expected.to_bits(), "{}", name);
            prop_assert_eq!(instructions.squared_distance(&b, &a).to_bits(), expected.to_bits(), "{}", name);
            prop_assert_eq!(instructions.squared_distance(&a, &a).to_bits(), 0.0_f64.to_bits(), "{}", name);
        }
    }
}

#[test]
fn the_portable_set_is_always_there_and_the_detected_one_is_the_last() {
    let available = Instructions::available();
    assert_eq!(available.first(), Some(&Instructions::SCALAR));
    assert_eq!(available.last(), Some(&Instructions::detect()));
}
