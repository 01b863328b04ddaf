//! Tokenizers of models as JavaScript holds them.

use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{BigInt64Array, Object, Uint32Array};
use napi_derive::napi;
use sluice_tokenizer::{ModelTokenizer, Pairs};

use crate::control::NativeControl;
use crate::failure::Failure;
use crate::job;
use crate::packed::Packed;

/// Inputs of many pairs, end to end; as wide as graphs ask for.
#[napi(object, object_from_js = false)]
pub struct NativePairs {
    /// Token ids.
    pub ids: BigInt64Array,
    /// Which part of the pair each token belongs to.
    pub type_ids: BigInt64Array,
    /// Where each pair ends.
    pub ends: Uint32Array,
}

/// A tokenizer from a `tokenizer.json`.
#[napi]
pub struct NativeTokenizer {
    tokenizer: Arc<ModelTokenizer>,
}

#[napi]
impl NativeTokenizer {
    /// Reads a file; with a quarter of a million tokens that takes a second.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeTokenizer>")]
    pub fn load(env: &Env, path: String) -> napi::Result<Object<'static>> {
        let work =
            move || ModelTokenizer::load(Path::new(&path)).map_err(|error| Failure::from(error).on(&path));
        job::spawn(env, 1, work, |tokenizer| Self { tokenizer: Arc::new(tokenizer) })
    }

    /// The bound on tokens that the file itself names, if it does.
    #[napi(getter, catch_unwind)]
    pub fn own_tokens_max(&self) -> Option<f64> {
        self.tokenizer.own_tokens_max().map(|tokens| tokens as f64)
    }

    /// The least bound on the tokens of a pair.
    #[napi(getter, catch_unwind)]
    pub fn pair_tokens_least(&self) -> f64 {
        self.tokenizer.pair_tokens_least() as f64
    }

    /// The query with each of the packed texts. The bytes are copied before the call returns, since JavaScript may change
    /// them afterwards.
    #[napi(catch_unwind, ts_return_type = "Promise<NativePairs>")]
    pub fn encode_pairs(
        &self,
        env: &Env,
        query: String,
        data: &[u8],
        offsets: &[u32],
        tokens_max: u32,
        control: &NativeControl,
    ) -> napi::Result<Object<'static>> {
        let packed = Packed::new(data, offsets)?;
        let texts: Vec<String> =
            (0..packed.len()).map(|index| String::from_utf8_lossy(packed.get(index)).into_owned()).collect();
        let (tokenizer, signals) = (Arc::clone(&self.tokenizer), control.signals());
        let work = move || -> Result<Pairs, Failure> {
            Ok(tokenizer.encode_pairs(&query, &texts, tokens_max as usize, &|| signals.cancelled())?)
        };
        job::spawn(env, 1, work, NativePairs::new)
    }
}

impl NativePairs {
    fn new(Pairs { ids, type_ids, ends }: Pairs) -> Self {
        Self { ids: widened(ids).into(), type_ids: widened(type_ids).into(), ends: ends.into() }
    }
}

fn widened(ids: Vec<u32>) -> Vec<i64> {
    ids.into_iter().map(i64::from).collect()
}
