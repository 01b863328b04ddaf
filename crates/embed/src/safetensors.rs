//! Safetensors files, read by the library of that name: what our models need of them, in our errors.
//!
//! Borrows everything from the file. The library believes nothing in the header before it has compared it with the bytes that
//! are there, so that a lying file costs an error and no memory. What the tensors mean is not known here.

use std::ops::Range;

use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};

use crate::embed_error::EmbedError;

/// Bytes before the header: its length.
const LENGTH_BYTES: usize = size_of::<u64>();

/// A safetensors file in memory.
pub(crate) struct Safetensors<'a> {
    header: Metadata,
    file: &'a [u8],
    /// Where in the file the data starts.
    data_start: usize,
}

/// One tensor of the file, with as many bytes as its type and shape need.
pub(crate) struct Tensor<'a> {
    pub(crate) element: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: &'a [u8],
    /// Where in the file they are.
    pub(crate) range: Range<usize>,
}

impl<'a> Safetensors<'a> {
    /// Reads and checks the header of a file.
    pub(crate) fn parse(file: &'a [u8]) -> Result<Self, EmbedError> {
        let (header_bytes, header) =
            SafeTensors::read_metadata(file).map_err(|error| EmbedError::Header {
                expected: "a header that describes every byte of the file",
                received: error.to_string(),
            })?;
        Ok(Self { header, file, data_start: LENGTH_BYTES + header_bytes })
    }

    /// A text of the header's metadata.
    pub(crate) fn metadata(&self, key: &str) -> Option<&str> {
        self.header.metadata().as_ref()?.get(key).map(String::as_str)
    }

    /// Whether the file has a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.header.info(name).is_some()
    }

    /// A tensor by its name.
    pub(crate) fn tensor(&self, name: &'static str) -> Result<Tensor<'a>, EmbedError> {
        let missing = || EmbedError::Tensor { name, expected: "the tensor".into(), received: "none".into() };
        let TensorInfo { dtype, shape, data_offsets: (start, end) } =
            self.header.info(name).ok_or_else(missing)?;
        let range = self.data_start + start..self.data_start + end;
        Ok(Tensor { element: *dtype, shape: shape.clone(), bytes: &self.file[range.clone()], range })
    }
}

impl Tensor<'_> {
    /// The elements as `f32`, in order; `None` if they are of a type that is not for weights.
    pub(crate) fn floats(&self) -> Option<Vec<f32>> {
        Some(match self.element {
            Dtype::U8 => self.bytes.iter().map(|&byte| f32::from(byte)).collect(),
            Dtype::I8 => self.bytes.iter().map(|&byte| f32::from(byte.cast_signed())).collect(),
            Dtype::F16 => self.chunks(|bytes| half::f16::from_le_bytes(bytes).to_f32()),
            Dtype::F32 => self.chunks(f32::from_le_bytes),
            Dtype::F64 => self.chunks(|bytes| f64::from_le_bytes(bytes) as f32),
            _ => return None,
        })
    }

    /// The elements as positions; `None` if they are not integers of several bytes, or one is negative or too large.
    pub(crate) fn positions(&self) -> Option<Vec<u32>> {
        let integers: Vec<i64> = match self.element {
            Dtype::I32 => self.chunks(|bytes| i64::from(i32::from_le_bytes(bytes))),
            Dtype::I64 => self.chunks(i64::from_le_bytes),
            _ => return None,
        };
        integers.into_iter().map(|integer| u32::try_from(integer).ok()).collect()
    }

    /// Converts every `N` bytes.
    fn chunks<const N: usize, T>(&self, convert: impl Fn([u8; N]) -> T) -> Vec<T> {
        self.bytes.as_chunks().0.iter().map(|&bytes| convert(bytes)).collect()
    }
}
