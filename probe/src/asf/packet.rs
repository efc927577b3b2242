//! Reads one ASF data packet: which streams have a frame that begins in it, and the presentation times of these frames.
//!
//! This module must not depend on the header or on other packets.

use crate::bytes::{tail, u8_at, u16_le, u32_le};

/// Calls `on_frame` with the stream number and presentation time (in ms) of every frame that begins in the packet.
/// Stops at the first field that cannot be read, because the next packet begins at a known position.
pub(super) fn read(packet: &[u8], on_frame: impl FnMut(u8, u32)) {
    let _ = read_payloads(packet, on_frame);
}

/// Reads fields whose length is encoded in two bits: 0, 1, 2 or 4 bytes.
struct FieldReader<'a> {
    bytes: &'a [u8],
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

fn read_payloads(packet: &[u8], mut on_frame: impl FnMut(u8, u32)) -> Option<()> {
    let mut fields = FieldReader { bytes: packet };
    let first = u8_at(packet, 0)?;
    if first & 0x80 != 0 {
        fields.skip(1 + usize::from(first & 0x0F));
    }
    let flags = fields.byte()?;
    let widths = fields.byte()?;
    fields.number(flags >> 5)?;
    fields.number(flags >> 1)?;
    fields.number(flags >> 3)?;
    // The packet's send time and duration do not describe its frames.
    fields.skip(6);
    if flags & 1 == 0 {
        return read_payload(&mut fields, widths, &mut on_frame);
    }
    let counts = fields.byte()?;
    for _ in 0..counts & 0x3F {
        read_payload(&mut fields, widths, &mut on_frame)?;
        let length = fields.number(counts >> 6)?;
        fields.skip(usize::try_from(length).ok()?);
    }
    Some(())
}

/// Reads the header of one payload.
fn read_payload(fields: &mut FieldReader<'_>, widths: u8, on_frame: &mut impl FnMut(u8, u32)) -> Option<()> {
    let stream = fields.byte()? & 0x7F;
    fields.number(widths >> 4)?;
    let offset = fields.number(widths >> 2)?;
    let replicated = fields.number(widths)?;
    if replicated == 1 {
        // The payload holds several small frames; the offset field is the first one's time.
        on_frame(stream, offset);
        fields.skip(1);
        return Some(());
    }
    if offset == 0 && replicated >= 8 {
        on_frame(stream, u32_le(fields.bytes, 4)?);
    }
    fields.skip(usize::try_from(replicated).ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(parts: &[&[u8]]) -> Vec<(u8, u32)> {
        let mut frames = Vec::new();
        read(&parts.concat(), |stream, time| frames.push((stream, time)));
        frames
    }

    /// The send time and the duration of a packet.
    const TIMES: &[u8] = &[9; 6];
    /// The widths of an object's number (one byte), its offset (four bytes) and its replicated data (one byte).
    const WIDTHS: u8 = 0b0001_1101;

    /// Returns a payload's header, with replicated data of eight bytes that end with the time.
    fn payload(stream: u8, offset: u32, time: u32) -> Vec<u8> {
        let replicated = [8, 0, 0, 0, 0];
        [&[stream, 1][..], &offset.to_le_bytes(), &replicated, &time.to_le_bytes()].concat()
    }

    #[test]
    fn a_single_payload_has_one_frame() {
        let payload = payload(0x82, 0, 70_000);
        assert_eq!(frames(&[&[0x00, WIDTHS], TIMES, &payload]), [(2, 70_000)]);
        assert_eq!(frames(&[&[0x82, 0, 0, 0x00, WIDTHS], TIMES, &payload]), [(2, 70_000)], "error correction");
    }

    #[test]
    fn the_lengths_before_the_payload_have_the_widths_that_the_flags_announce() {
        let payload = payload(1, 0, 5);
        for (flags, length) in [(0x20, 1), (0x40, 2), (0x60, 4), (0x02, 1), (0x04, 2), (0x06, 4), (0x08, 1), (0x18, 4)]
        {
            assert_eq!(frames(&[&[flags, WIDTHS], &vec![7; length], TIMES, &payload]), [(1, 5)], "{flags:#04x}");
        }
    }

    #[test]
    fn several_payloads_have_a_length_each() {
        let (first, second) = (payload(1, 0, 10), payload(2, 0, 20));
        for (width, lengths) in
            [(0x40, [&[3][..], &[2][..]]), (0x80, [&[3, 0], &[2, 0]]), (0xC0, [&[3, 0, 0, 0], &[2, 0, 0, 0]])]
        {
            let payloads = [&first, lengths[0], &[0xEE; 3], &second, lengths[1], &[0xEE; 2]].concat();
            assert_eq!(frames(&[&[0x01, WIDTHS], TIMES, &[width | 2], &payloads]), [(1, 10), (2, 20)], "{width:#04x}");
        }
    }

    #[test]
    fn a_payload_that_continues_a_frame_has_no_time() {
        assert_eq!(frames(&[&[0x00, WIDTHS], TIMES, &payload(1, 1_000, 5)]), []);
        let short = [&[1, 1, 0, 0, 0, 0, 7][..], &[0; 8]].concat();
        assert_eq!(frames(&[&[0x00, WIDTHS], TIMES, &short]), []);
    }

    #[test]
    fn a_compressed_payload_has_its_time_in_the_offset() {
        let first = [&[1, 1][..], &30_u32.to_le_bytes(), &[1, 0]].concat();
        let payloads = [&first[..], &[2], &[0xEE; 2], &payload(2, 0, 20), &[0]].concat();
        assert_eq!(frames(&[&[0x01, WIDTHS], TIMES, &[0x42], &payloads]), [(1, 30), (2, 20)]);
    }

    #[test]
    fn a_truncated_packet_yields_the_frames_before_its_end() {
        let payloads = [&payload(1, 0, 10)[..], &[3], &[0xEE; 3], &payload(2, 0, 20)[..9]].concat();
        assert_eq!(frames(&[&[0x01, WIDTHS], TIMES, &[0x42], &payloads]), [(1, 10)]);
        assert_eq!(frames(&[]), []);
    }
}
