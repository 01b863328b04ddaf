//! How typical rows are, checked against the definition, and which few of them stand for all.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use proptest::prelude::{Strategy as Generator, *};
use sluice_rank::{
    CandidateLimit, Diversity, Fitted, RankError, Representatives, Rows, Strategy, Wanted, representatives,
    typicality,
};
use sluice_vector::{Dimension, dot, normalize};

const EAST: [f32; 2] = [1.0, 0.0];
const NORTH: [f32; 2] = [0.0, 1.0];
/// Its cosine with the east is 0.6, with the north 0.8.
const BETWEEN: [f32; 2] = [0.6, 0.8];
const NOWHERE: [f32; 2] = [0.0, 0.0];

fn plane(flat: &[f32]) -> Rows<'_> {
    Rows::new(flat, Dimension::new(2).unwrap()).expect("whole rows")
}

fn scores(rows: &Rows<'_>, fitted: Fitted<'_>, neighbours: usize) -> Result<Vec<Option<f64>>, RankError> {
    typicality(rows, fitted, NonZeroUsize::new(neighbours).unwrap(), &|| false, &|_, _| ())
}

fn assert_scores(received: &[Option<f64>], expected: &[Option<f64>]) {
    let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-6,
        (a, b) => a == b,
    };
    assert!(
        received.len() == expected.len() && received.iter().zip(expected).all(near),
        "{received:?} is not {expected:?}"
    );
}

#[test]
fn a_row_is_as_typical_as_its_nearest_others_are_near() {
    let rows = [EAST, NORTH, BETWEEN, NOWHERE, EAST].concat();
    for (neighbours, expected) in [
        // A copy is a neighbour, a row itself is not, and who has no direction is near nothing.
        (1, [Some(1.0), Some(0.8), Some(0.8), None, Some(1.0)]),
        (2, [Some(0.8), Some(0.4), Some(0.7), None, Some(0.8)]),
        // Where there are fewer, all are averaged.
        (100, [Some(1.6 / 3.0), Some(0.8 / 3.0), Some(2.0 / 3.0), None, Some(1.6 / 3.0)]),
    ] {
        assert_scores(&scores(&plane(&rows), Fitted::Themselves, neighbours).unwrap(), &expected);
    }
}

#[test]
fn among_others_every_row_counts_and_an_equal_one_too() {
    let fitted = [NOWHERE, EAST].concat();
    let rows = [EAST, NORTH, NOWHERE].concat();
    let fitted = plane(&fitted);
    let among = scores(&plane(&rows), Fitted::Others(&fitted), 3).unwrap();
    assert_scores(&among, &[Some(1.0), Some(0.0), None]);
}

#[test]
fn without_a_neighbour_there_is_no_score() {
    let (one, none) = (EAST.to_vec(), NOWHERE.to_vec());
    assert_eq!(scores(&plane(&one), Fitted::Themselves, 5).unwrap(), [None]);
    assert_eq!(scores(&plane(&one), Fitted::Others(&plane(&none)), 5).unwrap(), [None]);
    assert_eq!(scores(&plane(&[]), Fitted::Themselves, 5).unwrap(), []);
    assert!(plane(&[]).is_empty() && !plane(&none).is_empty());
}

#[test]
fn rows_that_cannot_be_compared_are_refused() {
    let space = [0.0, 0.0, 1.0];
    let space = Rows::new(&space, Dimension::new(3).unwrap()).unwrap();
    let east = EAST.to_vec();
    let long = [3.0, 4.0];
    let code = |received: Result<Vec<Option<f64>>, RankError>| received.unwrap_err().code();
    assert_eq!(
        scores(&plane(&east), Fitted::Others(&space), 1),
        Err(RankError::Dimension { expected: 3, received: 2 })
    );
    assert_eq!(code(scores(&plane(&long), Fitted::Others(&plane(&east)), 1)), "VECTOR_NOT_UNIT");
    assert_eq!(code(scores(&plane(&east), Fitted::Others(&plane(&long)), 1)), "VECTOR_NOT_UNIT");
    assert_eq!(Rows::new(&east[..1], Dimension::new(2).unwrap()).unwrap_err().code(), "VECTOR_RAGGED");
    let received = representatives(&plane(&east), &[], wanted(1, 1), &|| false);
    assert_eq!(received, Err(RankError::Shape { expected: 1, received: 0 }));
}

#[test]
fn a_search_says_how_far_it_is_and_can_be_stopped() {
    let rows = EAST.repeat(5000);
    let heard = Mutex::new(Vec::new());
    let hear = |done, total| heard.lock().unwrap().push((done, total));
    let one = NonZeroUsize::MIN;
    typicality(&plane(&rows), Fitted::Themselves, one, &|| false, &hear).unwrap();
    assert_eq!(*heard.lock().unwrap(), [(0, 5000), (4096, 5000)]);
    let stopped = typicality(&plane(&rows), Fitted::Themselves, one, &|| true, &hear);
    assert_eq!(stopped, Err(RankError::Cancelled));
}

fn wanted(count: usize, limit: usize) -> Wanted {
    let diversity = Diversity::new(0.9).unwrap();
    Wanted { count, strategy: Strategy::Mmr, diversity, limit: CandidateLimit::Fixed(limit) }
}

#[test]
fn representatives_are_typical_first_and_then_unlike() {
    let rows = [NOWHERE, EAST, EAST, NORTH, BETWEEN].concat();
    let typicality = [None, Some(0.8), Some(0.9), Some(0.2), Some(0.3)];
    for (count, limit, picked, passed) in [
        (2, 100, vec![2, 3], vec![1, 4]),
        // The north is not typical enough to be a candidate; then the row between is the most unlike.
        (2, 3, vec![2, 4], vec![1]),
        (9, 100, vec![2, 3, 4, 1], vec![]),
        (0, 2, vec![], vec![2, 1]),
        (3, 0, vec![], vec![]),
    ] {
        let found = representatives(&plane(&rows), &typicality, wanted(count, limit), &|| false).unwrap();
        let rows: Vec<u32> = found.picked.iter().map(|pick| pick.candidate).collect();
        assert_eq!((rows, found.passed), (picked, passed), "{count} of {limit}");
    }
    let none = representatives(&plane(&[]), &[], wanted(3, 3), &|| false).unwrap();
    assert_eq!(none, Representatives::default());
}

/// Rows of three dimensions, some without a direction, and some twice.
fn rows(most: usize) -> impl Generator<Value = Vec<f32>> {
    let row = prop::sample::select(vec![-2.0_f32, -1.0, 0.0, 0.0, 1.0, 3.0]);
    prop::collection::vec(prop::array::uniform3(row), 0..most).prop_map(|mut rows| {
        for row in &mut rows {
            let _ = normalize(row, 0);
        }
        rows.concat()
    })
}

/// The definition: the mean of the highest cosines.
fn defined(
    row: &[f32],
    others: impl Iterator<Item = usize>,
    fitted: &[f32],
    neighbours: usize,
) -> Option<f64> {
    let has_direction = |row: &[f32]| row.iter().any(|&x| x != 0.0);
    let others = others.map(|at| &fitted[3 * at..][..3]).filter(|other| has_direction(other));
    let mut cosines: Vec<f64> = others.map(|other| dot(row, other)).collect();
    cosines.sort_by(|a, b| b.total_cmp(a));
    cosines.truncate(neighbours);
    let mean = (cosines.iter().sum::<f64>() / cosines.len() as f64).min(1.0);
    (has_direction(row) && !cosines.is_empty()).then_some(mean)
}

proptest! {
    #[test]
    fn typicality_is_the_mean_of_the_highest_cosines(asked in rows(40), fitted in rows(40), neighbours in 1_usize..50) {
        let space = Dimension::new(3).unwrap();
        let (own, others) = (Rows::new(&asked, space).unwrap(), Rows::new(&fitted, space).unwrap());
        let among_others = scores(&own, Fitted::Others(&others), neighbours).unwrap();
        let among_themselves = scores(&own, Fitted::Themselves, neighbours).unwrap();
        for at in 0..own.len() {
            let row = &asked[3 * at..][..3];
            prop_assert_eq!(among_others[at], defined(row, 0..others.len(), &fitted, neighbours));
            let without_itself = (0..own.len()).filter(|&other| other != at);
            prop_assert_eq!(among_themselves[at], defined(row, without_itself, &asked, neighbours));
        }
    }

    #[test]
    fn every_candidate_is_picked_or_passed_and_none_left_out_is_more_typical(
        flat in rows(40),
        count in 0_usize..12,
        limit in 0_usize..30,
    ) {
        let rows = Rows::new(&flat, Dimension::new(3).unwrap()).unwrap();
        let typical = scores(&rows, Fitted::Themselves, 3).unwrap();
        let Representatives { picked, passed } =
            representatives(&rows, &typical, wanted(count, limit), &|| false).unwrap();
        let candidates: Vec<u32> =
            picked.iter().map(|pick| pick.candidate).chain(passed.iter().copied()).collect();
        let score = |row: u32| typical[row as usize].expect("candidates have a score");
        let least = candidates.iter().map(|&row| score(row)).fold(f64::INFINITY, f64::min);
        let left_out = |row: &u32| !candidates.contains(row);
        let most = (0..rows.len() as u32).filter(left_out).filter_map(|row| typical[row as usize]);
        prop_assert!(most.fold(f64::NEG_INFINITY, f64::max) <= least);
        prop_assert_eq!(candidates.len(), limit.min(typical.iter().flatten().count()));
        prop_assert_eq!(picked.len(), count.min(candidates.len()));
        prop_assert!(passed.is_sorted_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)).is_lt()));
    }
}
