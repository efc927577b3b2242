//! Direct uploads: the owner of a channel lets one of its users upload one video, with a one-time token.
//!
//! 1. `mint` checks the `rules` of the owner, and stores them with the hash of a new `token`.
//! 2. An upload with the token goes the same way as one with the key. `slot::reservation` reserves its slot. If an
//!    earlier upload with the token is still in progress, it ends: the newest one wins, so nobody waits for a lock.
//! 3. The commit of the upload uses the token up (`use_up`). A refused upload does not.
//! 4. The owner's list, and what the holder of the token may read, come from `records`.
//!
//! A token ends with its key: `people::keys::open_uploads` revokes it. The sweep expires it (`expiry`).

mod attempts;
mod expiry;
mod mint;
mod records;
mod rules;
mod token;
mod use_up;

pub(crate) use attempts::{end_earlier_attempt, note_attempt, why_ended};
pub(crate) use expiry::expire;
pub(crate) use mint::mint;
pub(crate) use records::{DirectList, Grant, find, list, read, revoke, status};
pub(crate) use rules::Rules;
pub(crate) use token::DirectToken;
pub(crate) use use_up::use_up;
