//! The limits of the public contract. Changing one changes what clients may rely on.

/// The daily uploads of a channel whose limit the site has not set.
pub const DEFAULT_DAILY_UPLOAD_LIMIT: u32 = 50;

/// The largest daily limit that the site can set.
pub const MAX_DAILY_UPLOAD_LIMIT: u32 = 1_000_000;

/// The most uploads that a channel may have open at once unless the operator configures another number: enough for a
/// program that sends several videos in parallel, and too few for one channel to shut out the others.
pub const DEFAULT_MAX_OPEN_UPLOADS: u32 = 10;

/// The uploads without `Content-Length` that a channel may have open at once. They take the most memory, so an isolate
/// has room for only a few.
pub const MAX_UPLOADS_WITHOUT_LENGTH: u32 = 1;

/// The requests that one API key may make in a period, at each location of the service. `KEY_RATE` in `wrangler.toml`
/// enforces it.
pub const MAX_KEY_REQUESTS: u32 = 100;

/// The period of `MAX_KEY_REQUESTS`.
pub const KEY_REQUESTS_SECONDS: u64 = 10;

/// The requests that one address may make in the same period with keys that were not used recently, so that nobody can
/// try many keys. `ADDRESS_RATE` in `wrangler.toml` enforces it.
pub const MAX_UNKNOWN_KEY_REQUESTS: u32 = 60;

/// The uploads of one API key that may be refused in a period. Each costs the database rows and leaves nothing.
pub const MAX_REFUSED_UPLOADS: u32 = 300;

/// The period of `MAX_REFUSED_UPLOADS`: an hour of the clock.
pub const REFUSED_UPLOADS_SECONDS: u64 = 3_600;

/// The time in which an owner can appeal against a rejection or a removal.
pub const APPEAL_SECONDS: u64 = 30 * 86_400;

/// The time in which a moderator can reverse a rejection or a removal: two weeks longer, so that the latest appeal can
/// still be granted.
pub const REVERSIBLE_SECONDS: u64 = APPEAL_SECONDS + 14 * 86_400;

/// The longest text of an appeal.
pub const MAX_APPEAL_CHARACTERS: usize = 1_000;

/// The keys that an account may get on one day, by creation and rotation: twice as many as a rotation every hour needs.
/// A key can always be deleted.
pub const MAX_DAILY_NEW_KEYS: u32 = 50;

/// The webhook changes that an account may make on one day: new webhooks, and changes of address, state and secret. A
/// webhook can always be deleted.
pub const MAX_DAILY_WEBHOOK_CHANGES: u32 = 100;

/// The changes of captions, thumbnails and schedules that a channel may make on one day, if its daily upload limit does
/// not allow more: a change starts a job, or leaves a row for good.
pub const MIN_DAILY_CHANGES: u32 = 200;

/// The changes for each upload of the daily limit: a channel that publishes more also changes more.
pub const DAILY_CHANGES_PER_UPLOAD: u32 = 4;

/// The most hashes of one import into the blocklist.
pub const MAX_IMPORTED_HASHES: usize = 1_000;

/// The entries of a page of a list that a client may ask for.
pub const PAGE_LENGTHS: std::ops::RangeInclusive<u32> = 1..=100;

/// The largest integer in JSON: JavaScript clients and D1 hold numbers in a double.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The maximum number of categories. The list is short, because the site shows it as a menu.
pub const MAX_CATEGORIES: usize = 500;
pub const MAX_CATEGORY_NAME_CHARACTERS: usize = 80;

pub const MAX_CHANNEL_NAME_CHARACTERS: usize = 80;

/// The allowed duration of a video, both ends included.
pub const VIDEO_DURATION_MS: std::ops::RangeInclusive<u64> = 2_000..=120_000;

/// The most by which the last frames of a video may end after the longest duration: no frame of sound or pictures that
/// begins in time is cut off, but two minutes stay two minutes, whatever a file claims.
pub const MAX_OVERHANG_MS: u64 = 150;

/// Returns the duration that counts where videos may have `longest_ms`. `least_ms` is the duration without the last
/// frame of each track: if only that frame ends too late, the video counts as the longest one.
pub fn counted_duration_ms(duration_ms: u64, least_ms: u64, longest_ms: u64) -> u64 {
    let is_overhang = least_ms <= longest_ms && duration_ms <= longest_ms + MAX_OVERHANG_MS;
    if is_overhang { duration_ms.min(longest_ms) } else { duration_ms }
}

/// The maximum average pixel rate of a video, per second. Phones record 4K at 120 frames per second and 8K at 30, which
/// is 995 million. Nothing else bounds the work of decoding.
pub const MAX_PIXELS_PER_SECOND: u32 = 1_100_000_000;

/// Whether a video of this size and frame rate has more pixels in a second than `MAX_PIXELS_PER_SECOND`.
pub fn exceeds_pixel_rate(width: u32, height: u32, frames_per_second: f64) -> bool {
    f64::from(width) * f64::from(height) * frames_per_second > f64::from(MAX_PIXELS_PER_SECOND)
}

/// The largest video that is accepted unless the operator configures another size.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 95_000_000;

/// The largest resumable upload unless the operator configures another size: two minutes of video at
/// the highest bit rate of a phone.
pub const DEFAULT_MAX_RESUMABLE_BYTES: u64 = 2_000_000_000;

/// The resumable uploads that a channel may have begun and not finished, and their bytes that the service
/// keeps.
pub const MAX_UNFINISHED_UPLOADS: u32 = 20;
pub const MAX_UNFINISHED_BYTES: u64 = 5_000_000_000;

/// The hours in which a resumable upload must be finished unless the operator configures others.
pub const DEFAULT_RESUMABLE_HOURS: u64 = 24;
/// The time for which the outcome of a resumable upload can be read.
pub const OUTCOME_SECONDS: u64 = 7 * 86_400;

/// The time for which failed requests are kept, and how many of the last ones are listed.
pub const FAILED_REQUESTS_SECONDS: u64 = 7 * 86_400;
pub const MAX_LISTED_FAILED_REQUESTS: usize = 50;

/// The time after which a test video is deleted, and the number that a channel may have.
pub const TEST_VIDEO_SECONDS: u64 = 86_400;
pub const MAX_TEST_VIDEOS: u32 = 100;

/// The time in which an upload with a one-time token must begin, and its default.
pub const DIRECT_UPLOAD_SECONDS: std::ops::RangeInclusive<u64> = 60..=86_400;
pub const DEFAULT_DIRECT_UPLOAD_SECONDS: u64 = 3_600;

/// The one-time tokens that a channel may have open at once.
pub const MAX_OPEN_DIRECT_UPLOADS: u32 = 1_000;

/// The time for which the holder of a used token can read the state of the video.
pub const DIRECT_STATUS_SECONDS: u64 = 3_600;

/// The time for which the owner's list has a direct upload that has ended.
pub const ENDED_DIRECT_UPLOAD_SECONDS: u64 = 7 * 86_400;

/// The longest time for which a rotated key's predecessor may stay valid.
pub const MAX_PREVIOUS_KEY_SECONDS: u64 = 86_400;

pub const MAX_THUMBNAIL_BYTES: usize = 2_000_000;

/// The largest captions file, and the maximum total size of an upload's captions.
pub const MAX_CAPTIONS_BYTES: usize = 512 * 1024;

/// The maximum stored size of a captions file, as plain WebVTT. Two minutes of speech are about 3 kB.
pub const MAX_CAPTIONS_TEXT_BYTES: usize = 128 * 1024;

/// The usual file name extensions of the accepted formats. The content of the file decides, not its name.
pub const VIDEO_EXTENSIONS: &[&str] = &["mp4", "mov", "3gp", "webm", "mkv", "avi", "flv", "mpeg", "wmv", "ogg"];
pub const THUMBNAIL_MEDIA_TYPES: &[&str] = &["image/jpeg", "image/png", "image/webp"];

/// An upload must not be slower than this on average over the last `UPLOAD_PACE_SECONDS`, unless the operator
/// configures another pace. A slow phone connection is several times as fast.
pub const MIN_UPLOAD_BYTES_PER_SECOND: u64 = 16 * 1024;
pub const UPLOAD_PACE_SECONDS: u64 = 30;

/// The maximum data of all unknown fields of a form together, for clients that prefer to have them ignored. Without it,
/// useless bytes could keep an upload open, and a video under a wrong name would be read to its end before it is
/// rejected.
pub const MAX_IGNORED_FIELD_BYTES: usize = 64 * 1024;

/// The time in which a JSON body must arrive: longer than the largest one takes on a slow network. Without it, a caller
/// could hold memory for as long as the connection lasts.
pub const JSON_BODY_SECONDS: u64 = 10;

/// The time for which an event and its deliveries can be read.
pub const EVENT_LOG_SECONDS: u64 = 30 * 86_400;

/// The longest time that any upload may take.
pub const MAX_UPLOAD_SECONDS: u64 = 2 * 3600;

/// The maximum number of metadata entries of a content. `FormField` has the limits of texts.
pub const MAX_METADATA_MEMBERS: usize = 20;
pub const MAX_METADATA_NAME_CHARACTERS: usize = 40;
pub const MAX_METADATA_VALUE_CHARACTERS: usize = 500;
/// The length of the metadata as JSON in UTF-8. It is small enough to be part of every status, even in a page of 100.
pub const MAX_METADATA_BYTES: usize = 4_096;

/// The time ahead for which a publication can be scheduled: 5 minutes to 180 days.
pub const SCHEDULE_AHEAD_SECONDS: std::ops::RangeInclusive<u64> = 300..=180 * 86_400;

/// The webhooks of a channel: one for each of a few systems.
pub const MAX_WEBHOOKS: u32 = 5;

pub const MAX_WEBHOOK_URL_CHARACTERS: usize = 2048;

/// The time that a webhook has to respond, and the beginning of its response that is kept.
pub const WEBHOOK_TIMEOUT_MS: u32 = 10_000;
pub const MAX_WEBHOOK_ANSWER_BYTES: u32 = 1024;

/// An event is given up when this time has passed since its first attempt.
pub const WEBHOOK_RETRY_SECONDS: u64 = 3 * 86_400;

/// The time for which the previous secret stays valid after a rotation.
pub const WEBHOOK_SECRET_OVERLAP_SECONDS: u64 = 86_400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_phones_record_is_within_the_pixel_rate_and_a_bomb_is_not() {
        for (width, height, rate) in
            [(3840, 2160, 60.0), (1920, 1080, 240.0), (1280, 720, 960.0), (3840, 2160, 120.0), (7680, 4320, 30.0)]
        {
            // The frame rate is measured from timestamps, which can make it slightly too high.
            assert!(!exceeds_pixel_rate(width, height, rate * 1.05), "{width}x{height} at {rate}");
        }
        assert!(exceeds_pixel_rate(5000, 4000, 1000.0));
        assert!(exceeds_pixel_rate(3840, 2160, 240.0));
    }

    #[test]
    fn only_the_last_frame_of_two_minutes_may_end_later_and_only_by_a_little() {
        let counted = |(duration_ms, least_ms)| counted_duration_ms(duration_ms, least_ms, 120_000);
        assert_eq!([(120_021, 119_979), (120_150, 120_000), (120_000, 120_000)].map(counted), [120_000; 3]);
        assert_eq!([(120_021, 120_001), (120_151, 119_000)].map(counted), [120_021, 120_151]);
        assert_eq!([(1_999, 1_950), (2_000, 1_950), (119_999, 1)].map(counted), [1_999, 2_000, 119_999]);
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "the loss of precision is what is tested")]
    fn the_largest_integer_is_the_last_that_a_double_distinguishes_from_the_next() {
        assert!((MAX_SAFE_INTEGER as f64) < (MAX_SAFE_INTEGER + 1) as f64);
        assert!((MAX_SAFE_INTEGER + 1) as f64 >= (MAX_SAFE_INTEGER + 2) as f64);
    }

    #[test]
    fn a_publication_is_scheduled_5_minutes_to_180_days_ahead() {
        let days = SCHEDULE_AHEAD_SECONDS.end() / (24 * 60 * 60);
        assert_eq!((SCHEDULE_AHEAD_SECONDS.start() / 60, days), (5, 180));
    }

    #[test]
    fn the_captions_of_two_minutes_fit_even_if_they_are_ten_times_as_long_as_speech() {
        const SPEECH_BYTES: usize = 3_000;
        assert!((10 * SPEECH_BYTES..=MAX_CAPTIONS_BYTES).contains(&MAX_CAPTIONS_TEXT_BYTES));
    }

    #[test]
    fn the_largest_file_arrives_in_time_at_the_slowest_allowed_pace() {
        let seconds = DEFAULT_MAX_FILE_BYTES / MIN_UPLOAD_BYTES_PER_SECOND;
        assert!((UPLOAD_PACE_SECONDS..=MAX_UPLOAD_SECONDS).contains(&seconds));
    }
}
