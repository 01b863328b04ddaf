//! Reads all members of a gzip stream as one, and says what is behind them.
//!
//! `flate2::MultiGzDecoder` refuses all that is no member with one error, where padding is to be skipped and junk to be
//! named. So `flate2` only unpacks and sums; headers, trailers and the gaps between members are read here (RFC 1952). Zero
//! bytes behind a member are padding, as tapes and `gzip` have it; anything else that is no member is junk, and no reason
//! to ask for more.

use std::io::{self, BufRead, Read};

use flate2::bufread::DeflateDecoder;
use flate2::{Crc, CrcReader};

use crate::source::junk;

const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

const HEADER_SUM: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0xe0;

/// A gzip stream, unpacked as it is read.
pub(crate) struct GzipMembers<R: BufRead> {
    body: CrcReader<DeflateDecoder<R>>,
    /// Whether a member was found: nothing at all is no gzip stream.
    started: bool,
    in_member: bool,
}

impl<R: BufRead> GzipMembers<R> {
    pub fn new(source: R) -> Self {
        let body = CrcReader::new(DeflateDecoder::new(source));
        GzipMembers { body, started: false, in_member: false }
    }

    pub fn get_ref(&self) -> &R {
        self.body.get_ref().get_ref()
    }

    fn source(&mut self) -> &mut R {
        self.body.get_mut().get_mut()
    }

    /// Opens the next member; false at the end of the stream.
    fn next_member(&mut self) -> io::Result<bool> {
        if self.started {
            skip_zeros(self.source())?;
            if self.source().fill_buf()?.is_empty() {
                return Ok(false);
            }
        }
        self.started = true;
        read_header(self.source())?;
        self.body.reset();
        self.body.get_mut().reset_data();
        Ok(true)
    }

    /// The sum of the unpacked bytes and their number.
    fn check_end(&mut self) -> io::Result<()> {
        let mut trailer = [0; 8];
        self.source().read_exact(&mut trailer)?;
        let expected = u64::from_le_bytes(trailer);
        let received = u64::from(self.body.crc().amount()) << 32 | u64::from(self.body.crc().sum());
        if expected == received { Ok(()) } else { Err(damaged("the checksum differs")) }
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_member && !self.next_member()? {
                return Ok(0);
            }
            self.in_member = true;
            let count = self.body.read(into)?;
            if count > 0 {
                return Ok(count);
            }
            self.check_end()?;
            self.in_member = false;
        }
    }
}

fn skip_zeros(source: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = source.fill_buf()?;
        let zeros = buffer.iter().take_while(|&&byte| byte == 0).count();
        let is_all = zeros == buffer.len() && zeros > 0;
        source.consume(zeros);
        if !is_all {
            return Ok(());
        }
    }
}

/// Reads one header up to the packed bytes.
fn read_header(source: &mut impl BufRead) -> io::Result<()> {
    let mut sum = Crc::new();
    for expected in MAGIC {
        if take::<1>(source, &mut sum)? != [expected] {
            return Err(junk());
        }
    }
    let [flags, ..] = take::<7>(source, &mut sum)?; // then the time, how hard was packed, and the system
    if flags & RESERVED != 0 {
        return Err(damaged("a reserved bit is set"));
    }
    if flags & EXTRA != 0 {
        for _ in 0..u16::from_le_bytes(take(source, &mut sum)?) {
            take::<1>(source, &mut sum)?;
        }
    }
    for text in [NAME, COMMENT] {
        while flags & text != 0 && take::<1>(source, &mut sum)? != [0] {}
    }
    let expected = sum.sum() as u16;
    if flags & HEADER_SUM != 0 && u16::from_le_bytes(take(source, &mut sum)?) != expected {
        return Err(damaged("the checksum of the header differs"));
    }
    Ok(())
}

fn take<const N: usize>(source: &mut impl BufRead, sum: &mut Crc) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    sum.update(&bytes);
    Ok(bytes)
}

fn damaged(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
