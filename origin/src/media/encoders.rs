//! The operator's choices for the encoders of the renditions: how long they may search, how good pictures are, and
//! whether there is a second codec.
//!
//! Vocabulary that all stages share. It must not depend on ffmpeg's syntax beyond the names of encoders and presets.

use super::hardware::Hardware;
use contract::VideoCodec;
use std::str::FromStr;

/// The choices of an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoders {
    pub h264: Encoder,
    /// The codec of further renditions.
    pub second_codec: Option<SecondCodec>,
}

/// The settings of the encoder of H.264.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoder {
    pub preset: Preset,
    pub quality: Quality,
    /// The graphics card that encodes in the place of x264.
    pub hardware: Option<Hardware>,
}

/// x264's name for how long it searches for a smaller encoding of the same pictures.
///
/// On two cores, slower presets than these could exceed the time limit of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    Superfast,
    #[default]
    Veryfast,
    Faster,
    Fast,
    Medium,
}

impl Preset {
    pub const ALL: [Self; 5] = [Self::Superfast, Self::Veryfast, Self::Faster, Self::Fast, Self::Medium];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Superfast => "superfast",
            Self::Veryfast => "veryfast",
            Self::Faster => "faster",
            Self::Fast => "fast",
            Self::Medium => "medium",
        }
    }
}

impl FromStr for Preset {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == name).ok_or("there is no such preset")
    }
}

/// x264's constant rate factor. Lower is better, and six less take about twice as many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality(u8);

impl Quality {
    /// Below 18, pictures take more bits and look the same. Above 32, everybody sees the difference.
    pub const RANGE: std::ops::RangeInclusive<u8> = 18..=32;

    /// Returns `None` if the number is out of range.
    pub fn new(factor: u8) -> Option<Self> {
        Self::RANGE.contains(&factor).then_some(Self(factor))
    }

    pub const fn factor(self) -> u8 {
        self.0
    }
}

impl Default for Quality {
    /// The quality at which differences from the source stop being visible on a phone. The rungs' peak bit rates bound
    /// its cost.
    fn default() -> Self {
        Self(23)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_parsed_as_its_preset() {
        for preset in Preset::ALL {
            assert_eq!(Preset::from_str(preset.as_str()), Ok(preset));
        }
        assert!(Preset::from_str("placebo").is_err());
    }

    #[test]
    fn a_quality_out_of_range_is_refused() {
        let accepted = |factor| Quality::new(factor).map(Quality::factor);
        assert_eq!([17, 18, 32, 33].map(accepted), [None, Some(18), Some(32), None]);
        assert_eq!(Quality::new(Quality::default().factor()), Some(Quality::default()));
    }
}
