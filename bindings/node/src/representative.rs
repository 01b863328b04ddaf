//! How typical records are of a fitted set: the outliers among them, and the few that stand for all.
//!
//! The one idea: a class is as typical as the mean cosine to its nearest classes in the fitted set. Records of one
//! class share it; a record whose class has no vector, or no neighbour, has none. The ranking is the core's
//! (`sluice-rank`), the search too (`sluice-vector`); here they meet the records.

use std::num::NonZeroUsize;

use indexmap::IndexMap;
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;
use sluice_dedup::{Batch, Vectors};
use sluice_rank::{
    CandidateLimit, Candidates, Diversity, Outliers, Pick, Share, Strategy, diversify, outliers, ranking,
};
use sluice_vector::{CosineJoin, Instructions, Own, mean_score};

use crate::batch::{BatchState, NativeBatch};
use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::held::Held;
use crate::job;
use crate::reference::{NativeReference, ReferenceState};
use crate::rules::{named, positive};

/// Queries between two reports of progress.
const QUERIES: usize = 4096;

/// Which representatives are wanted.
#[napi(object)]
pub struct NativeRepresentativeRules {
    /// `mmr`, `msd`, `cover`, `dpp` or `ssd`.
    pub strategy: String,
    /// 0 to 1.
    pub diversity: f64,
    /// How many.
    pub count: u32,
    /// Best-ranked classes to pick from; absent for the automatic limit.
    pub candidate_limit: Option<u32>,
    /// Nearest classes that are averaged.
    pub neighbours: u32,
}

/// Both sides of the cut by position.
#[napi(object)]
pub struct NativeOutliers {
    /// Positions that stay.
    pub selected: Uint32Array,
    /// Positions of outliers.
    pub filtered: Uint32Array,
    /// The score of every record; NaN for one without.
    pub scores: Float64Array,
    /// The numbers of the stage.
    pub counts: IndexMap<String, f64>,
    /// Wall seconds of the steps.
    pub seconds: IndexMap<String, f64>,
}

/// Candidates by position, picked or passed over.
#[napi(object)]
pub struct NativeRepresentatives {
    /// Positions in the order in which they were picked.
    pub selected: Uint32Array,
    /// Their scores.
    pub selected_scores: Float64Array,
    /// What the strategy gave for each.
    pub gains: Float64Array,
    /// Positions of the other candidates, best first.
    pub filtered: Uint32Array,
    /// Their scores.
    pub filtered_scores: Float64Array,
    /// The numbers of the stage.
    pub counts: IndexMap<String, f64>,
    /// Wall seconds of the steps.
    pub seconds: IndexMap<String, f64>,
}

#[napi]
impl NativeReference {
    /// Finds the outliers among the items, or among the records of a batch.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeOutliers>")]
    pub fn outliers(
        &self,
        env: &Env,
        batch: Option<&NativeBatch>,
        share: f64,
        neighbours: u32,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let share = Share::new(share).map_err(Failure::from)?;
        let neighbours = positive(neighbours, "neighbours")?;
        let (reference, batch) = (self.state(), batch.map(NativeBatch::state));
        let signals = control.signals();
        let work = move || {
            let (counts, scores, cut) =
                with_ranking(&reference, batch.as_deref(), neighbours, &signals, |ranked| {
                    let scores = ranked.by_record();
                    let cut = outliers(&scores, share);
                    Ok((ranked.counts(), scores, cut))
                })?;
            signals.finish();
            Ok((counts, scores, cut, signals.seconds()))
        };
        job::spawn(env, threads, work, |(mut counts, scores, cut, seconds)| {
            let Outliers { inliers, outliers } = cut;
            counts.insert("selected".to_owned(), inliers.len() as f64);
            counts.insert("filtered".to_owned(), outliers.len() as f64);
            let scores: Vec<f64> = scores.into_iter().map(|score| score.unwrap_or(f64::NAN)).collect();
            NativeOutliers {
                selected: inliers.into(),
                filtered: outliers.into(),
                scores: scores.into(),
                counts,
                seconds,
            }
        })
    }

    /// Picks representatives of the items, or of the records of a batch: the first record of each class picked.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeRepresentatives>")]
    pub fn representatives(
        &self,
        env: &Env,
        batch: Option<&NativeBatch>,
        rules: NativeRepresentativeRules,
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let neighbours = positive(rules.neighbours, "neighbours")?;
        let wanted = Wanted::new(&rules)?;
        let (reference, batch) = (self.state(), batch.map(NativeBatch::state));
        let signals = control.signals();
        let work = move || {
            let (counts, picked) =
                with_ranking(&reference, batch.as_deref(), neighbours, &signals, |ranked| {
                    signals.report("diversify", 0, wanted.count as u64);
                    Ok((ranked.counts(), wanted.pick(ranked, &signals)?))
                })?;
            signals.finish();
            Ok((counts, picked, signals.seconds()))
        };
        job::spawn(env, threads, work, |(mut counts, picked, seconds)| {
            counts.insert("candidates".to_owned(), (picked.positions.len() + picked.passed.len()) as f64);
            counts.insert("selected".to_owned(), picked.positions.len() as f64);
            counts.insert("filtered".to_owned(), picked.passed.len() as f64);
            NativeRepresentatives {
                selected: picked.positions.into(),
                selected_scores: picked.scores.into(),
                gains: picked.gains.into(),
                filtered: picked.passed.into(),
                filtered_scores: picked.passed_scores.into(),
                counts,
                seconds,
            }
        })
    }
}

/// Ranks the items, or a batch, and hands the ranking on while both are held.
fn with_ranking<T>(
    reference: &Held<ReferenceState>,
    batch: Option<&Held<BatchState>>,
    neighbours: NonZeroUsize,
    signals: &Signals,
    then: impl FnOnce(&Ranked<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    reference.look(|reference| match batch {
        None => then(&Ranked::items(reference, neighbours, signals)?),
        Some(batch) => batch.look(|batch| then(&Ranked::batch(batch, reference, neighbours, signals)?)),
    })
}

/// Records, and how typical each of their classes is.
struct Ranked<'a> {
    batch: &'a Batch,
    rows: Rows<'a>,
    /// The score of each class; none without a vector or without a neighbour.
    scores: Vec<Option<f64>>,
}

impl<'a> Ranked<'a> {
    /// The items among themselves: a class is not its own neighbour.
    fn items(
        state: &'a ReferenceState,
        neighbours: NonZeroUsize,
        signals: &Signals,
    ) -> Result<Self, Failure> {
        let batch = state.reference.items();
        let rows = Rows::of(state.reference.vectors(), batch.classes());
        let scores = rows.scores(&rows, Queries::AreTargets, neighbours, batch.classes(), signals)?;
        Ok(Self { batch, rows, scores })
    }

    /// The records of a batch among the items.
    fn batch(
        state: &'a BatchState,
        reference: &ReferenceState,
        neighbours: NonZeroUsize,
        signals: &Signals,
    ) -> Result<Self, Failure> {
        let batch = &state.batch;
        let rows = Rows::of(state.vectors()?, batch.classes());
        let targets = Rows::of(reference.reference.vectors(), reference.reference.items().classes());
        let scores = rows.scores(&targets, Queries::AreOthers, neighbours, batch.classes(), signals)?;
        Ok(Self { batch, rows, scores })
    }

    /// The score of every record.
    fn by_record(&self) -> Vec<Option<f64>> {
        let score = |position| self.scores[self.batch.class_of(position)? as usize];
        (0..self.batch.records() as u32).map(score).collect()
    }

    fn counts(&self) -> IndexMap<String, f64> {
        let without = self.by_record().iter().filter(|score| score.is_none()).count();
        [("records", self.batch.records()), ("classes", self.batch.classes()), ("without_score", without)]
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count as f64))
            .collect()
    }
}

/// Whether queries are searched for among themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queries {
    AreTargets,
    AreOthers,
}

/// The classes that have a vector.
struct Rows<'a> {
    vectors: Option<Vectors<'a>>,
    /// Ascending.
    classes: Vec<u32>,
}

impl<'a> Rows<'a> {
    fn of(vectors: Option<Vectors<'a>>, classes: usize) -> Self {
        let has_row = |class: &u32| vectors.is_some_and(|vectors| vectors.of(*class).is_some());
        Self { vectors, classes: (0..classes as u32).filter(has_row).collect() }
    }

    /// The rows of some classes, one after the other.
    fn gather(&self, classes: &[u32]) -> Vec<f32> {
        let Some(vectors) = self.vectors else { return Vec::new() };
        classes.iter().filter_map(|class| vectors.of(*class)).flatten().copied().collect()
    }

    /// The mean cosine of every class to its nearest targets.
    fn scores(
        &self,
        targets: &Rows<'_>,
        queries: Queries,
        neighbours: NonZeroUsize,
        classes: usize,
        signals: &Signals,
    ) -> Result<Vec<Option<f64>>, Failure> {
        let mut scores = vec![None; classes];
        let (Some(own), Some(theirs)) = (self.vectors, targets.vectors) else { return Ok(scores) };
        if own.dimension() != theirs.dimension() {
            return Err(Failure {
                expected: Some(format!("{} components", theirs.dimension().get())),
                received: Some(format!("{} components", own.dimension().get())),
                ..Failure::new("DIMENSION_MISMATCH", "The batch and the reference have other dimensions.")
            });
        }
        let mut join = CosineJoin::new(theirs.dimension(), Instructions::detect());
        for row in targets.classes.iter().filter_map(|class| theirs.of(*class)) {
            join.append(row)?;
        }
        let total = self.classes.len() as u64;
        for (block, asked) in self.classes.chunks(QUERIES).enumerate() {
            let first = (block * QUERIES) as u32;
            signals.report("neighbours", first.into(), total);
            let own = match queries {
                Queries::AreTargets => Own::Skipped { first },
                Queries::AreOthers => Own::Counted,
            };
            let cancelled = || signals.cancelled();
            let means = join.nearest(&self.gather(asked), neighbours, own, &cancelled, mean_score)?;
            for (class, mean) in asked.iter().zip(means) {
                scores[*class as usize] = mean;
            }
        }
        Ok(scores)
    }
}

/// What is wanted of a ranking.
struct Wanted {
    strategy: Strategy,
    diversity: Diversity,
    count: usize,
    limit: CandidateLimit,
}

/// What was picked, and what was passed over.
#[derive(Default)]
struct Picked {
    positions: Vec<u32>,
    scores: Vec<f64>,
    gains: Vec<f64>,
    passed: Vec<u32>,
    passed_scores: Vec<f64>,
}

impl Wanted {
    fn new(rules: &NativeRepresentativeRules) -> Result<Self, Failure> {
        let strategies = [
            ("mmr", Strategy::Mmr),
            ("msd", Strategy::Msd),
            ("cover", Strategy::Cover),
            ("dpp", Strategy::Dpp),
            ("ssd", Strategy::Ssd),
        ];
        Ok(Self {
            strategy: named("strategy", &rules.strategy, &strategies)?,
            diversity: Diversity::new(rules.diversity)?,
            count: rules.count as usize,
            limit: rules
                .candidate_limit
                .map_or(CandidateLimit::Automatic, |limit| CandidateLimit::Fixed(limit as usize)),
        })
    }

    fn pick(&self, ranked: &Ranked<'_>, signals: &Signals) -> Result<Picked, Failure> {
        let mut classes: Vec<u32> = ranking(&ranked.scores)
            .into_iter()
            .filter(|class| ranked.scores[*class as usize].is_some())
            .collect();
        classes.truncate(self.limit.of(classes.len(), self.count));
        let scores: Vec<f64> = classes.iter().filter_map(|class| ranked.scores[*class as usize]).collect();
        let Some(vectors) = ranked.rows.vectors else { return Ok(Picked::default()) };
        let rows = ranked.rows.gather(&classes);
        let candidates = Candidates::new(&rows, vectors.dimension(), &scores)?;
        let cancelled = || signals.cancelled();
        let picks = diversify(&candidates, self.strategy, self.diversity, self.count, &cancelled)?;

        let firsts = ranked.batch.first_records();
        let position = |candidate: usize| firsts[classes[candidate] as usize];
        let mut left = vec![true; classes.len()];
        for Pick { candidate, .. } in &picks {
            left[*candidate as usize] = false;
        }
        let passed: Vec<usize> = (0..classes.len()).filter(|candidate| left[*candidate]).collect();
        Ok(Picked {
            positions: picks.iter().map(|pick| position(pick.candidate as usize)).collect(),
            scores: picks.iter().map(|pick| scores[pick.candidate as usize]).collect(),
            gains: picks.iter().map(|pick| pick.gain).collect(),
            passed_scores: passed.iter().map(|candidate| scores[*candidate]).collect(),
            passed: passed.into_iter().map(position).collect(),
        })
    }
}
