//! The files and facts that a job has stored of a video.

use crate::MediaFile;
use crate::subtitles::{DroppedSubtitles, SubtitleTrack};
use serde::{Deserialize, Serialize};

/// The media that a job made and stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredMedia {
    pub duration_ms: u64,
    pub width: u32,
    pub height: u32,
    pub has_audio: bool,
    /// Base64 of a ThumbHash.
    pub thumbhash: String,
    /// Whether some renditions are still to be made. An older origin makes all at once.
    #[serde(default, skip_serializing_if = "Quality::is_full")]
    pub quality: Quality,
    /// The files, named as `MediaFile` writes them.
    pub files: Vec<StoredFile>,
    #[serde(default)]
    pub subtitles: Vec<SubtitleTrack>,
    /// The subtitle tracks of the source that are not among the files.
    #[serde(default)]
    pub dropped_subtitles: Vec<DroppedSubtitles>,
}

impl StoredMedia {
    pub fn has(&self, file: MediaFile) -> bool {
        let name = file.to_string();
        self.files.iter().any(|stored| stored.name == name)
    }
}

/// The qualities in which a video can be watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Those that are ready soon after the upload. The others are being made.
    First,
    /// All.
    #[default]
    Full,
}

impl Quality {
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

/// The pictures that a job for another thumbnail made and stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredPictures {
    /// Base64 of a ThumbHash.
    pub thumbhash: String,
    /// The poster and every thumbnail.
    pub files: Vec<StoredFile>,
}

/// The subtitle tracks that a captions job has stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredSubtitles {
    pub tracks: Vec<SubtitleTrack>,
    /// The files of the tracks, and those that list them.
    pub files: Vec<StoredFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredFile {
    pub name: String,
    pub size_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_have_the_files_that_they_list() {
        let media = StoredMedia {
            duration_ms: 1,
            width: 2,
            height: 2,
            has_audio: false,
            thumbhash: String::new(),
            quality: Quality::Full,
            files: vec![StoredFile { name: MediaFile::Video.to_string(), size_bytes: 1 }],
            subtitles: Vec::new(),
            dropped_subtitles: Vec::new(),
        };
        assert!(media.has(MediaFile::Video));
        assert!(!media.has(MediaFile::Poster));
    }
}
