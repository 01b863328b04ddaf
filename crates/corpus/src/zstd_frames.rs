//! Reads all frames of a zstd stream as one, with bounded memory.
//!
//! `ruzstd` decodes one frame. This adds what a file needs: frames in a row, skippable frames, a bound on the window (which is
//! the memory a frame asks for), and the two checks that make a damaged frame an error: its checksum and its content size.
//! The header is read here, see RFC 8878, 3.1.1.1, and handed on unchanged.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::source::junk;

/// The largest window, hence the memory of a decoder; the reference decoder refuses more by default, too.
pub(crate) const WINDOW_BYTES_MAX: u64 = 128 << 20;

/// Bytes decoded at once beyond the window.
const STEP_BYTES: usize = 1 << 18;

const FRAME_MAGIC: u32 = 0xfd2f_b528;
const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;
const SKIPPABLE_MASK: u32 = 0xffff_fff0;

/// A zstd stream, unpacked as it is read.
pub(crate) struct ZstdFrames<R: BufRead> {
    source: R,
    frame: Option<Frame>,
    /// Whether a frame was found: nothing at all is no zstd stream.
    started: bool,
}

struct Frame {
    decoder: Box<FrameDecoder>,
    /// Bytes that the header promises and that have not come yet.
    promised: Option<u64>,
}

impl<R: BufRead> ZstdFrames<R> {
    pub fn new(source: R) -> Self {
        ZstdFrames { source, frame: None, started: false }
    }

    pub fn get_ref(&self) -> &R {
        &self.source
    }

    /// Opens the next data frame; `None` at the end of the stream.
    fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if self.started && self.source.fill_buf()?.is_empty() {
                return Ok(None);
            }
            self.started = true;
            // The first byte tells junk from a magic that is cut short.
            let first = self.source.fill_buf()?.first();
            if first.is_some_and(|first| *first != 0x28 && first & 0xf0 != 0x50) {
                return Err(junk());
            }
            let magic = self.take::<4>()?;
            let value = u32::from_le_bytes(magic);
            if value & SKIPPABLE_MASK == SKIPPABLE_MAGIC {
                let length = u64::from(u32::from_le_bytes(self.take()?));
                if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            } else if value == FRAME_MAGIC {
                return self.open_frame(&magic).map(Some);
            } else {
                return Err(junk());
            }
        }
    }

    fn open_frame(&mut self, magic: &[u8]) -> io::Result<Frame> {
        let [descriptor] = self.take()?;
        let single_segment = descriptor & 0x20 != 0;
        if descriptor & 0x08 != 0 {
            return Err(damaged("the reserved bit is set"));
        }
        let window_bytes = usize::from(!single_segment);
        let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let size_bytes = match descriptor >> 6 {
            0 => usize::from(single_segment),
            code => 1 << code,
        };
        let mut header = [0; 13];
        let header = &mut header[..window_bytes + dictionary_bytes + size_bytes];
        self.source.read_exact(header)?;

        let mut size = [0; 8];
        size[..size_bytes].copy_from_slice(&header[window_bytes + dictionary_bytes..]);
        // Two bytes count from 256: smaller sizes fit one.
        let size = u64::from_le_bytes(size) + if size_bytes == 2 { 256 } else { 0 };
        let window = if single_segment { size } else { window_size(header[0]) };
        if window > WINDOW_BYTES_MAX {
            return Err(crate::source::window(window));
        }
        let mut decoder = Box::new(FrameDecoder::new());
        decoder.reset([magic, &[descriptor], header].concat().as_slice()).map_err(damaged)?;
        Ok(Frame { decoder, promised: (size_bytes > 0).then_some(size) })
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(frame) = &mut self.frame else {
                match self.next_frame()? {
                    Some(frame) => self.frame = Some(frame),
                    None => return Ok(0),
                }
                continue;
            };
            if frame.decoder.can_collect() > 0 {
                return frame.collect(into);
            }
            if frame.decoder.is_finished() {
                frame.check_end()?;
                self.frame = None;
            } else {
                let step = BlockDecodingStrategy::UptoBytes(STEP_BYTES);
                frame.decoder.decode_blocks(&mut self.source, step).map_err(damaged)?;
            }
        }
    }
}

impl Frame {
    fn collect(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(into)?;
        if let Some(promised) = &mut self.promised {
            *promised = promised.checked_sub(count as u64).ok_or_else(|| damaged("longer than promised"))?;
        }
        Ok(count)
    }

    fn check_end(&self) -> io::Result<()> {
        if self.promised.is_some_and(|bytes| bytes > 0) {
            return Err(damaged("shorter than promised"));
        }
        match self.decoder.get_checksum_from_data() {
            Some(sum) if Some(sum) != self.decoder.get_calculated_checksum() => {
                Err(damaged("the checksum differs"))
            }
            _ => Ok(()),
        }
    }
}

fn window_size(descriptor: u8) -> u64 {
    let base = 1 << (10 + (descriptor >> 3));
    base + base / 8 * u64::from(descriptor & 7)
}

fn damaged(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
