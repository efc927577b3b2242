//! Types that every room uses: ids, times, limits, and the refusal of a request. Imports no other room.

pub(crate) mod daily_limit;
pub(crate) mod ids;
pub(crate) mod known_categories;
pub mod limits;
pub(crate) mod paging;
pub(crate) mod refusal;
pub(crate) mod slug;
pub(crate) mod unix_seconds;
pub(crate) mod unknown_fields;
pub(crate) mod version;
pub(crate) mod visible_text;
