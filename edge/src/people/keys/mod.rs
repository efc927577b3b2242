//! Channels, their one API key, and their daily limits.

pub(crate) mod api_key;
pub(crate) mod channels;
pub(crate) mod daily_changes;
pub(crate) mod key_store;
pub(crate) mod open_uploads;
pub(crate) mod pepper_counts;
pub(crate) mod recent_keys;
pub(crate) mod refused_uploads;
pub(crate) mod request_rate;
pub(crate) mod valid_keys;
