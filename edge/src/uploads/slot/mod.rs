//! The slot of an upload, and everything else that the database stores about an upload in progress.
//!
//! `reservation` checks the key and reserves the slot, `lease` keeps it while the upload is alive, and `token` makes
//! sure that uploads with the same idempotency key happen once.

pub(crate) mod lease;
pub(crate) mod reservation;
pub(crate) mod token;
