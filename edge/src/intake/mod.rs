//! The way of an upload: admitted, received while it streams past, stored, committed, announced.
//!
//! 1. `reservation` checks the key, counts its use and takes a slot, in one transaction.
//! 2. `form` sorts the parts, `fields` and `thumbnail` check the small ones, `file_sink` takes the file: `verdict`
//!    judges it, and whatever proves it unfit ends the upload there.
//! 3. `token` finds out whether this upload already happened.
//! 4. Once the closing boundary was seen and everything fits, the object is made whole.
//! 5. `commit` makes the content, in one transaction. From here on nothing is undone.
//! 6. The job goes to the queue; if it does not get there, the sweep sends it.
//!
//! Anything but a success gives the slot back and removes what was stored. What a crash leaves, the sweep removes.

pub mod commit;
pub mod fields;
pub mod file_sink;
pub mod form;
pub mod names;
mod receive;
pub mod reservation;
pub mod thumbnail;
pub mod token;
mod undo;
mod upload;
pub mod verdict;

#[cfg(test)]
mod tests;

pub use receive::{Accepted, UploadRequest, receive};
