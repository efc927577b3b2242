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
