//! The payloads as they were given, one JSON text a slot: what a file holds and a rebuild reads.

use std::io;

use serde_json::Value;

use crate::IndexError;
use crate::bytes::Bytes;

/// JSON texts by slot, end to end.
#[derive(Default)]
pub(crate) struct PayloadTexts {
    text: Vec<u8>,
    /// Where each ends.
    ends: Vec<u64>,
}

impl PayloadTexts {
    pub(crate) fn push(&mut self, payload: &Value) {
        // Strings, numbers and their nests always have a JSON.
        self.text.extend_from_slice(payload.to_string().as_bytes());
        self.ends.push(self.text.len() as u64);
    }

    /// The payload of a slot.
    pub(crate) fn get(&self, slot: u32) -> Result<Value, IndexError> {
        let slot = slot as usize;
        let begin = if slot == 0 { 0 } else { self.ends[slot - 1] as usize };
        let text = &self.text[begin..self.ends[slot] as usize];
        serde_json::from_slice(text)
            .map_err(|_| IndexError::damaged("a payload in JSON", format!("slot {slot}")))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u64>()
    }

    pub(crate) fn write(&self, into: &mut dyn io::Write) -> io::Result<()> {
        for end in &self.ends {
            into.write_all(&end.to_le_bytes())?;
        }
        into.write_all(&self.text)
    }

    /// Reads the texts of `slots` slots.
    pub(crate) fn read(slots: usize, mut bytes: Bytes) -> Result<Self, IndexError> {
        let ends = bytes.u64s(slots)?;
        let text = bytes.rest();
        let ascending = ends.is_sorted() && ends.last().copied().unwrap_or(0) == text.len() as u64;
        if !ascending {
            return Err(IndexError::damaged("payloads end to end", "other lengths"));
        }
        Ok(Self { text: text.to_vec(), ends })
    }
}
