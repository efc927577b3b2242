//! The names of a video's renditions, from which the names of their files are made.

use crate::canonical_number::canonical_number;
use std::fmt;

/// The codec of a rendition's pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoCodec {
    /// Every video has renditions in H.264, because every player can decode it.
    H264,
    Av1,
    Hevc,
}

/// A rendition. Its `Display` form is `720p`, with the codec if it is not H.264: `720p-av1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RenditionName {
    pub height: u32,
    pub codec: VideoCodec,
}

impl VideoCodec {
    const ALL: [Self; 3] = [Self::H264, Self::Av1, Self::Hevc];

    const fn suffix(self) -> &'static str {
        match self {
            Self::H264 => "",
            Self::Av1 => "-av1",
            Self::Hevc => "-hevc",
        }
    }
}

impl RenditionName {
    /// Parses a name; returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (height, suffix) = text.split_once('p')?;
        let codec = VideoCodec::ALL.into_iter().find(|codec| codec.suffix() == suffix)?;
        Some(Self { height: canonical_number(height)?, codec })
    }
}

impl From<u32> for RenditionName {
    /// Names the rendition of this height in H.264.
    fn from(height: u32) -> Self {
        Self { height, codec: VideoCodec::H264 }
    }
}

impl fmt::Display for RenditionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}p{}", self.height, self.codec.suffix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_parses_back_to_the_rendition() {
        for codec in VideoCodec::ALL {
            let name = RenditionName { height: 720, codec };
            assert_eq!(RenditionName::parse(&name.to_string()), Some(name));
        }
        assert_eq!(RenditionName::from(240).to_string(), "240p");
    }

    #[test]
    fn any_other_text_is_no_name() {
        for other in ["", "720", "p", "720P", "0720p", "720p-", "720p-h264", "720p-av1-", "720pp", "sound"] {
            assert_eq!(RenditionName::parse(other), None, "{other}");
        }
    }
}
