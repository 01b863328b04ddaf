//! What can be wrong with a file, and what happens then: a typed error, never a panic, never a wrong answer.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use sluice_filter::Filter;
use sluice_store::{Access, Durability, Point, Store, StoreError, Which};
use sluice_vector::Metric;
use support::{Place, Row, Seeded, WHOLE, export, filter, id, name, points, rows, schema};

fn open(path: &Path, access: Access) -> Result<Store, StoreError> {
    Store::open(path, access, Durability::Process)
}

fn code<T>(result: Result<T, StoreError>) -> &'static str {
    match result {
        Ok(_) => "no error",
        Err(error) => error.code(),
    }
}

/// A closed store with ten points.
fn filled() -> (Place, Vec<Row>) {
    let place = Place::new();
    let mut store = place.writer();
    store.ensure_collection(&name("c"), &schema(2, Metric::Cosine)).unwrap();
    let batch: Vec<Row> = (0..10)
        .map(|number| Row::new(number, &format!(r#"{{"user_id":"u{number}"}}"#), Some("some common words")))
        .collect();
    store.upsert(&name("c"), &points(&batch)).unwrap();
    store.delete(&name("c"), Which::Ids(&[id(9)])).unwrap();
    store.put_value("n", "k", b"value").unwrap();
    drop(store);
    (place, batch[..9].to_vec())
}

#[test]
fn a_second_writer_is_refused_at_once_and_readers_are_not() {
    let (place, expected) = filled();
    let first = place.writer();
    assert_eq!(code(place.open(Access::ReadWrite)), "STORE_SECOND_WRITER");
    let readers = [place.reader(), place.reader(), first.reader().unwrap()];
    for reader in &readers {
        assert_eq!(export(reader, &name("c"), &Filter::everything(), 4).unwrap(), expected);
    }
    drop(first);
    assert_eq!(code(place.open(Access::ReadWrite)), "no error");
}

#[cfg(unix)]
#[test]
fn two_names_of_one_file_share_the_lock() {
    let (place, _) = filled();
    let link = place.folder.path().join("link.sluice");
    std::os::unix::fs::symlink(&place.path, &link).unwrap();
    let _writer = place.writer();
    assert_eq!(code(open(&link, Access::ReadWrite)), "STORE_SECOND_WRITER");
}

#[test]
fn a_path_that_is_no_store_is_refused_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("empty"), "").unwrap();
    fs::write(at("text"), "not a database, but long enough to have a header ".repeat(40)).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let other = rusqlite::Connection::open(at("other")).unwrap();
    other.execute_batch("CREATE TABLE t (a); PRAGMA application_id = 7").unwrap();
    other.close().unwrap();
    let newer = rusqlite::Connection::open(at("newer")).unwrap();
    newer
        .execute_batch("CREATE TABLE t (a); PRAGMA application_id = 0x534c4345; PRAGMA user_version = 2")
        .unwrap();
    newer.close().unwrap();
    let cases = [
        ("empty", "STORE_FOREIGN"),
        ("text", "STORE_FOREIGN"),
        ("folder", "STORE_IS_DIRECTORY"),
        ("other", "STORE_FOREIGN"),
        ("newer", "STORE_VERSION"),
        ("no/such/folder", "STORE_OPEN"),
        ("text/below", "STORE_OPEN"),
    ];
    for (name, expected) in cases {
        let before = fs::read(at(name)).ok();
        for access in [Access::ReadOnly, Access::ReadWrite] {
            assert_eq!(code(open(&at(name), access)), expected, "{name}, {access:?}");
        }
        assert_eq!(fs::read(at(name)).ok(), before, "{name}");
    }
    assert_eq!(code(open(&at("missing"), Access::ReadOnly)), "STORE_OPEN");
    assert!(!at("missing").exists());
}

#[test]
fn a_reader_cannot_write() {
    let (place, _) = filled();
    let mut reader = place.reader();
    let c = name("c");
    assert_eq!(code(reader.upsert(&c, &[])), "STORE_READ_ONLY");
    assert_eq!(code(reader.delete(&c, Which::Ids(&[]))), "STORE_READ_ONLY");
    assert_eq!(code(reader.drop_collection(&c)), "STORE_READ_ONLY");
    assert_eq!(code(reader.ensure_collection(&name("d"), &schema(2, Metric::Dot))), "STORE_READ_ONLY");
    assert_eq!(code(reader.put_value("n", "k", b"")), "STORE_READ_ONLY");
}

/// Opens a damaged file and asks it everything. What it answers must be true; only a passed check promises all of it.
fn interrogate(path: &Path, expected: &[Row]) -> Result<(), StoreError> {
    let store = open(path, Access::ReadOnly)?;
    let c = name("c");
    let true_rows = |found: Vec<Row>| assert!(found.iter().all(|row| expected.contains(row)), "a wrong row");
    if let Ok(found) = export(&store, &c, &Filter::everything(), 4) {
        true_rows(found);
    }
    if let Ok(found) = store.get(&c, &[id(1), id(5)], WHOLE) {
        true_rows(rows(&found));
    }
    if let Ok(changes) = store.changes(&c, 0, 100) {
        true_rows(rows(&changes.upserted));
    }
    if let Ok(Some(value)) = store.get_value("n", "k") {
        assert_eq!(value, b"value");
    }
    let _ = store.count(&c, &filter(r#"{"user_id":"u1"}"#));
    let _ = store.search_text(&c, "common", 5, &Filter::everything());
    store.check()?;
    assert_eq!(export(&store, &c, &Filter::everything(), 4)?, expected, "a passed check promised too much");
    assert_eq!(store.search_text(&c, "common", 50, &Filter::everything())?.len(), expected.len());
    drop(store);
    // Writing to it may fail, too, but not worse.
    let mut store = open(path, Access::ReadWrite)?;
    store.upsert(&c, &[Row::new(77, "{}", Some("common")).point()])?;
    store.delete(&c, Which::Ids(&[id(77)]))?;
    Ok(())
}

#[test]
fn a_flipped_bit_is_an_error_or_of_no_account() {
    let (place, expected) = filled();
    let whole = fs::read(&place.path).unwrap();
    // The header byte by byte; behind it, bytes that hold something.
    let used: Vec<usize> = (100..whole.len()).filter(|at| whole[*at] != 0).collect();
    let mut random = Seeded(11);
    let sampled = (0..700).map(|_| used[random.below(used.len() as u64) as usize]).collect::<Vec<_>>();
    let (mut noticed, mut harmless) = (0, 0);
    let damaged = place.folder.path().join("damaged.sluice");
    for at in (0..100).chain(sampled) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << random.below(8);
        fs::write(&damaged, &bytes).unwrap();
        match interrogate(&damaged, &expected) {
            Ok(()) => harmless += 1,
            Err(error) => {
                assert!(
                    ["STORE_DAMAGED", "STORE_FOREIGN", "STORE_VERSION", "STORE_READ_ONLY", "STORE_IO"]
                        .contains(&error.code()),
                    "byte {at}: {error}"
                );
                noticed += 1;
            }
        }
        for suffix in ["-wal", "-shm", "-lock"] {
            let _ = fs::remove_file(place.folder.path().join(format!("damaged.sluice{suffix}")));
        }
    }
    assert!(noticed > 300, "{noticed} noticed, {harmless} harmless");
}

#[test]
fn a_truncated_file_is_an_error() {
    let (place, expected) = filled();
    let whole = fs::read(&place.path).unwrap();
    let damaged = place.folder.path().join("damaged.sluice");
    let mut random = Seeded(12);
    let lengths =
        (0..whole.len()).step_by(32_768).chain((0..60).map(|_| random.below(whole.len() as u64) as usize));
    for length in lengths {
        fs::write(&damaged, &whole[..length]).unwrap();
        let Err(error) = interrogate(&damaged, &expected) else {
            assert!(whole[length..].iter().all(|byte| *byte == 0), "{length}: a truncated file passed");
            continue; // what is missing reads as zeros, which it was
        };
        assert!(["STORE_DAMAGED", "STORE_FOREIGN"].contains(&error.code()), "{length}: {error}");
    }
}

#[test]
fn a_reader_sees_one_state_while_a_writer_writes() {
    let place = Place::new();
    let c = name("c");
    let mut writer = place.writer();
    writer.ensure_collection(&c, &schema(2, Metric::Cosine)).unwrap();
    let batch = |round: u32| -> Vec<Row> {
        (0..40).map(|number| Row::new(number, &format!(r#"{{"round":{round}}}"#), None)).collect()
    };
    writer.upsert(&c, &points(&batch(0))).unwrap();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let reader = place.reader();
            let mut seen = Vec::new();
            while seen.last() != Some(&r#"{"round":100}"#.to_owned()) {
                let page = reader.scroll(&c, None, 100, &Filter::everything(), WHOLE).unwrap();
                assert_eq!(page.points.records.len(), 40);
                let first = page.points.records[0].payload.clone();
                assert!(page.points.records.iter().all(|record| record.payload == first), "a torn read");
                if seen.last() != Some(&first) {
                    seen.push(first);
                }
            }
            seen.len()
        });
        for round in 1..=100 {
            writer.upsert(&c, &points(&batch(round))).unwrap();
        }
        assert!(reading.join().unwrap() >= 1);
    });
}

/// A small file system of its own; `None`, with the reason printed, where it cannot be had.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new(kib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"])
            .arg(folder.path())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        println!("skipped: a small file system needs the right to mount one");
        None
    }

    fn remount(&self, how: &str) {
        let status =
            Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(self.0.path()).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_takes_nothing_away() {
    let Some(disk) = SmallDisk::new(6 * 1024) else { return };
    let path = disk.0.path().join("s.sluice");
    let c = name("c");
    let mut store = open(&path, Access::ReadWrite).unwrap();
    store.ensure_collection(&c, &schema(2, Metric::Cosine)).unwrap();
    let filler = "x".repeat(20_000);
    let payload = format!(r#"{{"filler":"{filler}"}}"#);
    let mut stored = 0;
    let error = loop {
        match store
            .upsert(&c, &[Row::new(stored, &payload, None).point(), Row::new(stored + 1, "{}", None).point()])
        {
            Ok(_) => stored += 2,
            Err(error) => break error,
        }
        assert!(stored < 250, "the disk never filled");
    };
    assert_eq!(error.code(), "STORE_DISK_FULL");
    assert_eq!(code(store.snapshot(&disk.0.path().join("copy"))), "STORE_DISK_FULL");
    assert!(!disk.0.path().join("copy").exists() && !disk.0.path().join("copy-new").exists());
    drop(store);
    disk.remount("size=32m");
    let mut store = open(&path, Access::ReadWrite).unwrap();
    store.check().unwrap();
    assert_eq!(store.count(&c, &Filter::everything()).unwrap(), u64::from(stored));
    store.upsert(&c, &[Row::new(stored, &payload, None).point()]).unwrap();
    drop(store);
    let Some(tiny) = SmallDisk::new(16) else { return };
    assert_eq!(code(open(&tiny.0.path().join("s.sluice"), Access::ReadWrite)), "STORE_DISK_FULL");
    assert_eq!(fs::read_dir(tiny.0.path()).unwrap().count(), 0, "half a store was left");
}

/// The names in the folder of a store that begin with its own.
fn files_beside(path: &Path) -> Vec<String> {
    let own = path.file_name().unwrap().to_string_lossy().into_owned();
    let names = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with(&own));
    names.sort();
    names
}

#[test]
fn a_writer_that_closes_leaves_everything_in_one_file_while_others_still_read() {
    let (place, expected) = filled();
    let writer = open(&place.path, Access::ReadWrite).unwrap();
    let reader = writer.reader().unwrap();
    assert_eq!(export(&reader, &name("c"), &Filter::everything(), 4).unwrap(), expected);
    drop(writer);
    // The reader keeps its files, but nothing is in them: a copy of the store alone is the whole store.
    let copy = place.path.with_file_name("copy.sluice");
    fs::copy(&place.path, &copy).unwrap();
    let copied = open(&copy, Access::ReadOnly).unwrap();
    assert_eq!(export(&copied, &name("c"), &Filter::everything(), 4).unwrap(), expected);
    drop(reader);
    drop(open(&place.path, Access::ReadWrite).unwrap());
    assert_eq!(files_beside(&place.path).len(), 1);
}

#[test]
fn what_was_deleted_is_in_no_file_any_more() {
    let (place, _) = filled();
    let mut writer = open(&place.path, Access::ReadWrite).unwrap();
    let secret = "A secret: the gate opens at 04:17.";
    let payload = format!(r#"{{"note": "{secret}"}}"#);
    let id = id(77);
    let point = Point { id, vector: &[1.0; 2], payload: &payload, text: None };
    writer.upsert(&name("c"), &[point]).unwrap();
    let holders = || -> Vec<String> {
        let holds = |file: &String| {
            let bytes = fs::read(place.path.with_file_name(file)).unwrap();
            bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        };
        files_beside(&place.path).into_iter().filter(holds).collect()
    };
    assert_ne!(holders(), Vec::<String>::new(), "the test can see it");
    assert_eq!(writer.delete(&name("c"), Which::Ids(&[id])).unwrap(), 1);
    assert_eq!(holders(), Vec::<String>::new());
}

#[test]
fn a_store_that_was_not_closed_is_refused_where_its_log_cannot_be_read() {
    let Some(disk) = SmallDisk::new(16 * 1024) else { return };
    let (place, _) = filled();
    let writer = open(&place.path, Access::ReadWrite).unwrap();
    let path = disk.0.path().join("s.sluice");
    fs::copy(&place.path, &path).unwrap();
    fs::write(path.with_file_name("s.sluice-wal"), [1; 4_128]).unwrap();
    drop(writer);
    disk.remount("ro");
    assert_eq!(code(open(&path, Access::ReadOnly)), "STORE_LOG_UNREAD");
}

#[test]
fn a_read_only_file_system_can_be_read() {
    let Some(disk) = SmallDisk::new(16 * 1024) else { return };
    let (place, expected) = filled();
    let path = disk.0.path().join("odd %3f name?#.sluice");
    fs::copy(&place.path, &path).unwrap();
    disk.remount("ro");
    assert_eq!(code(open(&path, Access::ReadWrite)), "STORE_READ_ONLY");
    let store = open(&path, Access::ReadOnly).unwrap();
    assert_eq!(export(&store, &name("c"), &Filter::everything(), 4).unwrap(), expected);
    store.check().unwrap();
}
