//! A model2vec folder means what it means in its library, or is refused with the part that is not supported.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use sluice_embed::{Coverage, EmbedError, Embedder, Scratch, StaticModel};

/// A folder of three tokens and two dimensions, removed at the end.
struct Folder {
    path: PathBuf,
    tokenizer: Value,
    config: Option<Value>,
    /// Name, type, shape and bytes of the tensors.
    tensors: Vec<(&'static str, &'static str, Vec<usize>, Vec<u8>)>,
}

impl Folder {
    /// A model whose folder has this name, and the process behind it.
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let tokenizer = json!({
            "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "a": 1, "b": 2}
            }
        });
        let embeddings = floats(&[9.0, 9.0, 3.0, 0.0, 0.0, 4.0]);
        let tensors = vec![("embeddings", "F32", vec![3, 2], embeddings)];
        Self { path, tokenizer, config: Some(json!({"normalize": true})), tensors }
    }

    fn load(&self) -> Result<StaticModel, EmbedError> {
        let mut header = serde_json::Map::new();
        let mut data: Vec<u8> = Vec::new();
        for (name, dtype, shape, bytes) in &self.tensors {
            let offsets = [data.len(), data.len() + bytes.len()];
            header.insert((*name).into(), json!({"dtype": dtype, "shape": shape, "data_offsets": offsets}));
            data.extend(bytes);
        }
        let header = Value::from(header).to_string();
        let mut weights = (header.len() as u64).to_le_bytes().to_vec();
        weights.extend(header.as_bytes());
        weights.extend(data);
        fs::create_dir_all(&self.path).unwrap();
        fs::write(self.path.join("model.safetensors"), weights).unwrap();
        fs::write(self.path.join("tokenizer.json"), self.tokenizer.to_string()).unwrap();
        if let Some(config) = &self.config {
            fs::write(self.path.join("config.json"), config.to_string()).unwrap();
        }
        StaticModel::load(&self.path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn row(model: &StaticModel, text: &str) -> (Vec<f32>, Coverage) {
    let mut row = vec![f32::NAN; model.dimension()];
    let coverage = model.embed(text, &mut Scratch::default(), &mut row);
    (row, coverage)
}

#[test]
fn a_text_is_the_mean_of_its_known_rows_set_to_length_one() {
    let folder = Folder::new("plain");
    let model = folder.load().unwrap();
    assert!(model.id().starts_with(&format!("plain-{}@", std::process::id())), "{}", model.id());
    let (unit, coverage) = row(&model, "A b? ");
    assert_eq!(coverage, Coverage { tokens: 3, unknown: 1 });
    for (element, expected) in unit.iter().zip([0.6, 0.8]) {
        assert!((element - expected).abs() < 1e-7, "{unit:?}");
    }
    assert_eq!(row(&model, "?").0, [0.0, 0.0]);
}

#[test]
fn the_smallest_rows_and_weights_have_a_direction() {
    let smallest = f32::from_bits(1);
    let mut folder = Folder::new("smallest");
    folder.tensors[0].3 = floats(&[0.0, 0.0, smallest, 0.0, 0.0, -1e-40]);
    let model = folder.load().unwrap();
    assert_eq!(row(&model, "a").0, [1.0, 0.0]);
    assert_eq!(row(&model, "b").0, [0.0, -1.0]);

    folder.tensors[0].3 = floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    folder.tensors.push(("weights", "F32", vec![3], floats(&[1.0, smallest, smallest])));
    let both = row(&folder.load().unwrap(), "a b").0;
    assert!(both.iter().all(|element| (element - 0.5_f32.sqrt()).abs() < 1e-7), "{both:?}");
}

#[test]
fn without_normalize_the_mean_stays_as_it_is() {
    let mut folder = Folder::new("mean");
    folder.config = Some(json!({"normalize": false}));
    let model = folder.load().unwrap();
    assert_eq!(row(&model, "a b").0, [1.5, 2.0]);
    assert_eq!(row(&model, "").0, [0.0, 0.0]);
    folder.config = Some(json!({"normalize": true}));
    assert_ne!(folder.load().unwrap().id(), model.id(), "other vectors under the same id");
}

#[test]
fn weights_and_mapping_choose_the_rows_and_how_they_count() {
    let mut folder = Folder::new("mapped");
    folder.config = Some(json!({"normalize": false}));
    folder.tensors[0] = ("embeddings", "I8", vec![2, 2], vec![1, 2, 253, 0]);
    folder.tensors.push(("weights", "F32", vec![3], floats(&[7.0, 0.5, 2.0])));
    folder.tensors.push((
        "mapping",
        "I64",
        vec![3],
        [0_i64, 1, 0].iter().flat_map(|row| row.to_le_bytes()).collect(),
    ));
    let model = folder.load().unwrap();
    assert_eq!(row(&model, "a").0, [-1.5, 0.0]);
    assert_eq!(row(&model, "b").0, [2.0, 4.0]);
}

#[test]
fn another_tokenizer_is_refused_by_name() {
    for (pointer, value, code) in [
        ("/model/type", json!("BPE"), "MODEL_UNSUPPORTED"),
        ("/model/type", Value::Null, "MODEL_UNSUPPORTED"),
        ("/model/unk_token", json!("<unk>"), "MODEL_UNSUPPORTED"),
        ("/model/continuing_subword_prefix", json!("@@"), "MODEL_UNSUPPORTED"),
        ("/model/max_input_chars_per_word", json!(50), "MODEL_UNSUPPORTED"),
        ("/model/vocab", json!([["[UNK]", 0.0]]), "MODEL_UNSUPPORTED"),
        ("/model/vocab", json!({"[UNK]": 0, "a": 1, "b": 3}), "MODEL_UNSUPPORTED"),
        ("/model/vocab", json!({"[UNK]": 0, "a": 1, "b": 1}), "MODEL_UNSUPPORTED"),
        ("/model/vocab", json!({"x": 0, "a": 1, "b": 2}), "VOCABULARY_NO_UNKNOWN_TOKEN"),
        ("/normalizer", Value::Null, "MODEL_UNSUPPORTED"),
        ("/normalizer/type", json!("Sequence"), "MODEL_UNSUPPORTED"),
        ("/normalizer/lowercase", json!(false), "MODEL_UNSUPPORTED"),
        ("/normalizer/strip_accents", json!(false), "MODEL_UNSUPPORTED"),
        ("/pre_tokenizer/type", json!("Whitespace"), "MODEL_UNSUPPORTED"),
        // Fields are told by name, not by their place in a list.
        ("", json!([{"type": "BertNormalizer"}, {"type": "BertPreTokenizer"}, {}]), "MODEL_UNSUPPORTED"),
        ("/normalizer", json!(["BertNormalizer", true, true, null, true]), "MODEL_UNSUPPORTED"),
        ("/pre_tokenizer", json!(["BertPreTokenizer"]), "MODEL_UNSUPPORTED"),
        (
            "/model",
            json!(["WordPiece", "[UNK]", "##", 100, {"[UNK]": 0, "a": 1, "b": 2}]),
            "MODEL_UNSUPPORTED",
        ),
    ] {
        let mut folder = Folder::new("another-tokenizer");
        *folder.tokenizer.pointer_mut(pointer).unwrap() = value.clone();
        let error = folder.load().err().unwrap_or_else(|| panic!("accepts {pointer} {value}"));
        assert_eq!(error.code(), code, "{pointer} {value}: {error}");
    }
}

#[test]
fn a_configuration_is_an_object() {
    for config in
        [json!([]), json!([true]), json!(null), json!(true), json!("normalize"), json!({"normalize": 1})]
    {
        let mut folder = Folder::new("config");
        folder.config = Some(config.clone());
        let error = folder.load().err().unwrap_or_else(|| panic!("accepts {config}"));
        assert_eq!(error.code(), "MODEL_UNSUPPORTED", "{config}: {error}");
        assert!(error.to_string().starts_with("config.json: expected an object, received "), "{error}");
    }
}

#[test]
fn only_regular_files_of_a_size_that_models_have_are_read() {
    let folder = Folder::new("kinds");
    folder.load().unwrap();
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        let path = folder.path.join(name);
        let intact = fs::read(&path).unwrap();
        let refused = |received: &str| {
            let error =
                StaticModel::load(&folder.path).err().unwrap_or_else(|| panic!("reads {name}: {received}"));
            assert_eq!(error.code(), "MODEL_FILE_KIND", "{name}: {error}");
            assert!(error.to_string().starts_with(&format!("{name}: expected ")), "{error}");
            assert!(error.to_string().ends_with(&format!("received {received}")), "{error}");
        };
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        refused("a directory");
        fs::remove_dir(&path).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            refused("no regular file");
            fs::remove_file(&path).unwrap();
            drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
            refused("no regular file");
            fs::remove_file(&path).unwrap();
        }
        // Takes no room on the disk.
        fs::File::create(&path).unwrap().set_len((4 << 30) + 1).unwrap();
        refused("4294967297 bytes");
        fs::write(&path, intact).unwrap();
    }
    StaticModel::load(&folder.path).unwrap();
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let one = |name, dtype, shape: &[usize], bytes| (name, dtype, shape.to_vec(), bytes);
    for (tensor, code) in [
        (one("embeddings", "F32", &[2, 2], floats(&[0.0; 4])), "MODEL_TENSOR"),
        (one("embeddings", "F32", &[6], floats(&[0.0; 6])), "MODEL_TENSOR"),
        (one("embeddings", "I64", &[3, 2], vec![0; 48]), "MODEL_TENSOR"),
        (one("embeddings", "F32", &[3, 0], vec![]), "MODEL_DIMENSION"),
        (one("embeddings", "F32", &[3, 1], floats(&[0.0, f32::NAN, 0.0])), "MODEL_VALUE"),
        (one("embeddings", "F32", &[3, 1], floats(&[0.0, 0.0, 1e30])), "MODEL_VALUE"),
        (one("weights", "F32", &[2], floats(&[1.0; 2])), "MODEL_TENSOR"),
        (one("weights", "I64", &[3], vec![0; 24]), "MODEL_TENSOR"),
        (one("weights", "F32", &[3], floats(&[1.0, f32::INFINITY, 1.0])), "MODEL_VALUE"),
        (one("mapping", "F32", &[3], floats(&[0.0; 3])), "MODEL_TENSOR"),
        (
            one("mapping", "I32", &[3], [0_i32, 1, 3].iter().flat_map(|row| row.to_le_bytes()).collect()),
            "MODEL_TENSOR",
        ),
        (
            one("mapping", "I32", &[3], [0_i32, 1, -1].iter().flat_map(|row| row.to_le_bytes()).collect()),
            "MODEL_TENSOR",
        ),
    ] {
        let mut folder = Folder::new("unfit");
        folder.tensors.retain(|(name, ..)| *name != tensor.0);
        let description = format!("{tensor:?}");
        folder.tensors.push(tensor);
        let error = folder.load().err().unwrap_or_else(|| panic!("accepts {description}"));
        assert_eq!(error.code(), code, "{description}: {error}");
    }
}
