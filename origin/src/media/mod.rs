//! Turns a downloaded file in a private folder into verified outputs beside it.
//!
//! Four stages, each a folder that imports only the ones before it: `source` (facts about the file) → `plan`
//! (decisions) → `encode` (the outputs) → `verify` (proof that they match the plan). `process` alone starts ffmpeg and
//! ffprobe; the loose files are vocabulary that every stage shares. All of it blocks: the caller provides a thread. It
//! must not depend on the queue, the object store or the edge.

mod context;
mod encode;
mod error;
pub mod files;
mod frame_rate;
mod limits;
mod plan;
mod process;
mod source;
mod units;
mod verify;

pub use context::{Access, CancelFlag, Confinement, MediaContext, NoConfinement, Tools};
pub use encode::{EncodeReport, Observations, TimeSpan, argv, requirements, write_outputs};
pub use error::MediaError;
pub use frame_rate::FrameRate;
pub use plan::{Colour, Plan, SoundPlan, SoundTreatment, Stills, Storyboard, ThumbnailChoice, plan_sound};
pub use source::{AudioStream, Gain, Inspection, Loudness, VideoStream, inspect};
pub use verify::{Rendition, VerifiedOutputs, check_outputs};

/// Runs all stages, for callers that do not report them one by one.
pub fn process_file(
    context: &MediaContext<'_>,
    thumbnail: &ThumbnailChoice,
    on_progress: impl FnMut(u8),
) -> Result<(Plan, EncodeReport, VerifiedOutputs), MediaError> {
    let inspection = inspect(context)?;
    let sound = plan_sound(context, &inspection)?;
    let plan = Plan::new(&inspection, sound, thumbnail);
    let report = write_outputs(context, &plan, thumbnail, on_progress)?;
    let verified = check_outputs(context, &plan)?;
    Ok((plan, report, verified))
}
