//! Collects the packets of a file as ffprobe lists them.
//!
//! Headers can be forged, but packets are what is played. Pure; [`MAX_PACKETS`] bounds the memory.

use crate::media::MediaError;
use crate::media::limits::MAX_PACKETS;
use serde::Deserialize;
use std::collections::BTreeMap;

/// In seconds; a longer duration is ignored. If Vorbis sound fits on one Ogg page, the duration of its last packet may
/// be negative, and ffprobe prints it as many hours.
const LONGEST_PACKET: f64 = 3_600.0;

/// ffprobe's description of one packet. It leaves out the fields that it does not know.
#[derive(Debug, Deserialize)]
pub(super) struct PacketEntry<'a> {
    pub(super) stream_index: usize,
    #[serde(default)]
    pub(super) pts_time: &'a str,
    #[serde(default)]
    pub(super) dts_time: &'a str,
    #[serde(default)]
    pub(super) duration_time: &'a str,
    #[serde(default)]
    pub(super) size: &'a str,
    #[serde(default)]
    pub(super) flags: &'a str,
}

/// The packets of all streams.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    count: u64,
    pub(super) streams: BTreeMap<usize, StreamPackets>,
}

/// The packets of one stream.
#[derive(Debug, Default)]
pub(super) struct StreamPackets {
    /// The start times, in the order of the file.
    pub(super) starts: Vec<f64>,
    /// The start times of keyframes.
    pub(super) keyframes: Vec<f64>,
    pub(super) has_open_gops: bool,
    pub(super) last_duration: f64,
    pub(super) discarded: u64,
    pub(super) bytes: u64,
    /// The size of the largest packet.
    pub(super) largest: u64,
}

impl Packets {
    /// Records one packet. Ignores a number that cannot be read.
    pub(super) fn record(&mut self, packet: &PacketEntry<'_>) -> Result<(), MediaError> {
        self.count += 1;
        if self.count > MAX_PACKETS {
            return Err(MediaError::invalid_format(format!("the file has more than {MAX_PACKETS} packets")));
        }
        let time = finite(packet.pts_time).or_else(|| finite(packet.dts_time));
        let bytes = packet.size.parse().unwrap_or(0);
        let packets = self.streams.entry(packet.stream_index).or_default();
        packets.record(time, finite(packet.duration_time), bytes, packet.flags);
        Ok(())
    }
}

impl Packets {
    /// Returns the size of the largest packet of one stream.
    pub(super) fn largest(&self, stream: usize) -> u64 {
        self.streams.get(&stream).map_or(0, |packets| packets.largest)
    }
}

impl StreamPackets {
    /// A packet without a time follows the previous one.
    fn record(&mut self, time: Option<f64>, duration: Option<f64>, bytes: u64, flags: &str) {
        if flags.contains('D') {
            self.discarded += 1;
            self.largest = self.largest.max(bytes);
            return;
        }
        let expected_time = || self.starts.last().map_or(0.0, |last| last + self.last_duration);
        let time = time.unwrap_or_else(expected_time);
        self.starts.push(time);
        self.bytes += bytes;
        self.largest = self.largest.max(bytes);
        self.has_open_gops |= self.keyframes.last().is_some_and(|keyframe| time < *keyframe);
        if flags.starts_with('K') {
            self.keyframes.push(time);
        }
        if let Some(duration) = duration.filter(|duration| *duration > 0.0 && *duration < LONGEST_PACKET) {
            self.last_duration = duration;
        }
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
pub(super) mod examples {
    use super::PacketEntry;

    /// Returns the packet that these words describe: stream, presentation time, decoding time, duration, bytes, flags.
    pub(in super::super) fn packet(words: &str) -> PacketEntry<'_> {
        let words: Vec<_> = words.split(',').collect();
        let [stream, pts_time, dts_time, duration_time, size, flags] = words[..] else { panic!("{words:?}") };
        PacketEntry { stream_index: stream.parse().unwrap(), pts_time, dts_time, duration_time, size, flags }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_of_many_hours_lasts_as_long_as_the_one_before() {
        let mut packets = Packets::default();
        for words in ["1,0.776,0.776,0.032,20,K_", "1,0.808,0.808,268435.448,20,K_"] {
            packets.record(&examples::packet(words)).expect("a packet");
        }
        assert!((packets.streams[&1].last_duration - 0.032).abs() < f64::EPSILON);
    }

    #[test]
    fn an_endless_list_of_packets_is_rejected() {
        let mut packets = Packets::default();
        let error = (0..=MAX_PACKETS).find_map(|_| packets.record(&examples::packet("0,0,0,0,1,K_")).err());
        assert!(matches!(error, Some(MediaError::Rejected { .. })));
    }
}
