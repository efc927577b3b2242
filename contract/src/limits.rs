//! The numbers of the public contract. Changing one changes what clients may rely on.

/// Slots a channel gets per day when the site names no other number.
pub const DEFAULT_DAILY_UPLOAD_LIMIT: u32 = 50;

/// The largest daily limit that the site may set.
pub const MAX_DAILY_UPLOAD_LIMIT: u32 = 1_000_000;

/// Integers in JSON stay below 2^53: JavaScript clients and D1 hold them in a double.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The site's list of categories is short: it is shown as a menu.
pub const MAX_CATEGORIES: usize = 500;
pub const MAX_CATEGORY_NAME_CHARACTERS: usize = 80;

/// What a video may play for, both ends included.
pub const VIDEO_DURATION_MS: std::ops::RangeInclusive<u64> = 2_000..=120_000;

/// The largest video when the operator configures no other size.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 95_000_000;
pub const MAX_THUMBNAIL_BYTES: usize = 2_000_000;

pub const MAX_CAPTION_CHARACTERS: usize = 2_200;
pub const MAX_AI_SUMMARY_CHARACTERS: usize = 5_000;

/// How far ahead a publication may be scheduled: 5 minutes to 180 days.
pub const SCHEDULE_AHEAD_SECONDS: std::ops::RangeInclusive<u64> = 300..=180 * 86_400;

/// R2 takes parts of 5 MiB and more, all equal but the last. Two of them are what a large upload costs in memory.
pub const PART_BYTES: usize = 5 * 1024 * 1024;

/// What uploads may hold at once on one isolate of 128 MB: a third of it is left to the runtime, the code, the pictures
/// of large uploads and other requests.
pub const UPLOADS_MEMORY_BYTES: usize = 84 * 1024 * 1024;

/// What one upload is counted as in that memory: the two parts that are under way at once, or, where it fits into one, its
/// body and whatever of that may be a picture, twice, for that is copied to be stored; and parser, prober and the chunk under
/// way. A body of unknown length counts as a large one.
pub const fn upload_memory(content_length: Option<usize>) -> usize {
    const BESIDE_PARTS: usize = 256 * 1024;
    match content_length {
        Some(length) if length < PART_BYTES => {
            let picture = if length < MAX_THUMBNAIL_BYTES {
                length
            } else {
                MAX_THUMBNAIL_BYTES
            };
            length + 2 * picture + BESIDE_PARTS
        }
        _ => 2 * PART_BYTES + BESIDE_PARTS,
    }
}

/// The large uploads that one isolate takes at once; above them it answers `service_overloaded`.
pub const LARGE_UPLOADS_AT_ONCE: usize = UPLOADS_MEMORY_BYTES / upload_memory(None);

/// How long an upload may be silent before its slot is anybody's. A dead one blocks its token for as long.
pub const LEASE_SECONDS: u64 = 120;
