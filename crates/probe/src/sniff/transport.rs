//! Detects the packets of an MPEG transport stream, which has no magic number but a sync byte at regular intervals.
//!
//! This module must not depend on what the packets contain.

use crate::bytes::u8_at;
use crate::mpeg::PacketLayout;

const SYNC: u8 = 0x47;
/// This many regularly spaced sync bytes are not a coincidence.
const REPEATS: usize = 5;
/// The fewest packets in a file. If a file has fewer than `REPEATS`, all of them must match, from the first byte on.
const FEWEST_PACKETS: usize = 2;
/// The maximum number of junk bytes before the first packet.
const MAX_JUNK: usize = 1024;

/// Plain packets, packets with a timestamp before each (Blu-ray discs and camcorders), and packets with checksums after
/// each (receivers).
const LAYOUTS: [PacketLayout; 3] = [
    PacketLayout { length: 188, lead: 0, junk: 0 },
    PacketLayout { length: 192, lead: 4, junk: 0 },
    PacketLayout { length: 204, lead: 0, junk: 0 },
];

pub(crate) fn packet_layout(start: &[u8]) -> Option<PacketLayout> {
    from_first_byte(start).or_else(|| after_junk(start))
}

fn from_first_byte(start: &[u8]) -> Option<PacketLayout> {
    LAYOUTS.into_iter().find(|layout| {
        let packets = start.len() / layout.length;
        packets >= FEWEST_PACKETS && count_repeats(start, layout.lead, layout.length) >= packets.min(REPEATS)
    })
}

fn after_junk(start: &[u8]) -> Option<PacketLayout> {
    (1..MAX_JUNK).find_map(|junk| {
        LAYOUTS
            .into_iter()
            .find(|layout| count_repeats(start, junk + layout.lead, layout.length) >= REPEATS)
            .map(|layout| PacketLayout { junk, ..layout })
    })
}

fn count_repeats(start: &[u8], first: usize, distance: usize) -> usize {
    (0..REPEATS).take_while(|index| u8_at(start, first + index * distance) == Some(SYNC)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns packets of this length, each with a sync byte after `lead` bytes, after some junk.
    fn packets(junk: usize, lead: usize, length: usize, count: usize) -> Vec<u8> {
        let mut packet = vec![1; length];
        packet[lead] = SYNC;
        [vec![1; junk], packet.repeat(count)].concat()
    }

    fn layout(start: &[u8]) -> Option<(usize, usize, usize)> {
        packet_layout(start).map(|layout| (layout.length, layout.lead, layout.junk))
    }

    #[test]
    fn all_layouts_are_detected_from_the_first_byte_on() {
        for count in [2, 3, 5, 10] {
            assert_eq!(layout(&packets(0, 0, 188, count)), Some((188, 0, 0)), "{count} packets");
            assert_eq!(layout(&packets(0, 4, 192, count)), Some((192, 4, 0)), "{count} packets");
            assert_eq!(layout(&packets(0, 0, 204, count)), Some((204, 0, 0)), "{count} packets");
        }
    }

    #[test]
    fn a_kilobyte_of_junk_may_come_before_five_packets() {
        for junk in [1, 100, MAX_JUNK - 1] {
            assert_eq!(layout(&packets(junk, 0, 188, 5)), Some((188, 0, junk)), "{junk} bytes");
            assert_eq!(layout(&packets(junk, 0, 188, 4)), None, "{junk} bytes before four packets");
        }
        assert_eq!(layout(&packets(MAX_JUNK, 0, 188, 5)), None);
    }

    #[test]
    fn a_single_packet_and_irregular_sync_bytes_prove_nothing() {
        assert_eq!(layout(&packets(0, 0, 188, 1)), None);
        assert_eq!(layout(&packets(0, 0, 187, 10)), None);
        let mut broken = packets(0, 0, 188, 5);
        broken[188 * 3] = 1;
        assert_eq!(layout(&broken), None);
    }
}
