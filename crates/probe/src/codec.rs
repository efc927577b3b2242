//! The codecs that a track may use, under the names that ffprobe uses.
//!
//! Each container maps its own codes to these. This module must not depend on any container.

/// The codec of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Codec {
    H264,
    Hevc,
    Vvc,
    Av1,
    Vp6,
    Vp8,
    Vp9,
    Mpeg1video,
    Mpeg2video,
    Mpeg4,
    Msmpeg4,
    H263,
    Flv1,
    Mjpeg,
    Png,
    Theora,
    Dirac,
    Prores,
    Dnxhd,
    Dvvideo,
    Wmv,
    Vc1,
    Rawvideo,
    Aac,
    Mp2,
    Mp3,
    Opus,
    Vorbis,
    Flac,
    Alac,
    Ac3,
    Eac3,
    Dts,
    Truehd,
    Amr,
    Wma,
    Speex,
    Adpcm,
    Pcm,
    /// A code that the prober does not know. The track still counts.
    #[default]
    Unknown,
}

impl Codec {
    /// Returns the codec's name in ffprobe's lower-case spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::H264 => "h264",
            Self::Hevc => "hevc",
            Self::Vvc => "vvc",
            Self::Av1 => "av1",
            Self::Vp6 => "vp6",
            Self::Vp8 => "vp8",
            Self::Vp9 => "vp9",
            Self::Mpeg1video => "mpeg1video",
            Self::Mpeg2video => "mpeg2video",
            Self::Mpeg4 => "mpeg4",
            Self::Msmpeg4 => "msmpeg4",
            Self::H263 => "h263",
            Self::Flv1 => "flv1",
            Self::Mjpeg => "mjpeg",
            Self::Png => "png",
            Self::Theora => "theora",
            Self::Dirac => "dirac",
            Self::Prores => "prores",
            Self::Dnxhd => "dnxhd",
            Self::Dvvideo => "dvvideo",
            Self::Wmv => "wmv",
            Self::Vc1 => "vc1",
            Self::Rawvideo => "rawvideo",
            _ => self.audio_name(),
        }
    }

    fn audio_name(self) -> &'static str {
        match self {
            Self::Aac => "aac",
            Self::Mp2 => "mp2",
            Self::Mp3 => "mp3",
            Self::Opus => "opus",
            Self::Vorbis => "vorbis",
            Self::Flac => "flac",
            Self::Alac => "alac",
            Self::Ac3 => "ac3",
            Self::Eac3 => "eac3",
            Self::Dts => "dts",
            Self::Truehd => "truehd",
            Self::Amr => "amr",
            Self::Wma => "wma",
            Self::Speex => "speex",
            Self::Adpcm => "adpcm",
            Self::Pcm => "pcm",
            _ => "unknown",
        }
    }

    /// Whether the codec stores single pictures. One such sample in a track is cover art, not a video.
    pub(crate) fn is_still_picture(self) -> bool {
        matches!(self, Self::Mjpeg | Self::Png)
    }
}

/// Codecs, each with its four-character codes one after the other. As a `match`, the codes would add 1.5 KB to the
/// Worker.
pub(crate) type CodeTable = [(&'static [u8], Codec)];

/// The codes of AVI, ASF and Matroska's compatibility mode, in lower case.
const VIDEO_CODES: &CodeTable = &[
    (b"h264x264avc1davc", Codec::H264),
    (b"hevch265x265hvc1hev1", Codec::Hevc),
    (b"av01", Codec::Av1),
    (b"vp80", Codec::Vp8),
    (b"vp90", Codec::Vp9),
    (b"vp60vp61vp62vp6f", Codec::Vp6),
    (b"mpg1mpeg", Codec::Mpeg1video),
    (b"mpg2", Codec::Mpeg2video),
    (b"xviddivxdx50mp4vfmp4m4s2mp4s", Codec::Mpeg4),
    (b"mp41mp42mp43div3div4mpg4", Codec::Msmpeg4),
    (b"h263s263u263", Codec::H263),
    (b"flv1", Codec::Flv1),
    (b"mjpgjpegavrn", Codec::Mjpeg),
    (b"mpngpng ", Codec::Png),
    (b"theo", Codec::Theora),
    (b"drac", Codec::Dirac),
    (b"dvsddv25dv50dvhddvsl", Codec::Dvvideo),
    (b"wmv1wmv2wmv3wmva", Codec::Wmv),
    (b"wvc1", Codec::Vc1),
    (b"\0\0\0\0dib rgb raw i420yv12yuy2uyvy", Codec::Rawvideo),
];

/// Returns the codec of a code, if the table has it.
pub(crate) fn find_code(table: &CodeTable, code: [u8; 4]) -> Option<Codec> {
    table.iter().find(|(codes, _)| codes.as_chunks().0.contains(&code)).map(|(_, codec)| *codec)
}

/// Returns the codec for a video `FourCC` of AVI, ASF, or Matroska's compatibility mode.
pub(crate) fn from_video_fourcc(code: [u8; 4]) -> Codec {
    find_code(VIDEO_CODES, code.map(|byte| byte.to_ascii_lowercase())).unwrap_or_default()
}

/// Returns the codec for the format tag of a `WAVEFORMATEX`.
pub(crate) fn from_wave_format(tag: u16) -> Codec {
    match tag {
        0x0001 | 0x0003 | 0x0006 | 0x0007 | 0xFFFE => Codec::Pcm,
        0x0002 | 0x0011 => Codec::Adpcm,
        0x0050 => Codec::Mp2,
        0x0055 => Codec::Mp3,
        0x00FF | 0x1600 | 0x1610 => Codec::Aac,
        0x0160..=0x0163 | 0x000A => Codec::Wma,
        0x2000 => Codec::Ac3,
        0x2001 => Codec::Dts,
        0xF1AC => Codec::Flac,
        0x566F | 0x674F..=0x6771 => Codec::Vorbis,
        0x704F => Codec::Opus,
        _ => Codec::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn video_codes_have_ffprobes_names() {
        for (name, codes) in [
            ("h264", "H264 X264 avc1 DAVC"),
            ("hevc", "HEVC H265 x265 hvc1 hev1"),
            ("av1", "AV01"),
            ("vp8", "VP80"),
            ("vp9", "VP90"),
            ("vp6", "VP60 VP61 VP62 VP6F"),
            ("mpeg1video", "MPG1 MPEG"),
            ("mpeg2video", "MPG2"),
            ("mpeg4", "XVID DIVX DX50 MP4V FMP4 M4S2 MP4S"),
            ("msmpeg4", "MP41 MP42 MP43 DIV3 DIV4 MPG4"),
            ("h263", "H263 S263 U263"),
            ("flv1", "FLV1"),
            ("mjpeg", "MJPG JPEG AVRn"),
            ("png", "MPNG"),
            ("theora", "theo"),
            ("dirac", "drac"),
            ("dvvideo", "dvsd dv25 dv50 dvhd dvsl"),
            ("wmv", "WMV1 WMV2 WMV3 WMVA"),
            ("vc1", "WVC1"),
            ("rawvideo", "I420 YV12 YUY2 UYVY \0\0\0\0"),
            ("unknown", "zzzz"),
        ] {
            for code in codes.split(' ') {
                let bytes = code.as_bytes().try_into().expect("a code has four characters");
                assert_eq!(from_video_fourcc(bytes).name(), name, "{code}");
            }
        }
    }

    #[test]
    fn sound_tags_have_ffprobes_names() {
        for (name, tags) in [
            ("pcm", &[0x0001, 0x0003, 0x0006, 0x0007, 0xFFFE][..]),
            ("adpcm", &[0x0002, 0x0011]),
            ("mp2", &[0x0050]),
            ("mp3", &[0x0055]),
            ("aac", &[0x00FF, 0x1600, 0x1610]),
            ("wma", &[0x000A, 0x0160, 0x0161, 0x0163]),
            ("ac3", &[0x2000]),
            ("dts", &[0x2001]),
            ("flac", &[0xF1AC]),
            ("vorbis", &[0x566F, 0x674F, 0x6771]),
            ("opus", &[0x704F]),
            ("unknown", &[0x0000, 0x0164, 0x6772]),
        ] {
            for tag in tags {
                assert_eq!(from_wave_format(*tag).name(), name, "{tag:#06x}");
            }
        }
    }

    #[test]
    fn only_codecs_of_single_pictures_can_be_cover_art() {
        assert!(Codec::Mjpeg.is_still_picture() && Codec::Png.is_still_picture());
        assert!(!Codec::H264.is_still_picture());
    }
}
