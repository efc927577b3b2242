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
use futures_util::future::{Either, select};
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
        let step = if self.job.details.may_be_completed { Plan::first_step } else { std::convert::identity };
        let inspect = self.spanned("inspect", self.inspect(folder, &thumbnail, step));
        let plan = self.step(Stage::Inspect, inspect).await?;
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
        let TranscodedVideo { plan, report } = &video;
        let store = self.verify_and_store(folder, plan, report.subtitles.clone(), report.thumbhash.clone());
        let (mut store, mut stored) = (Box::pin(store), None);
        // The files are stored while the frames are compared, because neither needs the other's result.
        let moderate = async {
            let moderate = Box::pin(self.spanned("moderate", self.moderate(folder, &video)));
            match select(moderate, &mut store).await {
                Either::Left((evidence, _)) => evidence,
                Either::Right((media, moderate)) => {
                    stored = Some(media?);
                    moderate.await
                }
            }
        };
        let evidence = self.step(Stage::Moderate, Box::pin(moderate)).await?;
        let rest = async { if let Some(media) = stored { Ok(media) } else { store.await } };
        let media = self.step(Stage::Store, rest).await?;
        let ModerationEvidence { findings, frames, examination } = evidence;
        Ok(JobOutcome::Processed { media, findings, frames, examination })
    }

    /// Plans the part of the work that `step` leaves to this job.
    pub(super) async fn inspect(
        self,
        folder: &Arc<JobFolder>,
        thumbnail: &ThumbnailChoice,
        step: fn(Plan) -> Plan,
    ) -> Result<Plan, JobError> {
        let thumbnail = thumbnail.clone();
        let work = move |context: &MediaContext<'_>| {
            let inspection = media::source::inspect(context)?;
            let sound = media::plan::plan_sound(context, &inspection)?;
            let random =
                random_numbers::<SECRET_SAMPLES>().map_err(|error| MediaError::Transient(error.to_string()))?;
            let plan = step(Plan::new(&inspection, sound, &thumbnail).with_encoders(context.tools.encoders));
            Ok(media::plan::plan_rates(context, &inspection, plan)?.with_secret_samples(&random))
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
    pub(super) async fn verify_and_store(
        self,
        folder: &Arc<JobFolder>,
        plan: &Plan,
        subtitles: Subtitles,
        thumbhash: String,
    ) -> Result<StoredMedia, JobError> {
        let Subtitles { tracks, dropped, .. } = subtitles.clone();
        let verified_plan = plan.clone();
        let verify = move |context: &MediaContext<'_>| {
            let verified = media::verify::check_outputs(context, &verified_plan, &subtitles)?;
            let files = media::lists::write_lists(context, &verified_plan, &verified, &subtitles)?;
            Ok((verified, files))
        };
        let (verified, files) = self.spanned("verify", self.run_blocking(folder, verify)).await?;
        let VerifiedOutputs { duration_ms, width, height, .. } = verified;
        Ok(StoredMedia {
            duration_ms,
            width,
            height,
            has_audio: plan.sound.is_some(),
            thumbhash,
            quality: if plan.step == Step::First { Quality::First } else { Quality::Full },
            files: self.upload_all(folder, files).await?,
            subtitles: tracks,
            dropped_subtitles: dropped,
        })
    }
}
