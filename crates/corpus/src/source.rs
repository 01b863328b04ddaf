//! The bytes of an input, unpacked, with every failure told apart.
//!
//! The one idea: a decoder reports a damaged stream, a short stream and a failing disk with the same `io::Error`. `Metered`
//! sits below the decoder and remembers what the input itself did, so that the three become three errors.

use std::io::{self, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::gzip_members::GzipMembers;
use crate::zstd_frames::ZstdFrames;
use crate::{Compression, CorpusError, Damage};

/// Bytes taken from the input at once while unpacking.
pub(crate) const INPUT_BUFFER_BYTES: usize = 1 << 17;

const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const MAGIC_BYTES_MAX: usize = 4;

/// An input that counts its bytes and remembers how it ended.
struct Metered<R> {
    inner: R,
    bytes: u64,
    ended: bool,
    failed: Option<io::ErrorKind>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(into) {
            Ok(count) => {
                self.bytes += count as u64;
                self.ended = count == 0 && !into.is_empty();
                Ok(count)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.failed = Some(error.kind());
                }
                Err(error)
            }
        }
    }
}

/// The input with the first bytes, which were read to recognise it, put back.
type Input<R> = BufReader<Chain<Cursor<Vec<u8>>, Metered<R>>>;

enum Stream<R: Read> {
    Plain(Input<R>),
    Gzip(Box<GzipMembers<Input<R>>>),
    Zstd(Box<ZstdFrames<Input<R>>>),
}

/// A stream of unpacked bytes.
pub(crate) struct Source<R: Read> {
    stream: Stream<R>,
    cancel: Option<Arc<AtomicBool>>,
}

impl<R: Read> Source<R> {
    /// Recognises the packing by its first bytes unless it is given; no UTF-8 text starts like gzip or zstd.
    pub fn new(
        inner: R,
        compression: Option<Compression>,
        cancel: Option<Arc<AtomicBool>>,
    ) -> Result<Self, CorpusError> {
        let mut input = Metered { inner, bytes: 0, ended: false, failed: None };
        let mut head = Vec::with_capacity(MAGIC_BYTES_MAX);
        input
            .by_ref()
            .take(MAGIC_BYTES_MAX as u64)
            .read_to_end(&mut head)
            .map_err(|error| CorpusError::Io { kind: error.kind() })?;
        let compression = compression.unwrap_or_else(|| recognise(&head));
        let input = BufReader::with_capacity(INPUT_BUFFER_BYTES, Cursor::new(head).chain(input));
        let stream = match compression {
            Compression::None => Stream::Plain(input),
            Compression::Gzip => Stream::Gzip(Box::new(GzipMembers::new(input))),
            Compression::Zstd => Stream::Zstd(Box::new(ZstdFrames::new(input))),
        };
        Ok(Source { stream, cancel })
    }

    /// Reads some bytes; 0 at the end of an intact stream.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize, CorpusError> {
        loop {
            if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(CorpusError::Cancelled);
            }
            let result = match &mut self.stream {
                Stream::Plain(input) => input.read(into),
                Stream::Gzip(decoder) => decoder.read(into),
                Stream::Zstd(decoder) => decoder.read(into),
            };
            match result {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.explain(&error)),
            }
        }
    }

    /// Bytes taken from the input, still packed.
    pub fn input_bytes(&self) -> u64 {
        self.input().bytes
    }

    fn input(&self) -> &Metered<R> {
        let input = match &self.stream {
            Stream::Plain(input) => input,
            Stream::Gzip(decoder) => decoder.get_ref(),
            Stream::Zstd(decoder) => decoder.get_ref(),
        };
        input.get_ref().get_ref().1
    }

    fn explain(&self, error: &io::Error) -> CorpusError {
        let input = self.input();
        let format = match (&self.stream, input.failed) {
            (Stream::Plain(_), _) => return CorpusError::Io { kind: error.kind() },
            (_, Some(kind)) => return CorpusError::Io { kind },
            (Stream::Gzip(_), None) => "gzip",
            (Stream::Zstd(_), None) => "zstd",
        };
        if let Some(&Window { received }) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return CorpusError::Window { expected: crate::zstd_frames::WINDOW_BYTES_MAX, received };
        }
        let is_junk = matches!(error.get_ref(), Some(inner) if inner.is::<Junk>());
        let damage = if input.ended && !is_junk { Damage::Truncated } else { Damage::Corrupt };
        CorpusError::Compressed { format, damage }
    }
}

/// Bytes that no continuation would make a part of the stream, even where the input ends with them.
#[derive(Debug, thiserror::Error)]
#[error("bytes that are not part of the stream")]
struct Junk;

/// The failure of a decoder that met junk.
pub(crate) fn junk() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Junk)
}

/// A frame that is sound, but that takes more memory to unpack than is given.
#[derive(Debug, thiserror::Error)]
#[error("the frame needs a window of {received} bytes")]
struct Window {
    received: u64,
}

/// The failure of a decoder that would need so large a window.
pub(crate) fn window(received: u64) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Window { received })
}

fn recognise(head: &[u8]) -> Compression {
    if head.starts_with(&GZIP_MAGIC) {
        Compression::Gzip
    } else if head.starts_with(&ZSTD_MAGIC) {
        Compression::Zstd
    } else {
        Compression::None
    }
}
