//! Reads safetensors files: eight bytes of length, a JSON header, the bytes of the tensors.
//!
//! Borrows everything from the file. Nothing in the header is believed before it is compared with the bytes that are there, so
//! that a lying file costs an error and no memory. It does not know what the tensors mean.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

use crate::embed_error::EmbedError;

/// A safetensors file in memory.
pub(crate) struct Safetensors<'a> {
    header: Header,
    data: &'a [u8],
    /// Where in the file the data starts.
    data_start: usize,
}

/// One tensor of the file, with as many bytes as its type and shape need.
pub(crate) struct Tensor<'a> {
    pub(crate) element: Element,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: &'a [u8],
    /// Where in the file they are.
    pub(crate) range: Range<usize>,
}

/// The types of elements that static models are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Element {
    U8,
    I8,
    F16,
    F32,
    F64,
    I32,
    I64,
}

impl Element {
    /// How many bytes an element has.
    fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::F16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

#[derive(Deserialize)]
struct Header {
    #[serde(default, rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Description>,
}

#[derive(Deserialize)]
struct Description {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl<'a> Safetensors<'a> {
    /// Reads the header of a file.
    pub(crate) fn parse(file: &'a [u8]) -> Result<Self, EmbedError> {
        let no_header =
            |received: String| EmbedError::Header { expected: "a length and a JSON header", received };
        let (length, rest) =
            file.split_first_chunk().ok_or_else(|| no_header(format!("{} bytes", file.len())))?;
        let (json, data) = usize::try_from(u64::from_le_bytes(*length))
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(|| no_header(format!("a length beyond the {} bytes of the file", file.len())))?;
        let header = serde_json::from_slice(json).map_err(|error| no_header(error.to_string()))?;
        Ok(Self { header, data, data_start: file.len() - data.len() })
    }

    /// A text of the header's metadata.
    pub(crate) fn metadata(&self, key: &str) -> Option<&str> {
        self.header.metadata.get(key).map(String::as_str)
    }

    /// Whether the file has a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.header.tensors.contains_key(name)
    }

    /// A tensor, checked against the bytes of the file.
    pub(crate) fn tensor(&self, name: &'static str) -> Result<Tensor<'a>, EmbedError> {
        let wrong = |expected: &str, received: String| EmbedError::Tensor {
            name,
            expected: expected.into(),
            received,
        };
        let Some(Description { dtype, shape, data_offsets: [start, end] }) = self.header.tensors.get(name)
        else {
            return Err(wrong("the tensor", "none".into()));
        };
        let element: Element = serde_json::from_value(dtype.as_str().into())
            .map_err(|error| wrong("a known type", error.to_string()))?;
        let bytes = self.data.get(*start..*end).ok_or_else(|| {
            wrong("bytes inside the file", format!("{start}..{end} of {}", self.data.len()))
        })?;
        let size = shape.iter().try_fold(element.size(), |size, &length| size.checked_mul(length));
        if size != Some(bytes.len()) {
            return Err(wrong("as many bytes as its shape", format!("{} bytes for {shape:?}", bytes.len())));
        }
        let range = self.data_start + start..self.data_start + end;
        Ok(Tensor { element, shape: shape.clone(), bytes, range })
    }
}

impl Tensor<'_> {
    /// The elements as `f32`, in order; `None` if they are integers of several bytes.
    pub(crate) fn floats(&self) -> Option<Vec<f32>> {
        Some(match self.element {
            Element::U8 => self.bytes.iter().map(|&byte| f32::from(byte)).collect(),
            Element::I8 => self.bytes.iter().map(|&byte| f32::from(byte.cast_signed())).collect(),
            Element::F16 => self.chunks(|bytes| half::f16::from_le_bytes(bytes).to_f32()),
            Element::F32 => self.chunks(f32::from_le_bytes),
            Element::F64 => self.chunks(|bytes| f64::from_le_bytes(bytes) as f32),
            Element::I32 | Element::I64 => return None,
        })
    }

    /// The elements as positions; `None` if they are not integers of several bytes, or one is negative or too large.
    pub(crate) fn positions(&self) -> Option<Vec<u32>> {
        let integers: Vec<i64> = match self.element {
            Element::I32 => self.chunks(|bytes| i64::from(i32::from_le_bytes(bytes))),
            Element::I64 => self.chunks(i64::from_le_bytes),
            _ => return None,
        };
        integers.into_iter().map(|integer| u32::try_from(integer).ok()).collect()
    }

    /// Converts every `N` bytes.
    fn chunks<const N: usize, T>(&self, convert: impl Fn([u8; N]) -> T) -> Vec<T> {
        self.bytes.as_chunks().0.iter().map(|&bytes| convert(bytes)).collect()
    }
}
