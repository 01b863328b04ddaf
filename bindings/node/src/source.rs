//! Reads the records of a file into a batch, and copies chosen ones out again.

use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Uint32Array};
use napi_derive::napi;
use sluice_corpus::{
    Block, Compression, CorpusError, CorpusReader, Extent, Format, ReadOptions, SelectedCopy, require_file,
};
use sluice_dedup::Records;

use crate::batch::BatchState;
use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::job;
use crate::rules::named;

const FORMATS: [(&str, Format); 4] =
    [("jsonl", Format::Jsonl), ("csv", Format::Csv), ("tsv", Format::Tsv), ("txt", Format::Txt)];

const COMPRESSIONS: [(&str, Compression); 3] =
    [("none", Compression::None), ("gzip", Compression::Gzip), ("zstd", Compression::Zstd)];

/// Which part of a bound on memory the bytes of a block are, at most: short lines cost many times their bytes.
const BLOCK_SHARE: f64 = 128.0;

/// The smallest block under any bound on memory.
const BLOCK_BYTES_MIN: usize = 1 << 12;

/// A file and how to read it.
#[napi(object)]
#[derive(Clone)]
pub struct NativeSource {
    /// Where it lies.
    pub path: String,
    /// `jsonl`, `csv`, `tsv` or `txt`; absent: by the name of the file.
    pub format: Option<String>,
    /// `none`, `gzip` or `zstd`; absent: by the name, else by the first bytes.
    pub compression: Option<String>,
    /// The text columns.
    pub columns: Vec<String>,
    /// The field with the caller's id; absent: `id`, where a record has one.
    pub id: Option<String>,
    /// The field a record is preferred by.
    pub priority: Option<String>,
}

/// What a first pass over a file found.
#[napi]
#[derive(Clone)]
pub struct NativeRead {
    extent: Extent,
    input_bytes: u64,
}

#[napi]
impl NativeRead {
    /// Records.
    #[napi(getter, catch_unwind)]
    pub fn records(&self) -> u32 {
        self.extent.records
    }

    /// Bytes after unpacking.
    #[napi(getter, catch_unwind)]
    pub fn bytes(&self) -> f64 {
        self.extent.bytes as f64
    }

    /// Bytes of the file.
    #[napi(getter, catch_unwind)]
    pub fn input_bytes(&self) -> f64 {
        self.input_bytes as f64
    }
}

impl NativeSource {
    fn options(&self, signals: &Signals) -> Result<ReadOptions, Failure> {
        Ok(ReadOptions {
            format: self.format()?,
            compression: match &self.compression {
                Some(name) => Some(named("compression", name, &COMPRESSIONS)?),
                None => None,
            },
            columns: self.columns.clone(),
            id: self.id.clone(),
            priority: self.priority.clone(),
            cancel: Some(signals.cancel_flag()),
            ..ReadOptions::default()
        })
    }

    fn format(&self) -> Result<Format, Failure> {
        match &self.format {
            Some(name) => named("format", name, &FORMATS),
            None => Format::from_name(&self.path).ok_or_else(|| self.unknown_format()),
        }
    }

    /// The name does not tell the format; of a path that names no file, that is not what is wrong.
    fn unknown_format(&self) -> Failure {
        match require_file(&self.path) {
            Err(error) => Failure::from(error).on(&self.path),
            Ok(()) => Failure {
                path: Some(self.path.clone()),
                expected: Some("a name that ends in .jsonl, .ndjson, .csv, .tsv or .txt".to_owned()),
                ..Failure::new("INPUT_FORMAT", "The name of the file does not tell its format.")
            },
        }
    }
}

/// Reads all records of a file into a batch.
pub fn read_source(
    source: &NativeSource,
    state: &mut BatchState,
    signals: &Signals,
) -> Result<NativeRead, Failure> {
    let on_path = |error: CorpusError| Failure::from(error).on(&source.path);
    let mut options = source.options(signals)?;
    if let Some(bound) = state.memory_bytes {
        options.block_bytes = ((bound / BLOCK_SHARE) as usize).clamp(BLOCK_BYTES_MIN, options.block_bytes);
    }
    let mut reader = CorpusReader::open(&source.path, &options).map_err(on_path)?;
    let input_bytes = std::fs::metadata(&source.path).map_or(0, |metadata| metadata.len());
    let columns = source.columns.len();
    let mut block = Block::new();
    signals.report("read", 0, input_bytes);
    loop {
        if let Some(left) = state.bytes_left() {
            reader.set_memory_bytes_max(left.max(0.0) as usize);
        }
        if !reader.next_block(&mut block).map_err(on_path)? {
            break;
        }
        state.batch.push_block(&BlockRecords { block: &block, columns })?;
        for record in 0..block.len() {
            state.ids.push(block.id(record));
        }
        state.check_memory()?;
        signals.report("read", reader.input_bytes(), input_bytes);
    }
    signals.finish();
    Ok(NativeRead { extent: reader.extent(), input_bytes })
}

/// The records of a block of the corpus crate, as the dedup crate takes them.
struct BlockRecords<'a> {
    block: &'a Block,
    columns: usize,
}

impl Records for BlockRecords<'_> {
    fn len(&self) -> usize {
        self.block.len()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn column(&self, record: usize, column: usize) -> &[u8] {
        self.block.text(record, column).as_bytes()
    }

    fn priority(&self, record: usize) -> Option<f64> {
        self.block.priority(record)
    }
}

/// The ids of records, each as the bytes of a JSON value; nothing is held while no record has one.
#[derive(Default)]
pub struct Ids {
    data: String,
    ends: Vec<usize>,
    records: usize,
}

impl Ids {
    fn push(&mut self, id: Option<&[u8]>) {
        if let Some(id) = id.and_then(|id| std::str::from_utf8(id).ok()) {
            self.ends.resize(self.records, self.data.len());
            self.data.push_str(id);
            self.ends.push(self.data.len());
        }
        self.records += 1;
    }

    /// The id of a record; empty when it has none.
    fn get(&self, position: u32) -> &str {
        let position = position as usize;
        let Some(&end) = self.ends.get(position) else { return "" };
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.data[start..end]
    }

    /// The ids of several records, for JavaScript.
    pub fn of(&self, positions: &[u32]) -> Vec<String> {
        positions.iter().map(|position| self.get(*position).to_owned()).collect()
    }

    /// Whether no record has one.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        self.data.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

/// A failure of the second pass, which names the file: one that was there for the first pass and is gone has changed.
fn changed(failure: Failure, path: &str) -> Failure {
    let failure = failure.on(path);
    match failure.code {
        "INPUT_NOT_FOUND" => Failure {
            code: "INPUT_CHANGED",
            message: "The input was there for the first pass and is gone.".to_owned(),
            ..failure
        },
        _ => failure,
    }
}

/// A second pass over a file that yields the bytes of chosen records.
#[napi]
pub struct NativeSelectedCopy {
    copy: Arc<Mutex<SelectedCopy<std::fs::File, Vec<u32>>>>,
    path: String,
}

#[napi]
impl NativeSelectedCopy {
    /// Opens the file again; `read` is what the first pass found.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        source: NativeSource,
        positions: Uint32Array,
        read: &NativeRead,
        control: &NativeControl,
    ) -> napi::Result<Self> {
        let options = source.options(&control.signals())?;
        let copy = SelectedCopy::open(&source.path, &options, positions.to_vec(), read.extent)
            .map_err(|error| changed(Failure::from(error), &source.path))?;
        Ok(Self { copy: Arc::new(Mutex::new(copy)), path: source.path })
    }

    /// The next bytes, about 1 MiB; empty at the end.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn next(&self, env: &Env) -> napi::Result<Object<'static>> {
        let (copy, path) = (Arc::clone(&self.copy), self.path.clone());
        let work = move || -> Result<Vec<u8>, Failure> {
            let mut chunk = Vec::new();
            let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
            copy.next_chunk(&mut chunk).map_err(|error| changed(Failure::from(error), &path))?;
            Ok(chunk)
        };
        job::spawn(env, 1, work, Buffer::from)
    }
}
