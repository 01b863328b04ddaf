//! Files: what was saved comes back; anything else is refused before it is believed.

mod support;

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use sluice_filter::Filter;
use sluice_index::{BACKENDS, Index, IndexError, Want};
use sluice_vector::Metric;
use support::{index, metrics, rows};

/// A folder of this test, empty, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sluice-index-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn small(backend: &str) -> Index {
    let flat = [1.0, 0.0, 0.6, 0.8, 0.0, 1.0, -1.0, 0.5, 0.3, 0.3];
    let mut index = index(backend, Metric::Cosine, 2, &flat).with_embedder(Some("static-en".to_owned()));
    index.remove(1);
    index
}

fn refusal(path: &std::path::Path) -> IndexError {
    Index::load(path).err().expect("refused")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_index_comes_back_as_it_was_and_saves_to_the_same_bytes(
        (width, flat) in (1_usize..12).prop_flat_map(|n| (Just(n), rows(n, 0..80))),
        metric in metrics(),
        removed in prop::collection::vec(0_u32..80, 0..20),
        attachment in prop::collection::vec(any::<u8>(), 0..50),
    ) {
        let folder = Folder::new("round");
        let mut saved = index("flat", metric, width, &flat).with_embedder(Some("some/embedder@1".to_owned()));
        for &slot in &removed {
            saved.remove(slot);
        }
        saved.save(&folder.file("a"), &attachment).expect("a free name");
        let (loaded, bytes) = Index::load(&folder.file("a")).expect("our file");
        prop_assert_eq!(&bytes, &attachment);
        prop_assert_eq!((loaded.metric(), loaded.dimension(), loaded.slots()), (saved.metric(), saved.dimension(), saved.slots()));
        prop_assert_eq!(loaded.embedder(), saved.embedder());
        prop_assert_eq!(loaded.live(), saved.live());
        for slot in saved.live() {
            prop_assert_eq!(loaded.payload(slot).expect("live"), saved.payload(slot).expect("live"));
        }
        if !flat.is_empty() {
            let ask = |index: &Index, json: &str| {
                let filter = Filter::parse(json).expect("a good filter");
                index.search(&flat[..width], Want::TopK(99), &filter, &|| false).expect("a good query")
            };
            for json in ["{}", r#"{"third": 1}"#] {
                prop_assert_eq!(ask(&loaded, json), ask(&saved, json));
            }
        }
        loaded.save(&folder.file("b"), &attachment).expect("a free name");
        prop_assert_eq!(fs::read(folder.file("a")).expect("there"), fs::read(folder.file("b")).expect("there"));
    }
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    let folder = Folder::new("damage");
    for kind in BACKENDS {
        let path = folder.file(kind.name);
        small(kind.name).save(&path, b"attached").expect("a free name");
        let whole = fs::read(&path).expect("there");
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("writable");
            assert_eq!(refusal(&path).code(), "INDEX_FILE", "{} cut at {cut}", kind.name);
        }
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &damaged).expect("writable");
            assert_eq!(refusal(&path).code(), "INDEX_FILE", "{} bit {bit}", kind.name);
        }
        fs::write(&path, [&whole[..], b"x"].concat()).expect("writable");
        assert_eq!(refusal(&path).code(), "INDEX_FILE", "{} and one more byte", kind.name);
        fs::write(&path, &whole).expect("writable");
        assert!(Index::load(&path).is_ok());
    }
}

#[test]
fn damage_under_a_checksum_that_fits_is_refused_or_harmless() {
    let folder = Folder::new("forged");
    for kind in BACKENDS {
        let path = folder.file(kind.name);
        small(kind.name).save(&path, b"attached").expect("a free name");
        let whole = fs::read(&path).expect("there");
        let content = whole.len() - blake3::OUT_LEN;
        let head_end = 24 + u32::from_le_bytes(whole[12..16].try_into().expect("four bytes")) as usize;
        let mut refused = 0;
        for byte in 0..content {
            for flip in [0x01, 0xff] {
                let mut forged = whole.clone();
                forged[byte] ^= flip;
                let checksum = blake3::hash(&forged[..content]);
                forged[content..].copy_from_slice(checksum.as_bytes());
                fs::write(&path, &forged).expect("writable");
                match Index::load(&path) {
                    Err(error) => {
                        refused += 1;
                        let known = ["INDEX_FILE", "BACKEND_UNKNOWN"];
                        assert!(known.contains(&error.code()), "{} byte {byte}: {error}", kind.name);
                    }
                    // Another name of an embedder, another payload: an index that answers.
                    Ok((index, _)) => {
                        let query = vec![1.0; index.dimension().get()];
                        index
                            .search(&query, Want::TopK(9), &Filter::everything(), &|| false)
                            .unwrap_or_else(|error| panic!("{} byte {byte}: {error}", kind.name));
                    }
                }
            }
        }
        assert!(refused > head_end, "{}: {refused} of {content} bytes mattered", kind.name);
    }
}

#[test]
fn what_is_no_index_file_is_named() {
    let folder = Folder::new("foreign");
    fs::write(folder.file("empty"), b"").expect("writable");
    fs::write(folder.file("json"), br#"{"vectors": [[1, 2, 3]], "more": "than twenty-four bytes"}"#)
        .expect("writable");
    for name in ["empty", "json"] {
        let IndexError::File { expected, received } = refusal(&folder.file(name)) else { panic!("{name}") };
        assert_eq!((expected, received.as_str()), ("an index file", "another file"));
    }
    let IndexError::File { received, .. } = refusal(&folder.0) else { panic!("a folder") };
    assert_eq!(received, "a directory");
    assert!(matches!(refusal(&folder.file("nothing")), IndexError::Io { .. }));
}

#[test]
fn a_save_that_cannot_be_is_refused_and_leaves_nothing() {
    let folder = Folder::new("targets");
    let index = small("flat");
    let refused = |path: &std::path::Path| index.save(path, b"").expect_err("refused").code();
    assert_eq!(refused(&folder.0), "INDEX_FILE");
    assert_eq!(refused(&folder.file("no/such/folder")), "IO");
    assert_eq!(refused(std::path::Path::new("/dev/null")), "INDEX_FILE");
    let locked = folder.file("locked");
    fs::write(&locked, b"kept").expect("writable");
    let mut permissions = fs::metadata(&locked).expect("there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).expect("ours");
    assert_eq!(refused(&locked), "IO");
    assert_eq!(fs::read(&locked).expect("there"), b"kept");
    let left: Vec<_> =
        fs::read_dir(&folder.0).expect("there").map(|entry| entry.expect("there").file_name()).collect();
    assert_eq!(left, ["locked"]);
}

#[test]
fn a_save_takes_the_place_of_the_file_before() {
    let folder = Folder::new("replace");
    let path = folder.file("index");
    small("flat").save(&path, b"one").expect("a free name");
    small("flat").save(&path, b"two").expect("our file");
    assert_eq!(Index::load(&path).expect("our file").1, b"two");
}

#[test]
fn a_save_removes_what_killed_saves_of_the_same_name_left_and_nothing_else() {
    let folder = Folder::new("leftovers");
    // With our own process number: where numbers come again, the names of a killed save are taken.
    let ours = (0..40).map(|save| format!(".a.index.{}-{save}.part", std::process::id()));
    let left = ours.chain([".a.index.1-0.part".to_owned(), ".a.index.4194304-7.part".to_owned()]);
    for (at, name) in left.enumerate() {
        // Killed before the first byte, within the first bytes, later.
        let written: &[u8] = [&b""[..], b"SLU", b"SLUICEIX and more"][at % 3];
        fs::write(folder.file(&name), written).expect("writable");
    }
    let kept = [
        (".a.index.1-1.part", "another program's"),
        (".b.index.1-0.part", "SLUICEIX"),
        (".a.index.1-0.part.bak", "SLUICEIX"),
        ("a.index.1-0.part", "SLUICEIX"),
        (".a.index.9-9.part", "SLUICEIX of a process that lives"),
    ];
    for (name, content) in kept {
        fs::write(folder.file(name), content).expect("writable");
    }
    fs::create_dir(folder.file(".a.index.2-2.part")).expect("writable");
    let held = fs::File::open(folder.file(".a.index.9-9.part")).expect("there");
    held.lock().expect("a file system with locks");

    small("flat").save(&folder.file("a.index"), b"").expect("a free name");
    let mut names: Vec<String> = fs::read_dir(&folder.0)
        .expect("there")
        .map(|entry| entry.expect("there").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    let mut expected: Vec<&str> = kept.iter().map(|&(name, _)| name).collect();
    expected.extend([".a.index.2-2.part", "a.index"]);
    expected.sort_unstable();
    assert_eq!(names, expected);

    drop(held);
    small("flat").save(&folder.file("a.index"), b"").expect("a free name");
    assert!(!folder.file(".a.index.9-9.part").exists(), "nobody holds it any more");
}

#[test]
fn saves_side_by_side_of_one_name_all_end_well() {
    let folder = Folder::new("side-by-side");
    let path = folder.file("a.index");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    small("flat").save(&path, b"").expect("a name of its own");
                }
            });
        }
    });
    assert!(Index::load(&path).is_ok());
    assert_eq!(fs::read_dir(&folder.0).expect("there").count(), 1);
}
