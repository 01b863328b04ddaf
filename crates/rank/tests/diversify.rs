//! Every strategy picks what its definition says, checked against the definition computed anew at every step.

use proptest::prelude::{Strategy as Generator, *};
use sluice_rank::{Candidates, Diversity, Pick, RankError, Strategy, diversify};
use sluice_vector::{Dimension, dot, normalize};

const STRATEGIES: [Strategy; 5] =
    [Strategy::Mmr, Strategy::Msd, Strategy::Cover, Strategy::Dpp, Strategy::Ssd];

/// Unit rows and their relevances.
#[derive(Clone, Debug)]
struct Given {
    width: usize,
    rows: Vec<f32>,
    relevance: Vec<f64>,
}

impl Given {
    fn row(&self, candidate: usize) -> &[f32] {
        &self.rows[candidate * self.width..][..self.width]
    }

    fn similarity(&self, a: usize, b: usize) -> f64 {
        dot(self.row(a), self.row(b))
    }

    fn standard(&self) -> Vec<f64> {
        let count = self.relevance.len() as f64;
        let mean = self.relevance.iter().sum::<f64>() / count;
        let deviation = (self.relevance.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / count).sqrt();
        self.relevance.iter().map(|r| if deviation > 0.0 { (r - mean) / deviation } else { 0.0 }).collect()
    }

    /// What `candidate` would gain, straight from the definition.
    fn gain(&self, strategy: Strategy, diversity: f64, picked: &[usize], candidate: usize) -> f64 {
        let weighed = |relevance: f64, other: f64| (1.0 - diversity) * relevance + diversity * other;
        let relevance = self.relevance[candidate];
        match strategy {
            _ if diversity == 0.0 => relevance,
            Strategy::Mmr => {
                let nearest = picked.iter().map(|&p| self.similarity(candidate, p).clamp(0.0, 1.0));
                weighed(relevance, -nearest.fold(0.0, f64::max))
            }
            Strategy::Msd => {
                let far: f64 =
                    picked.iter().map(|&p| 1.0 - self.similarity(candidate, p).clamp(-1.0, 1.0)).sum();
                weighed(relevance, far)
            }
            Strategy::Cover => {
                let worth = |picks: &[usize]| -> f64 {
                    let covered = |i: usize| -> f64 {
                        picks.iter().map(|&p| self.similarity(i, p).clamp(0.0, 1.0)).sum()
                    };
                    (0..self.relevance.len()).map(|i| covered(i).sqrt()).sum()
                };
                weighed(relevance, worth(&[picked, &[candidate]].concat()) - worth(picked))
            }
            Strategy::Dpp => {
                let weight = ((1.0 - diversity) * self.standard()[candidate]).exp();
                weight * weight * self.unexplained(picked, candidate, 0.0)
            }
            Strategy::Ssd => {
                weighed(self.standard()[candidate], self.unexplained(picked, candidate, 1.0).sqrt())
            }
        }
    }

    /// The ratio of two Gram determinants, by elimination: the squared residual of the candidate.
    fn unexplained(&self, picked: &[usize], candidate: usize, bias: f64) -> f64 {
        let all = [picked, &[candidate]].concat();
        let entry = |&a: &usize, &b: &usize| {
            if a == b { 1.0 + bias } else { self.similarity(a, b) + bias * bias }
        };
        let mut gram: Vec<Vec<f64>> = all.iter().map(|a| all.iter().map(|b| entry(a, b)).collect()).collect();
        let last = all.len() - 1;
        for pivot in 0..last {
            let (above, below) = gram.split_at_mut(pivot + 1);
            for row in below {
                let factor = row[pivot] / above[pivot][pivot];
                row.iter_mut().zip(&above[pivot]).for_each(|(entry, head)| *entry -= factor * head);
            }
        }
        gram[last][last].max(0.0)
    }
}

fn pick(given: &Given, strategy: Strategy, diversity: f64, count: usize) -> Vec<Pick> {
    let dimension = Dimension::new(given.width).expect("in range");
    let candidates = Candidates::new(&given.rows, dimension, &given.relevance).expect("unit rows");
    let diversity = Diversity::new(diversity).expect("between 0 and 1");
    diversify(&candidates, strategy, diversity, count, &|| false).expect("not cancelled")
}

fn given(count: std::ops::Range<usize>) -> impl Generator<Value = Given> {
    // More components than picks, so that no residual is nothing but rounding.
    let candidate = (prop::collection::vec(-1.0_f32..1.0, 12), -1.0_f64..1.0);
    prop::collection::vec(candidate, count).prop_filter_map("a direction", |candidates| {
        let mut given = Given { width: 12, rows: Vec::new(), relevance: Vec::new() };
        for (mut row, relevance) in candidates {
            normalize(&mut row, 0).ok()?;
            given.rows.extend(row);
            given.relevance.push(relevance);
        }
        Some(given)
    })
}

proptest! {
    #[test]
    fn every_pick_is_the_best_by_definition(
        given in given(1..20),
        strategy in prop::sample::select(&STRATEGIES[..]),
        diversity in prop::sample::select(&[0.0, 0.25, 0.5, 1.0][..]),
        count in 0_usize..8,
    ) {
        let picks = pick(&given, strategy, diversity, count);
        prop_assert_eq!(picks.len(), count.min(given.relevance.len()));
        let mut picked: Vec<usize> = Vec::new();
        for Pick { candidate, gain } in picks {
            let candidate = candidate as usize;
            prop_assert!(!picked.contains(&candidate));
            let expected = given.gain(strategy, diversity, &picked, candidate);
            prop_assert!((gain - expected).abs() < 1e-5, "{strategy:?} gains {gain}, not {expected}");
            for other in (0..given.relevance.len()).filter(|other| !picked.contains(other)) {
                prop_assert!(given.gain(strategy, diversity, &picked, other) <= expected + 1e-5);
            }
            picked.push(candidate);
        }
    }
}

#[test]
fn without_diversity_every_strategy_is_the_ranking() {
    let given = Given {
        width: 2,
        rows: [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [1.0, 0.0]].concat(),
        relevance: vec![0.2, 0.9, 0.2, 0.4],
    };
    for strategy in STRATEGIES {
        let order: Vec<u32> = pick(&given, strategy, 0.0, 9).iter().map(|pick| pick.candidate).collect();
        assert_eq!(order, [1, 3, 0, 2], "{strategy:?}");
    }
}

#[test]
fn copies_are_picked_last_and_by_position_and_the_first_pick_is_the_most_relevant() {
    let given = Given {
        width: 2,
        rows: [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]].concat(),
        relevance: vec![0.5, 0.5, 0.5, 0.5],
    };
    for strategy in [Strategy::Mmr, Strategy::Msd, Strategy::Dpp, Strategy::Ssd] {
        let order: Vec<u32> = pick(&given, strategy, 0.5, 4).iter().map(|pick| pick.candidate).collect();
        assert_eq!(order, [0, 3, 1, 2], "{strategy:?}");
    }
    let relevant_last = Given { relevance: vec![0.1, 0.2, 0.3, 0.4], ..given };
    for strategy in [Strategy::Mmr, Strategy::Msd, Strategy::Dpp, Strategy::Ssd] {
        assert_eq!(pick(&relevant_last, strategy, 1.0, 1)[0].candidate, 3, "{strategy:?}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let dimension = Dimension::new(2).expect("in range");
    let refused = |rows: &[f32], relevance: &[f64]| Candidates::new(rows, dimension, relevance).err();
    assert_eq!(refused(&[1.0], &[0.5]), Some(RankError::Shape { expected: 2, received: 1 }));
    assert_eq!(refused(&[1.0, 0.0, 2.0, 0.0], &[0.5, 0.5]), Some(RankError::NotUnit { position: 1 }));
    assert_eq!(refused(&[f32::NAN, 0.0], &[0.5]), Some(RankError::NotUnit { position: 0 }));
    assert_eq!(refused(&[1.0, 0.0], &[f64::NAN]), Some(RankError::NotFinite { position: 0 }));
    assert!(matches!(Diversity::new(1.5), Err(RankError::ShareOutOfRange { option: "a diversity", .. })));
    let candidates = Candidates::new(&[1.0, 0.0], dimension, &[0.5]).expect("one unit row");
    for strategy in STRATEGIES {
        let diversity = Diversity::new(0.5).expect("in range");
        assert_eq!(diversify(&candidates, strategy, diversity, 1, &|| true), Err(RankError::Cancelled));
    }
}

#[test]
fn cover_refuses_more_candidates_than_it_can_hold_pairs_of() {
    let count = 10_001;
    let (rows, relevance) = (vec![1.0; count], vec![0.5; count]);
    let dimension = Dimension::new(1).expect("in range");
    let candidates = Candidates::new(&rows, dimension, &relevance).expect("unit rows");
    let diversity = Diversity::new(0.5).expect("in range");
    let ask = |strategy| diversify(&candidates, strategy, diversity, 2, &|| false);
    let refused = RankError::TooManyCandidates { expected: 10_000, received: count };
    assert_eq!(ask(Strategy::Cover), Err(refused));
    assert_eq!(ask(Strategy::Mmr).map(|picks| picks.len()), Ok(2));
}
