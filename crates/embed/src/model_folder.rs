//! Finds the files of a model in a folder and tells which format they are in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::embed_error::EmbedError;
use crate::safetensors::Safetensors;
use crate::static_model::StaticModel;
use crate::{model2vec, static_wordpiece};

/// The weights of a folder unless there is only one safetensors file.
const WEIGHTS: &str = "model.safetensors";

/// Reads the model of a folder.
pub(crate) fn load(folder: &Path) -> Result<StaticModel, EmbedError> {
    let path = find_weights(folder)?;
    let weights = fs::read(&path).map_err(|source| file_error(&path, source))?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("static");
    if Safetensors::parse(&weights)?.has("embeddings") {
        let config = match read_text(folder, "config.json") {
            Err(EmbedError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            other => Some(other?),
        };
        model2vec::read(&weights, &read_text(folder, "tokenizer.json")?, config.as_deref(), name)
    } else {
        static_wordpiece::read(weights.into(), &read_text(folder, "vocab.txt")?, name)
    }
}

/// The file with the weights.
fn find_weights(folder: &Path) -> Result<PathBuf, EmbedError> {
    let entries = fs::read_dir(folder).map_err(|source| file_error(folder, source))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "safetensors"))
        .collect();
    if found.len() == 1
        && let Some(only) = found.pop()
    {
        return Ok(only);
    }
    Ok(folder.join(WEIGHTS))
}

fn read_text(folder: &Path, name: &str) -> Result<String, EmbedError> {
    let path = folder.join(name);
    fs::read_to_string(&path).map_err(|source| file_error(&path, source))
}

fn file_error(path: &Path, source: io::Error) -> EmbedError {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    EmbedError::File { name, source }
}
