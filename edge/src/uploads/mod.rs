//! An upload, from admission to answer: the file is checked and stored while the body streams past.
//!
//! The caller takes the first step with `preview`, the second with `admit`, and the others with `receive`:
//!
//! 0. `preview` refuses a small body that is certainly invalid.
//! 1. `admission` checks the key and reserves a `slot` in one transaction, and then gives the upload its share of the
//!    isolate.
//! 2. `upload` splits the body into form parts. `form` checks the small ones, and `file` checks and stores the file.
//!    The first byte that proves the upload invalid ends it, and so does a client that is slower than the `pace`.
//! 3. `slot::token` checks whether this upload has happened before.
//! 4. After the closing boundary, if everything is valid, the object is completed, and the `attachments` are stored.
//! 5. `commit` creates the content in one transaction, if the key is still valid. Nothing is rolled back after that.
//! 6. The job is sent to the queue. If that fails, the sweep sends it.
//!
//! A refused upload releases its slot and deletes what it stored (`roll_back`). The sweep cleans up after a crash.

mod admission;
mod attachments;
pub(crate) mod captions;
pub(crate) mod categories;
pub(crate) mod commit;
pub(crate) mod direct;
pub(crate) mod file;
mod fingerprint;
pub(crate) mod form;
pub(crate) mod names;
mod new_content;
pub(crate) mod pace;
mod permission;
pub(crate) mod picture;
mod preview;
mod receive;
mod request;
pub(crate) mod resumable;
mod roll_back;
pub(crate) mod slot;
pub(crate) mod small_form;
pub(crate) mod stored_objects;
mod test_upload;
mod upload;

#[cfg(test)]
mod tests;

pub(crate) use admission::{Isolate, admit};
pub(crate) use permission::Permission;
pub(crate) use preview::preview;
pub(crate) use receive::receive;
pub(crate) use request::{AcceptedUpload, UploadRequest};
