//! Real documentation of six releases: the walk agrees with brute force position by position.

mod brute;

use std::io::Read;
use std::path::Path;

use brute::{Expected, Grouped, Record};
use sluice_dedup::{Batch, DedupOptions, Rules, Unwatched, walk};

/// The texts of `examples/etcd`.
fn texts() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/etcd/passages.jsonl.gz");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut lines).unwrap();
    let text = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["text"].as_str().unwrap().to_owned()
    };
    lines.lines().map(text).collect()
}

#[test]
fn selects_what_brute_force_selects() {
    let texts = texts();
    let options = DedupOptions::default();
    let mut batch = Batch::new(options);
    batch.push_block(&texts.as_slice()).unwrap();
    let outcome = walk(&batch, None, None, &Rules::default(), &Unwatched).unwrap();
    assert_eq!((outcome.counts.records, outcome.counts.classes), (16_207, 3_970));
    assert_eq!(outcome.counts.selected, 3_560);

    let records: Vec<Record> = texts.iter().map(|text| Record::text(text)).collect();
    let expected = brute::walk(&Grouped::new(&records, options, &|_| None), None, &Rules::default());
    assert!(Expected::from(&outcome) == expected, "differs from brute force");
}
