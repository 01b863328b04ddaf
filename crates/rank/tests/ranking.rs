//! What is in order, what falls off the end, and how many from the top are candidates.

use proptest::prelude::*;
use sluice_rank::{CandidateLimit, Outliers, RankError, Share, outliers, ranking};

fn share(share: f64) -> Share {
    Share::new(share).expect("between 0 and 1")
}

#[test]
fn a_ranking_goes_down_ties_by_position_and_ends_with_those_without_a_score() {
    assert_eq!(ranking(&[None, Some(0.2), Some(0.9), None, Some(0.2), Some(-1.0)]), [2, 1, 4, 5, 0, 3]);
}

#[test]
fn a_share_is_rounded_up_but_not_by_the_binary_rest_of_a_decimal() {
    for (of, total, expected) in
        [(0.1, 1, 1), (0.1, 10, 1), (0.1, 11, 2), (0.1, 70, 7), (0.0, 9, 0), (1.0, 9, 9), (0.3, 0, 0)]
    {
        assert_eq!(share(of).of(total), expected, "{of} of {total}");
    }
    for refused in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(Share::new(refused), Err(RankError::ShareOutOfRange { option: "a share", .. })));
    }
}

#[test]
fn outliers_are_the_lowest_and_those_without_a_score_go_first() {
    let scores = [Some(0.5), None, Some(0.9), Some(0.1), Some(0.5)];
    for (part, expected) in
        [(0.2, vec![1]), (0.4, vec![1, 3]), (0.6, vec![1, 3, 4]), (1.0, vec![0, 1, 2, 3, 4])]
    {
        assert_eq!(outliers(&scores, share(part)).outliers, expected, "{part}");
    }
    // One record has no neighbour, hence no score: there is nothing to judge it by.
    let alone = Outliers { inliers: vec![0], outliers: vec![] };
    assert_eq!(outliers(&[None], share(0.1)), alone);
    assert_eq!(outliers(&[], share(1.0)), Outliers::default());
}

#[test]
fn candidates_are_a_tenth_within_bounds_and_never_fewer_than_wanted() {
    for (limit, total, wanted, expected) in [
        (CandidateLimit::Automatic, 50, 10, 50),
        (CandidateLimit::Automatic, 500, 10, 100),
        (CandidateLimit::Automatic, 5_000, 10, 500),
        (CandidateLimit::Automatic, 50_000, 10, 1_000),
        (CandidateLimit::Automatic, 50_000, 3_000, 3_000),
        (CandidateLimit::Fixed(7), 50_000, 10, 7),
        (CandidateLimit::Fixed(70), 50, 10, 50),
    ] {
        assert_eq!(limit.of(total, wanted), expected, "{limit:?} of {total}, {wanted} wanted");
    }
}

proptest! {
    #[test]
    fn both_sides_together_are_all_and_no_outlier_scores_more_than_an_inlier(
        scores in prop::collection::vec(prop::option::of(-1.0_f64..1.0), 0..60),
        part in 0.0_f64..=1.0,
    ) {
        let Outliers { inliers, outliers } = outliers(&scores, share(part));
        let mut all = [inliers.clone(), outliers.clone()].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..scores.len() as u32).collect::<Vec<_>>());
        let least = inliers.iter().map(|&at| scores[at as usize].unwrap_or(-2.0)).fold(2.0, f64::min);
        let most = outliers.iter().map(|&at| scores[at as usize].unwrap_or(-2.0)).fold(-2.0, f64::max);
        prop_assert!(outliers.is_empty() || inliers.is_empty() || least >= most);
    }
}
