//! The steps of a job between its claim and its report. Each takes what it needs and returns what it produced.

use super::failure::JobError;
use super::heartbeat::ProgressReporter;
use super::moderate::{ModerationSubject, extract_distinct_pictures, moderate_video};
use super::work_folder::JobFolder;
use super::{ClaimedJob, JobContext};
use crate::clients::store::{ObjectDigest, StoreError};
use crate::media::{
    self, CancelFlag, EncodeReport, MediaContext, MediaError, Plan, Subtitles, ThumbnailChoice, Tools, VerifiedOutputs,
};
use crate::moderation::ModerationEvidence;
use crate::retry::random_numbers;
use crate::telemetry::metrics;
use contract::job::{JobDetails, JobOutcome, JobWork, StoredFile, StoredMedia};
use contract::limits::MAX_THUMBNAIL_BYTES;
use contract::{MediaFile, ObjectKey, Stage};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The outputs are many small files and a few large ones.
const CONCURRENT_UPLOADS: usize = 6;

/// Samples whose times the uploader cannot predict.
const SECRET_SAMPLES: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct JobSteps<'a> {
    pub(super) context: &'a JobContext,
    pub(super) job: &'a ClaimedJob,
    pub(super) progress: &'a ProgressReporter,
    pub(super) cancel: &'a CancelFlag,
}

struct TranscodedVideo {
    plan: Plan,
    report: EncodeReport,
}

impl JobSteps<'_> {
    pub(super) async fn run(self) -> Result<JobOutcome, JobError> {
        // The folder is shared with the threads that work in it, and removed when the last of them is done.
        let folder = self.context.folder.create_job_folder();
        let folder = Arc::new(folder.map_err(|error| JobError::Transient(format!("disk error: {error}")))?);
        if self.job.details.work == JobWork::Captions {
            return Box::pin(self.replace_captions(&folder)).await;
        }
        let thumbnail = self.step(Stage::Download, Box::pin(self.spanned("download", self.download(&folder)))).await?;
        if self.job.details.work == JobWork::Thumbnail {
            return self.replace_thumbnail(&folder, thumbnail).await;
        }
        let plan = self.step(Stage::Inspect, self.spanned("inspect", self.inspect(&folder, &thumbnail))).await?;
        let limit = media::time_after_inspection(plan.duration_ms, self.context.tools.encoders);
        let outcome = tokio::time::timeout(limit, self.process(&folder, plan, thumbnail)).await;
        outcome.unwrap_or_else(|_| Err(JobError::Undecided(format!("the work took longer than {} s", limit.as_secs()))))
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
        let media = self.step(Stage::Store, self.store(folder, video)).await?;
        let ModerationEvidence { findings, frames, examination } = evidence;
        Ok(JobOutcome::Processed { media, findings, frames, examination })
    }

    /// Uploads files, several at once.
    pub(super) async fn upload_all(
        self,
        folder: &Arc<JobFolder>,
        files: Vec<(MediaFile, u64)>,
    ) -> Result<Vec<StoredFile>, JobError> {
        let uploads = files.into_iter().map(|(file, size)| self.upload(folder.clone(), file, size));
        let uploads = stream::iter(uploads).buffer_unordered(CONCURRENT_UPLOADS).try_collect();
        self.spanned("upload", uploads).await
    }

    /// Runs a part of the job as a span of that name.
    pub(super) async fn spanned<T>(
        self,
        name: &'static str,
        part: impl Future<Output = Result<T, JobError>>,
    ) -> Result<T, JobError> {
        self.job.span.step(name, part).await
    }

    /// Reports the beginning of a stage, and records how long it took.
    pub(super) async fn step<T>(
        self,
        stage: Stage,
        step: impl Future<Output = Result<T, JobError>>,
    ) -> Result<T, JobError> {
        let started = Instant::now();
        self.progress.report(stage, 0);
        let result = step.await;
        metrics::record_stage(stage, started.elapsed());
        tracing::info!(
            stage = stage.as_str(),
            succeeded = result.is_ok(),
            duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "stage ended"
        );
        result
    }

    async fn download(self, folder: &JobFolder) -> Result<ThumbnailChoice, JobError> {
        let JobDetails { work, thumbnail_key, .. } = &self.job.details;
        // A sent picture alone is enough for another thumbnail.
        if *work == JobWork::Video || thumbnail_key.is_none() {
            self.download_source(folder).await?;
        }
        if let Some(key) = thumbnail_key {
            let path = folder.thumbnail();
            self.context.store.download_small(key, &path, MAX_THUMBNAIL_BYTES as u64).await?;
            return Ok(ThumbnailChoice::SentPicture(path));
        }
        let time_seconds = self.job.details.thumbnail_time_seconds;
        Ok(time_seconds.map_or(ThumbnailChoice::Best, |seconds| ThumbnailChoice::AtMs(u64::from(seconds) * 1000)))
    }

    async fn download_source(self, folder: &JobFolder) -> Result<(), JobError> {
        let JobDetails { source_key, size_bytes, file_sha256, .. } = &self.job.details;
        let sha256 = Some(file_sha256.as_str()).filter(|sha256| !sha256.is_empty());
        let expected = ObjectDigest { size_bytes: *size_bytes, sha256 };
        self.context.store.download(source_key, &folder.source(), expected).await?;
        metrics::record_download(*size_bytes);
        Ok(())
    }

    async fn inspect(self, folder: &Arc<JobFolder>, thumbnail: &ThumbnailChoice) -> Result<Plan, JobError> {
        let thumbnail = thumbnail.clone();
        let work = move |context: &MediaContext<'_>| {
            let inspection = media::inspect(context)?;
            let sound = media::plan_sound(context, &inspection)?;
            let random =
                random_numbers::<SECRET_SAMPLES>().map_err(|error| MediaError::Transient(error.to_string()))?;
            let plan = media::plan_encodes(context, &inspection, Plan::new(&inspection, sound, &thumbnail))?;
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
            let report = media::write_outputs(context, &plan, &thumbnail, report_percent)?;
            metrics::record_encode(Duration::from_millis(plan.duration_ms), started.elapsed());
            if let Some(reason) = &report.hardware_failure {
                metrics::record_hardware_failure();
                tracing::warn!("the graphics card failed, so x264 encoded the video: {reason}");
            }
            media::write_renditions(context, &plan)?;
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
    async fn store(self, folder: &Arc<JobFolder>, video: TranscodedVideo) -> Result<StoredMedia, JobError> {
        let TranscodedVideo { plan, report } = video;
        let (has_audio, thumbhash) = (plan.sound.is_some(), report.thumbhash.clone());
        let Subtitles { tracks: subtitles, dropped: dropped_subtitles, .. } = report.subtitles.clone();
        let verify = move |context: &MediaContext<'_>| media::check_outputs(context, &plan, &report.subtitles);
        let verified = self.spanned("verify", self.run_blocking(folder, verify)).await?;
        let VerifiedOutputs { duration_ms, width, height, files, .. } = verified;
        let files = self.upload_all(folder, files).await?;
        Ok(StoredMedia { duration_ms, width, height, has_audio, thumbhash, files, subtitles, dropped_subtitles })
    }

    async fn upload(self, folder: Arc<JobFolder>, file: MediaFile, size_bytes: u64) -> Result<StoredFile, JobError> {
        let id = &self.job.id;
        let key = ObjectKey::Media { content_uuid: &id.content_uuid, generation: id.generation, file };
        let path = media::files::output(folder.scratch(), file);
        self.context.store.upload(&key.path(), &path, file.content_type()).await?;
        metrics::record_upload(size_bytes);
        let name = file.to_string();
        Ok(StoredFile { name, size_bytes })
    }

    /// Runs media work on a blocking thread, because it waits for ffmpeg.
    pub(super) async fn run_blocking<T: Send + 'static>(
        self,
        folder: &Arc<JobFolder>,
        work: impl FnOnce(&MediaContext<'_>) -> Result<T, MediaError> + Send + 'static,
    ) -> Result<T, JobError> {
        let (tools, folder, cancel) = (self.context.tools.clone(), folder.clone(), self.cancel.clone());
        let task = tokio::task::spawn_blocking(move || run_in_folder(&tools, &folder, &cancel, work));
        let result = task.await.map_err(|panic| JobError::Undecided(format!("a step panicked: {panic}")))?;
        Ok(result?)
    }
}

fn run_in_folder<T>(
    tools: &Tools,
    folder: &JobFolder,
    cancel: &CancelFlag,
    work: impl FnOnce(&MediaContext<'_>) -> Result<T, MediaError>,
) -> Result<T, MediaError> {
    work(&MediaContext { tools, source: &folder.source(), folder: folder.scratch(), cancel })
}

impl From<MediaError> for JobError {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::Rejected { code, detail, cause } => {
                if let Some(cause) = cause {
                    tracing::warn!(cause, "a file cannot be read");
                }
                Self::Refused { code, detail }
            }
            MediaError::Undecided(detail) => Self::Undecided(detail),
            MediaError::Transient(detail) => Self::Transient(detail),
            MediaError::Permanent(detail) => Self::Permanent(detail),
        }
    }
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        match error {
            // The object that the edge stored is missing or different. A retry cannot restore it.
            StoreError::Missing(_) | StoreError::Mismatch { .. } => Self::Permanent(error.to_string()),
            StoreError::Unavailable(_) | StoreError::Disk(_) => Self::Transient(error.to_string()),
        }
    }
}
