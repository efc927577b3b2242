//! The header of a packet of an elementary stream: its times, and where its payload begins.

use crate::bytes::{array, u8_at, u16_be};

/// Times of 33 bits; the decoding time only where it differs from the presentation's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamps {
    pub(super) presentation: u64,
    pub(super) decoding: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PesHeader {
    pub(super) stamps: Option<Stamps>,
    /// Where the payload begins.
    pub(super) length: usize,
}

/// The longest header: nine bytes and 255 of optional fields.
pub(super) const LONGEST: usize = 9 + 255;

/// Reads from the start code on; `None` where it is none, or cut.
pub(super) fn read(packet: &[u8]) -> Option<PesHeader> {
    let [0, 0, 1, _] = array::<4>(packet, 0)? else {
        return None;
    };
    match u8_at(packet, 6)? >> 6 {
        2 => read_mpeg2(packet),
        _ => read_mpeg1(packet),
    }
}

fn read_mpeg2(packet: &[u8]) -> Option<PesHeader> {
    let flags = u8_at(packet, 7)? >> 6;
    let length = 9 + usize::from(u8_at(packet, 8)?);
    Some(PesHeader {
        stamps: stamps(packet, 9, flags),
        length,
    })
}

/// MPEG-1 puts padding and buffer sizes before the times.
fn read_mpeg1(packet: &[u8]) -> Option<PesHeader> {
    let mut at = (6..6 + 17).find(|at| u8_at(packet, *at) != Some(0xFF))?;
    if u8_at(packet, at)? >> 6 == 1 {
        at += 2;
    }
    let flags = u8_at(packet, at)? >> 4;
    let length = match flags {
        2 => at + 5,
        3 => at + 10,
        _ => at + 1,
    };
    Some(PesHeader {
        stamps: stamps(packet, at, flags),
        length,
    })
}

fn stamps(packet: &[u8], at: usize, flags: u8) -> Option<Stamps> {
    if flags & 2 == 0 {
        return None;
    }
    let decoding = if flags == 3 {
        stamp(packet, at + 5)
    } else {
        None
    };
    Some(Stamps {
        presentation: stamp(packet, at)?,
        decoding,
    })
}

/// 33 bits in five bytes with a marker bit behind each part.
fn stamp(packet: &[u8], at: usize) -> Option<u64> {
    let high = u64::from(u8_at(packet, at)? >> 1 & 7);
    let middle = u64::from(u16_be(packet, at + 1)? >> 1);
    let low = u64::from(u16_be(packet, at + 3)? >> 1);
    Some(high << 30 | middle << 15 | low)
}
