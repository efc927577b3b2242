//! The completion job: makes the renditions that the first job of a video left out, and stores them together with the
//! first job's files in a new folder.
//!
//! The first job's files are copied unchanged, so players can continue to read them. All files are verified, including
//! the copied ones.

use crate::clients::store::StoreError;
use crate::job::failure::JobError;
use crate::job::steps::{CONCURRENT_TRANSFERS, JobSteps, MAX_LIST_BYTES, list_text};
use crate::job::work_folder::JobFolder;
use crate::media::encode::Subtitles;
use crate::media::files::output;
use crate::media::plan::{Plan, ThumbnailChoice};
use crate::media::step_files::earlier_files;
use crate::media::{self, MediaContext};
use contract::job::JobOutcome;
use contract::{MediaFile, Stage};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;

/// The maximum size of a file of the first job. Two minutes at the highest bit rate are much smaller.
const MAX_OUTPUT_BYTES: u64 = 1 << 30;

impl JobSteps<'_> {
    /// Makes, verifies and stores what the first job has left out.
    pub(super) async fn complete_video(self, folder: &Arc<JobFolder>) -> Result<JobOutcome, JobError> {
        let generation = self.job.details.first_generation;
        let generation =
            generation.ok_or_else(|| JobError::Permanent("the job does not say what to complete".into()))?;
        let download = Box::pin(self.spanned("download", self.download_for_completion(folder, generation)));
        let subtitles = self.step(Stage::Download, download).await?;
        let inspect = self.spanned("inspect", self.inspect(folder, &ThumbnailChoice::Best, Plan::rest));
        let plan = self.step(Stage::Inspect, inspect).await?;
        let duration_ms = plan.duration_ms;
        self.within_time(duration_ms, Box::pin(self.make_rest(folder, plan, generation, subtitles))).await
    }

    /// Returns the subtitles of the source, which the playlist of the first job lists.
    async fn download_for_completion(self, folder: &JobFolder, generation: u64) -> Result<Subtitles, JobError> {
        self.download_source(folder).await?;
        let key = self.file_of_generation(generation, MediaFile::MasterPlaylist);
        let playlist = list_text(&self.download_bytes(folder, &key, MAX_LIST_BYTES).await?);
        Ok(Subtitles {
            tracks: media::lists::subtitle_tracks(&playlist),
            has_closed_captions: media::lists::has_closed_captions(&playlist),
            ..Subtitles::default()
        })
    }

    async fn make_rest(
        self,
        folder: &Arc<JobFolder>,
        plan: Plan,
        generation: u64,
        subtitles: Subtitles,
    ) -> Result<JobOutcome, JobError> {
        media::encode::create_folders(folder.scratch())?;
        let tracks = u32::try_from(subtitles.tracks.len()).unwrap_or(u32::MAX);
        let files = earlier_files(&plan, tracks);
        self.spanned("download", self.download_earlier(folder, generation, files)).await?;
        let plan = self.step(Stage::Transcode, self.spanned("encode", self.encode_rest(folder, plan))).await?;
        let store = Box::pin(self.verify_and_store(folder, &plan, subtitles, String::new()));
        let media = self.step(Stage::Store, store).await?;
        Ok(JobOutcome::Completed { media })
    }

    /// Downloads files of the first job to where this job's outputs are.
    async fn download_earlier(
        self,
        folder: &JobFolder,
        generation: u64,
        files: Vec<MediaFile>,
    ) -> Result<(), JobError> {
        let download = |file| async move {
            let (key, path) = (self.file_of_generation(generation, file), output(folder.scratch(), file));
            self.context.store.download_small(&key, &path, MAX_OUTPUT_BYTES).await
        };
        let downloads = stream::iter(files.into_iter().map(download)).buffer_unordered(CONCURRENT_TRANSFERS);
        downloads.try_collect::<()>().await.map_err(|error: StoreError| error.into())
    }

    async fn encode_rest(self, folder: &Arc<JobFolder>, plan: Plan) -> Result<Plan, JobError> {
        let progress = self.progress.clone();
        let work = move |context: &MediaContext<'_>| {
            let report_percent = |percent| progress.report(Stage::Transcode, percent);
            let hardware_failure = media::encode::write_rest(context, &plan, report_percent)?;
            super::report_hardware_failure(hardware_failure.as_deref());
            media::package::write_renditions(context, &plan)?;
            Ok(plan)
        };
        self.run_blocking(folder, work).await
    }
}
