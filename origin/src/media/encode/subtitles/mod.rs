//! Converts the text tracks of the source to WebVTT, with a playlist for each.
//!
//! In: the tracks in the plan. Out: [`Subtitles`], and two files for each published track. ffmpeg reduces a track to
//! plain text and times. What viewers get is written anew from the parsed cues, so nothing else of a track can reach
//! them: no style, no position, no script, no control character. A track that cannot be read is named and does not fail
//! the job.

mod cues;
pub(super) mod labels;
mod playlist;

use super::arguments::{closed_captions_argv, subtitle_argv};
use super::folders;
use crate::media::files::{SUBTITLE_TEXT, output};
use crate::media::limits::{self, MAX_SUBTITLE_BYTES};
use crate::media::plan::{Plan, dropped};
use crate::media::process::run_ffmpeg;
use crate::media::source::{SubtitleKind, SubtitleStream};
use crate::media::units::milliseconds;
use crate::media::{MediaContext, MediaError};
use ::subtitles::{Cue, document, plain_text, tidy};
use contract::MediaFile;
use contract::subtitles::{DropReason, DroppedSubtitles, MAX_SUBTITLE_TRACKS, SubtitleTrack};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// The published and the dropped subtitle tracks of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subtitles {
    pub tracks: Vec<SubtitleTrack>,
    pub dropped: Vec<DroppedSubtitles>,
    /// The text of all tracks, for moderation.
    pub text: String,
    /// Whether the pictures carry closed captions. They are a track too.
    pub has_closed_captions: bool,
}

/// Writes the files of all tracks that have text.
pub(super) fn write(context: &MediaContext<'_>, plan: &Plan) -> Result<Subtitles, MediaError> {
    let mut subtitles = Subtitles { dropped: plan.subtitles.dropped.clone(), ..Subtitles::default() };
    for stream in &plan.subtitles.converted {
        match read_cues(context, plan, stream)? {
            Ok(cues) => publish(context.folder, plan, stream, &cues, &mut subtitles)?,
            Err(reason) => subtitles.dropped.push(dropped(stream, reason)),
        }
    }
    let is_full = subtitles.tracks.len() >= MAX_SUBTITLE_TRACKS as usize;
    if let Some(begin) = plan.subtitles.closed_captions_from.filter(|_| !is_full) {
        add_closed_captions(context, plan, begin, &mut subtitles)?;
    }
    Ok(subtitles)
}

/// Adds the closed captions inside the pictures. Without any text there are none: the channel is often empty.
fn add_closed_captions(
    context: &MediaContext<'_>,
    plan: &Plan,
    begin: f64,
    subtitles: &mut Subtitles,
) -> Result<(), MediaError> {
    let argv = closed_captions_argv(plan, context.source, context.tools.threads);
    let cues = extract(context, &argv, limits::encode_time(plan.duration_ms))?;
    match cues.and_then(|cues| tidy(cues::moved(cues, begin), milliseconds(plan.playing_seconds))) {
        Ok(cues) => {
            subtitles.has_closed_captions = true;
            publish(context.folder, plan, &closed_captions(), &cues, subtitles)?;
        }
        Err(DropReason::Empty) => {}
        Err(reason) => subtitles.dropped.push(dropped(&closed_captions(), reason)),
    }
    Ok(())
}

/// Returns the facts about closed captions, which do not say their language.
fn closed_captions() -> SubtitleStream {
    SubtitleStream {
        stream: 0,
        format: "eia_608".to_owned(),
        kind: SubtitleKind::Text,
        language: None,
        is_default: false,
        is_forced: false,
        is_for_hearing_impaired: true,
    }
}

fn publish(
    folder: &Path,
    plan: &Plan,
    stream: &SubtitleStream,
    cues: &[Cue],
    subtitles: &mut Subtitles,
) -> Result<(), MediaError> {
    let track = labels::track(stream, &subtitles.tracks);
    write_files(folder, track.number, cues, plan.playing_seconds)?;
    subtitles.text += &plain_text(cues);
    subtitles.tracks.push(track);
    Ok(())
}

/// Returns the cues of one track in the order of their times, or why it has none.
fn read_cues(
    context: &MediaContext<'_>,
    plan: &Plan,
    stream: &SubtitleStream,
) -> Result<Result<Vec<Cue>, DropReason>, MediaError> {
    let argv = subtitle_argv(plan, context.source, context.tools.threads, stream.stream);
    let cues = extract(context, &argv, limits::INSPECTION_TIME)?;
    Ok(cues.and_then(|cues| tidy(cues, milliseconds(plan.playing_seconds))))
}

/// Runs ffmpeg, which writes the text of one track, and parses it.
fn extract(
    context: &MediaContext<'_>,
    argv: &[OsString],
    time_limit: Duration,
) -> Result<Result<Vec<Cue>, DropReason>, MediaError> {
    match run_ffmpeg(context, argv, time_limit, |_| {}) {
        Err(MediaError::Rejected { .. }) => return Ok(Err(DropReason::Unreadable)),
        other => other?,
    }
    folders::reject_links(context.folder)?;
    let text = read_text(&context.folder.join(SUBTITLE_TEXT))?;
    Ok(text.map(|text| cues::parse(&text)).ok_or(DropReason::TooLarge))
}

/// Returns the text that ffmpeg extracted, or `None` if it is too long.
fn read_text(path: &Path) -> Result<Option<String>, MediaError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_SUBTITLE_BYTES).read_to_end(&mut bytes));
    let length = read.map_err(|error| MediaError::io("reading subtitles", &error))?;
    let is_cut = u64::try_from(length).is_ok_and(|length| length >= MAX_SUBTITLE_BYTES);
    Ok((!is_cut).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Writes the WebVTT file of a track and its playlist.
pub(super) fn write_files(folder: &Path, number: u32, cues: &[Cue], seconds: f64) -> Result<(), MediaError> {
    for (file, text) in [
        (MediaFile::Subtitles(number), document(cues)),
        (MediaFile::SubtitlePlaylist(number), playlist::format(number, seconds)),
    ] {
        fs::write(output(folder, file), text).map_err(|error| MediaError::io("writing subtitles", &error))?;
    }
    Ok(())
}
