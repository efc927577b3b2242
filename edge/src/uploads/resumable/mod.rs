//! Resumable uploads: the file arrives in several requests, so an upload survives a broken connection.
//!
//! 1. `creation` checks the announced fields, reserves a slot, and inserts the `record`.
//! 2. `append` takes the record over at the offset that the request names, and `storing` stores the bytes. It cuts the
//!    file into `parts` of equal size. On a fast connection, a `piece` streams straight into R2 as a part, because
//!    sending the part again would cost the client little. On a slow one, it streams into a separate object, a tail. If
//!    the client disconnects, the tail keeps the bytes; once it is full, it becomes a part. A checkpoint (`changes`)
//!    then updates the record: after parts, and at the end of the request.
//! 3. `finish` completes the object and commits the upload, as `commit` does for an upload in one request.
//!
//! The record is the source of truth: bytes are stored first, then recorded, and only then acknowledged. Each request
//! that appends raises the record's epoch when it takes the record over. An older request can then write no more
//! checkpoints, so it ends. There is no lock to wait for.
//!
//! The `checker` validates and hashes the bytes as they arrive, and the record stores its state. If a state cannot be
//! saved or read, the upload goes on without it, and the whole file is checked at its end (`read_back`).
//!
//! This module knows only offsets and bytes. `http::routes::resumable_uploads` implements the tus protocol.

mod announcement;
mod append;
mod arrival;
mod changes;
mod checker;
mod creation;
mod finish;
mod location;
mod part_numbers;
mod parts;
mod piece;
mod read_back;
mod record;
mod refusal;
mod settling;
mod storing;

pub(crate) use announcement::Announcement;
pub(crate) use append::{Appended, append};
pub(crate) use arrival::Arrival;
pub(crate) use changes::abandon;
pub(crate) use creation::{Created, NewResumable, create};

pub(crate) use location::Location;
#[cfg(test)]
pub(crate) use record::look;
pub(crate) use record::{Outcome, Progress, allowed_page};
pub(crate) use settling::settled;
