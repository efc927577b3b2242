//! The times of a file's packets, as they pass: when each stream really starts, ends, and how evenly it ticks.
//!
//! Headers can be forged, packets are what is played. Pure; memory is bounded by [`MAX_PACKETS`].

use std::collections::BTreeMap;

use super::MediaError;
use super::limits::MAX_PACKETS;

/// What the muxers' clocks (one millisecond in Matroska and FLV) may do to an even rhythm.
const CLOCK_ERROR: f64 = 0.0021;

/// The packets of all streams.
#[derive(Debug, Default)]
pub(super) struct Packets {
    seen: u64,
    streams: BTreeMap<usize, Track>,
}

/// The packets of one stream.
#[derive(Debug, Default)]
struct Track {
    starts: Vec<f64>,
    keys: Vec<f64>,
    open_groups: bool,
    last_duration: f64,
    discarded: u64,
    bytes: u64,
}

/// What the packets of one stream tell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timing {
    pub count: u64,
    pub start: f64,
    pub end: f64,
    /// The usual time from one frame to the next.
    pub typical: f64,
    /// Whether every frame keeps to it.
    pub constant: bool,
    /// The longest time without a frame to start at.
    pub longest_group: f64,
    pub starts_with_key: bool,
    /// Whether frames that are shown before a key frame come behind it: they need the group before as well.
    pub open_groups: bool,
    /// Packets that are there and must not be shown.
    pub discarded: u64,
    pub bits_per_second: f64,
}

impl Packets {
    /// Takes one line: stream, presentation and decoding time, duration, bytes, flags.
    pub fn note(&mut self, line: &str) -> Result<(), MediaError> {
        let fields: Vec<&str> = line.split(',').collect();
        let [stream, pts, dts, duration, size, flags, ..] = fields.as_slice() else {
            return Ok(());
        };
        let Ok(stream) = stream.parse() else {
            return Ok(());
        };
        self.seen += 1;
        if self.seen > MAX_PACKETS {
            return Err(MediaError::format(format!(
                "more than {MAX_PACKETS} packets"
            )));
        }
        let track = self.streams.entry(stream).or_default();
        let time = number(pts).or_else(|| number(dts));
        track.note(time, number(duration), size.parse().unwrap_or(0), flags);
        Ok(())
    }

    pub fn timing(&self, stream: usize) -> Option<Timing> {
        self.streams.get(&stream).and_then(Track::timing)
    }
}

impl Track {
    fn note(&mut self, time: Option<f64>, duration: Option<f64>, bytes: u64, flags: &str) {
        if flags.contains('D') {
            self.discarded += 1;
            return;
        }
        let follows = || {
            self.starts
                .last()
                .map_or(0.0, |last| last + self.last_duration)
        };
        let time = time.unwrap_or_else(follows);
        self.starts.push(time);
        self.bytes += bytes;
        self.open_groups |= self.keys.last().is_some_and(|key| time < *key);
        if flags.starts_with('K') {
            self.keys.push(time);
        }
        if let Some(duration) = duration.filter(|duration| *duration > 0.0) {
            self.last_duration = duration;
        }
    }

    fn timing(&self) -> Option<Timing> {
        let mut starts = self.starts.clone();
        starts.sort_by(f64::total_cmp);
        let (first, last) = (*starts.first()?, *starts.last()?);
        let gaps: Vec<f64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let typical = median(&gaps).unwrap_or(self.last_duration);
        let even = |gap: &f64| (gap - typical).abs() <= CLOCK_ERROR;
        let stays = if self.last_duration > 0.0 {
            self.last_duration
        } else {
            typical
        };
        let end = last + stays;
        Some(Timing {
            count: starts.len() as u64,
            start: first,
            end,
            typical: average_if_even(typical, first, last, &gaps, gaps.iter().all(even)),
            constant: gaps.iter().all(even),
            longest_group: self.longest_group(end),
            starts_with_key: self.keys.contains(&first),
            open_groups: self.open_groups,
            discarded: self.discarded,
            bits_per_second: bits(self.bytes) / (end - first).max(0.001),
        })
    }

    fn longest_group(&self, end: f64) -> f64 {
        let ends = self.keys.iter().skip(1).chain(std::iter::once(&end));
        let groups = self.keys.iter().zip(ends).map(|(start, end)| end - start);
        groups.fold(0.0, f64::max)
    }
}

/// A coarse clock makes single gaps inexact; over the whole length its error vanishes.
fn average_if_even(typical: f64, first: f64, last: f64, gaps: &[f64], even: bool) -> f64 {
    if even && !gaps.is_empty() {
        (last - first) / f64::from(u32::try_from(gaps.len()).unwrap_or(u32::MAX))
    } else {
        typical
    }
}

fn median(gaps: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = gaps.iter().copied().filter(|gap| *gap > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[expect(clippy::cast_precision_loss, reason = "a rate, to three digits")]
fn bits(bytes: u64) -> f64 {
    bytes as f64 * 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(lines: &[&str]) -> Timing {
        let mut packets = Packets::default();
        for line in lines {
            packets.note(line).unwrap();
        }
        packets.timing(0).unwrap()
    }

    #[test]
    fn a_stream_is_as_long_as_its_packets_in_whatever_order_they_come() {
        let timing = timing(&[
            "0,0.000000,-0.04,0.040000,800,K_",
            "0,0.080000,0.00,0.040000,100,__",
            "0,0.040000,0.04,0.040000,100,__",
        ]);
        assert!((timing.end - 0.12).abs() < 1e-9 && timing.start.abs() < 1e-9);
        assert!(timing.constant && timing.starts_with_key);
        assert_eq!(timing.count, 3);
    }

    #[test]
    fn a_group_is_open_where_a_frame_before_its_key_comes_behind_it() {
        let closed = [
            "0,0.00,0,0.04,9,K_",
            "0,0.08,0,0.04,9,__",
            "0,0.04,0,0.04,9,__",
        ];
        assert!(!timing(&closed).open_groups);
        let open = [
            "0,0.00,0,0.04,9,K_",
            "0,0.08,0,0.04,9,K_",
            "0,0.04,0,0.04,9,__",
        ];
        assert!(timing(&open).open_groups);
    }

    #[test]
    fn packets_that_are_not_shown_do_not_count() {
        let timing = timing(&["0,-0.02,-0.02,0.02,9,KD,", "0,0.00,0.00,0.02,9,K_"]);
        assert_eq!((timing.count, timing.discarded), (1, 1));
    }

    #[test]
    fn a_last_packet_without_duration_stays_as_long_as_the_others() {
        let timing = timing(&[
            "0,0.0,N/A,N/A,9,K_",
            "0,0.5,N/A,N/A,9,__",
            "0,1.0,N/A,N/A,9,__",
        ]);
        assert!((timing.end - 1.5).abs() < 1e-9);
    }

    #[test]
    fn a_millisecond_clock_keeps_a_constant_rate_constant() {
        let lines: Vec<_> = (0..30)
            .map(|n| format!("0,{:.3},N/A,0.033,9,K_", f64::from(n) / 30.0))
            .collect();
        let timing = timing(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(timing.constant && (timing.typical - 1.0 / 30.0).abs() < 1e-4);
    }

    #[test]
    fn a_pause_makes_a_rate_variable_and_leaves_its_typical_frame() {
        let timing = timing(&[
            "0,0.00,N/A,0.04,9,K_",
            "0,0.04,N/A,0.04,9,__",
            "0,0.08,N/A,0.04,9,__",
            "0,0.90,N/A,0.04,9,__",
        ]);
        assert!(!timing.constant && (timing.typical - 0.04).abs() < 1e-9);
    }

    #[test]
    fn packets_without_end_are_refused() {
        let mut packets = Packets::default();
        let refused = (0..=MAX_PACKETS).find_map(|_| packets.note("0,0,0,0,1,K_").err());
        assert!(matches!(refused, Some(MediaError::Rejected { .. })));
    }
}
