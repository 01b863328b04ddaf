//! Finds the files of a model in a folder and tells which format they are in.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::embed_error::EmbedError;
use crate::safetensors::Safetensors;
use crate::static_model::StaticModel;
use crate::{model2vec, static_wordpiece};

/// The weights of a folder unless there is only one safetensors file.
const WEIGHTS: &str = "model.safetensors";

/// The largest file of a model: some times the size of the largest static models there are.
const FILE_BYTES_MAX: u64 = 4 << 30;

/// Reads the model of a folder.
pub(crate) fn load(folder: &Path) -> Result<StaticModel, EmbedError> {
    let path = find_weights(folder)?;
    let weights = read(&path)?;
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
    let not_text = |error| file_error(&path, io::Error::new(io::ErrorKind::InvalidData, error));
    String::from_utf8(read(&path)?).map_err(not_text)
}

/// Reads a regular file of a size that models have. It is looked at before it is opened: to open a pipe waits for its writer.
fn read(path: &Path) -> Result<Vec<u8>, EmbedError> {
    let failed = |source| file_error(path, source);
    let refused = |expected: &str, received: String| {
        Err(EmbedError::Kind { name: name_of(path), expected: expected.to_owned(), received })
    };
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        let received = if found.is_dir() { "a directory" } else { "no regular file" };
        return refused("a file", received.to_owned());
    }
    if found.len() > FILE_BYTES_MAX {
        return refused(&format!("at most {FILE_BYTES_MAX} bytes"), format!("{} bytes", found.len()));
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    // A file that grows meanwhile is read no further either.
    File::open(path).map_err(failed)?.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn file_error(path: &Path, source: io::Error) -> EmbedError {
    EmbedError::File { name: name_of(path), source }
}
