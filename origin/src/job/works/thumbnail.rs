//! A job for another thumbnail: frames of the published video or a picture that its owner sent, moderation of the
//! poster, and the report.

use crate::job::failure::JobError;
use crate::job::steps::JobSteps;
use crate::job::work_folder::JobFolder;
use crate::media::plan::ThumbnailChoice;
use crate::media::{self, MediaContext};
use crate::moderation::ModerationEvidence;
use contract::Stage;
use contract::job::{JobOutcome, StoredPictures};
use std::sync::Arc;

impl JobSteps<'_> {
    /// Makes, examines and stores the pictures.
    pub(super) async fn replace_thumbnail(self, folder: &Arc<JobFolder>) -> Result<JobOutcome, JobError> {
        let download = Box::pin(self.spanned("download", self.download_for_thumbnail(folder)));
        let choice = self.step(Stage::Download, download).await?;
        let duration_ms = self.job.details.duration_ms;
        let at_ms = if let ThumbnailChoice::AtMs(time) = choice { time } else { 0 };
        let make = move |context: &MediaContext<'_>| {
            let thumbhash = media::encode::write_other_thumbnail(context, &choice, duration_ms)?;
            Ok((thumbhash, media::verify::check_thumbnails(context)?))
        };
        let (thumbhash, files) =
            self.step(Stage::Transcode, self.spanned("encode", self.run_blocking(folder, make))).await?;
        let evidence =
            self.step(Stage::Moderate, self.spanned("moderate", self.examine_poster(folder, at_ms, ""))).await?;
        let files = self.step(Stage::Store, self.upload_all(folder, files)).await?;
        let ModerationEvidence { findings, frames, .. } = evidence;
        Ok(JobOutcome::Thumbnail { pictures: StoredPictures { thumbhash, files }, findings, frames })
    }

    async fn download_for_thumbnail(self, folder: &JobFolder) -> Result<ThumbnailChoice, JobError> {
        // A sent picture alone is enough.
        if self.job.details.thumbnail_key.is_none() {
            self.download_source(folder).await?;
        }
        self.download_thumbnail(folder).await
    }
}
