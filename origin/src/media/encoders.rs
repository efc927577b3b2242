//! The encoders that an operator may choose. Vocabulary that all stages share.

use contract::VideoCodec;

/// The choice of an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoders {
    /// The codec of further renditions.
    pub second_codec: Option<SecondCodec>,
}

/// A codec that needs fewer bytes than H.264, and that some players cannot decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondCodec {
    Av1,
    Hevc,
}

impl SecondCodec {
    /// Returns the encoder, by ffmpeg's name for it.
    pub fn encoder(self) -> &'static str {
        match self {
            Self::Av1 => "libsvtav1",
            Self::Hevc => "libx265",
        }
    }
}

impl From<SecondCodec> for VideoCodec {
    fn from(codec: SecondCodec) -> Self {
        match codec {
            SecondCodec::Av1 => Self::Av1,
            SecondCodec::Hevc => Self::Hevc,
        }
    }
}
