//! The steps of a job between its claim and its report. Each takes what it needs and returns what it made.

use super::Origin;
use super::look::{Subject, look};
use crate::failure::JobError;
use crate::heart::Heart;
use crate::measure;
use crate::media::{self, MediaError, Outputs, Plan, Stop, Thumbnail, Tools, Verified, Workshop};
use crate::moderation::Moderated;
use crate::store::{Expected, StoreError};
use crate::work_folder::JobFolder;
use contract::job::{JobDetails, JobId, JobOutcome, StoredFile, StoredMedia};
use contract::limits::MAX_THUMBNAIL_BYTES;
use contract::{MediaFile, ObjectKey, Stage};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;
use std::time::Instant;

/// The outputs are many small files and a few large ones.
const UPLOADS_AT_ONCE: usize = 6;

/// One job, and what it works with.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub origin: &'a Origin,
    pub id: &'a JobId,
    pub details: &'a JobDetails,
    pub heart: &'a Heart,
    pub stop: &'a Stop,
}

/// What ffmpeg made.
struct Made {
    plan: Plan,
    outputs: Outputs,
}

impl Work<'_> {
    pub async fn process(self) -> Result<JobOutcome, JobError> {
        // Shared with the threads that work in it: it goes when the last of them is done.
        let folder = self.origin.folder.job();
        let folder = Arc::new(folder.map_err(|error| disk(&error))?);
        let thumbnail = self
            .step(Stage::Download, Box::pin(self.download(&folder)))
            .await?;
        let plan = self
            .step(Stage::Inspect, self.inspect(&folder, &thumbnail))
            .await?;
        let made = self
            .step(Stage::Transcode, self.transcode(&folder, plan, thumbnail))
            .await?;
        let moderated = self
            .step(Stage::Moderate, self.moderate(&folder, &made))
            .await?;
        let media = self.step(Stage::Store, self.store(&folder, made)).await?;
        Ok(JobOutcome::Processed {
            media,
            findings: moderated.findings,
            frames: moderated.frames,
        })
    }

    /// Says which stage begins, and tells how long it took.
    async fn step<T>(
        self,
        stage: Stage,
        step: impl Future<Output = Result<T, JobError>>,
    ) -> Result<T, JobError> {
        let began = Instant::now();
        self.heart.tell(stage, 0);
        let done = step.await;
        measure::stage_ended(stage, began.elapsed());
        tracing::info!(
            content_uuid = self.id.content_uuid,
            generation = self.id.generation,
            stage = stage.as_str(),
            succeeded = done.is_ok(),
            duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "stage ended"
        );
        done
    }

    async fn download(self, folder: &JobFolder) -> Result<Thumbnail, JobError> {
        let JobDetails {
            source_key,
            size_bytes,
            file_sha256,
            ..
        } = self.details;
        let expected = Expected {
            size_bytes: *size_bytes,
            sha256: file_sha256,
        };
        let store = &self.origin.store;
        store
            .download(source_key, &folder.source(), expected)
            .await?;
        measure::downloaded(*size_bytes);
        if let Some(key) = &self.details.picture_key {
            let picture = folder.picture();
            store
                .download_small(key, &picture, MAX_THUMBNAIL_BYTES as u64)
                .await?;
            return Ok(Thumbnail::Picture(picture));
        }
        let asked = self.details.thumbnail_time_seconds;
        Ok(asked.map_or(Thumbnail::Best, |seconds| {
            Thumbnail::At(u64::from(seconds) * 1000)
        }))
    }

    async fn inspect(
        self,
        folder: &Arc<JobFolder>,
        thumbnail: &Thumbnail,
    ) -> Result<Plan, JobError> {
        let thumbnail = thumbnail.clone();
        let work = move |shop: &Workshop<'_>| {
            let inspection = media::inspect(shop)?;
            let sound = media::settle_sound(shop, &inspection)?;
            Ok(media::plan(&inspection, sound, &thumbnail))
        };
        self.at_the_bench(folder, work).await
    }

    async fn transcode(
        self,
        folder: &Arc<JobFolder>,
        plan: Plan,
        thumbnail: Thumbnail,
    ) -> Result<Made, JobError> {
        let teller = self.heart.teller();
        let work = move |shop: &Workshop<'_>| {
            let tell = |percent| teller.tell(Stage::Transcode, percent);
            let outputs = media::transcode(shop, &plan, &thumbnail, tell)?;
            Ok(Made { plan, outputs })
        };
        self.at_the_bench(folder, work).await
    }

    async fn moderate(self, folder: &JobFolder, made: &Made) -> Result<Moderated, JobError> {
        let subject = Subject {
            content_uuid: &self.id.content_uuid,
            caption: self.details.caption.as_deref(),
            plan: &made.plan,
            findings: &made.outputs.findings,
            folder: folder.work(),
        };
        look(self.origin, subject).await
    }

    /// Makes sure of every output before it leaves this machine.
    async fn store(self, folder: &Arc<JobFolder>, made: Made) -> Result<StoredMedia, JobError> {
        let has_audio = made.plan.sound.is_some();
        let verify = move |shop: &Workshop<'_>| media::verify(shop, &made.plan);
        let verified = self.at_the_bench(folder, verify).await?;
        let Verified {
            duration_ms,
            width,
            height,
            files,
            ..
        } = verified;
        let uploads = files
            .into_iter()
            .map(|(file, size)| self.upload(folder.clone(), file, size));
        let files = stream::iter(uploads)
            .buffer_unordered(UPLOADS_AT_ONCE)
            .try_collect()
            .await?;
        Ok(StoredMedia {
            duration_ms,
            width,
            height,
            has_audio,
            thumbhash: made.outputs.thumbhash,
            files,
        })
    }

    async fn upload(
        self,
        folder: Arc<JobFolder>,
        file: MediaFile,
        size_bytes: u64,
    ) -> Result<StoredFile, JobError> {
        let key = ObjectKey::Media {
            content_uuid: &self.id.content_uuid,
            generation: self.id.generation,
            file,
        };
        let path = media::files::output(folder.work(), file);
        self.origin
            .store
            .upload(&key.path(), &path, file.content_type())
            .await?;
        measure::uploaded(size_bytes);
        let name = file.to_string();
        Ok(StoredFile { name, size_bytes })
    }

    /// Has a thread of its own do what waits for ffmpeg.
    async fn at_the_bench<T: Send + 'static>(
        self,
        folder: &Arc<JobFolder>,
        work: impl FnOnce(&Workshop<'_>) -> Result<T, MediaError> + Send + 'static,
    ) -> Result<T, JobError> {
        let (tools, folder, stop) = (self.origin.tools.clone(), folder.clone(), self.stop.clone());
        let done = tokio::task::spawn_blocking(move || at(&tools, &folder, &stop, work)).await;
        let done =
            done.map_err(|panic| JobError::Transient(format!("a step broke off: {panic}")))?;
        Ok(done?)
    }
}

fn at<T>(
    tools: &Tools,
    folder: &JobFolder,
    stop: &Stop,
    work: impl FnOnce(&Workshop<'_>) -> Result<T, MediaError>,
) -> Result<T, MediaError> {
    work(&Workshop {
        tools,
        source: &folder.source(),
        folder: folder.work(),
        stop,
    })
}

impl From<MediaError> for JobError {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::Rejected { code, detail } => Self::Refused { code, detail },
            MediaError::Transient(detail) => Self::Transient(detail),
            MediaError::Permanent(detail) => Self::Permanent(detail),
        }
    }
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        match error {
            // What the edge stored is not there or not the same: no attempt will bring it back.
            StoreError::Missing(_) | StoreError::Differs { .. } => {
                Self::Permanent(error.to_string())
            }
            StoreError::Unavailable(_) | StoreError::Disk(_) => Self::Transient(error.to_string()),
        }
    }
}

fn disk(error: &std::io::Error) -> JobError {
    JobError::Transient(format!("the disk: {error}"))
}
