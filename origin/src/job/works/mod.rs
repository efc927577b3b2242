//! The kinds of work. Each file makes, examines and stores what one kind of job asks for.

mod captions;
mod completion;
mod thumbnail;
mod video;

use super::failure::JobError;
use super::steps::JobSteps;
use crate::telemetry::metrics;
use contract::job::{JobOutcome, JobWork};
use std::sync::Arc;

impl JobSteps<'_> {
    /// Does the work that the job asks for.
    pub(super) async fn run(self) -> Result<JobOutcome, JobError> {
        // The folder is shared with the threads that work in it, and removed when the last of them is done.
        let folder = self.context.folder.create_job_folder();
        let folder = Arc::new(folder.map_err(|error| JobError::Undecided(format!("disk error: {error}")))?);
        match self.job.details.work {
            JobWork::Video => Box::pin(self.process_video(&folder)).await,
            JobWork::Completion => Box::pin(self.complete_video(&folder)).await,
            JobWork::Thumbnail => Box::pin(self.replace_thumbnail(&folder)).await,
            JobWork::Captions => Box::pin(self.replace_captions(&folder)).await,
        }
    }
}

/// Tells operators that a graphics card failed.
fn report_hardware_failure(reason: Option<&str>) {
    if let Some(reason) = reason {
        metrics::record_hardware_failure();
        tracing::warn!("the graphics card failed, so x264 encoded the video: {reason}");
    }
}
