//! Whatever comes in: it ends, it does not panic, memory stays bounded, and blocks do not show.

mod support;

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use sluice_corpus::{Block, Compression, CorpusError, CorpusReader, Damage, Format, ReadOptions};
use support::{Record, copy, gzip, options, read, zstd};

const FORMATS: [Format; 4] = [Format::Jsonl, Format::Csv, Format::Tsv, Format::Txt];

/// What can be compared of a result.
fn outcome(input: &[u8], options: &ReadOptions) -> Result<Vec<Record>, String> {
    read(input, options).map(|(records, _)| records).map_err(|error| format!("{} {error}", error.code()))
}

/// Made of the pieces that matter to some format, valid or not.
fn messy_input() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        b"{\"text\":\"".as_slice(),
        b"\"}",
        b"{\"text\":\"a\"}\n",
        b"{\"id\":1,\"text\":\"\\u00e9\"}",
        b"text",
        b"id,text\n",
        b"text\tid\n",
        b"\"",
        b"\"\"",
        b",",
        b"\t",
        b"\n",
        b"\r\n",
        b"\\",
        b"\xff",
        b"\xef\xbb\xbf",
        b"a",
        b" ",
        b"0",
        "é".as_bytes(),
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_end_without_a_panic(input in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), messy_input()]) {
        for format in FORMATS {
            for compression in [None, Some(Compression::None), Some(Compression::Gzip), Some(Compression::Zstd)] {
                let _any = outcome(&input, &ReadOptions { compression, ..options(format) });
            }
        }
    }

    #[test]
    fn the_block_size_never_shows(input in messy_input(), record_bytes_max in prop_oneof![0..40_usize, Just(1 << 30)]) {
        for format in FORMATS {
            let limited = ReadOptions { record_bytes_max, ..options(format) };
            let whole = outcome(&input, &limited);
            for block_bytes in [0, 1, 2, 3, 5, 8, 13, 21, 34] {
                prop_assert_eq!(&outcome(&input, &ReadOptions { block_bytes, ..limited.clone() }), &whole);
            }
        }
    }

    /// All records, and any choice of them, are the bytes of the input.
    #[test]
    fn copies_are_exact(input in messy_input(), choice in any::<u64>(), block_bytes in 1..40_usize) {
        for format in FORMATS {
            let options = ReadOptions { block_bytes, ..options(format) };
            let Ok((records, extent)) = read(&input, &options) else { continue };
            let chosen: Vec<_> = records.iter().filter(|record| choice >> (record.position % 64) & 1 == 1).collect();
            let positions: Vec<u32> = chosen.iter().map(|record| record.position).collect();
            let copied = copy(&input, &options, &positions, extent).unwrap();
            let raw: Vec<u8> = chosen.iter().flat_map(|record| record.raw.clone()).collect();
            prop_assert!(copied.ends_with(&raw));
            let has_header = matches!(format, Format::Csv | Format::Tsv);
            prop_assert!(has_header || copied.len() == raw.len());
            // What was copied reads as what was chosen; only a record that starts like a byte order mark cannot come first.
            if !has_header && raw.starts_with(b"\xef\xbb\xbf") {
                continue;
            }
            let again = read(&copied, &options).unwrap().0;
            let texts = |records: &[Record]| records.iter().map(|record| record.texts.clone()).collect::<Vec<_>>();
            prop_assert_eq!(texts(&again), chosen.iter().map(|record| record.texts.clone()).collect::<Vec<_>>());
        }
    }
}

/// `sample()`, written by the reference implementation with `zstd -19`: a checksum, a content size, compressed literals.
const WRITTEN_BY_ZSTD: &[u8] = include_bytes!("data/sample.jsonl.zst");

fn sample() -> Vec<u8> {
    (0..40)
        .flat_map(|n| format!("{{\"id\":{n},\"text\":\"passage {}\"}}\n", n * n * 7919 % 1013).into_bytes())
        .collect()
}

#[test]
fn what_the_reference_wrote_is_read() {
    let options = ReadOptions::default();
    assert_eq!(outcome(WRITTEN_BY_ZSTD, &options), outcome(&sample(), &options));
}

#[test]
fn every_truncation_of_a_packed_file_is_an_error() {
    for (compression, packed) in [
        (Compression::Gzip, gzip(&sample())),
        (Compression::Gzip, [gzip(b"{\"text\":\"a\"}\n"), gzip(&sample())].concat()),
        (Compression::Zstd, zstd(&sample())),
        (Compression::Zstd, WRITTEN_BY_ZSTD.to_vec()),
    ] {
        let options = ReadOptions { compression: Some(compression), ..ReadOptions::default() };
        assert!(read(&packed, &options).is_ok());
        let member = gzip(b"{\"text\":\"a\"}\n").len();
        for length in 0..packed.len() {
            // A file cut between two members is a whole file.
            let whole = compression == Compression::Gzip
                && length == member
                && read(&packed, &options).unwrap().0.len() == 41;
            match read(&packed[..length], &options) {
                Ok(_) if whole => {}
                Err(CorpusError::Compressed { damage: Damage::Truncated, .. }) => {}
                other => panic!("{compression:?} cut at {length}: {other:?}"),
            }
        }
    }
}

#[test]
fn junk_behind_a_packed_stream_is_damage_and_no_cut() {
    for (compression, packed) in [(Compression::Gzip, gzip(&sample())), (Compression::Zstd, zstd(&sample()))]
    {
        let options = ReadOptions { compression: Some(compression), ..ReadOptions::default() };
        for junk in [&b"j"[..], b"junk", b"\x1f\x8c", b"{\"text\":\"a\"}\n", &vec![0xff; 300_000]] {
            let result = read(&[&packed, junk].concat(), &options);
            assert!(
                matches!(result, Err(CorpusError::Compressed { damage: Damage::Corrupt, .. })),
                "{compression:?} {junk:?}: {result:?}"
            );
        }
    }
}

#[test]
fn a_gzip_header_may_have_every_field_and_none_is_taken_on_trust() {
    let plain = gzip(&sample());
    let options = ReadOptions { compression: Some(Compression::Gzip), ..ReadOptions::default() };
    let mut head =
        [&plain[..3], &[0b1_1110], &plain[4..10], b"\x03\0abc", b"a name\0", b"a comment\0"].concat();
    let mut sum = flate2::Crc::new();
    sum.update(&head);
    head.extend_from_slice(&sum.sum().to_le_bytes()[..2]);
    let packed = [&head, &plain[10..]].concat();
    assert_eq!(outcome(&packed, &options), outcome(&plain, &options));
    for at in [3, 12, 18, head.len() - 1] {
        let mut damaged = packed.clone();
        damaged[at] ^= 0x20;
        assert!(read(&damaged, &options).is_err(), "byte {at}");
    }
}

#[test]
fn a_flipped_bit_is_an_error_or_harmless() {
    for (compression, packed) in [
        (Compression::Gzip, gzip(&sample())),
        (Compression::Zstd, zstd(&sample())),
        (Compression::Zstd, WRITTEN_BY_ZSTD.to_vec()),
    ] {
        let options = ReadOptions { compression: Some(compression), ..ReadOptions::default() };
        let intact = outcome(&packed, &options);
        assert_eq!(intact.as_ref().map(Vec::len), Ok(40));
        for at in 0..packed.len() {
            for bit in 0..8 {
                let mut damaged = packed.clone();
                damaged[at] ^= 1 << bit;
                let result = outcome(&damaged, &options);
                assert!(
                    result.is_err() || result == intact,
                    "{compression:?}: bit {bit} of byte {at} changed the records"
                );
            }
        }
    }
}

#[test]
fn a_damaged_csv_never_panics_and_a_cut_in_quotes_is_an_error() {
    let csv = b"id,text\r\n1,\"a \"\"b\"\"\"\r\n2,\"c\nd\"\r\n3,e";
    for at in 0..csv.len() {
        let quotes = csv[..at].split(|&byte| byte == b'"').count() - 1;
        let cut = outcome(&csv[..at], &options(Format::Csv));
        assert!(cut.is_err() || quotes % 2 == 0, "cut at {at}");
        for byte in 0..=255 {
            let mut damaged = csv.to_vec();
            damaged[at] = byte;
            let _any = outcome(&damaged, &options(Format::Csv));
        }
    }
}

#[test]
fn the_number_of_threads_never_shows() {
    let mut input = sample().repeat(100);
    let on = |threads: usize, input: &[u8]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| outcome(input, &ReadOptions::default()))
    };
    let alone = on(1, &input);
    assert_eq!(alone.as_ref().map(Vec::len), Ok(4000));
    assert_eq!(on(5, &input), alone);
    // Two errors: the first of the input is the one that is told.
    input.truncate(input.len() - 2);
    input.splice(0..0, b"{\"text\":0}\n".iter().copied());
    for threads in [1, 5] {
        assert!(on(threads, &input).unwrap_err().starts_with("CORPUS_FIELD record 0 (line 1)"));
    }
}

/// A stream of one line of the given length of text, made as it is read.
struct LongLine {
    text_bytes: usize,
    tail: &'static [u8],
    head: &'static [u8],
}

impl Read for LongLine {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.head.is_empty() {
            return self.head.read(into);
        }
        let count = into.len().min(self.text_bytes);
        into[..count].fill(b'x');
        self.text_bytes -= count;
        if count == 0 { self.tail.read(into) } else { Ok(count) }
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_is_a_record() {
    let text_bytes = 100_000_000;
    let line = || LongLine { head: b"{\"text\":\"", text_bytes, tail: b"\"}\n{\"text\":\"b\"}" };
    let mut reader = CorpusReader::new(line(), &ReadOptions::default()).unwrap();
    let mut block = Block::new();
    let mut lengths = Vec::new();
    while reader.next_block(&mut block).unwrap() {
        lengths.extend((0..block.len()).map(|record| block.text(record, 0).len()));
    }
    assert_eq!(lengths, [text_bytes, 1]);

    let limited = ReadOptions { record_bytes_max: 1 << 20, ..ReadOptions::default() };
    let mut reader = CorpusReader::new(line(), &limited).unwrap();
    let error = reader.next_block(&mut block).unwrap_err();
    assert_eq!(error.to_string(), "line 1: the record is longer than 1048576 bytes");
    assert!(reader.extent().bytes < 10 << 20, "reading stops soon after the limit");
}

#[test]
fn a_bomb_is_stopped_by_the_record_limit() {
    let bomb = gzip(&vec![b'x'; 50_000_000]);
    let limited = ReadOptions { record_bytes_max: 1 << 20, ..ReadOptions::default() };
    let mut reader = CorpusReader::new(bomb.as_slice(), &limited).unwrap();
    assert_eq!(reader.next_block(&mut Block::new()).unwrap_err().code(), "CORPUS_RECORD_TOO_LONG");
    assert!(reader.extent().bytes < 10 << 20);
}

#[test]
fn one_long_record_is_stopped_by_the_bound_on_memory() {
    let text_bytes = 600_000_000;
    let bomb = gzip(&vec![0; 50_000_000]);
    let memory_bytes_max = 10 << 20;
    for format in [Format::Jsonl, Format::Csv, Format::Tsv, Format::Txt] {
        let options = ReadOptions { format, memory_bytes_max, ..ReadOptions::default() };
        let inputs: [Box<dyn Read>; 2] = [
            Box::new(LongLine { head: b"{\"text\":\"", text_bytes, tail: b"\"}\n" }),
            Box::new(bomb.as_slice()),
        ];
        for input in inputs {
            let mut reader = CorpusReader::new(input, &options).unwrap();
            let error = reader.next_block(&mut Block::new()).unwrap_err();
            assert_eq!(error.code(), "CORPUS_MEMORY");
            assert!(
                matches!(error, CorpusError::Memory { line: 1, expected, received } if received > expected && expected == memory_bytes_max)
            );
            assert!(reader.extent().bytes <= memory_bytes_max as u64, "refused before it is there");
        }
    }
}

#[test]
fn under_a_bound_blocks_are_smaller_and_records_the_same() {
    let line = |n: usize| format!("{}\n", "x".repeat(n % 3000));
    let input: String = (0..3000).map(line).collect();
    let free = ReadOptions { format: Format::Txt, ..ReadOptions::default() };
    let bound = 900_000;
    let bounded = ReadOptions { memory_bytes_max: bound, ..free.clone() };
    assert!(input.len() > 4 * bound);
    assert_eq!(read(input.as_bytes(), &bounded).unwrap(), read(input.as_bytes(), &free).unwrap());
    let mut reader = CorpusReader::new(input.as_bytes(), &bounded).unwrap();
    let mut block = Block::new();
    while reader.next_block(&mut block).unwrap() {
        assert!(reader.bytes() + block.bytes() <= bound);
    }
}

#[test]
fn a_bound_may_sink_between_blocks() {
    let input = "a\n".repeat(2_000_000);
    let mut reader =
        CorpusReader::new(input.as_bytes(), &ReadOptions { format: Format::Txt, ..ReadOptions::default() })
            .unwrap();
    let mut block = Block::new();
    assert!(reader.next_block(&mut block).unwrap());
    reader.set_memory_bytes_max(1 << 20);
    assert_eq!(reader.next_block(&mut block).unwrap_err().code(), "CORPUS_MEMORY");
    assert!(matches!(reader.next_block(&mut block), Ok(false)), "an error is the end");
}

#[test]
fn a_zstd_window_over_the_limit_is_refused() {
    // Magic, no content size, a window of 2 TiB, one empty last block.
    let frame = b"\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00";
    let refused = read(frame, &ReadOptions::default()).unwrap_err();
    assert_eq!(refused.code(), "CORPUS_WINDOW");
    assert_eq!(
        refused.to_string(),
        "the zstd stream needs a window of 2199023255552 bytes, expected at most 134217728"
    );
}

/// Fails, or asks for patience, in the middle.
struct Faulty {
    bytes: &'static [u8],
    faults: Vec<io::ErrorKind>,
}

impl Read for Faulty {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.faults.pop() {
            Some(kind) => Err(kind.into()),
            None => self.bytes.read(into),
        }
    }
}

#[test]
fn a_failing_input_is_told_from_a_damaged_one() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let packed: &'static [u8] = match compression {
            Compression::Gzip => gzip(&sample()).leak(),
            Compression::Zstd => zstd(&sample()).leak(),
            _ => sample().leak(),
        };
        let options = ReadOptions { compression: Some(compression), ..ReadOptions::default() };
        let (head, tail) = packed.split_at(60);
        let patient = Faulty { bytes: tail, faults: vec![io::ErrorKind::Interrupted; 3] };
        let mut reader = CorpusReader::new(head.chain(patient), &options).unwrap();
        let mut block = Block::new();
        assert!(reader.next_block(&mut block).unwrap());
        assert_eq!(block.len(), 40);

        let broken = Faulty { bytes: tail, faults: vec![io::ErrorKind::ConnectionReset] };
        let mut reader = CorpusReader::new(head.chain(broken), &options).unwrap();
        let error = loop {
            match reader.next_block(&mut block) {
                Ok(more) => assert!(more, "{compression:?} ended well"),
                Err(error) => break error,
            }
        };
        assert!(
            matches!(error, CorpusError::Io { kind: io::ErrorKind::ConnectionReset }),
            "{compression:?}: {error}"
        );
    }
}

#[test]
fn the_cancel_flag_stops_the_next_read() {
    let cancel = Arc::new(AtomicBool::new(false));
    let options =
        ReadOptions { cancel: Some(Arc::clone(&cancel)), block_bytes: 100, ..ReadOptions::default() };
    let input = sample();
    let mut reader = CorpusReader::new(input.as_slice(), &options).unwrap();
    let mut block = Block::new();
    assert!(reader.next_block(&mut block).unwrap());
    cancel.store(true, Ordering::Relaxed);
    assert_eq!(reader.next_block(&mut block).unwrap_err().code(), "CORPUS_CANCELLED");
    assert!(block.is_empty());
}
