//! Describes a file that is not a supported video: a class for programs and a name for people.
//!
//! Contains only the types. This module must not depend on which bytes identify a format: `sniff` does.

use std::fmt;

/// A file that is not a supported video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ForeignFile {
    pub class: ForeignClass,
    /// The format's name, for people.
    pub name: &'static str,
}

/// The class of a file that is not a supported video.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ForeignClass {
    Empty,
    Image,
    Audio,
    /// A file that refers to other files or addresses instead of holding media. Never open it.
    Playlist,
    /// An unsupported video format, or a fragment of a video.
    Video,
    Archive,
    Executable,
    Document,
    Text,
    Unknown,
}

impl ForeignClass {
    /// Returns a short name for logs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Playlist => "playlist",
            Self::Video => "video",
            Self::Archive => "archive",
            Self::Executable => "executable",
            Self::Document => "document",
            Self::Text => "text",
            Self::Unknown => "unknown",
        }
    }
}

impl ForeignFile {
    pub(crate) const EMPTY: Self = Self::new(ForeignClass::Empty, "an empty file");
    pub(crate) const UNKNOWN: Self = Self::new(ForeignClass::Unknown, "an unknown format");

    pub(crate) const fn new(class: ForeignClass, name: &'static str) -> Self {
        Self { class, name }
    }
}

impl fmt::Display for ForeignFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class {
            ForeignClass::Empty | ForeignClass::Unknown | ForeignClass::Text => out.write_str(self.name),
            ForeignClass::Video => write!(out, "{} (unsupported video)", self.name),
            class => write!(out, "{} ({})", self.name, class.name()),
        }
    }
}
