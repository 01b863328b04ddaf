//! The shipped model gives the vectors of the reference, and no file can hurt.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use serde::Deserialize;
use sluice_embed::{Coverage, EmbedError, Embedder, Scratch, StaticModel, embed_all};

static SHIPPED: LazyLock<StaticModel> = LazyLock::new(|| StaticModel::load(&shipped_folder()).unwrap());

fn shipped_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/static-en")
}

/// A text of `golden.json`, written by `golden.py`.
#[derive(Deserialize)]
struct Golden {
    text: String,
    ids: Vec<u32>,
    /// Empty when the model knows nothing in the text.
    vector: Vec<f32>,
}

#[test]
fn gives_the_vectors_of_the_reference() {
    let cases: Vec<Golden> = serde_json::from_str(include_str!("data/golden.json")).unwrap();
    assert!(cases.len() >= 60);
    let unknown_id = 100;
    for Golden { text, ids, vector } in cases {
        let (row, coverage) = embed(&*SHIPPED, &text);
        let unknown = ids.iter().filter(|&&id| id == unknown_id).count() as u64;
        assert_eq!(coverage, Coverage { tokens: ids.len() as u64, unknown }, "{text:?}");
        if vector.is_empty() {
            assert!(row.iter().all(|&element| element == 0.0), "{text:?}");
            continue;
        }
        assert_eq!(row.len(), vector.len());
        for (element, expected) in row.iter().zip(&vector) {
            assert!((element - expected).abs() <= 1e-6, "{text:?}: {element} is not {expected}");
        }
    }
}

#[test]
fn is_named_by_its_metadata_and_its_bytes() {
    let weights = std::fs::read(shipped_folder().join("static-en-256-int4.safetensors")).unwrap();
    let vocabulary = std::fs::read_to_string(shipped_folder().join("vocab.txt")).unwrap();
    let model = StaticModel::from_bytes(&weights, &vocabulary).unwrap();
    assert_eq!(model.id(), SHIPPED.id());
    assert!(model.id().starts_with("static-en-256-int4@"));
    assert_eq!(model.dimension(), 256);
}

#[test]
fn is_refused_with_the_vocabulary_of_another() {
    let weights = std::fs::read(shipped_folder().join("static-en-256-int4.safetensors")).unwrap();
    let vocabulary = std::fs::read_to_string(shipped_folder().join("vocab.txt")).unwrap();
    let lines: Vec<&str> = vocabulary.lines().collect();
    let reversed: Vec<&str> = lines.iter().rev().copied().collect();
    for other in [vocabulary.replacen("[unused1]", "[unused-1]", 1), reversed.join("\n")] {
        let refused = StaticModel::from_bytes(&weights, &other).err().expect("refused");
        assert_eq!(refused.code(), "MODEL_VOCABULARY", "{refused}");
    }
}

#[test]
fn embeds_a_batch_as_it_embeds_one_text_on_any_number_of_threads() {
    let texts: Vec<String> =
        (0..1000).map(|number| format!("text number {number}, {}", "more ".repeat(number % 7))).collect();
    let mut expected = Vec::new();
    for text in &texts {
        expected.extend(embed(&*SHIPPED, text).0);
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut rows = vec![f32::NAN; expected.len()];
        let coverage = pool.install(|| embed_all(&*SHIPPED, &texts[..], &mut rows, &|| false)).unwrap();
        assert!(rows.iter().zip(&expected).all(|(one, other)| one.to_bits() == other.to_bits()));
        assert!(coverage.tokens > 4000 && coverage.unknown == 0);
    }
}

#[test]
fn refuses_a_buffer_of_another_length_and_stops_when_cancelled() {
    let texts = ["one", "two"];
    let mut rows = vec![0.0; 3];
    let error = embed_all(&*SHIPPED, &texts[..], &mut rows, &|| false).unwrap_err();
    assert!(matches!(error, EmbedError::Buffer { expected: 512, received: 3 }));
    let mut rows = vec![0.0; 512];
    let error = embed_all(&*SHIPPED, &texts[..], &mut rows, &|| true).unwrap_err();
    assert_eq!(error.code(), "CANCELLED");
}

#[test]
fn refuses_every_part_that_is_wrong() {
    let good = Tiny::default();
    assert!(good.read().is_ok());
    let cases = [
        (
            Tiny { header: good.header.replace("static-wordpiece-1", "other"), ..good.clone() },
            "MODEL_UNSUPPORTED",
        ),
        (Tiny { header: good.header.replace("l2", "none"), ..good.clone() }, "MODEL_UNSUPPORTED"),
        // The bytes fit, but it is another type or shape.
        (Tiny { header: good.header.replace("\"U8\"", "\"BOOL\""), ..good.clone() }, "MODEL_TENSOR"),
        (Tiny { header: good.header.replace("\"F16\"", "\"BF16\""), ..good.clone() }, "MODEL_TENSOR"),
        (Tiny { header: good.header.replace("[3,16]", "[2,24]"), ..good.clone() }, "MODEL_TENSOR"),
        (Tiny { header: good.header.replace("[3,16]", "[48]"), ..good.clone() }, "MODEL_TENSOR"),
        // The bytes do not fit.
        (Tiny { header: good.header.replace("\"U8\"", "\"F16\""), ..good.clone() }, "MODEL_HEADER"),
        (Tiny { header: good.header.replace("\"U8\"", "\"U9\""), ..good.clone() }, "MODEL_HEADER"),
        (Tiny { header: good.header.replace("[3,16]", "[3,0]"), ..good.clone() }, "MODEL_HEADER"),
        (
            Tiny { header: good.header.replace("[3,16]", "[4611686018427387904,16]"), ..good.clone() },
            "MODEL_HEADER",
        ),
        (Tiny { header: good.header.replace("[0,48]", "[48,0]"), ..good.clone() }, "MODEL_HEADER"),
        (Tiny { header: good.header.replace("[0,48]", "[0,47]"), ..good.clone() }, "MODEL_HEADER"),
        (
            Tiny { header: good.header.replace("[48,54]", "[48,18446744073709551615]"), ..good.clone() },
            "MODEL_HEADER",
        ),
        (Tiny { header: good.header.replace("[48,54]", "[48,54.5]"), ..good.clone() }, "MODEL_HEADER"),
        (Tiny { header: good.header.replace("\"scale\"", "\"scales\""), ..good.clone() }, "MODEL_TENSOR"),
        (Tiny { header: "[".repeat(100_000), ..good.clone() }, "MODEL_HEADER"),
        (Tiny { scales: [0x3c00, 0x7e00, 0x3c00], ..good.clone() }, "MODEL_VALUE"), // not a number
        (Tiny { scales: [0x3c00, 0x3c00, 0xfc00], ..good.clone() }, "MODEL_VALUE"), // minus infinity
        (Tiny { vocabulary: "[UNK]\na", ..good.clone() }, "MODEL_TENSOR"),
        (Tiny { vocabulary: "a\nb\nc", ..good.clone() }, "VOCABULARY_NO_UNKNOWN_TOKEN"),
        (
            Tiny {
                header: good
                    .header
                    .replace("[3,16]", "[3,0]")
                    .replace("[0,48]", "[0,0]")
                    .replace("[3]", "[27]")
                    .replace("[48,54]", "[0,54]"),
                ..good.clone()
            },
            "MODEL_DIMENSION",
        ),
    ];
    for (tiny, code) in cases {
        let error = tiny.read().err().unwrap_or_else(|| panic!("accepts {}", tiny.header));
        assert_eq!(error.code(), code, "{error}: {:.200}", tiny.header);
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn refuses_every_truncation() {
    let (bytes, vocabulary) = (Tiny::default().bytes(), Tiny::default().vocabulary);
    for length in 0..bytes.len() {
        assert!(StaticModel::from_bytes(&bytes[..length], vocabulary).is_err(), "accepts {length} bytes");
    }
}

#[test]
fn names_the_file_it_cannot_read() {
    let error = StaticModel::load(Path::new("no-such-folder")).err().unwrap();
    assert_eq!(error.code(), "MODEL_FILE");
    assert!(error.to_string().contains("no-such-folder"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_flipped_byte_gives_an_error_or_a_model_that_works(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let tiny = Tiny::default();
        let mut bytes = tiny.bytes();
        *at.get_mut(&mut bytes[..]) = byte;
        if let Ok(model) = StaticModel::from_bytes(&bytes, tiny.vocabulary) {
            let (row, _) = embed(&model, "a b c a");
            prop_assert!(row.iter().all(|element| element.is_finite()));
        }
    }

    #[test]
    fn a_row_has_length_one_or_zero(text in any::<String>(), words in "([a-z]{1,9} ){0,60}") {
        for text in [text, words] {
            let (row, coverage) = embed(&*SHIPPED, &text);
            let square: f64 = row.iter().map(|&element| f64::from(element).powi(2)).sum();
            let expected = if coverage.tokens == coverage.unknown { 0.0 } else { 1.0 };
            prop_assert!((square - expected).abs() < 1e-6, "{square}");
        }
    }
}

/// A model of three tokens and 32 dimensions.
#[derive(Clone)]
struct Tiny {
    header: String,
    scales: [u16; 3],
    vocabulary: &'static str,
}

impl Default for Tiny {
    fn default() -> Self {
        let header = concat!(
            r#"{"__metadata__":{"format":"static-wordpiece-1","pooling":"mean","normalise":"l2","#,
            r#""tokenizer":"bert-uncased-wordpiece"},"#,
            r#""table":{"dtype":"U8","shape":[3,16],"data_offsets":[0,48]},"#,
            r#""scale":{"dtype":"F16","shape":[3],"data_offsets":[48,54]}}"#,
        );
        Self { header: header.into(), scales: [0x3c00; 3], vocabulary: "[UNK]\na\nb" }
    }
}

impl Tiny {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = (self.header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(self.header.as_bytes());
        bytes.extend(0..48);
        bytes.extend(self.scales.iter().flat_map(|scale| scale.to_le_bytes()));
        bytes
    }

    fn read(&self) -> Result<StaticModel, EmbedError> {
        StaticModel::from_bytes(&self.bytes(), self.vocabulary)
    }
}

fn embed(model: &dyn Embedder, text: &str) -> (Vec<f32>, Coverage) {
    let mut row = vec![f32::NAN; model.dimension()];
    let coverage = model.embed(text, &mut Scratch::default(), &mut row);
    (row, coverage)
}
