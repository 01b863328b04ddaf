//! What the suites share: read everything, pack bytes.

#![allow(dead_code, reason = "each suite uses its part")]

use std::io::Write;

use sluice_corpus::{Block, CorpusError, CorpusReader, Extent, Format, ReadOptions, SelectedCopy};

/// A record as values that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub position: u32,
    pub texts: Vec<String>,
    pub id: Option<String>,
    pub priority: Option<f64>,
    pub raw: Vec<u8>,
}

/// All records of an input, and its extent.
pub fn read(input: &[u8], options: &ReadOptions) -> Result<(Vec<Record>, Extent), CorpusError> {
    let mut reader = CorpusReader::new(input, options)?;
    let mut block = Block::new();
    let mut records = Vec::new();
    while reader.next_block(&mut block)? {
        assert!(!block.is_empty(), "a block that is not the end holds a record");
        for record in 0..block.len() {
            let texts =
                (0..options.columns.len()).map(|column| block.text(record, column).to_owned()).collect();
            records.push(Record {
                position: block.first_position() + u32::try_from(record).unwrap(),
                texts,
                id: block.id(record).map(|id| String::from_utf8(id.to_vec()).unwrap()),
                priority: block.priority(record),
                raw: block.raw(record).to_vec(),
            });
        }
    }
    assert!(block.is_empty());
    assert!(matches!(reader.next_block(&mut block), Ok(false)), "the end stays the end");
    Ok((records, reader.extent()))
}

/// The only text of every record.
pub fn texts(input: &[u8], options: &ReadOptions) -> Result<Vec<String>, CorpusError> {
    Ok(read(input, options)?.0.into_iter().map(|record| record.texts.concat()).collect())
}

/// What a second pass yields.
pub fn copy(
    input: &[u8],
    options: &ReadOptions,
    positions: &[u32],
    extent: Extent,
) -> Result<Vec<u8>, CorpusError> {
    let mut copy = SelectedCopy::new(input, options, positions, extent)?;
    let (mut all, mut chunk) = (Vec::new(), Vec::new());
    while copy.next_chunk(&mut chunk)? {
        assert!(!chunk.is_empty());
        all.extend_from_slice(&chunk);
    }
    assert!(chunk.is_empty());
    Ok(all)
}

pub fn options(format: Format) -> ReadOptions {
    ReadOptions { format, ..ReadOptions::default() }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
