//! Describes a video: its container, duration and tracks.
//!
//! Plain data, produced by the containers' walks and read by callers. This module must not contain rules of any
//! container.

use crate::Codec;

/// A container that the prober supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Container {
    Mp4,
    Quicktime,
    ThreeGp,
    Matroska,
    Webm,
    Avi,
    Flv,
    MpegTs,
    MpegPs,
    Asf,
    Ogg,
}

impl Container {
    /// Returns a short name for logs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mp4 => "mp4",
            Self::Quicktime => "quicktime",
            Self::ThreeGp => "three_gp",
            Self::Matroska => "matroska",
            Self::Webm => "webm",
            Self::Avi => "avi",
            Self::Flv => "flv",
            Self::MpegTs => "mpeg_ts",
            Self::MpegPs => "mpeg_ps",
            Self::Asf => "asf",
            Self::Ogg => "ogg",
        }
    }
}

/// The source of a duration. Only a [`DurationSource::Declared`] duration may still be corrected by later bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DurationSource {
    /// A header declares it, and no media was seen yet.
    Declared,
    /// A header declared it, and all timestamps agree.
    Confirmed,
    /// MP4: the edit list of the longest track, with each edit limited by the sample table.
    EditList,
    /// MP4: the sample table of the longest track.
    SampleTable,
    /// MP4: the times of the movie fragments.
    Fragments,
    /// The timestamps of the packets, first to last.
    Timestamps,
    /// AVI: the frames and audio bytes that are present.
    FrameCount,
    /// Ogg: the granule positions.
    GranulePositions,
}

impl DurationSource {
    /// Returns a short name for logs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Confirmed => "confirmed",
            Self::EditList => "edit_list",
            Self::SampleTable => "sample_table",
            Self::Fragments => "fragments",
            Self::Timestamps => "timestamps",
            Self::FrameCount => "frame_count",
            Self::GranulePositions => "granule_positions",
        }
    }
}

/// The description of a video.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Media {
    pub container: Container,
    /// The playing time of the video, rounded to the nearest millisecond.
    pub duration_ms: u64,
    pub duration_source: DurationSource,
    /// The playing time without the last frame of each track, at most `duration_ms`. Only this part must be within the
    /// longest duration.
    pub least_ms: u64,
    /// The kind of the longest track, if it is known.
    pub longest_track: Option<TrackKind>,
    /// The length of the shortest video track, if there are several, of which players choose one.
    pub shortest_video_ms: Option<u64>,
    pub tracks: Vec<MediaTrack>,
    /// Whether the container, tracks and duration were known before the first byte of media data.
    pub metadata_first: bool,
}

impl Media {
    /// Returns the first video track. A `Media` returned by the prober always has one.
    pub fn video(&self) -> Option<&MediaTrack> {
        self.tracks.iter().find(|track| track.kind == TrackKind::Video)
    }
}

/// The kind of content of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TrackKind {
    Video,
    Audio,
    /// Subtitles, chapters, cover art or data. Such a track does not count for the duration.
    #[default]
    Other,
}

/// The description of one track. A value that the container does not declare is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MediaTrack {
    pub kind: TrackKind,
    pub codec: Codec,
    /// In displayed pixels, after pixel aspect ratio and rotation.
    pub width: Option<u32>,
    /// In displayed pixels, after pixel aspect ratio and rotation.
    pub height: Option<u32>,
    /// In encoded pixels, before pixel aspect ratio and rotation.
    pub coded_width: Option<u32>,
    /// In encoded pixels, before pixel aspect ratio and rotation.
    pub coded_height: Option<u32>,
    /// Clockwise rotation in degrees: 0, 90, 180 or 270.
    pub rotation: u16,
    /// Estimated frames per second.
    pub frame_rate: Option<f64>,
    pub channels: Option<u16>,
    pub sample_rate: Option<u32>,
    /// Whether the container declares the samples as encrypted.
    pub encrypted: bool,
}

impl MediaTrack {
    /// Sets the coded size, and the displayed size to the same values.
    pub(crate) fn set_size(&mut self, width: u32, height: u32) {
        let (width, height) = (positive(width), positive(height));
        (self.coded_width, self.coded_height) = (width, height);
        (self.width, self.height) = (width, height);
    }

    /// Scales the displayed width by the pixel aspect ratio.
    pub(crate) fn apply_pixel_aspect(&mut self, horizontal: u32, vertical: u32) {
        let Some(width) = self.width else { return };
        let wide = u64::from(width).saturating_mul(u64::from(horizontal));
        let rounded = wide.saturating_add(u64::from(vertical / 2));
        let shown = rounded.checked_div(u64::from(vertical)).unwrap_or(0);
        if let Some(shown) = u32::try_from(shown).ok().and_then(positive) {
            self.width = Some(shown);
        }
    }

    /// Rotates the displayed size. Only multiples of 90 degrees are supported.
    pub(crate) fn apply_rotation(&mut self, degrees: u16) {
        self.rotation = degrees;
        if degrees == 90 || degrees == 270 {
            std::mem::swap(&mut self.width, &mut self.height);
        }
    }
}

fn positive(length: u32) -> Option<u32> {
    (length > 0).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_zero_pixels_is_unknown() {
        let mut track = MediaTrack::default();
        track.set_size(0, 9);
        assert_eq!([track.width, track.height, track.coded_width, track.coded_height], [None, Some(9), None, Some(9)]);
    }
}
