//! Transport packets, byte by byte.

use super::*;
use crate::{Codec, TrackKind};

const PLAIN: PacketLayout = PacketLayout { length: PACKET, lead: 0, junk: 0 };
const CHECKED: PacketLayout = PacketLayout { length: PACKET + 16, lead: 0, junk: 0 };
const TIMED: PacketLayout = PacketLayout { length: PACKET + 4, lead: 4, junk: 0 };
const PROGRAM: u16 = 0x100;
const VIDEO: u16 = 0x101;
const STARTS: u16 = 0x4000;
const DAMAGED: u16 = 0x8000;

/// Returns a packet whose payload is filled up with an adaptation field before it.
fn packet(header: u16, payload: &[u8]) -> Vec<u8> {
    let [high, low] = header.to_be_bytes();
    let stuffing = PACKET - 5 - payload.len();
    let length = u8::try_from(stuffing).expect("a payload of at most 183 bytes");
    [&[SYNC, high, low, 0x30, length][..], &vec![0xFF; stuffing], payload].concat()
}

/// Returns a section behind its pointer, with its checksum.
fn signed(section: &[u8]) -> Vec<u8> {
    [&[0], section, &sections::checksum(section).to_be_bytes()].concat()
}

/// Returns the tables of a program with one H.264 stream.
fn tables() -> Vec<Vec<u8>> {
    let association = signed(&[&[0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1][..], &(0xE000 | PROGRAM).to_be_bytes()].concat());
    let [high, low] = (0xE000 | VIDEO).to_be_bytes();
    let program = signed(&[2, 0xB0, 18, 0, 1, 0xC1, 0, 0, 0xE1, 0x01, 0xF0, 0, 0x1B, high, low, 0xF0, 0]);
    vec![packet(STARTS, &association), packet(STARTS | PROGRAM, &program)]
}

/// Returns the header of a PES packet that is shown at this second.
fn frame(second: u64) -> Vec<u8> {
    let ticks = second * 90_000;
    let parts = 2 << 36 | (ticks >> 30) << 33 | 1 << 32 | (ticks >> 15 & 0x7FFF) << 17 | 1 << 16;
    let encoded: u64 = parts | (ticks & 0x7FFF) << 1 | 1;
    [&[0, 0, 1, 0xE0, 0, 0, 0x80, 0x80, 5][..], &encoded.to_be_bytes()[3..]].concat()
}

/// Walks through the bytes as the driver does with one chunk and then the end, and returns the proven seconds.
fn proven_seconds(layout: PacketLayout, bytes: &[u8]) -> u64 {
    let mut stream = TransportStream::new(layout);
    let mut at = 0;
    while at < bytes.len() {
        match stream.step(wide(at), &bytes[at..]) {
            Ok(WalkStep::Skip(count)) => at += usize::try_from(count).expect("a short skip"),
            _ => break,
        }
    }
    stream.absorb_rest(&bytes[at..]).expect("packets");
    stream.proven() / 1_000_000_000
}

/// Returns the packets in a layout, each preceded by the extra bytes of that layout.
fn in_layout(layout: PacketLayout, packets: &[Vec<u8>]) -> Vec<u8> {
    let rest = layout.length - layout.lead - PACKET;
    packets.iter().flat_map(|packet| [&[9; 4][..layout.lead], packet, &[9; 16][..rest]].concat()).collect()
}

#[test]
fn the_tables_lead_to_the_frames_of_the_video() {
    for layout in [PLAIN, TIMED, CHECKED] {
        let mut packets = tables();
        packets.extend([0, 1, 2].map(|second| packet(STARTS | VIDEO, &frame(second))));
        assert_eq!(proven_seconds(layout, &in_layout(layout, &packets)), 2);
        let mut stream = TransportStream::new(layout);
        stream.step(0, &in_layout(layout, &packets)).expect("packets");
        assert_eq!((stream.streams[0].kind(), stream.streams[0].describe(0).codec), (TrackKind::Video, Codec::H264));
    }
}

#[test]
fn only_the_start_of_a_pes_packet_has_a_header() {
    let mut packets = tables();
    packets.extend([packet(STARTS | VIDEO, &frame(0)), packet(VIDEO, &frame(50)), packet(STARTS | VIDEO, &frame(1))]);
    assert_eq!(proven_seconds(PLAIN, &packets.concat()), 1);
}

#[test]
fn packets_that_are_marked_as_damaged_and_streams_that_no_table_lists_count() {
    for header in [DAMAGED | STARTS | VIDEO, STARTS | (VIDEO + 1)] {
        let mut packets = tables();
        packets.extend([packet(STARTS | VIDEO, &frame(0)), packet(header, &frame(0)), packet(header, &frame(50))]);
        packets.push(packet(STARTS | VIDEO, &frame(51)));
        assert_eq!(proven_seconds(PLAIN, &packets.concat()), 51, "{header:#06x}");
    }
}

#[test]
fn a_table_after_the_frames_describes_their_stream() {
    let mut packets = vec![packet(STARTS | VIDEO, &frame(0)), packet(STARTS | VIDEO, &frame(3))];
    packets.extend(tables());
    let mut stream = TransportStream::new(PLAIN);
    stream.step(0, &packets.concat()).expect("packets");
    assert_eq!((stream.streams.len(), stream.streams[0].describe(0).codec), (1, Codec::H264));
    assert_eq!(stream.proven(), 3_000_000_000);
}

#[test]
fn a_file_may_have_64_streams_and_parameter_sets_are_searched_for_in_the_first_16() {
    let mut file = TransportStream::new(PLAIN);
    let described = |pid| StreamDescription { pid, kind: TrackKind::Video, codec: Codec::H264, is_data: false };
    file.described = (0..65).map(described).collect();
    (0..64).for_each(|pid| file.add(pid));
    let searched: Vec<bool> = file.streams.iter().map(ElementaryStream::wants_packet_start).collect();
    assert_eq!(searched, [[true; 16].as_slice(), &[false; 48]].concat());
    assert!(!file.has_too_many);
    file.add(64);
    assert!(file.has_too_many && file.streams.len() == 64);
}

#[test]
fn tables_may_describe_1024_streams_of_which_only_those_with_packets_count() {
    let mut file = TransportStream::new(PLAIN);
    let mut describe = |pids: std::ops::Range<u16>| {
        for first in pids.step_by(64) {
            let stream = |pid: u16| [&[0x1B][..], &(0xE000 | pid).to_be_bytes(), &[0xF0, 0]].concat();
            let streams: Vec<u8> = (first..first + 64).flat_map(stream).collect();
            let before = [2, 0xB0, 0, 0, 1, 0xC1, 0, 0, 0xE1, 1, 0xF0, 0];
            file.read_program(&[&before[..], &streams, &[0; 4]].concat()).expect("a table");
        }
        (file.streams.len(), file.has_too_many)
    };
    assert_eq!(describe(0x100..0x500), (0, false));
    assert_eq!(describe(0x100..0x500), (0, false), "again");
    assert_eq!(describe(0x500..0x540), (0, true));
}

#[test]
fn a_header_may_span_packets() {
    let mut packets = tables();
    for second in [0, 7] {
        let header = frame(second);
        packets.extend([packet(STARTS | VIDEO, &header[..10]), packet(VIDEO, &header[10..])]);
    }
    assert_eq!(proven_seconds(PLAIN, &packets.concat()), 7);
}

#[test]
fn the_header_of_a_stream_in_no_table_may_span_packets() {
    for length in [1, 3, 10] {
        let frames = [0, 7].map(|second| {
            let header = frame(second);
            [packet(STARTS | 0x1F0, &header[..length]), packet(0x1F0, &header[length..])].concat()
        });
        assert_eq!(proven_seconds(PLAIN, &frames.concat()), 7, "{length} bytes in the first packet");
    }
}

#[test]
fn packets_of_other_tables_are_no_stream_unless_a_table_says_so() {
    let seconds = |is_described: bool| {
        let mut file = TransportStream::new(PLAIN);
        let description = StreamDescription { pid: 0x11, kind: TrackKind::Video, codec: Codec::H264, is_data: false };
        file.described.extend(is_described.then_some(description));
        for second in [0, 5] {
            file.step(0, &packet(STARTS | 0x11, &frame(second))).expect("a packet");
        }
        file.proven() / 1_000_000_000
    };
    assert_eq!((seconds(false), seconds(true)), (0, 5));
}

#[test]
fn a_packet_that_is_shorter_than_the_longest_header_ends_where_the_next_begins() {
    let mut packets = tables();
    for second in [0, 4, 9] {
        let mut header = frame(second);
        header[6] = 0x40;
        packets.push(packet(STARTS | VIDEO, &header));
    }
    assert_eq!(proven_seconds(PLAIN, &packets.concat()), 4);
}

#[test]
fn a_packet_that_ends_with_its_header_has_no_time() {
    let seconds = |length: u8| {
        let mut last = frame(50);
        last[5] = length;
        let frames = [frame(0), frame(1), last].map(|frame| packet(STARTS | VIDEO, &frame));
        proven_seconds(PLAIN, &[tables().concat(), frames.concat()].concat())
    };
    assert_eq!((seconds(8), seconds(9), seconds(0)), (1, 50, 50));
}

#[test]
fn a_program_table_may_span_packets() {
    let mut packets = tables();
    let program = packets.pop().expect("the program table");
    let section = &program[PACKET - 22..];
    packets.extend([packet(STARTS | PROGRAM, &section[..10]), packet(PROGRAM, &section[10..])]);
    packets.extend([0, 3].map(|second| packet(STARTS | VIDEO, &frame(second))));
    assert_eq!(proven_seconds(PLAIN, &packets.concat()), 3);
}

#[test]
fn packets_are_found_again_after_damaged_bytes() {
    for layout in [PLAIN, TIMED] {
        for junk in [1, 2, 3, 100, 500] {
            let mut packets = tables();
            packets.push(packet(STARTS | VIDEO, &frame(0)));
            let after = [1, 4].map(|second| packet(STARTS | VIDEO, &frame(second)));
            // A sync byte among the damaged bytes must not be mistaken for a packet.
            let damaged: Vec<u8> = (0..junk).map(|at| if at % 7 == 2 { SYNC } else { 1 }).collect();
            let file = [in_layout(layout, &packets), damaged, in_layout(layout, &after)].concat();
            assert_eq!(proven_seconds(layout, &file), 4, "{junk} bytes");
        }
    }
}

#[test]
fn a_window_shorter_than_a_packet_is_not_enough() {
    for length in [1, 100, PACKET - 1] {
        let step = TransportStream::new(PLAIN).step(0, &packet(STARTS, &[])[..length]).expect("a step");
        assert!(matches!(step, WalkStep::Need(PACKET)), "{length} bytes");
    }
}

#[test]
fn bytes_before_the_first_packet_are_skipped() {
    let mut stream = TransportStream::new(PacketLayout { junk: 33, ..PLAIN });
    let file = [vec![1; 33], packet(STARTS, &[]).repeat(5)].concat();
    assert!(matches!(stream.step(0, &file), Ok(WalkStep::Skip(33))));
    assert!(matches!(stream.step(33, &file[33..]), Ok(WalkStep::Skip(0))));
    assert!(matches!(stream.step(33, &file[33..]), Ok(WalkStep::Skip(940))));
}

/// Some players begin a packet at every sync byte.
#[test]
fn a_frame_that_begins_among_damaged_bytes_counts() {
    let seconds = |header: u16, damaged: &[u8]| {
        let mut packets = tables();
        packets.extend([0, 1].map(|second| packet(STARTS | VIDEO, &frame(second))));
        let after = [2, 3].map(|second| packet(STARTS | VIDEO, &frame(second)));
        let hidden = packet(header | VIDEO, &frame(50));
        proven_seconds(PLAIN, &[packets.concat(), damaged.to_vec(), hidden, damaged.to_vec(), after.concat()].concat())
    };
    assert!(seconds(STARTS, &[1; 500]) >= 50 && seconds(STARTS, &[1; 50]) >= 50);
    assert_eq!(seconds(0, &[1; 500]), 3, "no frame begins");
}

#[test]
fn packets_of_another_length_behind_damaged_bytes_count() {
    let after: Vec<_> = (2..9).map(|second| packet(STARTS | VIDEO, &frame(second))).collect();
    for layout in [PLAIN, TIMED, CHECKED] {
        let mut packets = tables();
        packets.push(packet(STARTS | VIDEO, &frame(0)));
        let file = [in_layout(PLAIN, &packets), vec![1; 60], in_layout(layout, &after)].concat();
        let mut stream = TransportStream::new(PLAIN);
        let mut at = 0;
        while let Some(window) = file.get(at..).filter(|window| !window.is_empty()) {
            match stream.step(wide(at), window) {
                Ok(WalkStep::Skip(count)) => at += usize::try_from(count).expect("a short skip"),
                _ => break,
            }
        }
        stream.absorb_rest(&file[at..]).expect("packets");
        assert_eq!(stream.proven(), 8_000_000_000, "{layout:?}");
    }
}

#[test]
fn a_header_that_is_not_one_of_mpeg2_is_read_in_both_ways() {
    let both = |number: u8| {
        let mut packets = tables();
        packets.extend([0, 1].map(|second| packet(STARTS | VIDEO, &frame(second))));
        let mut header = frame(50);
        // For MPEG-1, this byte says that there is no time.
        (header[3], header[6]) = (number, 0x0F);
        header.resize(60, 0xFF);
        packets.push(packet(STARTS | VIDEO, &header));
        proven_seconds(PLAIN, &packets.concat())
    };
    assert_eq!([both(0xE0), both(0xBF)], [50, 1]);
}

#[test]
fn while_packets_are_lost_two_sync_bytes_are_needed() {
    for (layout, window, needed) in [
        (PLAIN, &[SYNC, 1, 1][..], PACKET + 1),
        (PLAIN, &[&[SYNC][..], &[1; PACKET]].concat(), RESYNC),
        (TIMED, &[SYNC; 4], PACKET + 4 + 1),
    ] {
        let mut stream = TransportStream::new(layout);
        stream.is_lost = true;
        let step = stream.step(0, window).expect("a step");
        assert!(matches!(step, WalkStep::Need(count) if count == needed), "{window:?}");
    }
}

#[test]
fn each_program_table_is_read_once_however_often_it_is_listed() {
    let mut stream = TransportStream::new(PLAIN);
    let listed = |pids: &[u16]| {
        let entries: Vec<u8> =
            pids.iter().flat_map(|pid| [&[0, 1][..], &(0xE000 | pid).to_be_bytes()].concat()).collect();
        let length = u8::try_from(entries.len() + 9).expect("a short table");
        signed(&[&[0, 0xB0, length, 0, 1, 0xC1, 0, 0][..], &entries].concat())
    };
    for pids in [&[0x100, 0x101][..], &[0x101, 0x100, 0x102]] {
        stream.read_association(true, &listed(pids));
    }
    let pids: Vec<u16> = stream.programs.iter().map(|(pid, _)| *pid).collect();
    assert_eq!(pids, [0x100, 0x101, 0x102]);
    for first in (0x200..).step_by(20).take(10) {
        stream.read_association(true, &listed(&(first..first + 20).collect::<Vec<_>>()));
    }
    assert_eq!((stream.programs.len(), stream.has_too_many), (MAX_PROGRAMS, true));
}
