//! Makes the poster and the thumbnails of a video that was processed earlier, from the file that is shown or from a
//! picture that its owner sent.
//!
//! The file is one of ours, but it is read like a stranger's: by one demuxer, in the sandbox. Must not judge whether
//! the pictures may be shown.

use super::arguments::still_argv;
use super::whole_file::is_whole_jpeg;
use super::{folders, poster, sent_picture};
use crate::media::files::{CANDIDATES, output};
use crate::media::plan::{ThumbnailChoice, candidate_times};
use crate::media::process::run_ffmpeg;
use crate::media::{MediaContext, MediaError, limits};
use contract::MediaFile;
use std::fs;
use std::path::Path;

/// Writes the poster, the thumbnails and the small copy for moderation. Returns the placeholder.
pub fn write_other_thumbnail(
    context: &MediaContext<'_>,
    choice: &ThumbnailChoice,
    duration_ms: u64,
) -> Result<String, MediaError> {
    let path = output(context.folder, MediaFile::Poster);
    match choice {
        ThumbnailChoice::AtMs(time) => write_best_frame(context, vec![*time], duration_ms, &path)?,
        ThumbnailChoice::Best => write_best_frame(context, candidate_times(duration_ms), duration_ms, &path)?,
        ThumbnailChoice::SentPicture(picture) => {
            let picture = sent_picture::open(picture)?;
            folders::create(context.folder)?;
            sent_picture::write_poster(&picture, &path)?;
        }
    }
    poster::write_thumbnails(context.folder)
}

/// Writes the best of the frames at these times.
fn write_best_frame(
    context: &MediaContext<'_>,
    times: Vec<u64>,
    duration_ms: u64,
    poster: &Path,
) -> Result<(), MediaError> {
    folders::create(context.folder)?;
    for (number, time) in times.into_iter().enumerate() {
        let argv = still_argv(context.source, context.tools.threads, time, number);
        run_ffmpeg(context, &argv, limits::encode_time(duration_ms), |_| {})?;
    }
    folders::reject_links(context.folder)?;
    let frames = folders::list(&context.folder.join(CANDIDATES))?;
    if !frames.iter().all(|frame| fs::read(frame).is_ok_and(|bytes| is_whole_jpeg(&bytes))) {
        return Err(MediaError::Undecided("a frame was not written to its end".into()));
    }
    poster::choose(context.folder, poster)
}
