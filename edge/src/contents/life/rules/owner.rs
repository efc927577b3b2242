//! The actions of owners: change, reschedule, release, publish and delete a video.

use super::appeal::Appealable;
use super::jobs::want_change;
use super::schedule;
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{AppealEffect, Effects, Evidence, EvidenceEffect};
use crate::contents::life::content::{Captions, Content};
use crate::contents::life::job::Input;
use crate::contents::life::life::Life;
use crate::people::keys::daily_changes::max_content_changes;
use contract::api::{AppealState, Member};
use contract::job::JobWork;
use contract::subtitles::MAX_SUBTITLE_TRACKS;
use contract::{ContentState, ErrorCode, FieldPurpose, FormField};
use serde_json::{Map, Value};

/// New values. Each is valid by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Update {
    /// The columns that change, with their new values.
    pub columns: Map<String, Value>,
    pub schedule: Member<UnixSeconds>,
    /// Whether its owner wants each label.
    pub is_sensitive: Option<bool>,
    pub is_ai_generated: Option<bool>,
    pub thumbnail: Option<Input>,
    /// Whether the category exists, if the update changes it.
    pub has_known_category: bool,
}

/// The captions that a content should have in one language. Without a file, they are removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedCaptions<'a> {
    pub language: &'a str,
    pub file: Option<&'a CaptionsFile>,
}

/// A file with captions, by the name under which it is stored.
#[derive(Clone, Debug)]
pub(crate) struct CaptionsFile {
    pub name: UploadUuid,
    pub sha256: String,
}

type Rule = Result<(), ErrorCode>;

/// Appeals against the rejection or removal of the content. Sending the same text again changes nothing.
pub(in crate::contents::life) fn appeal(life: &mut Life, text: &str, effects: &mut Effects, now: UnixSeconds) -> Rule {
    if life.facts.appeal == Some(AppealState::Pending) && life.facts.appeal_text.as_deref() == Some(text) {
        return Ok(());
    }
    let content = &life.content;
    let appealable = Appealable {
        state: content.state,
        policy_code: content.policy_code.as_deref(),
        may_be_appealed: life.facts.may_be_appealed != 0,
        is_stored: content.media.is_some() && content.media_generation.is_some(),
        finished_at: content.finished_at_unix,
        is_appealed: life.facts.appeal.is_some(),
    };
    appealable.until(now).ok_or(ErrorCode::AppealNotPossible)?;
    count(life, effects)?;
    effects.appeal = Some(AppealEffect::Made { text: text.to_owned() });
    Ok(())
}

/// Makes all the changes, or none. A value that is already stored is always accepted, so a repeated update succeeds.
pub(in crate::contents::life) fn update(
    life: &mut Life,
    update: &Update,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Rule {
    check_state(&life.content, update)?;
    check_category(&life.content, update)?;
    check_schedule(&life.content, &update.schedule, now)?;
    let thumbnail = update.thumbnail.as_ref().filter(|wanted| is_new_thumbnail(life, wanted));
    if let Some(wanted) = thumbnail {
        check_thumbnail(life, wanted)?;
    }
    let content = with_values(&life.content, update)?;
    let is_logged = takes_words_back(&life.content, update)
        || postpones(&life.content, &update.schedule)
        || content.presentation() != life.content.presentation();
    if thumbnail.is_some() || is_logged {
        count(life, effects)?;
    }
    life.content = content;
    set_schedule(&mut life.content, &update.schedule, now);
    if let Some(wanted) = thumbnail {
        let job = life.job_mut(JobWork::Thumbnail, now);
        job.input = wanted.clone();
        want_change(job, now);
    }
    Ok(())
}

/// Checks the state. The client's own data may change as long as the content exists.
fn check_state(content: &Content, update: &Update) -> Rule {
    let is_own_data =
        |name: &String| FormField::named(name).is_some_and(|field| field.purpose() == FieldPurpose::Client);
    let changes_content = update.thumbnail.is_some()
        || update.schedule.is_sent()
        || update.is_sensitive.or(update.is_ai_generated).is_some()
        || !update.columns.keys().all(is_own_data);
    let is_final = content.state == ContentState::Deleted || (changes_content && content.is_removed());
    if is_final { Err(ErrorCode::ContentStateConflict) } else { Ok(()) }
}

fn check_category(content: &Content, update: &Update) -> Rule {
    let wanted = update.columns.get("super_category_id").and_then(Value::as_u64);
    let is_new = wanted.is_some() && wanted != content.super_category_id;
    if is_new && !update.has_known_category { Err(ErrorCode::ContentCategoryInvalid) } else { Ok(()) }
}

/// Checks the publication time. A public content accepts only the time that it had, or none.
fn check_schedule(content: &Content, wanted: &Member<UnixSeconds>, now: UnixSeconds) -> Rule {
    let is_to_come = matches!(content.state, ContentState::Processing | ContentState::Scheduled);
    match wanted {
        Member::Missing => Ok(()),
        Member::Null if is_to_come || content.state.is_public() => Ok(()),
        Member::Value(time) if Some(*time) == content.scheduled_publish_at_unix => Ok(()),
        Member::Value(time) if is_to_come && schedule::is_allowed(*time, now) => Ok(()),
        Member::Value(_) if is_to_come => Err(ErrorCode::ContentScheduleInvalid),
        Member::Null | Member::Value(_) => Err(ErrorCode::ContentStateConflict),
    }
}

fn set_schedule(content: &mut Content, wanted: &Member<UnixSeconds>, now: UnixSeconds) {
    match wanted {
        Member::Missing => {}
        Member::Value(time) => content.scheduled_publish_at_unix = Some(*time),
        Member::Null => {
            content.scheduled_publish_at_unix = None;
            publish_unless_later(content, now);
        }
    }
}

fn publish_unless_later(content: &mut Content, now: UnixSeconds) {
    if content.state == ContentState::Scheduled && !content.is_for_later(now) {
        content.state = ContentState::Published;
        content.published_at_unix = Some(now);
    }
}

/// Whether a thumbnail needs a job. The shown or pending thumbnail does not; pictures are compared by their hashes.
/// After a failed job, the same request starts another job.
pub(crate) fn is_new_thumbnail(life: &Life, wanted: &Input) -> bool {
    let wish = (wanted.thumbnail_seconds, wanted.picture_sha256.as_deref());
    match life.job(JobWork::Thumbnail) {
        Some(job) if job.is_pending() => wish != (job.input.thumbnail_seconds, job.input.picture_sha256.as_deref()),
        Some(job) if job.has_failed() => true,
        _ => {
            let shown = &life.content.thumbnail;
            wish != (shown.seconds, shown.picture_sha256.as_deref())
        }
    }
}

fn check_thumbnail(life: &Life, wanted: &Input) -> Rule {
    let duration_ms = life.content.duration_ms;
    if wanted.thumbnail_seconds.is_some_and(|seconds| u64::from(seconds) * 1000 > duration_ms) {
        return Err(ErrorCode::ContentThumbnailTimeInvalid);
    }
    if wanted.picture.is_some() { check_file(life) } else { Ok(()) }
}

/// Refuses a file that came too late, because the sweep may have deleted it.
fn check_file(life: &Life) -> Rule {
    if life.facts.is_file_stored == 1 { Ok(()) } else { Err(ErrorCode::UploadTooSlow) }
}

/// Whether the update replaces or removes the caption, which leaves an entry in the removal log.
fn takes_words_back(content: &Content, update: &Update) -> bool {
    let caption = update.columns.get("caption");
    content.caption.is_some() && caption.is_some_and(|caption| caption.as_str() != content.caption.as_deref())
}

fn postpones(content: &Content, schedule: &Member<UnixSeconds>) -> bool {
    schedule.value().is_some_and(|time| Some(*time) != content.scheduled_publish_at_unix)
}

/// Counts the change, if the daily limit of the channel allows it.
fn count(life: &Life, effects: &mut Effects) -> Rule {
    if life.facts.content_changes >= max_content_changes(life.facts.daily_upload_limit) {
        return Err(ErrorCode::DailyChangeLimitReached);
    }
    effects.is_counted = true;
    Ok(())
}

/// Changes the captions of one language.
pub(in crate::contents::life) fn change_captions(
    life: &mut Life,
    wanted: WantedCaptions<'_>,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Rule {
    check_captions(life, wanted)?;
    if !are_new_captions(life, wanted) {
        return Ok(());
    }
    if wanted.file.is_some() {
        check_file(life)?;
    }
    count(life, effects)?;
    // Captions that viewers never saw are dropped. Shown captions stay until the change is made.
    let is_replaced = |captions: &Captions| captions.language == wanted.language && captions.is_wanted != 0;
    life.captions.retain(|captions| !(is_replaced(captions) && captions.is_shown == 0));
    life.captions.iter_mut().filter(|captions| is_replaced(captions)).for_each(|captions| captions.is_wanted = 0);
    life.captions.extend(wanted.file.map(|file| Captions {
        name: file.name.clone(),
        language: wanted.language.to_owned(),
        sha256: file.sha256.clone(),
        is_wanted: 1,
        is_shown: 0,
    }));
    want_change(life.job_mut(JobWork::Captions, now), now);
    Ok(())
}

/// Whether the wanted captions differ from the current captions of the language.
pub(crate) fn are_new_captions(life: &Life, wanted: WantedCaptions<'_>) -> bool {
    let current = life.wanted_captions().find(|captions| captions.language == wanted.language);
    current.map(|captions| captions.sha256.as_str()) != wanted.file.map(|file| file.sha256.as_str())
}

pub(crate) fn check_captions(life: &Life, wanted: WantedCaptions<'_>) -> Rule {
    if life.content.is_removed() {
        return Err(ErrorCode::ContentStateConflict);
    }
    let others = life.wanted_captions().filter(|captions| captions.language != wanted.language).count();
    let is_one_too_many = wanted.file.is_some() && u32::try_from(others).is_ok_and(|one| one >= MAX_SUBTITLE_TRACKS);
    if is_one_too_many { Err(ErrorCode::ContentCaptionsTooMany) } else { Ok(()) }
}

/// Changes the publication time of a content that is not public yet.
pub(in crate::contents::life) fn reschedule(life: &mut Life, time: UnixSeconds, effects: &mut Effects) -> Rule {
    if !matches!(life.content.state, ContentState::Processing | ContentState::Scheduled) {
        return Err(ErrorCode::ContentStateConflict);
    }
    if life.content.scheduled_publish_at_unix != Some(time) {
        count(life, effects)?;
        life.content.scheduled_publish_at_unix = Some(time);
    }
    Ok(())
}

/// Removes the publication time and releases the content. An approved content is published at once, a processing one
/// when it is approved.
pub(in crate::contents::life) fn publish_now(life: &mut Life, now: UnixSeconds) -> Rule {
    if life.content.state == ContentState::Published {
        return Ok(());
    }
    life.content.scheduled_publish_at_unix = None;
    release(life, now)
}

/// Releases the content. Its publication time still holds: an approved content without a time to come is published at
/// once.
pub(in crate::contents::life) fn release(life: &mut Life, now: UnixSeconds) -> Rule {
    match life.content.state {
        ContentState::Published => return Ok(()),
        ContentState::Processing | ContentState::Scheduled => {}
        _ => return Err(ErrorCode::ContentStateConflict),
    }
    life.content.needs_release = 0;
    publish_unless_later(&mut life.content, now);
    Ok(())
}

/// Deletes the content in any state. The sweep deletes its objects.
///
/// If moderation had removed it, or if it is flagged and undecided, its texts are kept as evidence until the given
/// time, and the sweep deletes its objects no earlier.
pub(in crate::contents::life) fn delete(
    life: &mut Life,
    evidence_until: UnixSeconds,
    effects: &mut Effects,
    now: UnixSeconds,
) {
    if life.content.state == ContentState::Deleted {
        return;
    }
    if is_evidence(life) && evidence_until > now {
        let content = &life.content;
        effects.evidence = Some(EvidenceEffect::Kept(Evidence {
            state: content.state,
            caption: content.caption.clone(),
            summary: content.ai_summary_of_content.clone(),
            deleted_at_unix: now,
            kept_until_unix: evidence_until,
        }));
    }
    let content = &mut life.content;
    content.state = ContentState::Deleted;
    (content.waits_for, content.waits_since_unix) = (None, None);
    content.finished_at_unix = content.finished_at_unix.or(Some(now));
}

fn is_evidence(life: &Life) -> bool {
    let content = &life.content;
    let by_moderation = content.error_code.as_deref() == Some(ErrorCode::ContentModerationRejected.as_str());
    (content.is_removed() && by_moderation) || (content.is_approved() && life.facts.flagged_at_unix.is_some())
}

/// Returns the content with the values of the update that do not depend on the time.
fn with_values(content: &Content, update: &Update) -> Result<Content, ErrorCode> {
    let mut content = with_columns(content, &update.columns).ok_or(ErrorCode::InternalError)?;
    if let Some(is_wanted) = update.is_sensitive {
        content.is_sensitive = content.is_sensitive.changed_by_owner(is_wanted)?;
    }
    if let Some(is_wanted) = update.is_ai_generated {
        content.is_ai_generated = content.is_ai_generated.changed_by_owner(is_wanted)?;
    }
    Ok(content)
}

/// Returns the content with these columns replaced, or `None` if a value does not fit its column.
fn with_columns(content: &Content, columns: &Map<String, Value>) -> Option<Content> {
    let Ok(Value::Object(mut row)) = serde_json::to_value(content) else { return None };
    row.extend(columns.clone());
    serde_json::from_value(Value::Object(row)).ok()
}
