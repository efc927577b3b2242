//! The captions job: makes the subtitle tracks from those of the source and the files that the owner sent, has the sent
//! text examined, and reports the result.
//!
//! The files of the first job are the record of the source's tracks: its playlist names them, and its folder has them.

use crate::clients::store::StoreError;
use crate::job::failure::JobError;
use crate::job::steps::{JobSteps, MAX_LIST_BYTES, list_text};
use crate::job::work_folder::JobFolder;
use crate::media::encode::{CaptionFiles, MadeCaptions};
use crate::media::lists::TrackLists;
use crate::media::{self, MediaContext};
use crate::moderation::ModerationEvidence;
use contract::job::{CaptionsWork, JobOutcome, SentCaptions, StoredSubtitles};
use contract::limits::MAX_CAPTIONS_TEXT_BYTES;
use contract::moderation::{Check, Examination};
use contract::{MediaFile, Stage};
use std::sync::Arc;

/// Larger than a thumbnail.
const MAX_PICTURE_BYTES: u64 = 4 << 20;

/// The downloaded files.
struct CaptionSources {
    files: CaptionFiles,
    lists: TrackLists,
}

impl JobSteps<'_> {
    /// Makes, examines and stores the tracks.
    pub(super) async fn replace_captions(self, folder: &Arc<JobFolder>) -> Result<JobOutcome, JobError> {
        let work = self.job.details.captions.as_ref();
        let work = work.ok_or_else(|| JobError::Permanent("the job does not say which captions to show".to_owned()))?;
        let download = Box::pin(self.spanned("download", self.download_captions(folder, work)));
        let CaptionSources { files, lists } = self.step(Stage::Download, download).await?;
        let duration_ms = self.job.details.duration_ms;
        let picture = folder.thumbnail();
        let write = move |context: &MediaContext<'_>| {
            let made = media::encode::write_captions(context.folder, &files, duration_ms)?;
            media::encode::write_moderation_copy(&picture, context.folder)?;
            let verified = media::verify::check_captions(context.folder, &made.tracks, duration_ms)?;
            let files = media::lists::replace_tracks(context.folder, &lists, &verified)?;
            Ok((made, files))
        };
        let (made, files) =
            self.step(Stage::Transcode, self.spanned("encode", self.run_blocking(folder, write))).await?;
        let examine = self.spanned("moderate", self.examine_text(folder, &made, work.is_examined));
        let evidence = self.step(Stage::Moderate, examine).await?;
        let files = self.step(Stage::Store, self.upload_all(folder, files)).await?;
        let ModerationEvidence { findings, examination, .. } = evidence;
        let subtitles = StoredSubtitles { tracks: made.tracks, files };
        Ok(JobOutcome::Captions { subtitles, findings, examination })
    }

    async fn download_captions(self, folder: &JobFolder, work: &CaptionsWork) -> Result<CaptionSources, JobError> {
        self.context.store.download_small(&work.picture_key, &folder.thumbnail(), MAX_PICTURE_BYTES).await?;
        let lists = self.download_lists(folder, work.media_generation).await?;
        let mut files = CaptionFiles::default();
        for track in media::lists::subtitle_tracks(&lists.master_playlist) {
            let key = self.file_of_generation(work.media_generation, MediaFile::Subtitles(track.number));
            let file = self.download_bytes(folder, &key, MAX_LIST_BYTES).await?;
            files.source.push((track, file));
        }
        for SentCaptions { language, key } in &work.files {
            match self.download_bytes(folder, key, MAX_CAPTIONS_TEXT_BYTES).await {
                Ok(file) => files.sent.push((language.clone(), file)),
                // A restored database may name captions that were replaced since its backup. The others must be shown.
                Err(StoreError::Missing(key)) => tracing::error!(key, "captions are not in the object store"),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(CaptionSources { files, lists })
    }

    async fn download_lists(self, folder: &JobFolder, generation: u64) -> Result<TrackLists, JobError> {
        let playlist = self.file_of_generation(generation, MediaFile::MasterPlaylist);
        let master_playlist = list_text(&self.download_bytes(folder, &playlist, MAX_LIST_BYTES).await?);
        let manifest = self.file_of_generation(generation, MediaFile::DashManifest);
        let dash_manifest = match self.download_bytes(folder, &manifest, MAX_LIST_BYTES).await {
            Ok(bytes) => Some(list_text(&bytes)),
            Err(StoreError::Missing(_)) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(TrackLists { master_playlist, dash_manifest })
    }

    /// Examines the text that the owner sent, with a picture of the video.
    async fn examine_text(
        self,
        folder: &JobFolder,
        made: &MadeCaptions,
        is_examined: bool,
    ) -> Result<ModerationEvidence, JobError> {
        if made.text.is_empty() || is_examined {
            return Ok(nothing_to_examine());
        }
        self.examine_poster(folder, 0, &made.text).await
    }
}

/// The evidence about a change that adds no text. The classifier would have nothing to object to.
fn nothing_to_examine() -> ModerationEvidence {
    let examination = Examination { checks: vec![Check::Classifier], ..Examination::default() };
    ModerationEvidence { findings: Vec::new(), frames: Vec::new(), examination }
}
