//! The kinds of work. Each file makes, examines and stores what one kind of job asks for.

mod captions;
mod thumbnail;
mod video;

use super::failure::JobError;
use super::steps::JobSteps;
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
            JobWork::Thumbnail => Box::pin(self.replace_thumbnail(&folder)).await,
            JobWork::Captions => Box::pin(self.replace_captions(&folder)).await,
        }
    }
}
