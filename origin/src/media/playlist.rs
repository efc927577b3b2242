//! HLS playlists: reading those that ffmpeg wrote, and writing the master that lists the renditions.
//!
//! Pure text.

use std::fmt::Write;

/// What a rung's playlist says of its one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Segments {
    pub seconds: f64,
    /// Where the last byte range ends.
    pub bytes: u64,
    /// Bits per second of the busiest segment.
    pub peak: u64,
    /// Whether it is complete: it ends, and all its ranges follow each other in one file.
    pub whole: bool,
}

impl Segments {
    /// Reads the playlist; every segment must be a range of this file.
    pub fn parse(text: &str, file: &str) -> Self {
        let mut segments = Self {
            whole: text.trim_end().ends_with("#EXT-X-ENDLIST"),
            ..Self::default()
        };
        let (mut length, mut range) = (0.0, None);
        for line in text.lines() {
            if let Some(value) = line.strip_prefix("#EXTINF:") {
                length = value.trim_end_matches(',').parse().unwrap_or(0.0);
            } else if let Some(value) = line.strip_prefix("#EXT-X-BYTERANGE:") {
                range = parse_range(value);
            } else if let Some(value) = line.strip_prefix("#EXT-X-MAP:") {
                let named = format!("URI=\"{file}\",BYTERANGE=\"");
                let map = value
                    .strip_prefix(&named)
                    .and_then(|rest| parse_range(rest.trim_end_matches('"')));
                segments.follow(map, 0.0);
            } else if !line.starts_with('#') && !line.is_empty() {
                segments.whole &= line == file;
                segments.follow(range.take(), length);
            }
        }
        segments
    }

    fn follow(&mut self, range: Option<(u64, u64)>, seconds: f64) {
        let Some((bytes, offset)) = range.filter(|(_, offset)| *offset == self.bytes) else {
            self.whole = false;
            return;
        };
        self.bytes = offset + bytes;
        self.seconds += seconds;
        // A last segment of a few frames would make a peak that no player ever meets.
        if seconds >= 1.0 || self.peak == 0 && seconds > 0.0 {
            self.peak = self.peak.max(bit_rate(bytes, seconds));
        }
    }
}

/// `length@offset`
fn parse_range(text: &str) -> Option<(u64, u64)> {
    let (length, offset) = text.split_once('@')?;
    Some((length.parse().ok()?, offset.parse().ok()?))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a bit rate, to the nearest"
)]
pub(super) fn bit_rate(bytes: u64, seconds: f64) -> u64 {
    (bytes as f64 * 8.0 / seconds.max(0.001)).ceil() as u64
}

/// One rendition, as the master playlist tells players of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendition {
    pub name: u32,
    pub width: u32,
    pub height: u32,
    pub peak_bits_per_second: u64,
    pub average_bits_per_second: u64,
    pub codecs: String,
    pub frame_rate: f64,
}

/// The master playlist. The second rung stands first: players start with it, fast enough and fair to look at.
pub(super) fn master(renditions: &[Rendition]) -> String {
    let mut text = String::from("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n");
    let start = usize::from(renditions.len() > 1);
    let first = renditions.iter().skip(start).take(1);
    let rest = renditions
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != start)
        .map(|(_, rung)| rung);
    for rung in first.chain(rest) {
        let written = write!(
            text,
            "#EXT-X-STREAM-INF:BANDWIDTH={},AVERAGE-BANDWIDTH={},CODECS=\"{}\",RESOLUTION={}x{},FRAME-RATE={:.3}\n{}p.m3u8\n",
            rung.peak_bits_per_second,
            rung.average_bits_per_second,
            rung.codecs,
            rung.width,
            rung.height,
            rung.frame_rate,
            rung.name
        );
        debug_assert!(written.is_ok(), "writing to a string never fails");
    }
    text
}

/// The codec names of RFC 6381 for our own encodes; `None` for a profile that we never write.
pub(super) fn codecs(profile: &str, level: i32, with_sound: bool) -> Option<String> {
    let profile = match profile {
        "Constrained Baseline" => "42E0",
        "Main" => "4D40",
        "High" => "6400",
        _ => return None,
    };
    let sound = if with_sound { ",mp4a.40.2" } else { "" };
    Some(format!("avc1.{profile}{level:02X}{sound}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYLIST: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI=\"360p.mp4\",BYTERANGE=\"1000@0\"\n\
        #EXTINF:4.000000,\n#EXT-X-BYTERANGE:4000@1000\n360p.mp4\n#EXTINF:2.000000,\n#EXT-X-BYTERANGE:1000@5000\n360p.mp4\n\
        #EXT-X-ENDLIST\n";

    #[test]
    fn a_whole_playlist_covers_its_file_without_a_gap() {
        let expected = Segments {
            seconds: 6.0,
            bytes: 6000,
            peak: 8000,
            whole: true,
        };
        assert_eq!(Segments::parse(PLAYLIST, "360p.mp4"), expected);
    }

    #[test]
    fn a_gap_another_file_or_a_missing_end_is_not_whole() {
        for broken in [
            PLAYLIST.replace("1000@5000", "1000@5001"),
            PLAYLIST.replace("\n360p.mp4\n#EXT-X-ENDLIST", "\nother.mp4\n#EXT-X-ENDLIST"),
            PLAYLIST.replace("#EXT-X-ENDLIST", ""),
        ] {
            assert!(!Segments::parse(&broken, "360p.mp4").whole, "{broken}");
        }
    }

    #[test]
    fn the_master_lists_every_rendition_once() {
        let rung = |name| Rendition {
            name,
            width: name * 16 / 9,
            height: name,
            peak_bits_per_second: 2,
            average_bits_per_second: 1,
            codecs: "avc1.64001F,mp4a.40.2".into(),
            frame_rate: 29.97,
        };
        let text = master(&[rung(1080), rung(720), rung(360)]);
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(names, ["720p.m3u8", "1080p.m3u8", "360p.m3u8"]);
        assert!(text.contains("RESOLUTION=1280x720,FRAME-RATE=29.970"));
        assert!(master(&[rung(90)]).ends_with("90p.m3u8\n"));
    }

    #[test]
    fn codecs_are_named_as_players_expect() {
        assert_eq!(
            codecs("High", 31, true).as_deref(),
            Some("avc1.64001F,mp4a.40.2")
        );
        assert_eq!(
            codecs("Constrained Baseline", 30, false).as_deref(),
            Some("avc1.42E01E")
        );
        assert_eq!(codecs("High 10", 31, false), None);
    }
}
