//! The body of a file: rows, the row of every slot, links. Whatever follows from these is made again.
//!
//! ```text
//! m, efConstruction, efSearch, seed: u32 | slots u64 | row of each slot, u32 | rows u64 | rows, f32 | links, u32
//! ```

use std::io;

use sluice_vector::{Dimension, Metric};

use super::graph::Graph;
use super::{Hnsw, Params, check_metric};
use crate::backend::Backend;
use crate::bytes::Bytes;
use crate::{BackendArgs, IndexError};

/// Numbers that are written at once.
const WRITE_NUMBERS: usize = 4096;

pub(super) fn write(hnsw: &Hnsw, into: &mut dyn io::Write) -> io::Result<()> {
    let Params { m, ef_construction, ef_search, seed } = hnsw.params;
    write_each(&[m, ef_construction, ef_search, seed], into, u32::to_le_bytes)?;
    into.write_all(&(hnsw.nodes.slot_count() as u64).to_le_bytes())?;
    write_each(hnsw.nodes.row_of_each(), into, u32::to_le_bytes)?;
    into.write_all(&(hnsw.nodes.row_count() as u64).to_le_bytes())?;
    write_each(hnsw.nodes.rows(), into, f32::to_le_bytes)?;
    hnsw.graph.arenas().into_iter().try_for_each(|links| write_each(links, into, u32::to_le_bytes))
}

fn write_each<T: Copy>(
    numbers: &[T],
    into: &mut dyn io::Write,
    bytes: impl Fn(T) -> [u8; 4],
) -> io::Result<()> {
    // A call for each number would cost more than the number.
    let mut buffer = Vec::with_capacity(WRITE_NUMBERS * 4);
    numbers.chunks(WRITE_NUMBERS).try_for_each(|numbers| {
        buffer.clear();
        buffer.extend(numbers.iter().flat_map(|&number| bytes(number)));
        into.write_all(&buffer)
    })
}

pub(super) fn read(
    metric: Metric,
    dimension: Dimension,
    body: &[u8],
) -> Result<Box<dyn Backend>, IndexError> {
    let mut bytes = Bytes::new(body);
    let params = read_params(&mut bytes)?;
    check_metric(metric)?;

    let slots = bytes.count(size_of::<u32>())?;
    let row_of_each = bytes.u32s(slots)?;
    let row_count = bytes.count(size_of::<f32>() * dimension.get())?;
    let flat = bytes.f32s(row_count * dimension.get())?;

    let mut hnsw = Hnsw::new(params, dimension);
    for number in row_of_each {
        // A slot has a row that is there already, or the next one, which differs from those before.
        let before = hnsw.nodes.row_count();
        let row = Some(number as usize).filter(|&row| row <= before && row < row_count);
        let row = row.ok_or_else(|| IndexError::damaged("rows in order", number))?;
        let pushed = hnsw.nodes.push(&flat[row * dimension.get()..][..dimension.get()]);
        pushed.map_err(|_| IndexError::damaged("rows that can be searched", number))?;
        if hnsw.nodes.row_count() != before.max(row + 1) {
            return Err(IndexError::damaged("rows that differ", number));
        }
    }
    if hnsw.nodes.row_count() != row_count {
        return Err(IndexError::damaged("a slot of every row", hnsw.nodes.row_count()));
    }

    let nodes = hnsw.nodes.len();
    let [base, upper, tree] = hnsw.graph.arena_lens(nodes);
    let arenas = [bytes.u32s(base)?, bytes.u32s(upper)?, bytes.u32s(tree)?];
    bytes.end()?;
    let graph = Graph::new(params.m as usize, params.seed).with_arenas(nodes, arenas);
    hnsw.graph = graph.ok_or_else(|| IndexError::damaged("links between nodes of a level", "others"))?;
    Ok(Box::new(hnsw))
}

fn read_params(bytes: &mut Bytes<'_>) -> Result<Params, IndexError> {
    let mut args = BackendArgs::default();
    for name in ["m", "efConstruction", "efSearch", "seed"] {
        args = args.with(name, bytes.u32()?.into());
    }
    Params::from_args(&args).map_err(|error| IndexError::damaged("arguments in range", error))
}
