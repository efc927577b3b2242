//! From curl to a playing video: the whole system with its origin, seen through a real browser.

mod accessibility;
mod captions;
mod console;
mod controls;
mod dash;
mod deletion;
mod desk;
mod direct_uploads;
mod documentation;
mod embedding;
mod first_quality;
mod labels;
mod mutants;
mod playing;
mod playlists;
mod previews;
mod resumable_uploads;
mod second_codec;
mod subtitles;
mod sync;
mod zoom;

use std::process::ExitCode;
use tests::BrowserSuite;

const THREADS: usize = 2;

fn main() -> anyhow::Result<ExitCode> {
    BrowserSuite::new("browser", THREADS)?.run()
}
