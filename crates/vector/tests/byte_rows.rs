//! Rows in bytes: the same similarity with every instruction set, and never further from the score than the margin.

#[allow(dead_code)] // joins are for other tests
mod support;

use proptest::prelude::*;
use sluice_vector::{ByteRows, Dimension, Instructions, Matrix, VectorError, dot};
use support::rows;

fn coded(rows: &Matrix, instructions: Instructions) -> ByteRows {
    let mut coded = ByteRows::new(rows.dimension(), instructions);
    rows.rows().for_each(|row| coded.append(row).expect("a unit row"));
    coded
}

proptest! {
    #[test]
    fn a_similarity_has_the_same_bits_with_every_set_and_is_within_the_margin(rows in (1_usize..300).prop_flat_map(|n| rows(n, 1..30))) {
        let positions: Vec<u32> = (0..rows.len() as u32).rev().collect();
        let scalar = coded(&rows, Instructions::SCALAR);
        let (mut expected, mut received) = (Vec::new(), Vec::new());
        for (place, row) in rows.rows().enumerate() {
            let query = scalar.query(row).expect("a unit row");
            scalar.similarities(query.as_row(), &positions, &mut expected);
            for (&position, &similarity) in positions.iter().zip(&expected) {
                let missed = (f64::from(similarity) - dot(row, rows.row(position as usize))).abs();
                prop_assert!(missed <= scalar.margin(&query), "{} of {}", missed, scalar.margin(&query));
            }
            for instructions in Instructions::available() {
                let rows = coded(&rows, instructions);
                rows.similarities(query.as_row(), &positions, &mut received);
                prop_assert_eq!(&received, &expected, "{}", instructions.name());
                rows.similarities(rows.row(place as u32), &positions, &mut received);
                prop_assert_eq!(&received, &expected, "{}", instructions.name());
                for (&position, &similarity) in positions.iter().zip(&expected) {
                    rows.similarities(rows.row(position), &[place as u32], &mut received);
                    prop_assert_eq!(received[0].to_bits(), similarity.to_bits(), "exchanged");
                }
            }
        }
    }

    #[test]
    fn a_row_that_another_answers_for_is_within_the_margin(
        rows in (1_usize..100).prop_flat_map(|n| rows(n, 1..20)), steps in prop::collection::vec(-1e-3_f32..1e-3, 100),
    ) {
        for row in rows.rows() {
            let mut near: Vec<f32> = row.iter().zip(&steps).map(|(component, step)| component + step).collect();
            prop_assume!(sluice_vector::normalize(&mut near, 0).is_ok());
            let mut one = coded(&Matrix::from_flat(row.to_vec(), rows.dimension()).expect("a row"), Instructions::SCALAR);
            let other = one.query(&near).expect("a unit row");
            if !other.as_row().has_codes_of(one.row(0)) {
                continue;
            }
            prop_assert_eq!(other.as_row().codes_hash(), one.row(0).codes_hash());
            one.share(0, &other);
            let mut similarities = Vec::new();
            for query in rows.rows() {
                let asked = one.query(query).expect("a unit row");
                one.similarities(asked.as_row(), &[0], &mut similarities);
                prop_assert!((f64::from(similarities[0]) - dot(query, &near)).abs() <= one.margin(&asked));
            }
        }
    }
}

#[test]
fn the_longest_row_of_equal_components_does_not_overflow() {
    let width = Dimension::MAX;
    let component = 1.0 / (width as f32).sqrt();
    let flat = [vec![component; width], vec![-component; width]].concat();
    let rows = Matrix::from_flat(flat, Dimension::new(width).expect("in range")).expect("whole rows");
    for instructions in Instructions::available() {
        let rows = coded(&rows, instructions);
        let mut similarities = Vec::new();
        rows.similarities(rows.row(0), &[0, 1], &mut similarities);
        assert!(
            (similarities[0] - 1.0).abs() < 1e-3 && (similarities[1] + 1.0).abs() < 1e-3,
            "{similarities:?}"
        );
    }
}

#[test]
fn a_row_that_is_not_of_length_one_is_refused_and_not_kept() {
    let mut rows = ByteRows::new(Dimension::new(2).expect("in range"), Instructions::detect());
    for row in [&[1.0, 1.0][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[1.0]] {
        assert!(rows.append(row).is_err(), "{row:?}");
        assert!(rows.query(row).is_err(), "{row:?}");
    }
    assert!(matches!(rows.append(&[1.0]), Err(VectorError::Dimension { .. })));
    assert!(rows.is_empty());
}
