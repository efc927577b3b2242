//! Computes from a stream's packets when it starts and ends, and how regular its frames are. Pure.

use super::packets::{Packets, StreamPackets};

/// The largest deviation of a frame at a constant rate that a container's coarse clock can cause (one millisecond in
/// Matroska and FLV).
const CLOCK_ERROR_SECONDS: f64 = 0.0021;

/// A burst consists of at least `MIN_BURST_FRAMES` frames with gaps shorter than this fraction of the usual gap.
const MAX_BURST_GAP: f64 = 0.7;
const MIN_BURST_FRAMES: usize = 10;

/// The timing of one stream, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamTiming {
    /// The number of packets that are shown.
    pub(super) count: u64,
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// The usual time from one frame to the next.
    pub(super) typical_gap: f64,
    /// The time from one frame to the next while frames come fastest, if that is much less than usual.
    pub(super) burst_gap: Option<f64>,
    /// The longest time from one frame to the next.
    pub(super) longest_gap: f64,
    /// Whether every frame keeps to the typical gap.
    pub(super) constant: bool,
    /// The presentation times of the keyframes, in order.
    pub(super) keyframes: Vec<f64>,
    pub(super) starts_with_keyframe: bool,
    /// Whether some frame follows a keyframe in the file but is shown before it: such a frame also needs the previous
    /// group of pictures.
    pub(super) has_open_gops: bool,
    /// The number of packets that must not be shown.
    pub(super) discarded: u64,
    pub(super) bits_per_second: f64,
}

impl Packets {
    /// Returns the timing of one stream, or `None` if it has no packets that are shown.
    pub(crate) fn timing(&self, stream: usize) -> Option<StreamTiming> {
        self.streams.get(&stream).and_then(StreamTiming::new)
    }
}

impl StreamTiming {
    fn new(packets: &StreamPackets) -> Option<Self> {
        let mut starts = packets.starts.clone();
        starts.sort_by(f64::total_cmp);
        let (first, last) = (*starts.first()?, *starts.last()?);
        let gaps: Vec<f64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let median_gap = median(&gaps).unwrap_or(packets.last_duration);
        let constant = gaps.iter().all(|gap| (gap - median_gap).abs() <= CLOCK_ERROR_SECONDS);
        let last_duration = if packets.last_duration > 0.0 { packets.last_duration } else { median_gap };
        let end = last + last_duration;
        Some(Self {
            count: starts.len() as u64,
            start: first,
            end,
            typical_gap: if constant { average(first, last, gaps.len()).unwrap_or(median_gap) } else { median_gap },
            burst_gap: burst_gap(&gaps, median_gap),
            longest_gap: gaps.iter().copied().fold(0.0, f64::max),
            constant,
            keyframes: packets.keyframes.clone(),
            starts_with_keyframe: packets.keyframes.contains(&first),
            has_open_gops: packets.has_open_gops,
            discarded: packets.discarded,
            bits_per_second: bits(packets.bytes) / (end - first).max(0.001),
        })
    }
}

/// Returns the average gap. A coarse clock makes single gaps inexact, but its error vanishes over the whole length.
fn average(first: f64, last: f64, gaps: usize) -> Option<f64> {
    (gaps > 0).then(|| (last - first) / f64::from(u32::try_from(gaps).unwrap_or(u32::MAX)))
}

/// A few frames that come early are no burst.
fn burst_gap(gaps: &[f64], median_gap: f64) -> Option<f64> {
    let mut fast: Vec<f64> =
        gaps.iter().copied().filter(|gap| *gap > 0.0 && *gap < median_gap * MAX_BURST_GAP).collect();
    fast.sort_by(f64::total_cmp);
    let is_burst = fast.len() >= MIN_BURST_FRAMES && fast.len() * 20 >= gaps.len();
    fast.get(fast.len() / 2).copied().filter(|_| is_burst)
}

fn median(gaps: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = gaps.iter().copied().filter(|gap| *gap > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[expect(clippy::cast_precision_loss, reason = "a bit rate needs three digits at most")]
fn bits(bytes: u64) -> f64 {
    bytes as f64 * 8.0
}

#[cfg(test)]
mod tests {
    use super::super::packets::examples::packet;
    use super::*;

    fn timing(lines: &[&str]) -> StreamTiming {
        let mut packets = Packets::default();
        for line in lines {
            packets.record(&packet(line)).unwrap();
        }
        packets.timing(0).unwrap()
    }

    #[test]
    fn a_stream_is_as_long_as_its_packets_in_any_order() {
        let timing = timing(&[
            "0,0.000000,-0.04,0.040000,800,K_",
            "0,0.080000,0.00,0.040000,100,__",
            "0,0.040000,0.04,0.040000,100,__",
        ]);
        assert!((timing.end - 0.12).abs() < 1e-9 && timing.start.abs() < 1e-9);
        assert!(timing.constant && timing.starts_with_keyframe);
        assert_eq!(timing.count, 3);
    }

    #[test]
    fn a_frame_stored_after_a_keyframe_and_shown_before_it_makes_an_open_gop() {
        let closed = ["0,0.00,0,0.04,9,K_", "0,0.08,0,0.04,9,__", "0,0.04,0,0.04,9,__"];
        assert!(!timing(&closed).has_open_gops);
        let open = ["0,0.00,0,0.04,9,K_", "0,0.08,0,0.04,9,K_", "0,0.04,0,0.04,9,__"];
        assert!(timing(&open).has_open_gops);
    }

    #[test]
    fn discarded_packets_are_not_counted_as_shown() {
        let timing = timing(&["0,-0.02,-0.02,0.02,9,KD", "0,0.00,0.00,0.02,9,K_"]);
        assert_eq!((timing.count, timing.discarded), (1, 1));
    }

    #[test]
    fn a_last_packet_without_a_duration_lasts_as_long_as_the_others() {
        let timing = timing(&["0,0.0,N/A,N/A,9,K_", "0,0.5,N/A,N/A,9,__", "0,1.0,N/A,N/A,9,__"]);
        assert!((timing.end - 1.5).abs() < 1e-9);
    }

    #[test]
    fn a_constant_rate_on_a_millisecond_clock_is_constant() {
        let lines: Vec<_> = (0..30).map(|n| format!("0,{:.3},N/A,0.033,9,K_", f64::from(n) / 30.0)).collect();
        let timing = timing(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(timing.constant && (timing.typical_gap - 1.0 / 30.0).abs() < 1e-4);
    }

    #[test]
    fn a_burst_of_frames_is_noticed_and_a_few_early_ones_are_not() {
        let with_burst_of = |frames: u32| {
            let slow = (0..30).map(|n| f64::from(n) / 10.0);
            let fast = (0..frames).map(|n| 3.0 + f64::from(n) / 60.0);
            let lines: Vec<_> = slow.chain(fast).map(|time| format!("0,{time:.6},N/A,0.1,9,K_")).collect();
            timing(&lines.iter().map(String::as_str).collect::<Vec<_>>()).burst_gap
        };
        assert!((with_burst_of(20).unwrap() - 1.0 / 60.0).abs() < 1e-4);
        assert_eq!(with_burst_of(5), None);
    }

    #[test]
    fn a_pause_makes_the_rate_variable_and_keeps_the_typical_gap() {
        let timing =
            timing(&["0,0.00,N/A,0.04,9,K_", "0,0.04,N/A,0.04,9,__", "0,0.08,N/A,0.04,9,__", "0,0.90,N/A,0.04,9,__"]);
        assert!(!timing.constant && (timing.typical_gap - 0.04).abs() < 1e-9);
    }
}
