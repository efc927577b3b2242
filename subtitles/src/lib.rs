//! Subtitle files of strangers, reduced to plain text and times.
//!
//! `parse` reads WebVTT and SubRip, `tidy` bounds what was read, and `document` writes it as plain WebVTT, without
//! styles, positions, markup or hidden characters. The Worker does this before it stores a file, and an origin again
//! before it publishes one. It must not depend on IO, nor on what the subtitles are for.

mod cue;
mod file;
mod markup;
mod webvtt;

pub use cue::{Cue, plain_text, tidy, visible};
pub use file::parse;
pub use webvtt::document;
