//! Rows and joins for the tests of searches.

use proptest::prelude::*;
use sluice_vector::{CosineJoin, Dimension, Instructions, Matrix, normalize};

/// Unit rows: some anew, some copies, some a small step or the opposite of an earlier one, some with one
/// large component.
pub fn rows(dimension: usize, count: std::ops::Range<usize>) -> impl Strategy<Value = Matrix> {
    let row = (0..6_u8, any::<prop::sample::Index>(), prop::collection::vec(-1.0_f32..1.0, dimension));
    prop::collection::vec(row, count).prop_map(move |recipes| {
        let mut matrix = Matrix::new(Dimension::new(dimension).expect("in range"));
        for (kind, of, mut row) in recipes {
            if !matrix.is_empty() {
                let earlier = matrix.row(of.index(matrix.len()));
                let mix = |step: f32| earlier.iter().zip(&row).map(|(a, b)| a + step * b).collect();
                match kind {
                    0 => row = earlier.to_vec(),
                    1 => row = mix(0.01),
                    2 => row = mix(0.1),
                    3 => row = earlier.iter().map(|component| -component).collect(),
                    4 => row[0] = 50.0,
                    _ => {}
                }
            }
            if normalize(&mut row, 0).is_ok() {
                matrix.push(&row).expect("finite, of this dimension");
            }
        }
        matrix
    })
}

/// A join with these targets.
pub fn join(targets: &Matrix, instructions: Instructions) -> CosineJoin {
    let mut join = CosineJoin::new(targets.dimension(), instructions);
    targets.rows().for_each(|row| join.append(row).expect("a unit row"));
    join
}
