//! Resumable uploads.

pub(super) mod client;
mod crashes;
mod ends;
mod limits;
mod outcomes;
mod pieces;
mod writers;
