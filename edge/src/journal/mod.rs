//! Records of changes, written in the transaction of the change: events for owners, lines of the trail for the staff,
//! and entries of the removal log. This folder knows nothing of what changes.

pub(crate) mod events;
pub(crate) mod removals;
pub(crate) mod trail;
