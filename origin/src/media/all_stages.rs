//! Runs all stages, for callers that do not report them one by one.

use super::encode::{EncodeReport, write_outputs};
use super::lists::write_lists;
use super::package::write_renditions;
use super::plan::{Plan, ThumbnailChoice, plan_rates, plan_sound};
use super::source::inspect;
use super::verify::{VerifiedOutputs, check_outputs};
use super::{MediaContext, MediaError};
use contract::MediaFile;

/// The outputs of a file, and what each stage returned.
#[derive(Debug)]
pub struct ProcessedFile {
    pub plan: Plan,
    pub report: EncodeReport,
    pub verified: VerifiedOutputs,
    /// Every output with its size in bytes.
    pub files: Vec<(MediaFile, u64)>,
}

/// Inspects the file and makes all its outputs.
pub fn process_file(
    context: &MediaContext<'_>,
    thumbnail: &ThumbnailChoice,
    on_progress: impl FnMut(u8),
) -> Result<ProcessedFile, MediaError> {
    let inspection = inspect(context)?;
    let sound = plan_sound(context, &inspection)?;
    let plan = Plan::new(&inspection, sound, thumbnail).with_encoders(context.tools.encoders);
    let plan = plan_rates(context, &inspection, plan)?;
    let report = write_outputs(context, &plan, thumbnail, on_progress)?;
    write_renditions(context, &plan)?;
    let verified = check_outputs(context, &plan, &report.subtitles)?;
    let files = write_lists(context, &plan, &verified, &report.subtitles)?;
    Ok(ProcessedFile { plan, report, verified, files })
}
