//! Test videos: what an upload with the field `test` becomes.
//!
//! A test video has its own table, and nothing that shows videos to others reads it, so it cannot become public. It
//! has no file and no job. Instead, `script` says what happens to it and when, and `steps` makes it happen: right after
//! the upload, whenever its owner asks for its status, and otherwise with the sweep.

pub(crate) mod owner;
mod script;
pub(crate) mod steps;

#[cfg(test)]
mod tests;

pub(crate) use script::{first_step_seconds, refusal};
