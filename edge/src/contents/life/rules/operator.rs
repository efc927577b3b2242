//! The actions of operators: retry a job, recreate lost files, erase an account, restore a database.

use super::jobs::{next_generation, want_change};
use super::owner::delete;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{Effects, Evidence, EvidenceEffect, TrailLine};
use crate::contents::life::content::{Captions, Content, Presentation};
use crate::contents::life::job::JobState;
use crate::contents::life::life::Life;
use crate::contents::life::packed_media::read_media;
use contract::api::WaitsFor;
use contract::job::JobWork;
use contract::subtitles::SubtitleTrack;
use contract::{ContentState, ErrorCode, MediaFile};

/// The removals that a restored database has to repeat for a content.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RemovedSince {
    /// The state of a removed content, with the reason.
    pub state: Option<ContentState>,
    pub error_code: Option<String>,
    pub error_detail: Option<String>,
    pub policy_code: Option<String>,
    /// The evidence to keep of a deleted content. Its texts are read from the content.
    pub evidence: Option<Evidence>,
    pub caption: bool,
    /// The names of the files with captions.
    pub captions: Vec<String>,
    pub publish_at: Option<UnixSeconds>,
    /// No content becomes listed, and no label is removed.
    pub presentation: Option<Presentation>,
}

/// Starts a new generation of a content that failed or is processing, or the completion job that was given up, and
/// records in the trail who did.
pub(in crate::contents::life) fn requeue(
    life: &mut Life,
    by: &str,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    if life.content.is_approved() && life.job(JobWork::Completion).is_some_and(|job| job.state == JobState::Dead) {
        effects.trail.push(TrailLine {
            actor: by.to_owned(),
            action: "job_requeued",
            detail: Some("completion".into()),
        });
        want_change(life.job_mut(JobWork::Completion, now), now);
        return Ok(());
    }
    let content = &life.content;
    if !matches!(content.state, ContentState::Failed | ContentState::Processing) {
        return Err(ErrorCode::ContentStateConflict);
    }
    let reason = content.error_code.iter().fold(content.state.as_str().to_owned(), |state, code| state + ": " + code);
    effects.trail.push(TrailLine { actor: by.to_owned(), action: "job_requeued", detail: Some(reason) });
    let job = life.job_mut(JobWork::Video, now);
    job.forget_failures();
    job.check_waits = 0;
    restart(life, now);
    Ok(())
}

/// Lets a content be processed from the beginning. The new generation makes every older job obsolete, even if it is
/// running.
pub(super) fn restart(life: &mut Life, now: UnixSeconds) {
    let content = &mut life.content;
    content.state = ContentState::Processing;
    (content.waits_for, content.waits_since_unix) = (None, None);
    (content.error_code, content.error_detail, content.policy_code) = (None, None, None);
    content.finished_at_unix = None;
    (content.media, content.media_generation) = (None, None);
    life.job_mut(JobWork::Video, now).end(JobState::Waiting, now);
    forget_completion(life, now);
}

/// Ends a completion job of earlier files.
pub(in crate::contents::life) fn forget_completion(life: &mut Life, now: UnixSeconds) {
    if life.job(JobWork::Completion).is_some() {
        let job = life.job_mut(JobWork::Completion, now);
        job.forget_failures();
        job.end(JobState::Done, now);
    }
}

/// Lets a job recreate the thumbnail or the subtitles that the object store has lost. The thumbnail keeps its time.
pub(in crate::contents::life) fn make_again(life: &mut Life, kind: JobWork, now: UnixSeconds) {
    if !life.content.is_approved() || life.is_pending(kind) {
        return;
    }
    let seconds = life.content.thumbnail.seconds;
    let job = life.job_mut(kind, now);
    if kind == JobWork::Thumbnail {
        job.input.thumbnail_seconds = seconds;
        (job.input.picture, job.input.picture_sha256) = (None, None);
    }
    want_change(job, now);
}

/// Deletes a content of an erased account. Evidence is kept as if its owner had deleted it.
pub(in crate::contents::life) fn erase(life: &mut Life, effects: &mut Effects, now: UnixSeconds) {
    let erased_at = life.facts.erased_at_unix.unwrap_or(now);
    delete(life, life.facts.evidence_until_unix.unwrap_or_default(), effects, erased_at);
    life.content.finished_at_unix = life.content.finished_at_unix.or(Some(now));
}

/// Repeats the removals that a restored database has lost.
pub(in crate::contents::life) fn remove_again(
    life: &mut Life,
    removed: &RemovedSince,
    effects: &mut Effects,
    now: UnixSeconds,
) {
    let was = life.content.state;
    match removed.state {
        Some(ContentState::Deleted) if was != ContentState::Deleted => {
            next_generation(life);
            delete(life, UnixSeconds::default(), effects, now);
            effects.evidence = removed.evidence.clone().map(|mut kept| {
                kept.caption.clone_from(&life.content.caption);
                kept.summary.clone_from(&life.content.ai_summary_of_content);
                EvidenceEffect::Kept(kept)
            });
        }
        Some(ContentState::Rejected | ContentState::TakenDown)
            if !life.content.is_removed() && was != ContentState::Failed =>
        {
            next_generation(life);
            remove_content(life, removed, now);
        }
        _ => {}
    }
    if removed.caption {
        life.content.caption = None;
    }
    if let Some(logged) = removed.presentation {
        let content = &mut life.content;
        content.is_unlisted = content.is_unlisted.max(logged.is_unlisted);
        content.is_sensitive = content.is_sensitive.max(logged.is_sensitive);
        content.is_ai_generated = content.is_ai_generated.max(logged.is_ai_generated);
    }
    remove_captions(life, &removed.captions, now);
    let is_to_come = matches!(life.content.state, ContentState::Processing | ContentState::Scheduled);
    if is_to_come && removed.publish_at > life.content.scheduled_publish_at_unix {
        life.content.scheduled_publish_at_unix = removed.publish_at;
    }
}

/// Rejects the content if it is processing, otherwise takes it down.
fn remove_content(life: &mut Life, removed: &RemovedSince, now: UnixSeconds) {
    let content = &mut life.content;
    let is_processing = content.state == ContentState::Processing;
    content.state = if is_processing { ContentState::Rejected } else { ContentState::TakenDown };
    let rejected = || ErrorCode::ContentModerationRejected.as_str().to_owned();
    content.error_code = removed.error_code.clone().or_else(|| Some(rejected()));
    content.error_detail.clone_from(&removed.error_detail);
    content.policy_code.clone_from(&removed.policy_code);
    (content.waits_for, content.waits_since_unix) = (None, None);
    content.finished_at_unix = Some(now);
}

/// Removes captions. Viewers must not see them until an origin works, so their tracks are hidden at once. A job then
/// writes the lists of tracks again.
fn remove_captions(life: &mut Life, names: &[String], now: UnixSeconds) {
    let is_named = |captions: &Captions| names.iter().any(|name| name == captions.name.as_str());
    let shown = life.captions.iter().filter(|captions| is_named(captions) && captions.is_shown != 0);
    let languages: Vec<String> = shown.map(|captions| captions.language.clone()).collect();
    life.captions.retain(|captions| !is_named(captions));
    if languages.is_empty() {
        return;
    }
    hide_tracks(&mut life.content, &languages);
    if !life.content.is_removed() {
        want_change(life.job_mut(JobWork::Captions, now), now);
    }
}

/// Hides the tracks in some languages. If one of these has no track, hides all tracks, because any may be meant.
fn hide_tracks(content: &mut Content, languages: &[String]) {
    let Some(mut media) = content.media.as_deref().and_then(|media| read_media(media).ok()) else { return };
    let is_in = |track: &SubtitleTrack, language: &String| track.language.as_ref() == Some(language);
    let is_found = |language: &String| media.subtitles.iter().any(|track| is_in(track, language));
    let are_found = languages.iter().all(is_found);
    let is_hidden = |track: &SubtitleTrack| !are_found || languages.iter().any(|language| is_in(track, language));
    let hidden: Vec<u32> = media.subtitles.iter().filter(|track| is_hidden(track)).map(|track| track.number).collect();
    media.subtitles.retain(|track| !hidden.contains(&track.number));
    media.files.retain(|file| match MediaFile::parse(&file.name) {
        Some(MediaFile::Subtitles(number) | MediaFile::SubtitlePlaylist(number)) => !hidden.contains(&number),
        _ => true,
    });
    // Media that cannot be written is not shown.
    content.media = serde_json::to_string(&media).ok();
}

/// Restarts a job that may have continued since the backup, in a new folder of the object store. A content that waits
/// for a moderator keeps its files.
pub(in crate::contents::life) fn restart_job(life: &mut Life, now: UnixSeconds) {
    let waits = life.content.waits_for;
    if life.content.state == ContentState::Processing && waits != Some(WaitsFor::Person) {
        restart(life, now);
    } else if let Some(kind) = life.active_job().map(|job| job.kind) {
        life.job_mut(kind, now).end(JobState::Waiting, now);
    }
}
