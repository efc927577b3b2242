//! What a file is when it is not a supported video: a class for programs and a name for people.
//!
//! Only the vocabulary; which bytes mean what is `sniff`'s business.

use std::fmt;

/// A recognised, or at least classified, file that is no supported video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Foreign {
    pub class: ForeignClass,
    /// The format's name, for people.
    pub name: &'static str,
}

/// What sort of file a foreign one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ForeignClass {
    Empty,
    Image,
    Audio,
    /// Names other files or addresses instead of holding media; never to be opened.
    Playlist,
    /// A video format, or a part of a video, that is not supported.
    Video,
    Archive,
    Executable,
    Document,
    Text,
    Unknown,
}

impl ForeignClass {
    /// A short name, fit for logs and JSON.
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

impl Foreign {
    pub(crate) const EMPTY: Self = Self::new(ForeignClass::Empty, "an empty file");
    pub(crate) const UNKNOWN: Self = Self::new(ForeignClass::Unknown, "an unknown format");

    pub(crate) const fn new(class: ForeignClass, name: &'static str) -> Self {
        Self { class, name }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class {
            ForeignClass::Empty | ForeignClass::Unknown => out.write_str(self.name),
            ForeignClass::Video => write!(out, "{} (unsupported video)", self.name),
            class => write!(out, "{} ({})", self.name, class.name()),
        }
    }
}
