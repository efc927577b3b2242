//! The file being uploaded: its format, the predicted verdict, and its body stream.

mod body;
mod error;
mod judged;

pub(crate) use body::{BodyProblem, VerifiedBody};
pub use error::FileError;
pub use judged::JudgedFile;
