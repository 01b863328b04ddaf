//! The backend `flat`: every row is compared, and every answer is that of brute force.
//!
//! The one idea: for the cosine, rows are also held as bytes, whose products come with a proven bound
//! ([`CosineJoin`]); only rows that can reach the answer are scored. A filter that leaves few rows has them gathered
//! into a join of their own where there are many queries, and scored one by one where there are few. Dot and L2 have no
//! such bound yet: each row is scored.
//!
//! Takes no arguments. Holds five bytes a component for the cosine, four for the other metrics.

use std::io;
use std::num::NonZeroUsize;

use sluice_vector::{Admitted, CosineJoin, Dimension, Instructions, Metric, VectorError};

use crate::backend::{Among, Backend, BackendKind, Quality, Rows, each};
use crate::bytes::Bytes;
use crate::{BackendArgs, Hit, IndexError, exact};

/// How `flat` is made and read back.
pub const KIND: BackendKind = BackendKind { name: NAME, create, read };

const NAME: &str = "flat";

/// From so many queries on, the matching rows are worth gathering; for fewer they are scored one by one.
const GATHERED_QUERIES: usize = 6;
/// The largest share of the rows that is gathered or scored one by one; a larger one is picked out of all.
const GATHERED_SHARE: u64 = 4;

/// Numbers that are written at once.
const WRITE_NUMBERS: usize = 4096;

fn create(args: &BackendArgs, metric: Metric, dimension: Dimension) -> Result<Box<dyn Backend>, IndexError> {
    args.only(NAME, &[])?;
    Ok(match metric {
        Metric::Cosine => Box::new(FlatCosine::new(dimension)),
        Metric::Dot | Metric::L2 => Box::new(FlatScored { metric, dimension, rows: Vec::new() }),
    })
}

fn read(metric: Metric, dimension: Dimension, body: &[u8]) -> Result<Box<dyn Backend>, IndexError> {
    let mut backend = create(&BackendArgs::default(), metric, dimension)?;
    let mut bytes = Bytes::new(body);
    let flat = bytes.f32s(body.len() / size_of::<f32>())?;
    bytes.end()?;
    let whole = |_| IndexError::damaged("rows that can be searched", "others");
    let rows = Rows::new(&flat, dimension).map_err(whole)?;
    if flat.iter().any(|component| !component.is_finite()) {
        return Err(IndexError::damaged("finite numbers", "others"));
    }
    backend.add(&rows, &|| false).map_err(whole)?;
    Ok(backend)
}

fn write_rows(flat: &[f32], into: &mut dyn io::Write) -> io::Result<()> {
    // A call for each number would cost more than the number.
    let mut buffer = Vec::with_capacity(WRITE_NUMBERS * size_of::<f32>());
    flat.chunks(WRITE_NUMBERS).try_for_each(|numbers| {
        buffer.clear();
        buffer.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        into.write_all(&buffer)
    })
}

/// Unit rows, their codes, and a bound between the two.
struct FlatCosine {
    join: CosineJoin,
}

impl FlatCosine {
    fn new(dimension: Dimension) -> Self {
        Self { join: CosineJoin::new(dimension, Instructions::detect()) }
    }

    /// Asks for many queries at once in the way that suits the slots that may be found.
    fn ask(
        &self,
        queries: &Rows<'_>,
        among: Among<'_>,
        one: impl Fn(&[f32]) -> Vec<Hit> + Sync,
        all: impl Fn(&CosineJoin, &Admitted) -> Result<Vec<Vec<Hit>>, IndexError>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<Hit>>, IndexError> {
        let slots = among.slots();
        let few = slots.len() * GATHERED_SHARE <= self.join.len() as u64;
        if few && queries.len() < GATHERED_QUERIES {
            return each(queries, cancelled, |query| Ok(one(query)));
        }
        if !few {
            return all(&self.join, &slots.iter().collect());
        }
        let positions: Vec<u32> = slots.iter().collect();
        let gathered = self.join.gather(positions.iter().copied());
        let mut hits = all(&gathered, &(0..positions.len() as u32).collect())?;
        // Positions ascend with slots, so that the order of ties stays.
        hits.iter_mut().flatten().for_each(|hit| hit.slot = positions[hit.slot as usize]);
        Ok(hits)
    }
}

impl Backend for FlatCosine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn quality(&self) -> Quality {
        Quality::Exact
    }

    fn args(&self) -> BackendArgs {
        BackendArgs::default()
    }

    fn len(&self) -> usize {
        self.join.len()
    }

    fn row(&self, slot: u32) -> &[f32] {
        self.join.row(slot)
    }

    fn bytes(&self) -> usize {
        self.join.bytes()
    }

    fn add(&mut self, rows: &Rows<'_>, _cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), IndexError> {
        rows.iter().try_for_each(|row| self.join.append(row))?;
        Ok(())
    }

    fn top_k(&self, query: &[f32], k: usize, among: Among<'_>) -> Result<Vec<Hit>, IndexError> {
        let queries = Rows::new(query, self.join.dimension())?;
        Ok(self.top_k_each(&queries, k, among, &|| false)?.pop().unwrap_or_default())
    }

    fn at_least(&self, query: &[f32], threshold: f64, among: Among<'_>) -> Result<Vec<Hit>, IndexError> {
        let queries = Rows::new(query, self.join.dimension())?;
        Ok(self.at_least_each(&queries, threshold, among, &|| false)?.pop().unwrap_or_default())
    }

    fn top_k_each(
        &self,
        queries: &Rows<'_>,
        k: usize,
        among: Among<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<Hit>>, IndexError> {
        let Some(count) = NonZeroUsize::new(k) else { return Ok(vec![Vec::new(); queries.len()]) };
        let one = |query: &[f32]| {
            exact::top_k(Metric::Cosine, query, k, among.slots().iter(), |slot| self.join.row(slot))
        };
        let all = |join: &CosineJoin, admitted: &Admitted| {
            let found = join.nearest_among(queries.as_flat(), count, admitted, cancelled)?;
            let hits = |near: Vec<sluice_vector::Neighbour>| {
                near.into_iter().map(|near| Hit { slot: near.target, score: near.score }).collect()
            };
            Ok(found.into_iter().map(hits).collect())
        };
        self.ask(queries, among, one, all, cancelled)
    }

    fn at_least_each(
        &self,
        queries: &Rows<'_>,
        threshold: f64,
        among: Among<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<Hit>>, IndexError> {
        let one = |query: &[f32]| {
            exact::at_least(Metric::Cosine, query, threshold, among.slots().iter(), |slot| {
                self.join.row(slot)
            })
        };
        // The bound speaks of thresholds that divide the rows. Above 1 there is nothing, at -1 there is everything.
        if threshold > 1.0 {
            return Ok(vec![Vec::new(); queries.len()]);
        }
        if threshold <= -1.0 {
            return each(queries, cancelled, |query| Ok(one(query)));
        }
        let all = |join: &CosineJoin, admitted: &Admitted| {
            let mut found = Vec::new();
            join.search_among(queries.as_flat(), threshold, admitted, cancelled, &mut found)?;
            let mut hits = vec![Vec::new(); queries.len()];
            for hit in found {
                hits[hit.query as usize].push(Hit { slot: hit.target, score: hit.score.min(1.0) });
            }
            // What is cut off at 1 may tie now.
            for hits in &mut hits {
                hits.sort_unstable();
            }
            Ok(hits)
        };
        self.ask(queries, among, one, all, cancelled)
    }

    fn write(&self, into: &mut dyn io::Write) -> io::Result<()> {
        write_rows(self.join.as_flat(), into)
    }
}

/// Rows that are scored one by one.
struct FlatScored {
    metric: Metric,
    dimension: Dimension,
    rows: Vec<f32>,
}

impl Backend for FlatScored {
    fn name(&self) -> &'static str {
        NAME
    }

    fn quality(&self) -> Quality {
        Quality::Exact
    }

    fn args(&self) -> BackendArgs {
        BackendArgs::default()
    }

    fn len(&self) -> usize {
        self.rows.len() / self.dimension.get()
    }

    fn row(&self, slot: u32) -> &[f32] {
        &self.rows[slot as usize * self.dimension.get()..][..self.dimension.get()]
    }

    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<f32>()
    }

    fn add(&mut self, rows: &Rows<'_>, _cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), IndexError> {
        let (expected, received) = (CosineJoin::ROWS_MAX, self.len() + rows.len());
        if received > expected {
            return Err(VectorError::TooManyRows { expected, received }.into());
        }
        self.rows.extend_from_slice(rows.as_flat());
        Ok(())
    }

    fn top_k(&self, query: &[f32], k: usize, among: Among<'_>) -> Result<Vec<Hit>, IndexError> {
        Ok(exact::top_k(self.metric, query, k, among.slots().iter(), |slot| self.row(slot)))
    }

    fn at_least(&self, query: &[f32], threshold: f64, among: Among<'_>) -> Result<Vec<Hit>, IndexError> {
        Ok(exact::at_least(self.metric, query, threshold, among.slots().iter(), |slot| self.row(slot)))
    }

    fn write(&self, into: &mut dyn io::Write) -> io::Result<()> {
        write_rows(&self.rows, into)
    }
}
