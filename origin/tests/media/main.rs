//! The media work on real clips, which ffmpeg makes when the tests run.
//!
//! One program for all of it: the helpers are shared, and the clips are made side by side.

mod arguments;
mod clips;
mod full_disk;
mod hostile;
mod kinds;
mod made;
