//! An index as a file: a head, four sections, a checksum over all of it.
//!
//! ```text
//! magic 8 | version u32 | length of the head u32 | length of the file u64 | head, JSON | sections | BLAKE3 32
//! ```
//!
//! The one idea: nothing behind the magic is believed before the checksum was found right. A checksum is no signature:
//! whoever can write the file can make one that fits, so that the sections are read as bytes that may be anything too.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use sluice_vector::{Dimension, Metric};

use crate::bytes::Bytes;
use crate::part_file::PartFile;
use crate::payload_texts::PayloadTexts;
use crate::{Index, IndexError, backends};

pub(crate) const MAGIC: [u8; 8] = *b"SLUICEIX";
const VERSION: u32 = 1;
/// Magic, version, and the two lengths.
const PREFIX_BYTES: usize = 8 + 4 + 4 + 8;
const CHECKSUM_BYTES: usize = blake3::OUT_LEN;

/// What a file says of itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    backend: String,
    /// What the backend was made with; for people, it reads its own body.
    args: BTreeMap<String, f64>,
    metric: String,
    dimension: usize,
    /// Rows ever added.
    slots: usize,
    /// Those that are live.
    live: u64,
    embedder: Option<String>,
    sections: Sections,
}

/// The bytes of each section, in order.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    /// The slots that are not live.
    removed: usize,
    /// The payloads of all slots.
    payloads: usize,
    /// The caller's own.
    attachment: usize,
    /// The body of the backend.
    backend: usize,
}

/// Writes a whole file into `into`.
fn write(index: &Index, attachment: &[u8], into: &mut dyn Write) -> io::Result<()> {
    let removed: Vec<u8> = (0..index.slots() as u32)
        .filter(|&slot| !index.live.contains(slot))
        .flat_map(u32::to_le_bytes)
        .collect();
    let sections = Sections {
        removed: removed.len(),
        payloads: length(|into| index.texts.write(into))?,
        attachment: attachment.len(),
        backend: length(|into| index.backend.write(into))?,
    };
    let body = sections.removed + sections.payloads + sections.attachment + sections.backend;
    let head = Head {
        backend: index.backend.name().to_owned(),
        args: index.backend.args().iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        metric: index.metric.name().to_owned(),
        dimension: index.dimension.get(),
        slots: index.slots(),
        live: index.live.len(),
        embedder: index.embedder.clone(),
        sections,
    };
    let head = serde_json::to_vec(&head)?;
    let file_bytes = PREFIX_BYTES + head.len() + body + CHECKSUM_BYTES;

    let mut into = Hashing { into, hasher: blake3::Hasher::new() };
    into.write_all(&MAGIC)?;
    into.write_all(&VERSION.to_le_bytes())?;
    into.write_all(&(head.len() as u32).to_le_bytes())?;
    into.write_all(&(file_bytes as u64).to_le_bytes())?;
    into.write_all(&head)?;
    into.write_all(&removed)?;
    index.texts.write(&mut into)?;
    into.write_all(attachment)?;
    index.backend.write(&mut into)?;
    let Hashing { into, hasher } = into;
    into.write_all(hasher.finalize().as_bytes())?;
    into.flush()
}

/// How many bytes are written.
fn length(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<usize> {
    let mut counted = Counted(0);
    write(&mut counted)?;
    Ok(counted.0)
}

/// Counts what is written and forgets it.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes the checksum of what passes through.
struct Hashing<'a> {
    into: &'a mut dyn Write,
    hasher: blake3::Hasher,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.into.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

/// Writes an index beside its name and gives it the name when it is whole and on the disk.
pub(crate) fn save(index: &Index, path: &Path, attachment: &[u8]) -> Result<(), IndexError> {
    let target = writable(path)?;
    let failed = |source| IndexError::Io { action: "writing", path: path.to_owned(), source };
    let part = PartFile::beside(&target).map_err(failed)?;
    // `write` flushes, so that nothing is left in the buffer.
    write(index, attachment, &mut BufWriter::with_capacity(1 << 20, part.file())).map_err(failed)?;
    part.rename(&target).map_err(failed)?;
    // The new name is on the disk when its folder is; not every file system can be asked for that.
    if let Some(folder) = target.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The file behind a name, which may be free, or a file that may be written.
fn writable(path: &Path) -> Result<PathBuf, IndexError> {
    let refused = |source| IndexError::Io { action: "writing", path: path.to_owned(), source };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(refused(error)),
        Ok(found) if !found.is_file() => {
            Err(IndexError::File { expected: "a file or a free name", received: kind_of(&found).to_owned() })
        }
        Ok(found) if found.permissions().readonly() => {
            Err(refused(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")))
        }
        // A link keeps pointing where it did.
        Ok(_) => fs::canonicalize(path).map_err(refused),
    }
}

fn kind_of(found: &fs::Metadata) -> &'static str {
    if found.is_dir() { "a directory" } else { "something that is no file" }
}

/// Reads and verifies a file.
pub(crate) fn load(path: &Path) -> Result<(Index, Vec<u8>), IndexError> {
    let refused = |source| IndexError::Io { action: "reading", path: path.to_owned(), source };
    let found = fs::metadata(path).map_err(refused)?;
    if !found.is_file() {
        return Err(IndexError::File { expected: "a file", received: kind_of(&found).to_owned() });
    }
    let mut file = File::open(path).map_err(refused)?;
    // A foreign file of any size is told by its first bytes.
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(PREFIX_BYTES as u64).read_to_end(&mut bytes).map_err(refused)?;
    Prefix::parse(&bytes)?.check_length(found.len())?;
    bytes.reserve_exact(usize::try_from(found.len()).unwrap_or(0).saturating_sub(bytes.len()));
    file.read_to_end(&mut bytes).map_err(refused)?;
    parse(&bytes)
}

/// The first bytes of a file.
struct Prefix {
    head_bytes: usize,
    file_bytes: u64,
}

impl Prefix {
    fn parse(file: &[u8]) -> Result<Self, IndexError> {
        let mut bytes = Bytes::new(file);
        if file.len() < PREFIX_BYTES || bytes.array()? != MAGIC {
            return Err(IndexError::damaged("an index file", "another file"));
        }
        let version = bytes.u32()?;
        if version != VERSION {
            return Err(IndexError::damaged("version 1", format!("version {version}")));
        }
        Ok(Self { head_bytes: bytes.u32()? as usize, file_bytes: bytes.u64()? })
    }

    fn check_length(&self, received: u64) -> Result<(), IndexError> {
        if self.file_bytes == received {
            return Ok(());
        }
        Err(IndexError::damaged("a whole file", format!("{received} of {} bytes", self.file_bytes)))
    }
}

/// Reads an index out of the bytes of a file.
fn parse(file: &[u8]) -> Result<(Index, Vec<u8>), IndexError> {
    let prefix = Prefix::parse(file)?;
    prefix.check_length(file.len() as u64)?;
    let cut = || IndexError::damaged("a whole file", format!("{} bytes", file.len()));
    let (content, checksum) = file.split_last_chunk::<CHECKSUM_BYTES>().ok_or_else(cut)?;
    if blake3::hash(content).as_bytes() != checksum {
        return Err(IndexError::damaged("the bytes that were saved", "another checksum"));
    }
    let mut bytes = Bytes::new(content);
    bytes.take(PREFIX_BYTES)?;
    let head: Head = serde_json::from_slice(bytes.take(prefix.head_bytes)?)
        .map_err(|_| IndexError::damaged("a head in JSON", "something else"))?;
    let dimension = Dimension::new(head.dimension)
        .map_err(|_| IndexError::damaged("a dimension in range", head.dimension))?;
    let metric = Metric::from_name(&head.metric)
        .ok_or_else(|| IndexError::damaged("the name of a metric", &head.metric))?;

    let removed = Bytes::new(bytes.take(head.sections.removed)?);
    let payloads = Bytes::new(bytes.take(head.sections.payloads)?);
    let attachment = bytes.take(head.sections.attachment)?.to_vec();
    let backend =
        (backends::kind(&head.backend)?.read)(metric, dimension, bytes.take(head.sections.backend)?)?;
    bytes.end()?;
    if backend.len() != head.slots {
        return Err(IndexError::damaged("as many rows as the head says", backend.len()));
    }
    let live = live_slots(head.slots, head.sections.removed, removed)?;
    if live.len() != head.live {
        return Err(IndexError::damaged("as many live rows as the head says", live.len()));
    }
    let mut index = Index::over(backend, metric, dimension).with_embedder(head.embedder);
    index.restore(PayloadTexts::read(head.slots, payloads)?, live)?;
    Ok((index, attachment))
}

/// All slots but the removed ones, which ascend.
fn live_slots(slots: usize, section_bytes: usize, mut bytes: Bytes) -> Result<RoaringBitmap, IndexError> {
    let removed = bytes.u32s(section_bytes / size_of::<u32>())?;
    bytes.end()?;
    let ascending = removed.is_sorted_by(|a, b| a < b);
    if !ascending || removed.last().is_some_and(|&last| last as usize >= slots) {
        return Err(IndexError::damaged("removed slots in order", "others"));
    }
    let mut live = RoaringBitmap::new();
    live.insert_range(0..slots as u32);
    for slot in removed {
        live.remove(slot);
    }
    Ok(live)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use serde_json::json;

    use super::*;
    use crate::BackendArgs;

    #[test]
    fn a_full_disk_is_an_error_and_not_a_panic() {
        let dimension = Dimension::new(2).expect("in range");
        let mut index = Index::new("flat", &BackendArgs::default(), Metric::Dot, dimension).expect("known");
        index.add(&[1.0, 2.0], &[json!(null)], &|| false).expect("a good row");
        // Every write to this device answers that the disk is full.
        let Ok(mut full) = OpenOptions::new().write(true).open("/dev/full") else { return };
        let error = write(&index, b"", &mut full).expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
