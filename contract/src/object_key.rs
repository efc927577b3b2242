//! Where things stand in the object store, and what type they are. Both programs build names here alone.

use std::fmt;

/// An object of an upload or of what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKey<'a> {
    /// The video as it came.
    SourceVideo { upload_uuid: &'a str },
    /// The picture that came with it.
    SourceThumbnail { upload_uuid: &'a str },
    /// What one of the content's jobs made. Each generation has its own folder, so nothing that was verified is ever
    /// written over by a worker that was overtaken.
    Media {
        content_uuid: &'a str,
        generation: u64,
        file: MediaFile,
    },
}

/// One of the files that a job makes. Its text form is its name below the content's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaFile {
    /// The progressive MP4.
    Video,
    MasterPlaylist,
    /// The playlist and the segments (all in one file) of a rung of that height.
    Playlist(u32),
    Segments(u32),
    Poster,
    /// A picture of at most that width.
    Thumbnail(u32),
    /// Small pictures of the whole video in one, and the track that says which is when.
    Storyboard,
    StoryboardTrack,
    /// A few seconds, animated.
    Preview,
}

/// The widths that thumbnails are made in.
pub const THUMBNAIL_WIDTHS: [u32; 2] = [320, 640];

impl MediaFile {
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Video | Self::Segments(_) => "video/mp4",
            Self::MasterPlaylist | Self::Playlist(_) => "application/vnd.apple.mpegurl",
            Self::Poster | Self::Thumbnail(_) | Self::Storyboard => "image/jpeg",
            Self::StoryboardTrack => "text/vtt; charset=utf-8",
            Self::Preview => "image/webp",
        }
    }

    /// The file of that name; `None` for any other text.
    pub fn parse(name: &str) -> Option<Self> {
        let fixed = [
            Self::Video,
            Self::MasterPlaylist,
            Self::Poster,
            Self::Storyboard,
            Self::StoryboardTrack,
            Self::Preview,
        ];
        let numbered = || {
            if let Some(rest) = name.strip_prefix("hls/") {
                let playlist = rest.strip_suffix("p.m3u8").and_then(number);
                let segments = || rest.strip_suffix("p.mp4").and_then(number);
                return playlist
                    .map(Self::Playlist)
                    .or_else(|| segments().map(Self::Segments));
            }
            let width = name.strip_prefix("thumbnail-")?.strip_suffix(".jpg")?;
            number(width).map(Self::Thumbnail)
        };
        let known = fixed.into_iter().find(|file| file.to_string() == name);
        known.or_else(numbered)
    }
}

/// A number as this program writes it: no sign, no leading zero.
fn number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl fmt::Display for MediaFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Video => formatter.write_str("video.mp4"),
            Self::MasterPlaylist => formatter.write_str("hls/master.m3u8"),
            Self::Playlist(height) => write!(formatter, "hls/{height}p.m3u8"),
            Self::Segments(height) => write!(formatter, "hls/{height}p.mp4"),
            Self::Poster => formatter.write_str("poster.jpg"),
            Self::Thumbnail(width) => write!(formatter, "thumbnail-{width}.jpg"),
            Self::Storyboard => formatter.write_str("storyboard.jpg"),
            Self::StoryboardTrack => formatter.write_str("storyboard.vtt"),
            Self::Preview => formatter.write_str("preview.webp"),
        }
    }
}

impl ObjectKey<'_> {
    pub fn path(&self) -> String {
        match self {
            Self::SourceVideo { upload_uuid } => format!("sources/{upload_uuid}/video"),
            Self::SourceThumbnail { upload_uuid } => format!("sources/{upload_uuid}/thumbnail"),
            Self::Media {
                content_uuid,
                generation,
                file,
            } => format!("{}{generation}/{file}", Self::media_folder(content_uuid)),
        }
    }

    /// What all the files of a content begin with, whichever job made them.
    pub fn media_folder(content_uuid: &str) -> String {
        format!("media/{content_uuid}/")
    }

    /// The generation whose job made a file of the content; `None` for any other object.
    pub fn media_generation(path: &str, content_uuid: &str) -> Option<u64> {
        let rest = path.strip_prefix(&Self::media_folder(content_uuid))?;
        let (generation, _) = rest.split_once('/')?;
        generation.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [MediaFile; 10] = [
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Playlist(720),
        MediaFile::Segments(720),
        MediaFile::Poster,
        MediaFile::Thumbnail(320),
        MediaFile::Thumbnail(640),
        MediaFile::Storyboard,
        MediaFile::StoryboardTrack,
        MediaFile::Preview,
    ];

    #[test]
    fn a_files_name_names_it() {
        for file in FILES {
            assert_eq!(MediaFile::parse(&file.to_string()), Some(file));
        }
    }

    #[test]
    fn nothing_else_is_a_files_name() {
        for other in [
            "",
            "video.mp4/",
            "../video.mp4",
            "hls/",
            "hls/p.mp4",
            "hls/+720p.mp4",
            "hls/0720p.mp4",
            "hls/720p.ts",
            "hls/99999999999p.mp4",
            "thumbnail-.jpg",
            "thumbnail--1.jpg",
            "POSTER.JPG",
        ] {
            assert_eq!(MediaFile::parse(other), None, "{other}");
        }
    }

    #[test]
    fn each_generation_has_its_own_folder() {
        let key = |generation| {
            let (content_uuid, file) = ("c", MediaFile::Video);
            ObjectKey::Media {
                content_uuid,
                generation,
                file,
            }
            .path()
        };
        assert_eq!(key(2), "media/c/2/video.mp4");
        assert!(key(1).starts_with(&ObjectKey::media_folder("c")));
        assert_eq!(ObjectKey::media_generation(&key(12), "c"), Some(12));
        for other in [
            "media/c/video.mp4",
            "media/d/1/video.mp4",
            "sources/c/1/video",
            "media/c/x/",
        ] {
            assert_eq!(ObjectKey::media_generation(other, "c"), None, "{other}");
        }
    }
}
