//! A job for another thumbnail: frames of the published video or a picture that its owner sent, moderation of the
//! poster, and the report.

use super::failure::JobError;
use super::steps::JobSteps;
use super::work_folder::JobFolder;
use crate::media::{self, MediaContext, ThumbnailChoice};
use crate::moderation::detectors::Detections;
use crate::moderation::frame_file::FrameFile;
use crate::moderation::{ModerationEvidence, ModerationInput, collect_evidence};
use contract::Stage;
use contract::job::{JobOutcome, StoredPictures};
use std::sync::Arc;

impl JobSteps<'_> {
    /// Makes, examines and stores the pictures.
    pub(super) async fn replace_thumbnail(
        self,
        folder: &Arc<JobFolder>,
        choice: ThumbnailChoice,
    ) -> Result<JobOutcome, JobError> {
        let duration_ms = self.job.details.duration_ms;
        let at_ms = if let ThumbnailChoice::AtMs(time) = choice { time } else { 0 };
        let make = move |context: &MediaContext<'_>| {
            let thumbhash = media::write_other_thumbnail(context, &choice, duration_ms)?;
            Ok((thumbhash, media::check_thumbnails(context)?))
        };
        let (thumbhash, files) =
            self.step(Stage::Transcode, self.spanned("encode", self.run_blocking(folder, make))).await?;
        let evidence =
            self.step(Stage::Moderate, self.spanned("moderate", self.examine_poster(folder, at_ms, ""))).await?;
        let files = self.step(Stage::Store, self.upload_all(folder, files)).await?;
        let ModerationEvidence { findings, frames, .. } = evidence;
        Ok(JobOutcome::Thumbnail { pictures: StoredPictures { thumbhash, files }, findings, frames })
    }

    /// Examines the poster in the folder, and texts that were not examined with the video.
    pub(super) async fn examine_poster(
        self,
        folder: &JobFolder,
        at_ms: u64,
        subtitles: &str,
    ) -> Result<ModerationEvidence, JobError> {
        let path = folder.scratch().join(media::files::MODERATION_POSTER);
        let input = ModerationInput {
            content_uuid: &self.job.id.content_uuid,
            caption: self.job.details.caption.as_deref(),
            summary: self.job.details.summary.as_deref(),
            subtitles,
            duration_ms: self.job.details.duration_ms,
            sound: None,
            frames: &[FrameFile { path, at_ms }],
            unexamined_from_ms: None,
            detections: &Detections::default(),
            classifier: self.context.classifier.as_ref(),
        };
        Ok(collect_evidence(input).await?)
    }
}
