//! The reasons why a file cannot be published as a video: a kind for programs and a sentence for people.
//!
//! All texts of refusals are here. This module must not depend on any caller's HTTP statuses or error codes.

use std::fmt;

use crate::{Container, ForeignFile};

/// The reason why a file was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum FileRefusal {
    /// Not a video, or an unsupported video format.
    NotAVideo { what: ForeignFile },
    /// A media file with audio but without video.
    AudioOnly { container: Container },
    /// A media file with neither audio nor video.
    NoTracks { container: Container },
    /// The file ends before its declared end.
    Truncated { container: Container, what: &'static str },
    /// The file does not show how long it plays.
    DurationUnknown { container: Container },
    /// The structure contradicts itself, so that no player could play it.
    Malformed { container: Container, what: &'static str },
    /// Players would read the structure differently, so how long it plays cannot be judged.
    Ambiguous { container: Container, what: &'static str },
    /// More metadata than any real video has.
    MetadataTooLarge { what: &'static str },
    /// A supported container that uses an unsupported feature.
    Unsupported { container: Container, what: &'static str },
}

/// The kinds of [`FileRefusal`] without details, for a `match` or a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum FileRefusalKind {
    NotAVideo,
    AudioOnly,
    NoTracks,
    Truncated,
    DurationUnknown,
    Malformed,
    Ambiguous,
    MetadataTooLarge,
    Unsupported,
}

impl FileRefusalKind {
    /// Returns a short name for logs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAVideo => "not_a_video",
            Self::AudioOnly => "audio_only",
            Self::NoTracks => "no_tracks",
            Self::Truncated => "truncated",
            Self::DurationUnknown => "duration_unknown",
            Self::Malformed => "malformed",
            Self::Ambiguous => "ambiguous",
            Self::MetadataTooLarge => "metadata_too_large",
            Self::Unsupported => "unsupported",
        }
    }
}

impl FileRefusal {
    /// Returns the kind without its details.
    pub fn kind(&self) -> FileRefusalKind {
        match self {
            Self::NotAVideo { .. } => FileRefusalKind::NotAVideo,
            Self::AudioOnly { .. } => FileRefusalKind::AudioOnly,
            Self::NoTracks { .. } => FileRefusalKind::NoTracks,
            Self::Truncated { .. } => FileRefusalKind::Truncated,
            Self::DurationUnknown { .. } => FileRefusalKind::DurationUnknown,
            Self::Malformed { .. } => FileRefusalKind::Malformed,
            Self::Ambiguous { .. } => FileRefusalKind::Ambiguous,
            Self::MetadataTooLarge { .. } => FileRefusalKind::MetadataTooLarge,
            Self::Unsupported { .. } => FileRefusalKind::Unsupported,
        }
    }

    /// Returns the container, if it was identified.
    pub fn container(&self) -> Option<Container> {
        match self {
            Self::NotAVideo { .. } | Self::MetadataTooLarge { .. } => None,
            Self::AudioOnly { container }
            | Self::NoTracks { container }
            | Self::Truncated { container, .. }
            | Self::DurationUnknown { container }
            | Self::Malformed { container, .. }
            | Self::Ambiguous { container, .. }
            | Self::Unsupported { container, .. } => Some(*container),
        }
    }
}

impl fmt::Display for FileRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAVideo { what } => write!(out, "not a supported video: {what}"),
            Self::AudioOnly { container } => {
                write!(out, "this {} file has sound but no video track", container.name())
            }
            Self::NoTracks { container } => {
                write!(out, "this {} file has no video track", container.name())
            }
            Self::Truncated { container, what } => {
                write!(out, "this {} file is truncated: {what}", container.name())
            }
            Self::DurationUnknown { container } => {
                write!(out, "this {} file does not say how long it plays", container.name())
            }
            Self::Malformed { container, what } => {
                write!(out, "this {} file is malformed: {what}", container.name())
            }
            Self::Ambiguous { container, what } => {
                write!(out, "how long this {} file plays cannot be judged: {what}", container.name())
            }
            Self::MetadataTooLarge { what } => write!(out, "the metadata is too large: {what}"),
            Self::Unsupported { container, what } => {
                write!(out, "this {} file is not supported: {what}", container.name())
            }
        }
    }
}

impl std::error::Error for FileRefusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_container_if_it_was_identified() {
        let (container, what) = (Container::Mp4, "a test");
        for refusal in [
            FileRefusal::AudioOnly { container },
            FileRefusal::NoTracks { container },
            FileRefusal::Truncated { container, what },
            FileRefusal::DurationUnknown { container },
            FileRefusal::Malformed { container, what },
            FileRefusal::Ambiguous { container, what },
            FileRefusal::Unsupported { container, what },
        ] {
            assert_eq!(refusal.container(), Some(container), "{refusal}");
        }
        assert_eq!(FileRefusal::MetadataTooLarge { what }.container(), None);
    }
}
