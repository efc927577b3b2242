//! Decides while a file arrives whether the service accepts it, or why not.
//!
//! The prober measures, the public limits decide. The Worker and the `clipgate` client both use it, so they agree.
//! Nothing else in this crate knows the limits.

use crate::{Container, FileRefusal, ForeignClass, Media, MediaTrack, Prober, TrackKind, Verdict};
use contract::ErrorCode;
use contract::limits::{
    MAX_OVERHANG_MS, MAX_PIXELS_PER_SECOND, VIDEO_DURATION_MS, counted_duration_ms, exceeds_pixel_rate,
};

/// The reason why the service refuses a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFile {
    pub code: ErrorCode,
    /// The problem of this file, as a sentence.
    pub detail: String,
}

/// Judges one file.
#[derive(Debug, Default)]
pub struct FileJudge(Prober);

impl FileJudge {
    /// Takes the next bytes. Refuses the file as soon as they prove it invalid.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), RefusedFile> {
        // The end of the file decides whether only the last frames are too late.
        let longest = VIDEO_DURATION_MS.end() + MAX_OVERHANG_MS;
        match self.0.feed(bytes) {
            Verdict::Refused(reason) => return Err(unsupported(reason)),
            // A declared duration that is too long is reason enough to refuse, just like a proven one.
            Verdict::Provisional(media) if media.duration_ms > longest => {
                return Err(wrong_duration(media.duration_ms, longest_track(media)));
            }
            _ => {}
        }
        let proven = self.0.proven_ms();
        if proven > longest { Err(wrong_duration(proven, None)) } else { Ok(()) }
    }

    /// Saves the judgement so far, to be continued by `restore`. Returns `None` if its state is too large.
    #[cfg(feature = "state")]
    pub fn save(&self) -> Option<Vec<u8>> {
        self.0.save()
    }

    /// Continues a judgement. Returns `None` if this version did not save it.
    #[cfg(feature = "state")]
    pub fn restore(saved: &[u8]) -> Option<Self> {
        Prober::restore(saved).map(Self)
    }

    /// Ends the file and returns the final verdict, which may differ from what a header declared.
    pub fn finish(self) -> Result<Media, RefusedFile> {
        let media = self.0.finish().map_err(|reason| unsupported(&reason))?;
        let media = Media { duration_ms: counted_duration(&media)?, ..media };
        if has_too_many_pixels(&media) { Err(too_many_pixels()) } else { Ok(media) }
    }
}

/// Returns the duration that counts, or the refusal of a video that is too short or too long. Edge and origin both
/// decide with it.
pub fn counted_duration(media: &Media) -> Result<u64, RefusedFile> {
    let counted = counted_duration_ms(media.duration_ms, media.least_ms, *VIDEO_DURATION_MS.end());
    // Players choose one of several video tracks, so each must be long enough.
    if let Some(shortest) = media.shortest_video_ms.filter(|shortest| shortest < VIDEO_DURATION_MS.start()) {
        return Err(short_track(shortest));
    }
    if VIDEO_DURATION_MS.contains(&counted) {
        return Ok(counted);
    }
    Err(wrong_duration(media.duration_ms, longest_track(media)))
}

/// Returns the name of the longest track, if there are others.
fn longest_track(media: &Media) -> Option<&'static str> {
    let has = |kind| media.tracks.iter().any(|track| track.kind == kind);
    match media.longest_track.filter(|_| has(TrackKind::Video) && has(TrackKind::Audio))? {
        TrackKind::Video => Some("picture"),
        TrackKind::Audio => Some("sound"),
        TrackKind::Other => None,
    }
}

/// Whether the pictures have more pixels than an origin would decode. Only MP4 counts its pictures in advance; other
/// containers declare a rate that may be wrong, and an origin measures it.
fn has_too_many_pixels(media: &Media) -> bool {
    let counts_pictures = matches!(media.container, Container::Mp4 | Container::Quicktime | Container::ThreeGp);
    let exceeds =
        |track: &MediaTrack| Some(exceeds_pixel_rate(track.coded_width?, track.coded_height?, track.frame_rate?));
    counts_pictures && media.video().and_then(exceeds).unwrap_or(false)
}

/// Writes a duration in seconds, to the millisecond.
pub fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

fn unsupported(reason: &FileRefusal) -> RefusedFile {
    let mut detail = reason.to_string();
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let is_text = matches!(reason, FileRefusal::NotAVideo { what } if what.class == ForeignClass::Text);
    let advice = if is_text { ". Send the video itself, not its name or address." } else { "." };
    RefusedFile { code: ErrorCode::ContentFileInvalidFormat, detail: detail + advice }
}

fn too_many_pixels() -> RefusedFile {
    let detail = format!(
        "The video has more than {} million pixels per second. Export it with a lower frame rate or a smaller picture.",
        MAX_PIXELS_PER_SECOND / 1_000_000
    );
    RefusedFile { code: ErrorCode::ContentFileInvalidFormat, detail }
}

fn short_track(milliseconds: u64) -> RefusedFile {
    let detail = format!(
        "The file has several video tracks, and one is only {} seconds long. Each must be at least {} seconds long.",
        seconds(milliseconds),
        VIDEO_DURATION_MS.start() / 1000
    );
    RefusedFile { code: ErrorCode::ContentVideoDurationInvalid, detail }
}

fn wrong_duration(milliseconds: u64, longest_track: Option<&str>) -> RefusedFile {
    let (shortest, longest) = (VIDEO_DURATION_MS.start() / 1000, VIDEO_DURATION_MS.end() / 1000);
    let played = seconds(milliseconds);
    let track = longest_track.map(|track| format!(" Its longest track is the {track}.")).unwrap_or_default();
    let detail = format!("The video is {played} seconds long. It must be {shortest} to {longest} seconds long.{track}");
    RefusedFile { code: ErrorCode::ContentVideoDurationInvalid, detail }
}
