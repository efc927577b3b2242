//! Processes real clips, which ffmpeg makes when the tests run.
//!
//! One program for all tests: they share helpers and clips, and run in parallel.

mod arguments;
mod clips;
mod colours;
mod containers;
mod dash;
mod flashes;
mod forgeries;
mod full_disk;
mod hardware;
mod hls;
mod hostile;
mod insets;
mod keyframes;
mod metadata;
mod mutants;
mod opened;
mod pictures;
mod processed_clip;
mod rates;
mod second_codec;
mod sound;
mod subtitles;
mod two_minutes;
mod video;
