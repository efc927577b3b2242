//! Reads the header objects of ASF: their identifiers, file properties, and what follows extended stream properties.
//!
//! This module must not depend on where the objects or packets lie in the file: `mod.rs` walks them.

use crate::FileRefusal;
use crate::bytes::{narrow, u8_at, u16_le, u32_le, u64_le};
use crate::time::NANOS_PER_MILLI;

type Guid = [u8; 16];

const HEADER: Guid = *b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C";
const DATA: Guid = *b"\x36\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C";
const FILE: Guid = *b"\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65";
const STREAM: Guid = *b"\x91\x07\xDC\xB7\xB7\xA9\xCF\x11\x8E\xE6\x00\xC0\x0C\x20\x53\x65";
const EXTENSION: Guid = *b"\xB5\x03\xBF\x5F\x2E\xA9\xCF\x11\x8E\xE3\x00\xC0\x0C\x20\x53\x65";
const ENCRYPTION: Guid = *b"\xFB\xB3\x11\x22\x23\xBD\xD2\x11\xB4\xB7\x00\xA0\xC9\x55\xFC\x6E";
const EXTENDED_STREAM: Guid = *b"\xCB\xA5\xE6\x14\x72\xC6\x32\x43\x83\x99\xA9\x69\x52\x06\x5B\x5A";

const BROADCAST: u32 = 1;

#[derive(Debug, Clone, Copy)]
pub(super) enum ObjectKind {
    Header,
    Extension,
    Data,
    File,
    Stream,
    ExtendedStream,
    Encryption,
    Ignored,
}

pub(super) fn object_kind(id: Guid) -> ObjectKind {
    match id {
        HEADER => ObjectKind::Header,
        EXTENSION => ObjectKind::Extension,
        DATA => ObjectKind::Data,
        FILE => ObjectKind::File,
        STREAM => ObjectKind::Stream,
        EXTENDED_STREAM => ObjectKind::ExtendedStream,
        ENCRYPTION => ObjectKind::Encryption,
        _ => ObjectKind::Ignored,
    }
}

/// The file properties.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FileProperties {
    is_known: bool,
    /// In units of 100 ns, including the preroll.
    play_time: u64,
    preroll_ms: u32,
    flags: u32,
    packet_size: u32,
}

impl FileProperties {
    pub(super) fn read(&mut self, body: &[u8]) -> Result<(), FileRefusal> {
        if self.is_known {
            return Err(super::ambiguous("it has several file properties"));
        }
        let smallest_packet = u32_le(body, 92).unwrap_or(0);
        *self = Self {
            is_known: true,
            play_time: u64_le(body, 64).unwrap_or(0),
            // Players ignore the other four bytes.
            preroll_ms: u32_le(body, 80).unwrap_or(0),
            flags: u32_le(body, 88).unwrap_or(0),
            packet_size: u32_le(body, 96).unwrap_or(0),
        };
        if smallest_packet != self.packet_size {
            return Err(super::ambiguous("its packets have several sizes"));
        }
        Ok(())
    }

    pub(super) fn is_broadcast(&self) -> bool {
        self.flags & BROADCAST != 0
    }

    pub(super) fn packet_size(&self) -> u64 {
        u64::from(self.packet_size)
    }

    pub(super) fn preroll_ms(&self) -> i64 {
        i64::from(self.preroll_ms)
    }

    /// Returns the play time without the preroll. A broadcast declares no length.
    pub(super) fn declared(&self) -> Option<u64> {
        let preroll = u64::from(self.preroll_ms).saturating_mul(NANOS_PER_MILLI);
        let length = self.play_time.saturating_mul(100).saturating_sub(preroll);
        (length > 0 && !self.is_broadcast()).then_some(length)
    }
}

/// Extended stream properties.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExtendedStream {
    /// The length without the stream properties that may follow inside the object.
    pub(super) length: usize,
    /// Whether each frame also carries a presentation time, which some players prefer.
    pub(super) has_presentation_times: bool,
}

impl ExtendedStream {
    /// `None` if the object is longer than these bytes.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        const FIXED: usize = 88;
        const PRESENTATION_TIMES: u8 = 0x2A;
        let mut length = FIXED;
        for _ in 0..u16_le(body, FIXED - 4)? {
            length += 4 + usize::from(u16_le(body, length + 2)?);
        }
        let mut has_presentation_times = false;
        for _ in 0..u16_le(body, FIXED - 2)? {
            // Players compare only the first byte of the identifier.
            has_presentation_times |= u8_at(body, length)? == PRESENTATION_TIMES;
            length = length.checked_add(22)?.checked_add(narrow(u32_le(body, length + 18)?.into()))?;
        }
        (length <= body.len()).then_some(Self { length, has_presentation_times })
    }
}

#[cfg(test)]
mod tests;
