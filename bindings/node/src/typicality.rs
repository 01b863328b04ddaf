//! How typical records are of a fitted set: the outliers among them, and the few that stand for all.
//!
//! `sluice-rank` decides by classes; here classes become records. A record is as typical as its class, and a class that was
//! picked is given by its first record.

use std::num::NonZeroUsize;

use indexmap::IndexMap;
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;
use sluice_dedup::{Batch, Vectors};
use sluice_rank::{
    CandidateLimit, Diversity, Fitted, Outliers, Representatives, Rows, Share, Strategy, Wanted, outliers,
    representatives, typicality,
};

use crate::batch::{BatchState, NativeBatch};
use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::held::Held;
use crate::job;
use crate::reference::{NativeReference, ReferenceState};
use crate::rules::{named, positive};

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
                with_ranked(&reference, batch.as_deref(), neighbours, &signals, |ranked| {
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
        let wanted = rules.to_core()?;
        let (reference, batch) = (self.state(), batch.map(NativeBatch::state));
        let signals = control.signals();
        let work = move || {
            let (counts, picks) =
                with_ranked(&reference, batch.as_deref(), neighbours, &signals, |ranked| {
                    signals.report("diversify", 0, wanted.count as u64);
                    Ok((ranked.counts(), ranked.pick(wanted, &signals)?))
                })?;
            signals.finish();
            Ok((counts, picks, signals.seconds()))
        };
        job::spawn(env, threads, work, |(mut counts, Picks { picked, gains, passed }, seconds)| {
            counts.insert("candidates".to_owned(), (picked.positions.len() + passed.positions.len()) as f64);
            counts.insert("selected".to_owned(), picked.positions.len() as f64);
            counts.insert("filtered".to_owned(), passed.positions.len() as f64);
            NativeRepresentatives {
                selected: picked.positions.into(),
                selected_scores: picked.scores.into(),
                gains: gains.into(),
                filtered: passed.positions.into(),
                filtered_scores: passed.scores.into(),
                counts,
                seconds,
            }
        })
    }
}

impl NativeRepresentativeRules {
    fn to_core(&self) -> Result<Wanted, Failure> {
        let strategies = [
            ("mmr", Strategy::Mmr),
            ("msd", Strategy::Msd),
            ("cover", Strategy::Cover),
            ("dpp", Strategy::Dpp),
            ("ssd", Strategy::Ssd),
        ];
        Ok(Wanted {
            count: self.count as usize,
            strategy: named("strategy", &self.strategy, &strategies)?,
            diversity: Diversity::new(self.diversity)?,
            limit: self
                .candidate_limit
                .map_or(CandidateLimit::Automatic, |limit| CandidateLimit::Fixed(limit as usize)),
        })
    }
}

/// Ranks the items, or the records of a batch among them, and hands the ranking on while both are held.
fn with_ranked<T>(
    reference: &Held<ReferenceState>,
    batch: Option<&Held<BatchState>>,
    neighbours: NonZeroUsize,
    signals: &Signals,
    then: impl FnOnce(&Ranked<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    reference.look(|ReferenceState { reference, .. }| {
        let items = rows_of(reference.vectors())?;
        match batch {
            None => then(&Ranked::new(reference.items(), items, |rows| {
                typical(rows, Fitted::Themselves, neighbours, signals)
            })?),
            Some(batch) => batch.look(|state| {
                then(&Ranked::new(&state.batch, rows_of(state.vectors()?)?, |rows| match &items {
                    Some(items) => typical(rows, Fitted::Others(items), neighbours, signals),
                    None => Ok(vec![None; rows.len()]),
                })?)
            }),
        }
    })
}

/// The vectors of all classes, where there are any.
fn rows_of(vectors: Option<Vectors<'_>>) -> Result<Option<Rows<'_>>, Failure> {
    Ok(vectors.map(|vectors| Rows::new(vectors.as_flat(), vectors.dimension())).transpose()?)
}

fn typical(
    rows: &Rows<'_>,
    fitted: Fitted<'_>,
    neighbours: NonZeroUsize,
    signals: &Signals,
) -> Result<Vec<Option<f64>>, Failure> {
    let scored = |done, total| signals.report("neighbours", done as u64, total as u64);
    Ok(typicality(rows, fitted, neighbours, &|| signals.cancelled(), &scored)?)
}

/// Records, and how typical each of their classes is.
struct Ranked<'a> {
    batch: &'a Batch,
    rows: Option<Rows<'a>>,
    /// By class; none where there is no vector or no neighbour.
    typicality: Vec<Option<f64>>,
}

/// Representatives by record.
#[derive(Default)]
struct Picks {
    picked: Scored,
    gains: Vec<f64>,
    passed: Scored,
}

/// Positions and their scores.
#[derive(Default)]
struct Scored {
    positions: Vec<u32>,
    scores: Vec<f64>,
}

impl<'a> Ranked<'a> {
    fn new(
        batch: &'a Batch,
        rows: Option<Rows<'a>>,
        typicality: impl FnOnce(&Rows<'a>) -> Result<Vec<Option<f64>>, Failure>,
    ) -> Result<Self, Failure> {
        let typicality = match &rows {
            Some(rows) => typicality(rows)?,
            None => vec![None; batch.classes()],
        };
        Ok(Self { batch, rows, typicality })
    }

    /// The score of every record.
    fn by_record(&self) -> Vec<Option<f64>> {
        let score = |position| self.typicality[self.batch.class_of(position)? as usize];
        (0..self.batch.records() as u32).map(score).collect()
    }

    fn counts(&self) -> IndexMap<String, f64> {
        let without = self.by_record().iter().filter(|score| score.is_none()).count();
        [("records", self.batch.records()), ("classes", self.batch.classes()), ("without_score", without)]
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count as f64))
            .collect()
    }

    fn pick(&self, wanted: Wanted, signals: &Signals) -> Result<Picks, Failure> {
        let Some(rows) = &self.rows else { return Ok(Picks::default()) };
        let Representatives { picked, passed } =
            representatives(rows, &self.typicality, wanted, &|| signals.cancelled())?;
        let firsts = self.batch.first_records();
        Ok(Picks {
            picked: self.scored(&firsts, picked.iter().map(|pick| pick.candidate)),
            gains: picked.iter().map(|pick| pick.gain).collect(),
            passed: self.scored(&firsts, passed.into_iter()),
        })
    }

    /// The first records of some classes, which have a score each.
    fn scored(&self, firsts: &[u32], classes: impl Iterator<Item = u32>) -> Scored {
        let score = |class| Some((firsts[class as usize], self.typicality[class as usize]?));
        let (positions, scores) = classes.filter_map(score).unzip();
        Scored { positions, scores }
    }
}
