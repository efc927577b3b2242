//! The keys and content types of all objects in the store. Neither program builds a key anywhere else.

use crate::media_file::MediaFile;

/// The key of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKey<'a> {
    /// The video as the client sent it.
    SourceVideo { upload_uuid: &'a str },
    /// A small video while it is being received, padded with zeros to its maximum length.
    SourcePadded { upload_uuid: &'a str },
    /// The thumbnail picture that the client sent.
    SourceThumbnail { upload_uuid: &'a str },
    /// Captions that an owner sent for one language, rewritten as plain WebVTT.
    SourceCaptions { upload_uuid: &'a str },
    /// Bytes of a resumable upload that do not fill a part yet. Each name is written once.
    SourceTail { tails_uuid: &'a str, epoch: u64, number: u32 },
    /// A file that a job made. Each generation has its own folder, so that a stale origin can never overwrite verified
    /// files.
    Media { content_uuid: &'a str, generation: u64, file: MediaFile },
    /// The frame hashes of the report with this fingerprint. They are stored beside the media files but never served.
    FrameHashes { content_uuid: &'a str, generation: u64, fingerprint: &'a str },
    /// The details of a finished content, moved out of its row. Never served.
    FinishedDetails { content_uuid: &'a str, generation: u64 },
    /// The blocklist's hashes with these numbers.
    BlocklistSegment { first_number: u64, last_number: u64 },
    /// A piece of the removal log with this many entries, named after the last one.
    Removals { last_name: &'a str, entries: u64 },
    /// Failed requests of a channel. In a list, newer objects of a day come first.
    FailedRequests { day: u64, channel_id: u64, stored_ms: u64, random: &'a str },
}

impl ObjectKey<'_> {
    pub fn path(&self) -> String {
        match self {
            Self::SourceVideo { upload_uuid } => Self::source(upload_uuid, "video"),
            Self::SourcePadded { upload_uuid } => Self::source(upload_uuid, "padded"),
            Self::SourceThumbnail { upload_uuid } => Self::source(upload_uuid, "thumbnail"),
            Self::SourceCaptions { upload_uuid } => Self::source(upload_uuid, "captions"),
            Self::SourceTail { tails_uuid, epoch, number } => {
                format!("{}{epoch}-{number}", Self::tails_folder(tails_uuid))
            }
            Self::Media { content_uuid, generation, file } => {
                format!("{}{file}", Self::generation_folder(content_uuid, *generation))
            }
            Self::FrameHashes { content_uuid, generation, fingerprint } => {
                format!("{}frames-{fingerprint}.json", Self::generation_folder(content_uuid, *generation))
            }
            Self::FinishedDetails { content_uuid, generation } => {
                format!("{}finished.json", Self::generation_folder(content_uuid, *generation))
            }
            Self::BlocklistSegment { first_number, last_number } => {
                format!("{}{first_number}-{last_number}", Self::BLOCKLIST_FOLDER)
            }
            Self::Removals { last_name, entries } => format!("{}{last_name}-{entries}", Self::REMOVALS_FOLDER),
            Self::FailedRequests { day, channel_id, stored_ms, random } => {
                let left = Self::LAST_MS.saturating_sub(*stored_ms);
                format!("{}{left:013}-{random}", Self::failed_requests_folder(*day, *channel_id))
            }
        }
    }

    /// The prefix of everything that clients sent.
    pub const SOURCES_FOLDER: &'static str = "sources/";

    /// The prefix of everything that jobs made.
    pub const MEDIA_FOLDER: &'static str = "media/";

    /// The prefix of the segments of the blocklist.
    pub const BLOCKLIST_FOLDER: &'static str = "blocklist/";

    /// The prefix of the removal log.
    pub const REMOVALS_FOLDER: &'static str = "removals/";

    /// The prefix of all failed requests.
    pub const FAILED_REQUESTS_FOLDER: &'static str = "failed_requests/";

    /// The last millisecond that has 13 digits.
    const LAST_MS: u64 = 9_999_999_999_999;

    fn source(upload_uuid: &str, name: &str) -> String {
        format!("{}{upload_uuid}/{name}", Self::SOURCES_FOLDER)
    }

    /// Returns the prefix of the tails of a resumable upload.
    pub fn tails_folder(tails_uuid: &str) -> String {
        format!("{}{tails_uuid}/", Self::SOURCES_FOLDER)
    }

    /// Returns the name of the last entry in an object of the removal log, or `None` for any other object.
    pub fn last_removal(path: &str) -> Option<&str> {
        let (last_name, _entries) = path.strip_prefix(Self::REMOVALS_FOLDER)?.rsplit_once('-')?;
        Some(last_name)
    }

    /// Returns the prefix of a channel's failed requests of one day.
    pub fn failed_requests_folder(day: u64, channel_id: u64) -> String {
        format!("{}{day:06}/{channel_id}/", Self::FAILED_REQUESTS_FOLDER)
    }

    /// Returns the day of failed requests, or `None` for any other object.
    pub fn day_of_failed_requests(path: &str) -> Option<u64> {
        let (day, _) = path.strip_prefix(Self::FAILED_REQUESTS_FOLDER)?.split_once('/')?;
        day.parse().ok()
    }

    /// Returns the prefix of a content's media files of all generations.
    pub fn media_folder(content_uuid: &str) -> String {
        format!("{}{content_uuid}/", Self::MEDIA_FOLDER)
    }

    /// Returns the prefix of the media files of one generation.
    pub fn generation_folder(content_uuid: &str, generation: u64) -> String {
        format!("{}{generation}/", Self::media_folder(content_uuid))
    }

    /// Returns the generation that a media file of the content belongs to, or `None` for any other object.
    pub fn media_generation(path: &str, content_uuid: &str) -> Option<u64> {
        let rest = path.strip_prefix(&Self::media_folder(content_uuid))?;
        let (generation, _) = rest.split_once('/')?;
        generation.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_the_removal_log_names_its_last_entry() {
        let path = ObjectKey::Removals { last_name: "000000000001-000000000002-ab", entries: 3 }.path();
        assert_eq!(path, "removals/000000000001-000000000002-ab-3");
        assert_eq!(ObjectKey::last_removal(&path), Some("000000000001-000000000002-ab"));
        assert_eq!(ObjectKey::last_removal("media/a-b"), None);
    }

    #[test]
    fn newer_failed_requests_come_first_and_older_days_come_first() {
        let key = |day, stored_ms| ObjectKey::FailedRequests { day, channel_id: 7, stored_ms, random: "ab" }.path();
        assert_eq!(key(20_785, 1_795_824_000_123), "failed_requests/020785/7/8204175999876-ab");
        assert!(key(20_785, 2) < key(20_785, 1) && key(9_999, 1) < key(10_000, 2));
        assert_eq!(ObjectKey::day_of_failed_requests(&key(20_785, 1)), Some(20_785));
        for other in ["failed_requests/x/7/1-ab", "removals/020785/7", "failed_requests/1"] {
            assert_eq!(ObjectKey::day_of_failed_requests(other), None, "{other}");
        }
    }

    #[test]
    fn each_generation_has_its_own_folder() {
        let key = |generation| {
            let (content_uuid, file) = ("c", MediaFile::Video);
            ObjectKey::Media { content_uuid, generation, file }.path()
        };
        assert_eq!(key(2), "media/c/2/video.mp4");
        assert!(key(1).starts_with(&ObjectKey::media_folder("c")));
        assert_eq!(ObjectKey::media_generation(&key(12), "c"), Some(12));
        for other in ["media/c/video.mp4", "media/d/1/video.mp4", "sources/c/1/video", "media/c/x/"] {
            assert_eq!(ObjectKey::media_generation(other, "c"), None, "{other}");
        }
    }
}
