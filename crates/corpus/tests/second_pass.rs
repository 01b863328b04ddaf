//! Copying chosen records from files, and noticing that a file changed.

mod support;

use std::fs;
use std::path::PathBuf;

use sluice_corpus::{Block, CorpusError, CorpusReader, Extent, Format, ReadOptions, SelectedCopy};
use support::{copy, gzip, options, read};

#[test]
fn copies_keep_every_byte_of_chosen_records() {
    for (format, input, positions, expected) in [
        (
            Format::Jsonl,
            "\u{feff}{\"text\":\"a\"}\r\n\n {\"text\" : \"b\"} \n{\"text\":\"c\"}",
            vec![0, 2],
            "{\"text\":\"a\"}\r\n{\"text\":\"c\"}",
        ),
        (
            Format::Jsonl,
            "{\"text\":\"a\"}\n\n {\"text\" : \"b\"} \n{\"text\":\"c\"}",
            vec![1],
            " {\"text\" : \"b\"} \n",
        ),
        (Format::Jsonl, "{\"text\":\"a\"}\n", vec![], ""),
        (
            Format::Csv,
            "\u{feff}n,text\r\n1,\"a\nb\"\r\n\r\n2,\"c\"\n3,d",
            vec![0, 2],
            "\u{feff}n,text\r\n1,\"a\nb\"\r\n3,d",
        ),
        (Format::Csv, "n,text\n1,a\n", vec![], "n,text\n"),
        (Format::Txt, "a\n\nb\r\nc", vec![1, 2], "\nb\r\n"),
    ] {
        for block_bytes in [1, 4 << 20] {
            let options = ReadOptions { block_bytes, ..options(format) };
            let (_, extent) = read(input.as_bytes(), &options).unwrap();
            let copied = copy(input.as_bytes(), &options, &positions, extent).unwrap();
            assert_eq!(String::from_utf8(copied).unwrap(), expected, "{format:?} {input:?}");
        }
    }
}

#[test]
fn a_large_copy_comes_in_chunks() {
    let lines: Vec<String> = (0..30_000).map(|n| format!("{{\"text\":\"{n:0100}\"}}\n")).collect();
    let input = lines.concat();
    let options = ReadOptions::default();
    let (records, extent) = read(input.as_bytes(), &options).unwrap();
    let positions: Vec<u32> = records.iter().map(|record| record.position).collect();
    let mut copy = SelectedCopy::new(input.as_bytes(), &options, &positions, extent).unwrap();
    let (mut chunk, mut sizes, mut all) = (Vec::new(), Vec::new(), Vec::new());
    while copy.next_chunk(&mut chunk).unwrap() {
        sizes.push(chunk.len());
        all.extend_from_slice(&chunk);
    }
    assert_eq!(all, input.as_bytes());
    assert!(sizes.len() >= 3 && sizes.iter().all(|size| *size < (1 << 20) + 200), "{sizes:?}");
}

#[test]
fn a_changed_input_is_noticed() {
    let options = ReadOptions::default();
    let first = b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n".as_slice();
    let (_, extent) = read(first, &options).unwrap();
    for (what, second) in [
        ("a record more", b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n".as_slice()),
        ("a record less", b"{\"text\":\"a\"}\n"),
        ("a space more", b"{\"text\":\"a\"}\n{\"text\": \"b\"}\n"),
        ("other bytes, equal size", b"{\"text\":\"a\"}\n{\"text\":\"c\"}\n"),
        ("nothing", b""),
    ] {
        let error = copy(second, &options, &[0], extent).unwrap_err();
        assert!(
            matches!(error, CorpusError::ChangedUnderneath { expected, .. } if expected == extent),
            "{what}: {error}"
        );
    }
}

#[test]
fn positions_ascend_and_exist() {
    let options = ReadOptions::default();
    let input = b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n".as_slice();
    let (_, extent) = read(input, &options).unwrap();
    for (positions, index, received) in
        [(&[0, 2][..], 1, 2), (&[1, 0], 1, 0), (&[1, 1], 1, 1), (&[u32::MAX], 0, u32::MAX)]
    {
        let error = copy(input, &options, positions, extent).unwrap_err();
        let CorpusError::Positions { index: i, expected: 2, received: r } = error else { panic!("{error}") };
        assert_eq!((i, r), (index, received));
    }
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_opened_by_their_promise() {
    let folder = Folder::new("files_are_opened_by_their_promise");
    let path = |name: &str| folder.0.join(name);
    let options = ReadOptions::default();
    fs::write(path("a.jsonl.gz"), gzip(b"{\"text\":\"a\"}\n")).unwrap();
    fs::write(path("empty.jsonl.gz"), b"").unwrap();
    fs::write(path("plain.jsonl.zst"), b"{\"text\":\"a\"}\n").unwrap();
    fs::write(path("packed.jsonl"), gzip(b"{\"text\":\"a\"}\n")).unwrap();

    for name in ["a.jsonl.gz", "packed.jsonl"] {
        let mut reader = CorpusReader::open(path(name), &options).unwrap();
        let mut block = Block::new();
        assert!(reader.next_block(&mut block).unwrap());
        assert_eq!(block.text(0, 0), "a");
        assert!(!reader.next_block(&mut block).unwrap());
        assert_eq!(reader.input_bytes(), fs::metadata(path(name)).unwrap().len());
        let mut copy = SelectedCopy::open(path(name), &options, &[0], reader.extent()).unwrap();
        let mut chunk = Vec::new();
        assert!(copy.next_chunk(&mut chunk).unwrap());
        assert_eq!(chunk, b"{\"text\":\"a\"}\n");
    }
    for (name, code) in [("empty.jsonl.gz", "CORPUS_TRUNCATED"), ("plain.jsonl.zst", "CORPUS_CORRUPT")] {
        let error =
            CorpusReader::open(path(name), &options).unwrap().next_block(&mut Block::new()).unwrap_err();
        assert_eq!(error.code(), code, "{name}");
    }
    let error = CorpusReader::open(&folder.0, &options).err().unwrap();
    assert_eq!(error.code(), "CORPUS_NOT_A_FILE");
    assert!(error.to_string().ends_with(" is a directory, expected a file"), "{error}");
    #[cfg(unix)]
    {
        let _socket = std::os::unix::net::UnixListener::bind(path("socket.jsonl")).unwrap();
        for other in [path("socket.jsonl"), "/dev/zero".into()] {
            let error = CorpusReader::open(&other, &options).err().unwrap();
            assert!(error.to_string().ends_with(" is no regular file, expected a file"), "{error}");
            let error = SelectedCopy::open(&other, &options, [0_u32; 0], Extent::default()).err().unwrap();
            assert_eq!(error.code(), "CORPUS_NOT_A_FILE");
        }
    }
    let error = CorpusReader::open(path("none.jsonl"), &options).err().unwrap();
    assert!(matches!(error, CorpusError::Open { kind: std::io::ErrorKind::NotFound, .. }), "{error}");
}
