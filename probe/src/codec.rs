//! The codecs that a track may carry, under the names that ffprobe uses for them.
//!
//! Each container maps its own codes to these; nothing here knows a container.

/// How the samples of a track are coded.
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
    /// A code that the prober has no name for; the track counts nevertheless.
    #[default]
    Unknown,
}

impl Codec {
    /// The name as ffprobe spells it, in lower case.
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

    /// A codec of single pictures: one such sample beside a sound track is cover art, not a film.
    pub(crate) fn is_still_picture(self) -> bool {
        matches!(self, Self::Mjpeg | Self::Png)
    }
}

/// The codec behind a video `FourCC` of AVI, ASF, or Matroska's compatibility mode.
pub(crate) fn from_video_fourcc(code: [u8; 4]) -> Codec {
    match &code.map(|byte| byte.to_ascii_lowercase()) {
        b"h264" | b"x264" | b"avc1" | b"davc" => Codec::H264,
        b"hevc" | b"h265" | b"x265" | b"hvc1" | b"hev1" => Codec::Hevc,
        b"av01" => Codec::Av1,
        b"vp80" => Codec::Vp8,
        b"vp90" => Codec::Vp9,
        b"vp60" | b"vp61" | b"vp62" | b"vp6f" => Codec::Vp6,
        b"mpg1" | b"mpeg" => Codec::Mpeg1video,
        b"mpg2" => Codec::Mpeg2video,
        b"xvid" | b"divx" | b"dx50" | b"mp4v" | b"fmp4" | b"m4s2" | b"mp4s" => Codec::Mpeg4,
        b"mp41" | b"mp42" | b"mp43" | b"div3" | b"div4" | b"mpg4" => Codec::Msmpeg4,
        b"h263" | b"s263" | b"u263" => Codec::H263,
        b"flv1" => Codec::Flv1,
        b"mjpg" | b"jpeg" | b"avrn" => Codec::Mjpeg,
        b"mpng" | b"png " => Codec::Png,
        b"theo" => Codec::Theora,
        b"drac" => Codec::Dirac,
        b"dvsd" | b"dv25" | b"dv50" | b"dvhd" | b"dvsl" => Codec::Dvvideo,
        b"wmv1" | b"wmv2" | b"wmv3" | b"wmva" => Codec::Wmv,
        b"wvc1" => Codec::Vc1,
        b"\0\0\0\0" | b"dib " | b"rgb " | b"raw " | b"i420" | b"yv12" | b"yuy2" | b"uyvy" => {
            Codec::Rawvideo
        }
        _ => Codec::Unknown,
    }
}

/// The codec behind the format tag of a `WAVEFORMATEX`.
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
