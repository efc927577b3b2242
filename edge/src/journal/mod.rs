//! Records of changes, written in the transaction of the change: events for owners, lines of the trail for the staff,
//! entries of the removal log, and purges of the cache. This room must not depend on the code that makes the changes.

pub(crate) mod cache_tags;
pub(crate) mod events;
pub(crate) mod purges;
pub(crate) mod removals;
pub(crate) mod trail;
