//! What a row must be: its dimension, finite, with a direction; and what `normalize` makes of it.

use proptest::prelude::*;
use sluice_vector::{Dimension, Matrix, VectorError, dot, normalize};

#[test]
fn a_dimension_is_between_one_and_its_maximum() {
    for (components, accepted) in [(0, false), (1, true), (256, true), (65_536, true), (65_537, false)] {
        match Dimension::new(components) {
            Ok(dimension) => assert!(accepted && dimension.get() == components),
            Err(error) => {
                assert!(!accepted);
                assert_eq!(
                    error,
                    VectorError::DimensionOutOfRange { expected: 65_536, received: components }
                );
            }
        }
    }
}

#[test]
fn a_row_without_a_direction_is_refused_by_position_and_left_alone() {
    let nan = f32::NAN;
    let cases = [
        (vec![0.0, -0.0, 0.0], VectorError::ZeroVector { row: 7 }),
        (vec![], VectorError::ZeroVector { row: 7 }),
        (vec![1.0, nan, f32::INFINITY], VectorError::NotFinite { row: 7, column: 1 }),
        (vec![0.0, 0.0, f32::NEG_INFINITY], VectorError::NotFinite { row: 7, column: 2 }),
    ];
    for (row, expected) in cases {
        let mut copy = row.clone();
        assert_eq!(normalize(&mut copy, 7), Err(expected));
        assert_eq!(
            copy.iter().map(|c| c.to_bits()).collect::<Vec<_>>(),
            row.iter().map(|c| c.to_bits()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn the_largest_and_the_smallest_numbers_have_a_length() {
    let smallest = f32::from_bits(1);
    for size in [f32::MAX, f32::MIN_POSITIVE, smallest, 1.0] {
        let mut row = vec![size; 4];
        normalize(&mut row, 0).expect("a direction");
        assert_eq!(row, [0.5; 4], "{size}");
    }
}

#[test]
fn a_matrix_is_whole_rows_of_finite_numbers() {
    let two = Dimension::new(2).expect("in range");
    let flat = |flat: &[f32]| Matrix::from_flat(flat.to_vec(), two);
    assert_eq!(flat(&[1.0, 2.0, 3.0]), Err(VectorError::Ragged { expected: 2, received: 3 }));
    assert_eq!(flat(&[1.0, 2.0, f32::NAN, 3.0]), Err(VectorError::NotFinite { row: 1, column: 0 }));
    assert!(flat(&[]).expect("no rows is fine").is_empty());

    let mut matrix = flat(&[3.0, 4.0]).expect("finite");
    assert_eq!(matrix.push(&[1.0]), Err(VectorError::Dimension { row: 1, expected: 2, received: 1 }));
    assert_eq!(matrix.push(&[1.0, f32::INFINITY]), Err(VectorError::NotFinite { row: 1, column: 1 }));
    matrix.push(&[0.0, 0.0]).expect("finite");
    assert_eq!(matrix.normalize(), Err(VectorError::ZeroVector { row: 1 }));
    assert_eq!(matrix.rows().collect::<Vec<_>>(), [[0.6, 0.8], [0.0, 0.0]]);
    assert_eq!((matrix.len(), matrix.row(0)), (2, &[0.6, 0.8][..]));
}

proptest! {
    #[test]
    fn a_normalized_row_has_length_one_and_the_direction_it_had(
        row in prop::collection::vec(-1e3_f32..1e3, 1..300)
    ) {
        let mut unit = row.clone();
        if normalize(&mut unit, 0).is_ok() {
            prop_assert!((dot(&unit, &unit) - 1.0).abs() <= 1.2e-7);
            let cosine = dot(&unit, &row) / dot(&row, &row).sqrt();
            prop_assert!((cosine - 1.0).abs() <= 1.2e-7);
        }
    }
}
