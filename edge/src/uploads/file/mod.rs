//! Checks, hashes and stores the file of an upload while it streams past.
//!
//! `sink` receives the bytes. If the length of the body is known, `streamed` sends all parts but the last straight into
//! R2, as `part_plan` cuts them, and `small` holds a file that is too small for that. If it is unknown, `buffered`
//! collects each part in memory first.

mod buffered;
mod multipart_object;
pub(crate) mod padding;
pub(crate) mod part_plan;
mod sink;
mod small;
pub(crate) mod store_context;
mod streamed;

pub(crate) use sink::{FileSink, ObjectToStore, ReceivedFile, refused_file, too_large};
pub(crate) use store_context::StoreContext;
