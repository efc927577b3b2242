//! Reads one ASF data packet: its payloads, which are frames or parts of frames.
//!
//! Players find the next packet by the lengths in this one, and search for it if they are wrong. The prober refuses
//! packets whose lengths contradict each other. This module must not depend on the header or on other packets.

use crate::FileRefusal;
use crate::bytes::{head, narrow, tail, u8_at, u16_le, u32_le, wide};

/// The beginning of a packet with error correction data, which nearly all files have. Players search for it.
const CORRECTION: [u8; SHORTEST] = [0x82, 0, 0];
/// The number of bytes that show whether a packet begins here.
pub(super) const SHORTEST: usize = 3;
/// Players expect at least this many bytes in the header of a payload.
const SHORTEST_HEADER: usize = 6;

/// A frame, a part of one, or several small frames.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Payload<'a> {
    /// The first bytes of a frame of `size` bytes.
    Start { size: u32, time: u32, length: u32 },
    /// Further bytes of a frame, whose size may be repeated.
    Continuation { offset: u32, length: u32, size: Option<u32> },
    /// Frames, each after a byte with its length. The first is shown at `time`, each further one `delta` ms later.
    Several { time: u32, delta: u8, frames: &'a [u8] },
}

impl Payload<'_> {
    /// Returns what is left of it if only this many of its bytes are there.
    fn within(self, available: usize) -> Self {
        let available = u32::try_from(available).unwrap_or(u32::MAX);
        match self {
            Self::Start { size, time, length } => Self::Start { size, time, length: length.min(available) },
            Self::Continuation { offset, length, size } => {
                Self::Continuation { offset, length: length.min(available), size }
            }
            Self::Several { .. } => self,
        }
    }

    /// Returns the number of bytes in it.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Start { length, .. } | Self::Continuation { length, .. } => u64::from(*length),
            Self::Several { frames, .. } => wide(frames.len()),
        }
    }
}

/// Whether the packet has error correction data. `None` if it has data of another kind.
pub(super) fn is_corrected(packet: &[u8]) -> Option<bool> {
    let is_corrected = packet.starts_with(&CORRECTION);
    (is_corrected || u8_at(packet, 0)? & 0x80 == 0).then_some(is_corrected)
}

/// Calls `on_payload` with the stream number of every payload of a packet of `size` bytes. Returns whether its lengths
/// agree and all bytes are there: the last packet of a file may be incomplete.
pub(super) fn read(
    packet: &[u8],
    size: usize,
    mut on_payload: impl FnMut(u8, Payload<'_>) -> Result<(), FileRefusal>,
) -> Result<bool, FileRefusal> {
    let mut fields = FieldReader { bytes: packet, missing: size.saturating_sub(packet.len()) };
    if is_corrected(packet) == Some(true) {
        fields.skip(CORRECTION.len());
    }
    let Some(layout) = PacketHead::read(&mut fields, size) else { return Ok(false) };
    for _ in 0..layout.payloads {
        // Players go on to the next packet if less than a header is left.
        let Some((stream, payload, length)) = (layout.left(&fields) >= SHORTEST_HEADER)
            .then(|| layout.payload(&mut fields))
            .flatten()
            .filter(|(_, _, length)| *length <= layout.left(&fields))
        else {
            return Ok(false);
        };
        on_payload(stream, payload.within(fields.bytes.len()))?;
        if length > fields.bytes.len() {
            return Ok(false);
        }
        fields.skip(length);
    }
    Ok(true)
}

/// Reads fields whose length is encoded in two bits: 0, 1, 2 or 4 bytes.
struct FieldReader<'a> {
    bytes: &'a [u8],
    /// The number of bytes after them that are not in the file.
    missing: usize,
}

impl FieldReader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = u8_at(self.bytes, 0)?;
        self.skip(1);
        Some(byte)
    }

    fn number(&mut self, width: u8) -> Option<u32> {
        let (value, length) = match width & 3 {
            0 => (0, 0),
            1 => (u32::from(u8_at(self.bytes, 0)?), 1),
            2 => (u32::from(u16_le(self.bytes, 0)?), 2),
            _ => (u32_le(self.bytes, 0)?, 4),
        };
        self.skip(length);
        Some(value)
    }

    fn skip(&mut self, length: usize) {
        self.bytes = tail(self.bytes, length);
    }
}

/// The fields before the payloads.
struct PacketHead {
    payloads: u8,
    /// The encoded lengths of the fields of a payload.
    widths: u8,
    /// The encoded length of a payload's own length, if there are several payloads.
    length_width: Option<u8>,
    /// The number of bytes after the payloads.
    padding: usize,
}

impl PacketHead {
    fn read(fields: &mut FieldReader<'_>, size: usize) -> Option<Self> {
        let (flags, widths) = (fields.byte()?, fields.byte()?);
        let length = fields.number(flags >> 5)?;
        fields.number(flags >> 1)?;
        let padding = narrow(fields.number(flags >> 3)?.into());
        // The packet's send time and duration do not describe its frames.
        fields.skip(6);
        let has_own_length = flags >> 5 & 3 != 0;
        let unused = if has_own_length { size.checked_sub(narrow(length.into()))? } else { 0 };
        let padding = padding.checked_add(unused).filter(|padding| *padding < size)?;
        let counts = if flags & 1 == 0 { None } else { Some(fields.byte()?) };
        let (payloads, length_width) = counts.map_or((1, None), |counts| (counts & 0x3F, Some(counts >> 6)));
        Some(Self { payloads, widths, length_width, padding })
    }

    /// Returns the number of bytes in front of the padding, of which some may not be in the file.
    fn left(&self, fields: &FieldReader<'_>) -> usize {
        (fields.bytes.len() + fields.missing).saturating_sub(self.padding)
    }

    /// Reads the header of one payload. Returns its stream number, what it holds, and its length.
    fn payload<'a>(&self, fields: &mut FieldReader<'a>) -> Option<(u8, Payload<'a>, usize)> {
        let stream = fields.byte()? & 0x7F;
        fields.number(self.widths >> 4)?;
        let offset = fields.number(self.widths >> 2)?;
        let replicated = fields.number(self.widths)?;
        let extra = fields.bytes;
        fields.skip(narrow(replicated.into()));
        let length = match self.length_width {
            Some(width) => fields.number(width)?,
            None => u32::try_from((fields.bytes.len() + fields.missing).checked_sub(self.padding)?).ok()?,
        };
        let payload = match (replicated, offset) {
            // Players interpret a time of zero as the end of the frames.
            (1, 1..) => {
                let frames = head(fields.bytes, narrow(length.into()));
                Payload::Several { time: offset, delta: u8_at(extra, 0)?, frames }
            }
            (8.., 0) => Payload::Start { size: u32_le(extra, 0)?, time: u32_le(extra, 4)?, length },
            (0, 1..) => Payload::Continuation { offset, length, size: None },
            (8.., 1..) => Payload::Continuation { offset, length, size: Some(u32_le(extra, 0)?) },
            _ => return None,
        };
        Some((stream, payload, narrow(length.into())))
    }
}

#[cfg(test)]
mod tests;
