//! Finds the packets of an MPEG transport stream, which has no magic number but a byte that comes back.

use crate::bytes::u8_at;
use crate::mpeg::Packets;

const SYNC: u8 = 0x47;
/// Enough returns of one byte at one distance that chance is out of the question.
const RETURNS: usize = 5;
/// With fewer packets than that in the whole file, each of them must fit, from the first byte on.
const SHORTEST: usize = 2;
/// How much junk may stand before the first packet.
const JUNK: usize = 1024;

/// Plain packets, and those that a Blu-ray or camcorder puts a time stamp before.
const SHAPES: [Packets; 2] = [
    Packets {
        length: 188,
        lead: 0,
        junk: 0,
    },
    Packets {
        length: 192,
        lead: 4,
        junk: 0,
    },
];

pub(crate) fn find(start: &[u8]) -> Option<Packets> {
    at_once(start).or_else(|| behind_junk(start))
}

fn at_once(start: &[u8]) -> Option<Packets> {
    SHAPES.into_iter().find(|shape| {
        let whole = start.len() / shape.length;
        whole >= SHORTEST && returns(start, shape.lead, shape.length) >= whole.min(RETURNS)
    })
}

fn behind_junk(start: &[u8]) -> Option<Packets> {
    (1..JUNK).find_map(|junk| {
        SHAPES
            .into_iter()
            .find(|shape| returns(start, junk + shape.lead, shape.length) >= RETURNS)
            .map(|shape| Packets { junk, ..shape })
    })
}

fn returns(start: &[u8], first: usize, distance: usize) -> usize {
    (0..RETURNS)
        .take_while(|index| u8_at(start, first + index * distance) == Some(SYNC))
        .count()
}
