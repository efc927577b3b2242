//! What the prober says of a video: its container, its length, and its tracks.
//!
//! Plain data, made by the containers' walks and read by callers. Holds no rule of any container.

use crate::Codec;

/// A container that the prober reads.
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
    /// A short name, fit for logs and JSON.
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

/// How a duration was obtained. Only a [`DurationSource::Declared`] one may still be overturned by the bytes to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DurationSource {
    /// A header says so, and nothing has been seen of the media yet.
    Declared,
    /// A header said so, and the timestamps seen to the end agree with it.
    Confirmed,
    /// MP4: the edit list of the longest track, each edit within its sample table.
    EditList,
    /// MP4: the sample table of the longest track.
    SampleTable,
    /// MP4: the times of the movie fragments.
    Fragments,
    /// The timestamps of the packets, first to last.
    Timestamps,
    /// AVI: the frames and audio bytes that are really there.
    FrameCount,
    /// Ogg: granule positions.
    GranulePositions,
}

impl DurationSource {
    /// A short name, fit for logs and JSON.
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

/// A video, as far as its bytes told.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Media {
    pub container: Container,
    /// What would be played, to the nearest millisecond.
    pub duration_ms: u64,
    pub duration_source: DurationSource,
    pub tracks: Vec<Track>,
    /// Whether container, tracks and length were known before the first byte of media data.
    pub metadata_first: bool,
}

impl Media {
    /// The first video track. A `Media` that the prober made always has one.
    pub fn video(&self) -> Option<&Track> {
        self.tracks
            .iter()
            .find(|track| track.kind == TrackKind::Video)
    }
}

/// What a track carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TrackKind {
    Video,
    Audio,
    /// Subtitles, chapters, cover art, data: neither counts for the duration.
    #[default]
    Other,
}

/// One track; whatever the container does not tell is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Track {
    pub kind: TrackKind,
    pub codec: Codec,
    /// As displayed: after pixel aspect and rotation.
    pub width: Option<u32>,
    /// As displayed: after pixel aspect and rotation.
    pub height: Option<u32>,
    /// As coded, before pixel aspect and rotation.
    pub coded_width: Option<u32>,
    /// As coded, before pixel aspect and rotation.
    pub coded_height: Option<u32>,
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    pub rotation: u16,
    /// Frames per second, an estimate.
    pub frame_rate: Option<f64>,
    pub channels: Option<u16>,
    pub sample_rate: Option<u32>,
    /// Whether the container says that the samples are encrypted.
    pub encrypted: bool,
}

impl Track {
    /// Sets the coded size, and a displayed size that equals it.
    pub(crate) fn set_size(&mut self, width: u32, height: u32) {
        let (width, height) = (positive(width), positive(height));
        (self.coded_width, self.coded_height) = (width, height);
        (self.width, self.height) = (width, height);
    }

    /// Widens or narrows the displayed size by the shape of one pixel.
    pub(crate) fn apply_pixel_aspect(&mut self, horizontal: u32, vertical: u32) {
        let Some(width) = self.width else { return };
        let wide = u64::from(width).saturating_mul(u64::from(horizontal));
        let rounded = wide.saturating_add(u64::from(vertical / 2));
        let shown = rounded.checked_div(u64::from(vertical)).unwrap_or(0);
        if let Some(shown) = u32::try_from(shown).ok().and_then(positive) {
            self.width = Some(shown);
        }
    }

    /// Turns the displayed size; only quarter turns reach this.
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
