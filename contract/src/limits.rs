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
