//! Bytes in the runtime's memory, from which it hashes and stores them.

use crate::platform::object_store::Segment;
use js_sys::Uint8Array;

/// Bytes in the runtime's memory.
pub(crate) struct JsSegment {
    memory: Uint8Array,
    length: u32,
}

impl JsSegment {
    pub(super) fn new(capacity: usize) -> Self {
        Self { memory: Uint8Array::new_with_length(narrow(capacity)), length: 0 }
    }

    /// Returns the filled part of the memory.
    pub(crate) fn view(&self) -> Uint8Array {
        self.memory.subarray(0, self.length)
    }
}

impl Segment for JsSegment {
    fn append(&mut self, bytes: &[u8]) {
        let end = self.length + narrow(bytes.len());
        self.memory.subarray(self.length, end).copy_from(bytes);
        self.length = end;
    }

    fn clear(&mut self) {
        self.length = 0;
    }

    fn length(&self) -> usize {
        widen(self.length)
    }

    fn capacity(&self) -> usize {
        widen(self.memory.length())
    }
}

/// Converts a length. Lengths in wasm have 32 bits.
pub(super) fn narrow(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn widen(length: u32) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
