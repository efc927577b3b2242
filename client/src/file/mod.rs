//! The file of an upload: what it is, what the service will say about it, and its bytes on their way.

mod body;
mod error;
mod judged;

pub(crate) use body::VerifiedBody;
pub use error::FileError;
pub use judged::JudgedFile;
