//! One data packet of ASF: which stream's frame begins in it, and when that is shown.

use crate::bytes::{tail, u8_at, u16_le, u32_le};

/// Calls `found` with stream number and presentation time (ms) of every frame that begins in the packet.
/// Whatever cannot be read ends the packet: the next one begins at a known place.
pub(super) fn read(packet: &[u8], found: impl FnMut(u8, u32)) {
    let _ = payloads(packet, found);
}

/// Fields whose lengths are told by two bits: none, one, two or four bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
}

impl Cursor<'_> {
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

fn payloads(packet: &[u8], mut found: impl FnMut(u8, u32)) -> Option<()> {
    let mut cursor = Cursor { bytes: packet };
    let first = u8_at(packet, 0)?;
    if first & 0x80 != 0 {
        cursor.skip(1 + usize::from(first & 0x0F));
    }
    let flags = cursor.byte()?;
    let widths = cursor.byte()?;
    cursor.number(flags >> 5)?;
    cursor.number(flags >> 1)?;
    cursor.number(flags >> 3)?;
    // Send time and duration of the packet say nothing of its frames.
    cursor.skip(6);
    if flags & 1 == 0 {
        return payload(&mut cursor, widths, &mut found);
    }
    let counts = cursor.byte()?;
    for _ in 0..counts & 0x3F {
        payload(&mut cursor, widths, &mut found)?;
        let length = cursor.number(counts >> 6)?;
        cursor.skip(usize::try_from(length).ok()?);
    }
    Some(())
}

/// The header of one payload.
fn payload(cursor: &mut Cursor<'_>, widths: u8, found: &mut impl FnMut(u8, u32)) -> Option<()> {
    let stream = cursor.byte()? & 0x7F;
    cursor.number(widths >> 4)?;
    let offset = cursor.number(widths >> 2)?;
    let replicated = cursor.number(widths)?;
    if replicated == 1 {
        // Several small frames in one: the offset is the first one's time.
        found(stream, offset);
        cursor.skip(1);
        return Some(());
    }
    if offset == 0 && replicated >= 8 {
        found(stream, u32_le(cursor.bytes, 4)?);
    }
    cursor.skip(usize::try_from(replicated).ok()?);
    Some(())
}
