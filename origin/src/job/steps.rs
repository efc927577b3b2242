//! The steps that all kinds of work share: downloads, uploads, media work on a thread, and the report of each stage.

use super::failure::JobError;
use super::heartbeat::ProgressReporter;
use super::work_folder::JobFolder;
use super::{ClaimedJob, JobContext};
use crate::clients::store::{ObjectDigest, StoreError};
use crate::media::plan::ThumbnailChoice;
use crate::media::{self, CancelFlag, MediaContext, MediaError, Tools};
use crate::telemetry::metrics;
use contract::job::{JobDetails, StoredFile};
use contract::limits::MAX_THUMBNAIL_BYTES;
use contract::{MediaFile, ObjectKey, Stage};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;
use std::time::Instant;

/// The outputs are many small files and a few large ones.
pub(super) const CONCURRENT_TRANSFERS: usize = 6;
/// Longer than a playlist or a manifest of two minutes, and than the subtitles of a source.
pub(super) const MAX_LIST_BYTES: usize = 4 << 20;

#[derive(Clone, Copy)]
pub(super) struct JobSteps<'a> {
    pub(super) context: &'a JobContext,
    pub(super) job: &'a ClaimedJob,
    pub(super) progress: &'a ProgressReporter,
    pub(super) cancel: &'a CancelFlag,
}

impl JobSteps<'_> {
    /// Uploads files, several at once.
    pub(super) async fn upload_all(
        self,
        folder: &Arc<JobFolder>,
        files: Vec<(MediaFile, u64)>,
    ) -> Result<Vec<StoredFile>, JobError> {
        let uploads = files.into_iter().map(|(file, size)| self.upload(folder.clone(), file, size));
        let uploads = stream::iter(uploads).buffer_unordered(CONCURRENT_TRANSFERS).try_collect();
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

    /// Downloads the picture that the owner sent for the thumbnail, if there is one.
    pub(super) async fn download_thumbnail(self, folder: &JobFolder) -> Result<ThumbnailChoice, JobError> {
        let JobDetails { thumbnail_key, thumbnail_time_seconds, .. } = &self.job.details;
        if let Some(key) = thumbnail_key {
            let path = folder.thumbnail();
            self.context.store.download_small(key, &path, MAX_THUMBNAIL_BYTES as u64).await?;
            return Ok(ThumbnailChoice::SentPicture(path));
        }
        Ok(thumbnail_time_seconds
            .map_or(ThumbnailChoice::Best, |seconds| ThumbnailChoice::AtMs(u64::from(seconds) * 1000)))
    }

    pub(super) async fn download_source(self, folder: &JobFolder) -> Result<(), JobError> {
        let JobDetails { source_key, size_bytes, file_sha256, .. } = &self.job.details;
        let sha256 = Some(file_sha256.as_str()).filter(|sha256| !sha256.is_empty());
        let expected = ObjectDigest { size_bytes: *size_bytes, sha256 };
        self.context.store.download(source_key, &folder.source(), expected).await?;
        metrics::record_download(*size_bytes);
        Ok(())
    }

    /// Returns the key of a file that an earlier job of the video made.
    pub(super) fn file_of_generation(self, generation: u64, file: MediaFile) -> String {
        ObjectKey::Media { content_uuid: &self.job.id.content_uuid, generation, file }.path()
    }

    /// Downloads an object that fits into memory.
    pub(super) async fn download_bytes(
        self,
        folder: &JobFolder,
        key: &str,
        max_bytes: usize,
    ) -> Result<Vec<u8>, StoreError> {
        let path = folder.small_object();
        self.context.store.download_small(key, &path, max_bytes as u64).await?;
        Ok(tokio::fs::read(&path).await?)
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

/// Decodes a playlist or a manifest. An origin wrote it, so it is UTF-8. If it is damaged, the check of the new one
/// fails.
pub(super) fn list_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
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
            MediaError::Undecided(detail) | MediaError::Transient(detail) => Self::Undecided(detail),
            MediaError::Permanent(detail) => Self::Permanent(detail),
        }
    }
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        // Even a missing or different object is not the file's fault, and the operators have to know.
        Self::Undecided(error.to_string())
    }
}
