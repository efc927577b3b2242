//! Formats the playlists of one rendition. Pure.

/// The byte ranges of a rendition's file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SegmentList {
    pub(super) header: ByteRange,
    pub(super) segments: Vec<Segment>,
    pub(super) keyframes: Vec<Keyframe>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ByteRange {
    pub(super) offset: u64,
    pub(super) length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    pub(super) range: ByteRange,
    pub(super) seconds: f64,
}

/// A keyframe, and how long it stands for the video.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Keyframe {
    pub(super) range: ByteRange,
    pub(super) seconds: f64,
}

impl SegmentList {
    /// Returns the smallest target duration that a playlist of the segments may have.
    pub(super) fn target_seconds(&self) -> f64 {
        target_seconds(self.segments.iter().map(|segment| segment.seconds))
    }

    /// Returns the playlist of all segments in `file`.
    pub(super) fn media_playlist(&self, file: &str, target_seconds: f64) -> String {
        let segments: Vec<_> = self.segments.iter().map(|segment| (segment.seconds, segment.range)).collect();
        self.playlist(file, "#EXT-X-INDEPENDENT-SEGMENTS\n", &segments, target_seconds)
    }

    /// Returns the playlist of the keyframes in `file`.
    pub(super) fn keyframe_playlist(&self, file: &str) -> String {
        let keyframes: Vec<_> = self.keyframes.iter().map(|keyframe| (keyframe.seconds, keyframe.range)).collect();
        let longest = target_seconds(keyframes.iter().map(|(seconds, _)| *seconds));
        self.playlist(file, "#EXT-X-I-FRAMES-ONLY\n", &keyframes, longest)
    }

    fn playlist(&self, file: &str, kind: &str, parts: &[(f64, ByteRange)], longest: f64) -> String {
        let ByteRange { offset, length } = self.header;
        let mut text = format!(
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:{longest:.0}\n#EXT-X-MEDIA-SEQUENCE:0\n\
             #EXT-X-PLAYLIST-TYPE:VOD\n{kind}#EXT-X-MAP:URI=\"{file}\",BYTERANGE=\"{length}@{offset}\"\n"
        );
        text.extend(parts.iter().map(|(seconds, ByteRange { offset, length })| {
            format!("#EXTINF:{seconds:.6},\n#EXT-X-BYTERANGE:{length}@{offset}\n{file}\n")
        }));
        text + "#EXT-X-ENDLIST\n"
    }
}

/// Returns the target duration in the text of a playlist.
pub(super) fn target_seconds_in(playlist: &str) -> Option<f64> {
    playlist.lines().find_map(|line| line.strip_prefix("#EXT-X-TARGETDURATION:")?.parse().ok())
}

/// Returns the longest of these durations. A target duration is compared with rounded ones.
fn target_seconds(durations: impl Iterator<Item = f64>) -> f64 {
    durations.map(f64::round).fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> SegmentList {
        let range = |offset, length| ByteRange { offset, length };
        SegmentList {
            header: range(0, 700),
            segments: vec![
                Segment { range: range(700, 9000), seconds: 4.004 },
                Segment { range: range(9700, 300), seconds: 2.1 },
            ],
            keyframes: vec![Keyframe { range: range(700, 500), seconds: 2.0 }],
        }
    }

    #[test]
    fn a_playlist_lists_every_segment_and_its_target_duration() {
        assert!((list().target_seconds() - 4.0).abs() < 1e-9);
        assert_eq!(
            list().media_playlist("360p.mp4", 6.0),
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n\
             #EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MAP:URI=\"360p.mp4\",BYTERANGE=\"700@0\"\n\
             #EXTINF:4.004000,\n#EXT-X-BYTERANGE:9000@700\n360p.mp4\n\
             #EXTINF:2.100000,\n#EXT-X-BYTERANGE:300@9700\n360p.mp4\n#EXT-X-ENDLIST\n"
        );
    }

    #[test]
    fn the_target_duration_of_a_playlist_is_read_again() {
        assert_eq!(target_seconds_in(&list().media_playlist("360p.mp4", 6.0)), Some(6.0));
        assert_eq!(target_seconds_in("#EXTM3U\n#EXT-X-TARGETDURATION:\n"), None);
    }

    #[test]
    fn a_keyframe_playlist_lists_keyframes_only() {
        let text = list().keyframe_playlist("360p.mp4");
        assert!(text.contains("#EXT-X-I-FRAMES-ONLY\n") && text.contains("#EXT-X-BYTERANGE:500@700\n"));
    }
}
