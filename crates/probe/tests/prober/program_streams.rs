//! Program streams built by hand, for cases that no muxer writes.

use crate::support::probe_whole;

const SECOND: u64 = 90_000;

/// An MPEG-2 pack header whose stuffing length has all reserved bits set, as muxers write it.
const PACK: [u8; 14] = [0, 0, 1, 0xBA, 0x44, 0, 4, 0, 4, 1, 0, 0, 3, 0xF8];

/// Returns a timestamp of 33 bits in five bytes.
fn timestamp(prefix: u8, ticks: u64) -> [u8; 5] {
    let bits = |shift: u32| ticks.checked_shr(shift).unwrap_or(0).to_le_bytes()[0];
    [prefix << 4 | (bits(30) & 7) << 1 | 1, bits(22), bits(14) | 1, bits(7), bits(0) << 1 | 1]
}

/// Returns a pack with one video packet, which holds the beginning of a picture. Its presentation and decoding times
/// are equal.
fn pack(ticks: u64) -> Vec<u8> {
    let header = [0, 0, 1, 0xE0, 0, 17, 0x80, 0xC0, 10];
    [&PACK[..], &header, &timestamp(3, ticks), &timestamp(1, ticks), &[0, 0, 1, 0]].concat()
}

fn duration_ms(seconds: &[u64]) -> Option<u64> {
    let file: Vec<u8> = seconds.iter().flat_map(|second| pack(second * SECOND)).collect();
    probe_whole(&file).ok().map(|media| media.duration_ms)
}

#[test]
fn reserved_bits_of_the_stuffing_length_are_ignored() {
    assert_eq!(duration_ms(&[0, 1, 2]), Some(3000));
}

#[test]
fn decoding_times_go_back_by_a_second_at_most() {
    assert_eq!([duration_ms(&[10, 11, 10, 11, 12]), duration_ms(&[10, 12, 10, 11, 12])], [Some(2500), None]);
}
