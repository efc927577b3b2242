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
    /// Returns the playlist of all segments in `file`.
    pub(super) fn media_playlist(&self, file: &str) -> String {
        let segments: Vec<_> = self.segments.iter().map(|segment| (segment.seconds, segment.range)).collect();
        self.playlist(file, "#EXT-X-INDEPENDENT-SEGMENTS\n", &segments)
    }

    /// Returns the playlist of the keyframes in `file`.
    pub(super) fn keyframe_playlist(&self, file: &str) -> String {
        let keyframes: Vec<_> = self.keyframes.iter().map(|keyframe| (keyframe.seconds, keyframe.range)).collect();
        self.playlist(file, "#EXT-X-I-FRAMES-ONLY\n", &keyframes)
    }

    fn playlist(&self, file: &str, kind: &str, parts: &[(f64, ByteRange)]) -> String {
        let longest = parts.iter().map(|(seconds, _)| seconds.ceil()).fold(1.0, f64::max);
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
    fn a_playlist_lists_every_segment_and_its_target_is_the_longest() {
        assert_eq!(
            list().media_playlist("360p.mp4"),
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:5\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n\
             #EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MAP:URI=\"360p.mp4\",BYTERANGE=\"700@0\"\n\
             #EXTINF:4.004000,\n#EXT-X-BYTERANGE:9000@700\n360p.mp4\n\
             #EXTINF:2.100000,\n#EXT-X-BYTERANGE:300@9700\n360p.mp4\n#EXT-X-ENDLIST\n"
        );
    }

    #[test]
    fn a_keyframe_playlist_lists_keyframes_only() {
        let text = list().keyframe_playlist("360p.mp4");
        assert!(text.contains("#EXT-X-I-FRAMES-ONLY\n") && text.contains("#EXT-X-BYTERANGE:500@700\n"));
    }
}
