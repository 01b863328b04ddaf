//! What a record is, format by format.

mod support;

use proptest::prelude::*;
use serde_json::json;
use sluice_corpus::{CorpusError, CorpusReader, Format, ReadOptions};
use support::{gzip, options, read, texts, zstd};

#[test]
fn every_format_reads_the_same_records_from_every_packing() {
    for (format, input) in [
        (Format::Jsonl, "{\"text\":\"a\"}\n{\"text\":\"\"}\n{\"text\":\"ü, \\\"b\\\"\"}\n".to_owned()),
        (Format::Csv, "text\na\n\"\"\n\"ü, \"\"b\"\"\"\n".to_owned()),
        (Format::Tsv, "n\ttext\n1\ta\n2\t\n3\t\"ü, \"\"b\"\"\"\n".to_owned()),
        (Format::Txt, "a\n\nü, \"b\"\n".to_owned()),
    ] {
        let halves = input.as_bytes().split_at(input.len() / 2);
        for (packing, packed) in [
            ("plain", input.clone().into_bytes()),
            ("gzip", gzip(input.as_bytes())),
            ("gzip members", [gzip(halves.0), gzip(b""), gzip(halves.1)].concat()),
            ("gzip, padded", [gzip(halves.0), vec![0; 7], gzip(halves.1), vec![0; 300_000]].concat()),
            ("zstd", zstd(input.as_bytes())),
            ("zstd frames", [zstd(halves.0), zstd(b""), zstd(halves.1)].concat()),
            (
                "zstd, skippable frame",
                [zstd(halves.0), b"\x53\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(halves.1)].concat(),
            ),
        ] {
            assert_eq!(
                texts(&packed, &options(format)).unwrap(),
                ["a", "", "ü, \"b\""],
                "{format:?} {packing}"
            );
        }
    }
}

#[test]
fn line_ends_marks_and_blank_lines() {
    for (format, input, expected) in [
        (Format::Jsonl, "", vec![]),
        (Format::Jsonl, "\n \t\r\n\n", vec![]),
        (Format::Jsonl, "\u{feff}{\"text\":\"a\"}\r\n\r\n  {\"text\":\"b\"} ", vec!["a", "b"]),
        (Format::Txt, "", vec![]),
        (Format::Txt, "\n", vec![""]),
        (Format::Txt, "\u{feff}a\r\n\r\n b\rc", vec!["a", "", " b\rc"]),
        (Format::Csv, "text", vec![]),
        (Format::Csv, "text\r\n", vec![]),
        (Format::Csv, "\u{feff}\"text\"\r\n\r\na\r\n\n\"b\r\n\nc\"", vec!["a", "b\r\n\nc"]),
        (Format::Csv, "\n\ntext,x\n5\" pipe,\n,\"\"\"\"\n", vec!["5\" pipe", ""]),
        (Format::Csv, "text\n\"a\"b\n\"a\" \"b\"\r\na\rb\n\r", vec!["ab", "a \"b\"", "a\rb"]),
        (Format::Csv, "x,text\n\"\"\"\",\"\"\"\"\n\",\",\",\"\"\n\"", vec!["\"", ",\"\n"]),
    ] {
        assert_eq!(texts(input.as_bytes(), &options(format)).unwrap(), expected, "{format:?} {input:?}");
    }
}

#[test]
fn wanted_fields_in_any_order_and_role() {
    let wanted = ReadOptions {
        columns: vec!["b".into(), "a".into(), "b".into()],
        id: Some("k".into()),
        priority: Some("p".into()),
        ..ReadOptions::default()
    };
    let jsonl = r#"{"p":1e2,"a":"x","k":{"n":[1, "\ud800"]},"b":"1","\ud800":1,"skip":[{"b":"no"}],"b":"\t2"}
{"a":"x","b":"y","p":null,"k":null}
{"a":"x","b":"y","p":"2000-02-29"}"#;
    let (records, _) = read(jsonl.as_bytes(), &wanted).unwrap();
    assert_eq!(records[0].texts, ["\t2", "x", "\t2"], "the last of equal keys counts");
    let id_priority: Vec<_> = records.iter().map(|record| (record.id.as_deref(), record.priority)).collect();
    let expected =
        [(Some(r#"{"n":[1, "\ud800"]}"#), Some(100.0)), (Some("null"), None), (None, Some(951_782_400.0))];
    assert_eq!(id_priority, expected);
    assert_eq!(records[0].raw, format!("{}\n", jsonl.lines().next().unwrap()).into_bytes());

    let csv = "k,p,a,b\n\"\"\"\\\u{1}é\",7,x,\"y\n\"\n,,x,y\nk,2000-02-29T00:00:01Z,x,y\n";
    let (records, _) = read(csv.as_bytes(), &ReadOptions { format: Format::Csv, ..wanted }).unwrap();
    assert_eq!(records[0].texts, ["y\n", "x", "y\n"]);
    assert_eq!(records[0].raw, b"\"\"\"\\\x01\xc3\xa9\",7,x,\"y\n\"\n");
    let id_priority: Vec<_> = records.iter().map(|record| (record.id.as_deref(), record.priority)).collect();
    let expected =
        [(Some(r#""\"\\\u0001é""#), Some(7.0)), (Some("\"\""), None), (Some("\"k\""), Some(951_782_401.0))];
    assert_eq!(id_priority, expected);
}

#[test]
fn an_id_is_taken_where_there_is_one() {
    for (format, input, id) in [
        (Format::Jsonl, r#"{"text":"a","\u0069d":"7"}"#, Some("\"7\"")),
        (Format::Jsonl, r#"{"text":"a","id":7}"#, Some("7")),
        (Format::Jsonl, r#"{"text":"a"}"#, None),
        (Format::Csv, "id,text\n7,a\n", Some("\"7\"")),
        (Format::Csv, "text\na\n", None),
        (Format::Txt, "a", None),
    ] {
        let (records, _) = read(input.as_bytes(), &options(format)).unwrap();
        assert_eq!(records[0].id.as_deref(), id, "{format:?} {input}");
    }
}

#[test]
fn errors_say_where_and_what_but_not_the_text() {
    let with = |format, column: &str, priority: Option<&str>| ReadOptions {
        format,
        columns: vec![column.into()],
        priority: priority.map(Into::into),
        ..ReadOptions::default()
    };
    let jsonl = with(Format::Jsonl, "text", Some("p"));
    let csv = with(Format::Csv, "text", Some("p"));
    let tsv = with(Format::Tsv, "text", Some("p"));
    for (options, input, code, message) in [
        (
            &jsonl,
            "\n{\"text\":\"s\"}\n\n{\"text\":null}",
            "CORPUS_FIELD",
            "record 1 (line 4): field \"text\": expected string, received null",
        ),
        (
            &jsonl,
            "{}",
            "CORPUS_FIELD",
            "record 0 (line 1): field \"text\": expected string, received missing",
        ),
        (
            &jsonl,
            "{\"text\":7}",
            "CORPUS_FIELD",
            "record 0 (line 1): field \"text\": expected string, received number",
        ),
        (
            &jsonl,
            "{\"text\":[\"s\"]}",
            "CORPUS_FIELD",
            "record 0 (line 1): field \"text\": expected string, received array",
        ),
        (
            &jsonl,
            "{\"text\":\"s\",\"p\":\"s\"}",
            "CORPUS_FIELD",
            "record 0 (line 1): field \"p\": expected a finite number, an RFC 3339 time or a YYYY-MM-DD date, received string",
        ),
        (
            &jsonl,
            "{\"text\":\"s\",\"p\":1e999}",
            "CORPUS_FIELD",
            "record 0 (line 1): field \"p\": expected a finite number, an RFC 3339 time or a YYYY-MM-DD date, received number",
        ),
        (
            &jsonl,
            "{\"text\":\"s\"}\n{\"text\":\"s\",}",
            "CORPUS_JSON",
            "line 2, byte 12: expected one JSON object, received: trailing comma",
        ),
        (
            &jsonl,
            "{\"text\":\"s\\ud800\"}",
            "CORPUS_JSON",
            "line 1, byte 16: expected valid Unicode, received: unexpected end of hex escape",
        ),
        (&csv, "", "CORPUS_CSV", "line 1: expected a header row"),
        (&csv, "\u{feff}", "CORPUS_CSV", "line 1: expected a header row"),
        (&csv, "\u{feff}\n", "CORPUS_CSV", "line 1: expected a header row"),
        (&tsv, "\u{feff}", "CORPUS_CSV", "line 1: expected a header row"),
        (&tsv, "\u{feff}\r\n\n", "CORPUS_CSV", "line 1: expected a header row"),
        (&csv, "text\n", "CORPUS_COLUMN", "column \"p\": expected once, received 0 times"),
        (&csv, "p,text,text\n", "CORPUS_COLUMN", "column \"text\": expected once, received 2 times"),
        (
            &csv,
            "p,text\n1,\"s\ns\"\n1,s,s\n",
            "CORPUS_RAGGED",
            "line 4: expected 2 fields as in the header, received 3",
        ),
        (&csv, "p,text\n1\n", "CORPUS_RAGGED", "line 2: expected 2 fields as in the header, received 1"),
        (
            &csv,
            "p,text\n1,s\n1,\"s\n1,s\n",
            "CORPUS_CSV",
            "line 3: expected a closing quote before the end of the file",
        ),
        (
            &csv,
            "p,text\nsoon,s\n",
            "CORPUS_FIELD",
            "record 0 (line 2): field \"p\": expected a finite number, an RFC 3339 time or a YYYY-MM-DD date, received text",
        ),
    ] {
        for block_bytes in [1, 4 << 20] {
            let error = read(input.as_bytes(), &ReadOptions { block_bytes, ..options.clone() }).unwrap_err();
            assert_eq!((error.code(), error.to_string().as_str()), (code, message), "{input}");
        }
    }
    let txt = with(Format::Txt, "body", None);
    let error = CorpusReader::new("a".as_bytes(), &txt).err().unwrap();
    assert_eq!(error.to_string(), "column \"body\": expected once, received 0 times");
}

#[test]
fn bytes_that_are_no_text_are_found_by_line_and_byte() {
    for (format, input, line, byte) in [
        (Format::Jsonl, b"{\"text\":\"a\"}\n\n{\"text\":\"\xff\"}\n".as_slice(), 3, 9),
        (Format::Jsonl, b"\xff\xfe{\0", 1, 0),
        (Format::Txt, b"a\nb\xc3\x28\n", 2, 1),
        (Format::Txt, b"a\nb\xc3", 2, 1),
        (Format::Csv, b"te\xffxt\na\n", 1, 2),
        (Format::Csv, b"text,\"a\nb\xff\"\na\n", 2, 1),
        (Format::Csv, b"text\na\n\"b\nc\xff\"\n", 4, 1),
    ] {
        for block_bytes in [1, 7, 4 << 20] {
            let error = read(input, &ReadOptions { block_bytes, ..options(format) }).unwrap_err();
            match error {
                CorpusError::Encoding { line: l, byte: b } => assert_eq!((l, b), (line, byte), "{input:?}"),
                other => panic!("{input:?}: {other}"),
            }
        }
    }
}

proptest! {
    #[test]
    fn strings_written_by_a_peer_come_back(strings in prop::collection::vec(any::<String>(), 0..40), block_bytes in 1..300_usize) {
        let lines: Vec<String> = strings.iter().map(|text| format!("{}\n", json!({"n": [text], "text": text}))).collect();
        let options = ReadOptions { block_bytes, ..options(Format::Jsonl) };
        prop_assert_eq!(texts(lines.concat().as_bytes(), &options).unwrap(), strings);
    }

    #[test]
    fn rows_written_by_a_peer_come_back(
        rows in prop::collection::vec(("[a\",\r\n é]{0,8}", "[a\",\r\n é]{0,8}"), 0..20),
        block_bytes in 1..100_usize,
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["a", "b"]).unwrap();
        for (a, b) in &rows {
            writer.write_record([a, b]).unwrap();
        }
        let csv = writer.into_inner().unwrap();
        let options = ReadOptions { block_bytes, columns: vec!["b".into(), "a".into()], ..options(Format::Csv) };
        let read: Vec<_> = read(&csv, &options).unwrap().0.into_iter().map(|record| (record.texts[1].clone(), record.texts[0].clone())).collect();
        prop_assert_eq!(read, rows);
    }
}
