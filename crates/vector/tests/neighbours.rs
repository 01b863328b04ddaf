//! The nearest targets are those of brute force, in one order, with every instruction set.

mod support;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use sluice_vector::{
    Admitted, CosineJoin, Dimension, Instructions, Matrix, Neighbour, Own, VectorError, dot, mean_score,
};
use support::{join, rows};

fn count(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("not zero")
}

fn brute_force(queries: &Matrix, targets: &Matrix, count: usize, own: Own) -> Vec<Vec<Neighbour>> {
    let all = |(query, a): (usize, &[f32])| {
        let mut all: Vec<Neighbour> = (0..)
            .zip(targets.rows())
            .filter(|(target, _)| match own {
                Own::Counted => true,
                Own::Skipped { first } => *target != first + query as u32,
            })
            .map(|(target, b)| Neighbour { target, score: dot(a, b) })
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.target.cmp(&b.target)));
        all.truncate(count);
        all
    };
    queries.rows().enumerate().map(all).collect()
}

proptest! {
    #[test]
    fn the_nearest_are_those_of_brute_force(
        (queries, targets) in (1_usize..40).prop_flat_map(|n| (rows(n, 0..40), rows(n, 0..140))),
        wanted in 1_usize..160,
    ) {
        let expected = brute_force(&queries, &targets, wanted, Own::Counted);
        for instructions in Instructions::available() {
            let found = join(&targets, instructions)
                .nearest(queries.as_flat(), count(wanted), Own::Counted, &|| false, <[Neighbour]>::to_vec)
                .expect("unit rows");
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn a_row_is_not_its_own_neighbour_but_its_copies_are(rows in rows(5, 1..150), wanted in 1_usize..12) {
        let join = join(&rows, Instructions::detect());
        let own = Own::Skipped { first: 0 };
        let found = join
            .nearest(rows.as_flat(), count(wanted), own, &|| false, <[Neighbour]>::to_vec)
            .expect("unit rows");
        prop_assert_eq!(&found, &brute_force(&rows, &rows, wanted, own));

        // In two calls it is the same.
        let middle = rows.len() / 2;
        let mut halves = Vec::new();
        for (first, half) in [(0, &rows.as_flat()[..middle * 5]), (middle, &rows.as_flat()[middle * 5..])] {
            let own = Own::Skipped { first: first as u32 };
            halves.extend(
                join.nearest(half, count(wanted), own, &|| false, <[Neighbour]>::to_vec).expect("unit rows"),
            );
        }
        prop_assert_eq!(halves, found);
    }

    #[test]
    fn the_nearest_among_some_are_those_of_brute_force_over_them_also_when_gathered(
        (queries, targets) in (1_usize..40).prop_flat_map(|n| (rows(n, 0..40), rows(n, 1..140))),
        wanted in 1_usize..160,
        picks in prop::collection::vec(any::<bool>(), 140),
    ) {
        let picked: Vec<u32> = (0..targets.len() as u32).filter(|&target| picks[target as usize]).collect();
        let mut expected = brute_force(&queries, &targets, targets.len(), Own::Counted);
        for all in &mut expected {
            all.retain(|near| picks[near.target as usize]);
            for near in &mut *all {
                near.score = near.score.clamp(-1.0, 1.0);
            }
            all.sort();
            all.truncate(wanted);
        }
        for instructions in Instructions::available() {
            let join = join(&targets, instructions);
            let nearest = |join: &CosineJoin, admitted: Admitted| {
                join.nearest_among(queries.as_flat(), count(wanted), &admitted, &|| false).expect("unit rows")
            };
            prop_assert_eq!(&nearest(&join, picked.iter().copied().collect()), &expected);
            let gathered = join.gather(picked.iter().copied());
            let mut found = nearest(&gathered, (0..picked.len() as u32).collect());
            found.iter_mut().flatten().for_each(|near| near.target = picked[near.target as usize]);
            prop_assert_eq!(&found, &expected);
        }
    }
}

#[test]
fn the_size_of_the_pool_changes_nothing() {
    let dimension = Dimension::new(3).expect("in range");
    let angles = (0..700).map(|step| f64::from(step * step % 997) / 100.0);
    let flat = angles.flat_map(|angle| [angle.cos(), angle.sin(), 0.3].map(|component| component as f32));
    let mut rows = Matrix::from_flat(flat.collect(), dimension).expect("whole rows");
    rows.normalize().expect("no zero row");
    let join = join(&rows, Instructions::detect());
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            join.nearest(rows.as_flat(), count(100), Own::Skipped { first: 0 }, &|| false, mean_score)
        })
        .expect("unit rows")
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn the_mean_of_nothing_is_nothing_and_the_mean_of_copies_is_at_most_one() {
    assert_eq!(mean_score(&[]), None);
    let near = |score| Neighbour { target: 0, score };
    assert_eq!(mean_score(&[near(0.5), near(0.25)]), Some(0.375));
    assert_eq!(mean_score(&[near(1.000_000_1)]), Some(1.0));
}

#[test]
fn bad_queries_and_a_cancelled_search_are_refused() {
    let dimension = Dimension::new(2).expect("in range");
    let mut join = CosineJoin::new(dimension, Instructions::detect());
    join.append(&[1.0, 0.0]).expect("a unit row");
    let ask = |queries: &[f32], cancelled: &(dyn Fn() -> bool + Sync)| {
        join.nearest(queries, count(1), Own::Counted, cancelled, mean_score)
    };
    assert_eq!(ask(&[1.0], &|| false), Err(VectorError::Ragged { expected: 2, received: 1 }));
    assert_eq!(ask(&[0.0, 1.0, 0.0, 0.0], &|| false), Err(VectorError::ZeroVector { row: 1 }));
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) == 0;
    assert_eq!(ask(&[0.0, 1.0], &cancelled), Err(VectorError::Cancelled));
}
