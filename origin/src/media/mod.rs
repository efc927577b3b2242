//! Turns a downloaded file in a private folder into verified outputs beside it.
//!
//! Five stages, each a folder that imports only the ones before it: `source` (facts about the file) → `plan`
//! (decisions) → `encode` (what ffmpeg makes) → `package` (HLS) → `verify` (proof that all outputs match the plan).
//! `process` alone starts ffmpeg and ffprobe; the loose files are vocabulary that every stage shares. All of it blocks:
//! the caller provides a thread. It must not depend on the queue, the object store or the edge.

mod context;
mod encode;
mod encoders;
mod error;
pub mod files;
mod frame_rate;
mod hardware;
mod limits;
mod package;
mod plan;
mod process;
mod source;
mod units;
mod verify;

pub use context::{Access, CancelFlag, Confinement, MediaContext, NoConfinement, Tools};
pub use encode::{
    CaptionFiles, EncodeReport, FlashSpan, MadeCaptions, Observations, Subtitles, TimeSpan, argv, extract_frames,
    pair_argv, requirements, second_codec_argv, small_frames, try_hardware, try_second_codec, write_captions,
    write_moderation_copy, write_other_thumbnail, write_outputs,
};
pub use encoders::{Encoder, Encoders, Preset, Quality, SecondCodec};
pub use error::MediaError;
pub use frame_rate::FrameRate;
pub use hardware::Hardware;
pub use limits::time_after_inspection;
pub use package::write_renditions;
pub use plan::{
    Colour, Plan, SecondLadder, Segments, SoundPlan, SoundTreatment, Stills, Storyboard, SubtitlePlan, ThumbnailChoice,
    plan_encodes, plan_sound,
};
pub use source::{
    Alignment, AudioStream, Gain, Inspection, Language, Loudness, SubtitleKind, SubtitleStream, VideoStream, inspect,
};
pub use verify::{
    BitRates, Rendition, TrackLists, VerifiedOutputs, check_captions, check_outputs, check_thumbnails, subtitle_tracks,
};

/// Runs all stages, for callers that do not report them one by one.
pub fn process_file(
    context: &MediaContext<'_>,
    thumbnail: &ThumbnailChoice,
    on_progress: impl FnMut(u8),
) -> Result<(Plan, EncodeReport, VerifiedOutputs), MediaError> {
    let inspection = inspect(context)?;
    let sound = plan_sound(context, &inspection)?;
    let plan = plan_encodes(context, &inspection, Plan::new(&inspection, sound, thumbnail))?;
    let report = write_outputs(context, &plan, thumbnail, on_progress)?;
    write_renditions(context, &plan)?;
    let verified = check_outputs(context, &plan, &report.subtitles)?;
    Ok((plan, report, verified))
}
