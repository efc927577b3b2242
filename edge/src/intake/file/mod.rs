//! The file of an upload: checked, hashed and stored while it streams past.
//!
//! `sink` takes the bytes. How they are stored depends on the length of the body. If it is known, `streamed` sends all
//! parts but the last straight into R2, as `part_plan` cuts them, and `small` holds a file that is too small for that.
//! If it is unknown, `buffered` collects each part in memory first.

mod buffered;
mod multipart_object;
mod padding;
pub(crate) mod part_plan;
mod sink;
mod small;
mod store_context;
mod streamed;

pub(crate) use sink::{FileSink, ObjectToStore, ReceivedFile, too_large};
pub(crate) use store_context::StoreContext;
