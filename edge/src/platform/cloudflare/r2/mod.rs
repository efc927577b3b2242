//! R2: the object store of uploads and the sweep, and of the media that viewers read.
//!
//! `bucket` is the only way to R2. It counts every operation.

mod bucket;
mod error_code;
mod object_store;
mod reading;
mod segment;
mod writer;

pub(crate) use bucket::R2;
#[cfg(feature = "development")]
pub(crate) use error_code::R2ErrorCode;
pub(crate) use reading::MediaStream;
pub(crate) use segment::JsSegment;
