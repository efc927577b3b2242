//! The files that jobs make of a video: their names and content types.

use crate::canonical_number::canonical_number;
use crate::rendition_name::RenditionName;
use std::fmt;

/// A file that a job makes. Its `Display` form is its name inside the generation's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaFile {
    /// The progressive MP4.
    Video,
    MasterPlaylist,
    /// The DASH manifest, which lists the same segments as the playlists.
    DashManifest,
    /// The HLS playlist of a rendition, and the one file that holds all its segments.
    Playlist(RenditionName),
    Segments(RenditionName),
    /// The HLS playlist that lists only the keyframes of a rendition, for seeking with pictures.
    KeyframePlaylist(RenditionName),
    /// The HLS playlist of the sound, which all renditions share, and the one file that holds all its segments.
    SoundPlaylist,
    SoundSegments,
    /// The sound at a bit rate for poor connections, for the lowest rendition.
    LowSoundPlaylist,
    LowSoundSegments,
    /// The HLS playlist of a subtitle track, by the track's number, and its WebVTT file.
    SubtitlePlaylist(u32),
    Subtitles(u32),
    Poster,
    /// A still picture of at most this width.
    Thumbnail(u32),
    /// One image with many small frames of the video, and the WebVTT track that maps times to them.
    Storyboard,
    StoryboardTrack,
    /// A short animated preview.
    Preview,
}

/// The folder of the playlists and their segments.
const HLS_FOLDER: &str = "hls/";

/// The widths of the thumbnails that every job makes.
pub const THUMBNAIL_WIDTHS: [u32; 2] = [320, 640];

impl MediaFile {
    /// The files that exist once.
    const SINGLE: [Self; 11] = [
        Self::Video,
        Self::MasterPlaylist,
        Self::DashManifest,
        Self::SoundPlaylist,
        Self::SoundSegments,
        Self::LowSoundPlaylist,
        Self::LowSoundSegments,
        Self::Poster,
        Self::Storyboard,
        Self::StoryboardTrack,
        Self::Preview,
    ];

    /// Returns every file that a job makes of a video with sound, if it makes these HLS renditions and this many
    /// subtitle tracks. A rendition in H.264 may be given by its height.
    pub fn all(renditions: impl IntoIterator<Item = impl Into<RenditionName>>, subtitle_tracks: u32) -> Vec<Self> {
        let files = |name: RenditionName| [Self::Playlist(name), Self::Segments(name), Self::KeyframePlaylist(name)];
        let renditions = renditions.into_iter().map(Into::into).flat_map(files);
        let thumbnails = THUMBNAIL_WIDTHS.into_iter().map(Self::Thumbnail);
        let subtitles =
            (1..=subtitle_tracks).flat_map(|number| [Self::SubtitlePlaylist(number), Self::Subtitles(number)]);
        Self::SINGLE.into_iter().chain(thumbnails).chain(renditions).chain(subtitles).collect()
    }

    /// The pictures that are shown before a video is played.
    pub const THUMBNAILS: [Self; 3] =
        [Self::Poster, Self::Thumbnail(THUMBNAIL_WIDTHS[0]), Self::Thumbnail(THUMBNAIL_WIDTHS[1])];

    /// Whether the file exists only if the video has sound.
    pub const fn is_sound(self) -> bool {
        matches!(self, Self::SoundPlaylist | Self::SoundSegments) || self.is_low_sound()
    }

    /// Whether the file exists only if the video also has a rendition for poor connections.
    pub const fn is_low_sound(self) -> bool {
        matches!(self, Self::LowSoundPlaylist | Self::LowSoundSegments)
    }

    /// Whether the file is a subtitle track, or lists the tracks. A captions job writes all of these again.
    pub const fn depends_on_subtitles(self) -> bool {
        matches!(self, Self::MasterPlaylist | Self::DashManifest | Self::SubtitlePlaylist(_) | Self::Subtitles(_))
    }

    /// Returns the name by which the other files in its folder refer to it, such as playlists.
    pub fn local_name(self) -> String {
        let name = self.to_string();
        name.strip_prefix(HLS_FOLDER).map(str::to_owned).unwrap_or(name)
    }

    /// Parses the name by which a playlist refers to a file beside it.
    pub fn parse_beside_playlist(name: &str) -> Option<Self> {
        Self::parse(&format!("{HLS_FOLDER}{name}"))
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Video | Self::Segments(_) => "video/mp4",
            Self::SoundSegments | Self::LowSoundSegments => "audio/mp4",
            Self::MasterPlaylist
            | Self::Playlist(_)
            | Self::KeyframePlaylist(_)
            | Self::SoundPlaylist
            | Self::LowSoundPlaylist
            | Self::SubtitlePlaylist(_) => "application/vnd.apple.mpegurl",
            Self::DashManifest => "application/dash+xml",
            Self::Poster | Self::Thumbnail(_) | Self::Storyboard => "image/jpeg",
            Self::StoryboardTrack | Self::Subtitles(_) => "text/vtt; charset=utf-8",
            Self::Preview => "image/webp",
        }
    }

    /// Parses a file name; returns `None` for any other text.
    pub fn parse(name: &str) -> Option<Self> {
        let numbered = || {
            if let Some(rest) = name.strip_prefix(HLS_FOLDER) {
                if let Some(rest) = rest.strip_prefix("subtitles-") {
                    let named = |suffix: &str, file: fn(u32) -> Self| numbered_file(rest, suffix, file);
                    return named(".m3u8", Self::SubtitlePlaylist).or_else(|| named(".vtt", Self::Subtitles));
                }
                let named = |suffix, file: fn(RenditionName) -> Self| {
                    rest.strip_suffix(suffix).and_then(RenditionName::parse).map(file)
                };
                return named("-keyframes.m3u8", Self::KeyframePlaylist)
                    .or_else(|| named(".m3u8", Self::Playlist))
                    .or_else(|| named(".mp4", Self::Segments));
            }
            let width = name.strip_prefix("thumbnail-")?.strip_suffix(".jpg")?;
            canonical_number(width).map(Self::Thumbnail)
        };
        let known = Self::SINGLE.into_iter().find(|file| file.to_string() == name);
        known.or_else(numbered)
    }
}

fn numbered_file(name: &str, suffix: &str, file: fn(u32) -> MediaFile) -> Option<MediaFile> {
    name.strip_suffix(suffix).and_then(canonical_number).map(file)
}

impl fmt::Display for MediaFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Video => formatter.write_str("video.mp4"),
            Self::MasterPlaylist => formatter.write_str("hls/master.m3u8"),
            Self::DashManifest => formatter.write_str("manifest.mpd"),
            Self::Playlist(name) => write!(formatter, "hls/{name}.m3u8"),
            Self::Segments(name) => write!(formatter, "hls/{name}.mp4"),
            Self::KeyframePlaylist(name) => write!(formatter, "hls/{name}-keyframes.m3u8"),
            Self::SoundPlaylist => formatter.write_str("hls/sound.m3u8"),
            Self::SoundSegments => formatter.write_str("hls/sound.mp4"),
            Self::LowSoundPlaylist => formatter.write_str("hls/sound-low.m3u8"),
            Self::LowSoundSegments => formatter.write_str("hls/sound-low.mp4"),
            Self::SubtitlePlaylist(number) => write!(formatter, "hls/subtitles-{number}.m3u8"),
            Self::Subtitles(number) => write!(formatter, "hls/subtitles-{number}.vtt"),
            Self::Poster => formatter.write_str("poster.jpg"),
            Self::Thumbnail(width) => write!(formatter, "thumbnail-{width}.jpg"),
            Self::Storyboard => formatter.write_str("storyboard.jpg"),
            Self::StoryboardTrack => formatter.write_str("storyboard.vtt"),
            Self::Preview => formatter.write_str("preview.webp"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VideoCodec;

    #[test]
    fn a_file_name_parses_back_to_the_file() {
        let in_av1 = RenditionName { height: 720, codec: VideoCodec::Av1 };
        for file in MediaFile::all([360.into(), 720.into(), in_av1], 2) {
            assert_eq!(MediaFile::parse(&file.to_string()), Some(file));
        }
        assert_eq!(MediaFile::KeyframePlaylist(in_av1).to_string(), "hls/720p-av1-keyframes.m3u8");
        assert_eq!(
            [MediaFile::Subtitles(2), MediaFile::Poster].map(MediaFile::local_name),
            ["subtitles-2.vtt", "poster.jpg"]
        );
        assert_eq!(MediaFile::parse_beside_playlist("subtitles-2.vtt"), Some(MediaFile::Subtitles(2)));
    }

    #[test]
    fn each_file_has_the_type_of_its_extension() {
        for file in MediaFile::all([720], 1) {
            let name = file.to_string();
            let expected = match name.rsplit_once('.').unwrap().1 {
                "mp4" if file.is_sound() => "audio/mp4",
                "mp4" => "video/mp4",
                "m3u8" => "application/vnd.apple.mpegurl",
                "mpd" => "application/dash+xml",
                "jpg" => "image/jpeg",
                "vtt" => "text/vtt; charset=utf-8",
                "webp" => "image/webp",
                other => panic!("{other}"),
            };
            assert_eq!(file.content_type(), expected, "{name}");
        }
    }

    #[test]
    fn a_silent_video_lacks_the_files_of_its_sound() {
        let sound = MediaFile::all([720], 1).into_iter().filter(|file| file.is_sound());
        let names: Vec<_> = sound.clone().map(|file| file.to_string()).collect();
        assert_eq!(names, ["hls/sound.m3u8", "hls/sound.mp4", "hls/sound-low.m3u8", "hls/sound-low.mp4"]);
        assert!(sound.map(MediaFile::is_low_sound).eq([false, false, true, true]));
    }

    #[test]
    fn only_tracks_and_the_lists_that_name_them_depend_on_subtitles() {
        let dependent = MediaFile::all([720], 1)
            .into_iter()
            .filter(|file| file.depends_on_subtitles())
            .map(|file| file.to_string());
        let expected = ["hls/master.m3u8", "manifest.mpd", "hls/subtitles-1.m3u8", "hls/subtitles-1.vtt"];
        assert_eq!(dependent.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn any_other_text_is_not_a_file_name() {
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
            "hls/720p-h264.mp4",
            "hls/720p-keyframes-av1.m3u8",
            "hls/720p-av1-keyframes.mp4",
            "hls/subtitles-.vtt",
            "hls/subtitles-01.vtt",
            "hls/subtitles-1.srt",
            "subtitles-1.vtt",
            "thumbnail-.jpg",
            "thumbnail--1.jpg",
            "POSTER.JPG",
        ] {
            assert_eq!(MediaFile::parse(other), None, "{other}");
        }
    }
}
