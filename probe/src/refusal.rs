//! Why a file is not a video that can be published: a machine kind, and a sentence for people.
//!
//! The one place where a refusal gets its words. Knows neither statuses nor error codes of any caller.

use std::fmt;

use crate::{Container, Foreign};

/// The reason why a file was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Refusal {
    /// Something else than a video, or a video format that is not supported.
    NotAVideo { what: Foreign },
    /// A media file with sound and without moving pictures.
    AudioOnly { container: Container },
    /// A media file with neither sound nor moving pictures.
    NoTracks { container: Container },
    /// The file ends before the end that it declares.
    Truncated {
        container: Container,
        what: &'static str,
    },
    /// Nothing in the file says how long it plays.
    DurationUnknown { container: Container },
    /// The structure contradicts itself so that nobody could play it.
    Malformed {
        container: Container,
        what: &'static str,
    },
    /// More metadata than any real video has.
    MetadataTooLarge { what: &'static str },
    /// A supported container that keeps its content in a way which is not supported.
    Unsupported {
        container: Container,
        what: &'static str,
    },
}

/// The kinds of [`Refusal`] without their particulars, for a `match` or a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RefusalKind {
    NotAVideo,
    AudioOnly,
    NoTracks,
    Truncated,
    DurationUnknown,
    Malformed,
    MetadataTooLarge,
    Unsupported,
}

impl RefusalKind {
    /// A short name, fit for logs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAVideo => "not_a_video",
            Self::AudioOnly => "audio_only",
            Self::NoTracks => "no_tracks",
            Self::Truncated => "truncated",
            Self::DurationUnknown => "duration_unknown",
            Self::Malformed => "malformed",
            Self::MetadataTooLarge => "metadata_too_large",
            Self::Unsupported => "unsupported",
        }
    }
}

impl Refusal {
    /// The kind without its particulars.
    pub fn kind(&self) -> RefusalKind {
        match self {
            Self::NotAVideo { .. } => RefusalKind::NotAVideo,
            Self::AudioOnly { .. } => RefusalKind::AudioOnly,
            Self::NoTracks { .. } => RefusalKind::NoTracks,
            Self::Truncated { .. } => RefusalKind::Truncated,
            Self::DurationUnknown { .. } => RefusalKind::DurationUnknown,
            Self::Malformed { .. } => RefusalKind::Malformed,
            Self::MetadataTooLarge { .. } => RefusalKind::MetadataTooLarge,
            Self::Unsupported { .. } => RefusalKind::Unsupported,
        }
    }

    /// The container, where the bytes got so far as to tell.
    pub fn container(&self) -> Option<Container> {
        match self {
            Self::NotAVideo { .. } | Self::MetadataTooLarge { .. } => None,
            Self::AudioOnly { container }
            | Self::NoTracks { container }
            | Self::Truncated { container, .. }
            | Self::DurationUnknown { container }
            | Self::Malformed { container, .. }
            | Self::Unsupported { container, .. } => Some(*container),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAVideo { what } => write!(out, "not a supported video: {what}"),
            Self::AudioOnly { container } => {
                write!(
                    out,
                    "this {} file has sound but no video track",
                    container.name()
                )
            }
            Self::NoTracks { container } => {
                write!(out, "this {} file has no video track", container.name())
            }
            Self::Truncated { container, what } => {
                write!(out, "this {} file is truncated: {what}", container.name())
            }
            Self::DurationUnknown { container } => {
                write!(
                    out,
                    "this {} file does not tell how long it plays",
                    container.name()
                )
            }
            Self::Malformed { container, what } => {
                write!(out, "this {} file is malformed: {what}", container.name())
            }
            Self::MetadataTooLarge { what } => write!(out, "metadata too large: {what}"),
            Self::Unsupported { container, what } => {
                write!(
                    out,
                    "this {} file is not supported: {what}",
                    container.name()
                )
            }
        }
    }
}

impl std::error::Error for Refusal {}
