//! Parses the HLS playlist of a rendition. Pure.

use super::byte_range::ByteRange;

/// The contents of a rendition's playlist, whose segments are all in one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MediaPlaylist {
    pub(super) seconds: f64,
    /// The end of the last byte range.
    pub(super) bytes: u64,
    /// The sum of all byte ranges.
    pub(super) listed_bytes: u64,
    /// Bits per second of the busiest segment.
    pub(super) peak: u64,
    /// Whether the playlist has its last line, and its byte ranges cover one file without a gap.
    pub(super) is_whole: bool,
    /// The position of the header, and the position and duration in seconds of each segment.
    pub(super) header: ByteRange,
    pub(super) segments: Vec<(ByteRange, f64)>,
}

impl MediaPlaylist {
    /// Parses a playlist. Every segment must be a range of this file.
    pub(super) fn parse(text: &str, file: &str) -> Self {
        let mut playlist = Self { is_whole: text.trim_end().ends_with("#EXT-X-ENDLIST"), ..Self::default() };
        let (mut seconds, mut range) = (0.0, None);
        for line in text.lines() {
            if let Some(value) = line.strip_prefix("#EXTINF:") {
                seconds = value.trim_end_matches(',').parse().unwrap_or(0.0);
            } else if let Some(value) = line.strip_prefix("#EXT-X-BYTERANGE:") {
                range = parse_range(value);
            } else if let Some(value) = line.strip_prefix("#EXT-X-MAP:") {
                let before_range = format!("URI=\"{file}\",BYTERANGE=\"");
                let header = value.strip_prefix(&before_range);
                let header = header.and_then(|rest| parse_range(rest.trim_end_matches('"')));
                playlist.header = header.unwrap_or_default();
                playlist.append(header, 0.0);
            } else if !line.starts_with('#') && !line.is_empty() {
                playlist.is_whole &= line == file;
                playlist.append(range.take(), seconds);
            }
        }
        playlist
    }

    /// Appends a byte range, which must start where the previous one ends.
    fn append(&mut self, range: Option<ByteRange>, seconds: f64) {
        let Some(range) = range.filter(|range| range.offset >= self.bytes) else {
            self.is_whole = false;
            return;
        };
        self.is_whole &= range.offset == self.bytes;
        self.bytes = range.end();
        self.listed_bytes += range.bytes;
        self.seconds += seconds;
        if seconds > 0.0 {
            self.peak = self.peak.max(bit_rate(range.bytes, seconds));
            self.segments.push((range, seconds));
        }
    }
}

/// Parses `length@offset`.
fn parse_range(text: &str) -> Option<ByteRange> {
    let (length, offset) = text.split_once('@')?;
    Some(ByteRange { offset: offset.parse().ok()?, bytes: length.parse().ok()? })
}

/// Bits per second, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a bit rate is small and never negative"
)]
pub(in crate::media) fn bit_rate(bytes: u64, seconds: f64) -> u64 {
    (bytes as f64 * 8.0 / seconds.max(0.001)).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYLIST: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI=\"360p.mp4\",BYTERANGE=\"1000@0\"\n\
        #EXTINF:4.000000,\n#EXT-X-BYTERANGE:4000@1000\n360p.mp4\n#EXTINF:2.000000,\n#EXT-X-BYTERANGE:1000@5000\n360p.mp4\n\
        #EXT-X-ENDLIST\n";

    #[test]
    fn a_whole_playlist_covers_its_file_without_a_gap() {
        let range = |offset, bytes| ByteRange { offset, bytes };
        let expected = MediaPlaylist {
            seconds: 6.0,
            bytes: 6000,
            listed_bytes: 6000,
            peak: 8000,
            is_whole: true,
            header: range(0, 1000),
            segments: vec![(range(1000, 4000), 4.0), (range(5000, 1000), 2.0)],
        };
        assert_eq!(MediaPlaylist::parse(PLAYLIST, "360p.mp4"), expected);
    }

    #[test]
    fn a_playlist_with_a_gap_another_file_or_no_end_is_not_whole() {
        for broken in [
            PLAYLIST.replace("1000@5000", "1000@5001"),
            PLAYLIST.replace("\n360p.mp4\n#EXT-X-ENDLIST", "\nother.mp4\n#EXT-X-ENDLIST"),
            PLAYLIST.replace("#EXT-X-ENDLIST", ""),
        ] {
            assert!(!MediaPlaylist::parse(&broken, "360p.mp4").is_whole, "{broken}");
        }
    }
}
