//! The first job of a video: its outputs, or those that it needs to be published, and the evidence for moderation.

use crate::job::failure::JobError;
use crate::job::moderate::{ModerationSubject, extract_distinct_pictures, moderate_video};
use crate::job::steps::JobSteps;
use crate::job::work_folder::JobFolder;
use crate::media::encode::{EncodeReport, Subtitles};
use crate::media::plan::{Plan, Step, ThumbnailChoice};
use crate::media::verify::VerifiedOutputs;
use crate::media::{self, MediaContext, MediaError};
use crate::moderation::ModerationEvidence;
use crate::retry::random_numbers;
use crate::telemetry::metrics;
use contract::Stage;
use contract::job::{JobOutcome, Quality, StoredMedia};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Samples whose times the uploader cannot predict.
const SECRET_SAMPLES: usize = 8;

struct TranscodedVideo {
    plan: Plan,
    report: EncodeReport,
}

impl JobSteps<'_> {
    /// Inspects, makes, examines and stores the video.
    pub(super) async fn process_video(self, folder: &Arc<JobFolder>) -> Result<JobOutcome, JobError> {
        let download = Box::pin(self.spanned("download", self.download_video(folder)));
        let thumbnail = self.step(Stage::Download, download).await?;
        let plan = self.step(Stage::Inspect, self.spanned("inspect", self.inspect(folder, &thumbnail))).await?;
        let plan = if self.job.details.may_be_completed { plan.first_step() } else { plan };
        self.within_time(plan.duration_ms, Box::pin(self.process(folder, plan, thumbnail))).await
    }

    /// Bounds the time of the steps after the inspection of a video with this duration.
    pub(super) async fn within_time(
        self,
        duration_ms: u64,
        work: impl Future<Output = Result<JobOutcome, JobError>>,
    ) -> Result<JobOutcome, JobError> {
        let limit = media::time_after_inspection(duration_ms, self.context.tools.encoders);
        let outcome = tokio::time::timeout(limit, work).await;
        outcome.unwrap_or_else(|_| Err(JobError::Undecided(format!("the work took longer than {} s", limit.as_secs()))))
    }

    async fn download_video(self, folder: &JobFolder) -> Result<ThumbnailChoice, JobError> {
        self.download_source(folder).await?;
        self.download_thumbnail(folder).await
    }

    /// The steps whose time limit follows from the plan.
    async fn process(
        self,
        folder: &Arc<JobFolder>,
        plan: Plan,
        thumbnail: ThumbnailChoice,
    ) -> Result<JobOutcome, JobError> {
        let video =
            self.step(Stage::Transcode, self.spanned("encode", self.transcode(folder, plan, thumbnail))).await?;
        let evidence = self.step(Stage::Moderate, self.spanned("moderate", self.moderate(folder, &video))).await?;
        let TranscodedVideo { plan, report } = video;
        let media = self.step(Stage::Store, self.store(folder, plan, report.subtitles, report.thumbhash)).await?;
        let ModerationEvidence { findings, frames, examination } = evidence;
        Ok(JobOutcome::Processed { media, findings, frames, examination })
    }

    pub(super) async fn inspect(self, folder: &Arc<JobFolder>, thumbnail: &ThumbnailChoice) -> Result<Plan, JobError> {
        let thumbnail = thumbnail.clone();
        let work = move |context: &MediaContext<'_>| {
            let inspection = media::source::inspect(context)?;
            let sound = media::plan::plan_sound(context, &inspection)?;
            let random =
                random_numbers::<SECRET_SAMPLES>().map_err(|error| MediaError::Transient(error.to_string()))?;
            let plan = media::plan::plan_encodes(context, &inspection, Plan::new(&inspection, sound, &thumbnail))?;
            Ok(plan.with_secret_samples(&random))
        };
        self.run_blocking(folder, work).await
    }

    async fn transcode(
        self,
        folder: &Arc<JobFolder>,
        plan: Plan,
        thumbnail: ThumbnailChoice,
    ) -> Result<TranscodedVideo, JobError> {
        let progress = self.progress.clone();
        let work = move |context: &MediaContext<'_>| {
            let report_percent = |percent| progress.report(Stage::Transcode, percent);
            let started = Instant::now();
            let report = media::encode::write_outputs(context, &plan, &thumbnail, report_percent)?;
            metrics::record_encode(Duration::from_millis(plan.duration_ms), started.elapsed());
            super::report_hardware_failure(report.hardware_failure.as_deref());
            media::package::write_renditions(context, &plan)?;
            Ok(TranscodedVideo { plan, report })
        };
        self.run_blocking(folder, work).await
    }

    async fn moderate(self, folder: &Arc<JobFolder>, video: &TranscodedVideo) -> Result<ModerationEvidence, JobError> {
        let plan = video.plan.clone();
        let distinct = self.run_blocking(folder, move |context| extract_distinct_pictures(context, &plan)).await?;
        let subject = ModerationSubject {
            content_uuid: &self.job.id.content_uuid,
            caption: self.job.details.caption.as_deref(),
            summary: self.job.details.summary.as_deref(),
            plan: &video.plan,
            observations: &video.report.observations,
            subtitles: &video.report.subtitles.text,
            distinct: &distinct,
            folder: folder.scratch(),
        };
        moderate_video(self.context, subject).await
    }

    /// Verifies every output before any of them leaves this machine.
    pub(super) async fn store(
        self,
        folder: &Arc<JobFolder>,
        plan: Plan,
        subtitles: Subtitles,
        thumbhash: String,
    ) -> Result<StoredMedia, JobError> {
        let has_audio = plan.sound.is_some();
        let quality = if plan.step == Step::First { Quality::First } else { Quality::Full };
        let Subtitles { tracks, dropped, .. } = subtitles.clone();
        let verify = move |context: &MediaContext<'_>| {
            let verified = media::verify::check_outputs(context, &plan, &subtitles)?;
            let files = media::lists::write_lists(context, &plan, &verified, &subtitles)?;
            Ok((verified, files))
        };
        let (verified, files) = self.spanned("verify", self.run_blocking(folder, verify)).await?;
        let VerifiedOutputs { duration_ms, width, height, .. } = verified;
        let files = self.upload_all(folder, files).await?;
        let (subtitles, dropped_subtitles) = (tracks, dropped);
        Ok(StoredMedia {
            duration_ms,
            width,
            height,
            has_audio,
            thumbhash,
            quality,
            files,
            subtitles,
            dropped_subtitles,
        })
    }
}
