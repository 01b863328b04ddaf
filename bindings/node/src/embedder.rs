//! Embedders of the core as JavaScript holds them, and the embedding of a batch.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use sluice_dedup::{Batch, decoded};
use sluice_embed::{EmbedError, Embedder, HashModel, StaticModel, Texts, embed_all};

use crate::control::{NativeControl, Signals};
use crate::failure::Failure;
use crate::job;
use crate::packed::Packed;

/// How far rounding to 32 bits takes the squared length of a row that was set to length one, at most.
const UNIT_SQUARE_TOLERANCE: f64 = 1e-6;

/// What an embedder made of the tokens it saw.
#[napi(object)]
pub struct NativeCoverage {
    /// Tokens seen.
    pub tokens: f64,
    /// Those it does not know.
    pub unknown: f64,
}

/// A model that turns texts into vectors.
#[napi]
pub struct NativeEmbedder {
    model: Arc<dyn Embedder>,
}

#[napi]
impl NativeEmbedder {
    /// Loads a static model or a model2vec folder.
    #[napi(factory, catch_unwind)]
    pub fn load(folder: String) -> napi::Result<Self> {
        let model = StaticModel::load(Path::new(&folder)).map_err(|error| model_failure(&error, &folder))?;
        Ok(Self { model: Arc::new(model) })
    }

    /// Hashed characters: no weights, any language.
    #[napi(factory, catch_unwind)]
    pub fn hash() -> napi::Result<Self> {
        let model = HashModel::new(HashModel::DIMENSION).map_err(|error| model_failure(&error, "hash"))?;
        Ok(Self { model: Arc::new(model) })
    }

    /// Name and fingerprint of the model.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> String {
        self.model.id().to_owned()
    }

    /// Components of a vector.
    #[napi(getter, catch_unwind)]
    pub fn dimension(&self) -> u32 {
        self.model.dimension() as u32
    }

    /// Embeds packed texts. The bytes are copied before the call returns, since JavaScript may change them afterwards.
    #[napi(catch_unwind, ts_return_type = "Promise<Float32Array>")]
    pub fn embed(
        &self,
        env: &Env,
        data: &[u8],
        offsets: &[u32],
        threads: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let packed = Packed::new(data, offsets)?;
        let texts: Vec<String> =
            (0..packed.len()).map(|index| decoded(packed.get(index)).into_owned()).collect();
        let (model, signals) = (self.model(), control.signals());
        let work = move || -> Result<Vec<f32>, Failure> {
            let mut rows = vec![0.0; texts.len() * model.dimension()];
            embed_all(&*model, &texts[..], &mut rows, &|| signals.cancelled()).map_err(embed_failure)?;
            Ok(rows)
        };
        job::spawn(env, threads, work, Float32Array::from)
    }
}

impl NativeEmbedder {
    /// The model, for a job.
    pub fn model(&self) -> Arc<dyn Embedder> {
        Arc::clone(&self.model)
    }
}

/// The vectors of all classes of a batch, one row a class: its columns side by side, brought to length one.
pub fn embed_classes(
    model: &dyn Embedder,
    batch: &Batch,
    signals: &Signals,
) -> Result<(Vec<f32>, NativeCoverage), Failure> {
    let texts = ClassTexts::new(batch, signals);
    let columns = batch.options().columns.get();
    let mut rows = vec![0.0; texts.count() * model.dimension()];
    signals.report("embed", 0, batch.classes() as u64);
    let coverage = embed_all(model, &texts, &mut rows, &|| signals.cancelled()).map_err(embed_failure)?;
    for (class, row) in rows.chunks_exact_mut(columns * model.dimension()).enumerate() {
        // Columns side by side are longer than one, and a model2vec folder may ask for means, of any length.
        let square = sluice_vector::dot(row, row);
        let is_unit = columns == 1 && (square - 1.0).abs() <= UNIT_SQUARE_TOLERANCE;
        if square > 0.0 && !is_unit {
            sluice_vector::normalize(row, class)?;
        }
    }
    signals.finish();
    Ok((rows, NativeCoverage { tokens: coverage.tokens as f64, unknown: coverage.unknown as f64 }))
}

/// The columns of all classes, class by class.
struct ClassTexts<'a> {
    batch: &'a Batch,
    columns: usize,
    /// Decoded texts of the few cells that are not UTF-8.
    decoded: HashMap<usize, String>,
    signals: &'a Signals,
    done: AtomicU64,
}

impl<'a> ClassTexts<'a> {
    fn new(batch: &'a Batch, signals: &'a Signals) -> Self {
        let columns = batch.options().columns.get();
        let decoded = (0..batch.classes() * columns)
            .filter_map(|at| match std::str::from_utf8(cell(batch, columns, at)) {
                Ok(_) => None,
                Err(_) => Some((at, decoded(cell(batch, columns, at)).into_owned())),
            })
            .collect();
        Self { batch, columns, decoded, signals, done: AtomicU64::new(0) }
    }
}

impl Texts for ClassTexts<'_> {
    fn count(&self) -> usize {
        self.batch.classes() * self.columns
    }

    fn text(&self, position: usize) -> &str {
        let done = self.done.fetch_add(1, Ordering::Relaxed);
        if done.is_multiple_of(4096) {
            self.signals.report("embed", done / self.columns as u64, self.batch.classes() as u64);
        }
        match std::str::from_utf8(cell(self.batch, self.columns, position)) {
            Ok(text) => text,
            Err(_) => &self.decoded[&position],
        }
    }
}

fn cell(batch: &Batch, columns: usize, at: usize) -> &[u8] {
    batch.class_column((at / columns) as u32, at % columns).unwrap_or_default()
}

fn embed_failure(error: EmbedError) -> Failure {
    match error {
        EmbedError::Cancelled => Failure::aborted(),
        other => Failure::new("INTERNAL", other.to_string()),
    }
}

fn model_failure(error: &EmbedError, folder: &str) -> Failure {
    let (path, expected, received) = match error {
        EmbedError::Kind { name, expected, received } => {
            let path = Path::new(folder).join(name).to_string_lossy().into_owned();
            (path, Some(expected.clone()), Some(received.clone()))
        }
        _ => (folder.to_owned(), None, None),
    };
    Failure {
        path: Some(path),
        expected,
        received,
        ..Failure::new("MODEL_INVALID", format!("The model could not be loaded: {error}."))
    }
}
