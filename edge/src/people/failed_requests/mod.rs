//! The failed requests of a channel's programs, which its owner can read for a week.
//!
//! 1. A request whose key or one-time token proves valid notes its channel (`known_caller`). If the request fails, its
//!    `request` is added to the `buffer` of the isolate, after the response.
//! 2. The buffer gives out a `batch` of a channel at the `pace` that bounds the writes, however often requests fail.
//! 3. `store` puts the batch into R2, in the metadata of an empty object. So a list returns all batches of a day, and
//!    the database has no part in it.
//! 4. The owner reads the `history` that is merged from all batches.
//!
//! A batch that an isolate has not stored when the platform ends it is lost. The counts are for finding mistakes, not
//! for billing.

mod batch;
mod buffer;
mod history;
mod known_caller;
mod pace;
mod request;
mod store;

pub(crate) use batch::Batch;
pub(crate) use buffer::{Buffer, Step};
pub(crate) use known_caller::KnownCaller;
pub(crate) use request::{FailedRequest, Kind, ReceivedRequest};
pub(crate) use store::{delete_old, erase, is_due, put, read};
