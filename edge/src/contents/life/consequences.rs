//! The consequences of new values. They are the same for every rule, so no rule can forget one.

use super::change::{AppealEffect, Effects, Event, EvidenceEffect, Removal, TrailLine};
use super::content::{Captions, Content, Presentation};
use super::life::Life;
use crate::base::ids::UploadUuid;
use crate::base::slug::id_of;
use crate::contents::life::packed_media::read_media;
use contract::ContentState;
use contract::api::{AppealState, EventData, WaitsFor};
use contract::job::{JobWork, Quality};
use serde_json::{Value, json};

/// Adds the consequences of the new values to the effects that a rule asks for.
pub(super) fn add(before: &Life, after: &mut Life, effects: &mut Effects) {
    forget_deleted_words(before, after);
    keep_slug(before, after);
    let (old, new) = (&before.content, &after.content);
    let has_new_state = new.state != old.state;
    effects.event = state_event(old, new)
        .or_else(|| waiting_event(before, after))
        .or_else(|| rejected_appeal_event(before, after, effects))
        .or_else(|| completed_event(before, after));
    effects.removals.extend(removals(before, after));
    effects.trail.extend(evidence_line(before, effects));
    effects.is_purged |= is_shown_otherwise(old, new);
    effects.needs_cleanup |= has_new_state || new.generation > old.generation || has_ended_change(before, after);
    let (garbage, used) = files(before, after);
    effects.garbage.extend(garbage);
    effects.used.extend(used);
    effects.drops_flag |= old.is_approved() && !new.is_approved() && !effects.keeps_flag();
    effects.forgets_frames |= old.is_waiting() && !new.is_waiting();
    effects.forgets_words |= has_new_state && new.state == ContentState::Deleted;
    after.content.events_count += u64::from(effects.event.is_some());
}

/// Returns the trail's line about an owner who deletes a content that is kept as evidence.
fn evidence_line(before: &Life, effects: &Effects) -> Option<TrailLine> {
    let Some(EvidenceEffect::Kept(kept)) = &effects.evidence else { return None };
    Some(TrailLine {
        actor: format!("account:{}", before.facts.account_id),
        action: if kept.is_decided() { "removed_content_deleted" } else { "flagged_content_deleted" },
        detail: Some(kept.state.as_str().to_owned()),
    })
}

/// Removes the owner's words from a deleted content. Its slug keeps only the random id at its end, so that no other
/// content ever gets its address.
fn forget_deleted_words(before: &Life, after: &mut Life) {
    let content = &mut after.content;
    if content.state != ContentState::Deleted || before.content.state == ContentState::Deleted {
        return;
    }
    content.slug_url = id_of(&content.slug_url).to_owned();
    content.slug_caption = None;
    content.caption = None;
    content.ai_summary_of_content = None;
    content.external_id = None;
    content.metadata = None;
    after.jobs.iter_mut().for_each(|job| job.traceparent = None);
}

/// Keeps the caption from which a short slug is derived.
fn keep_slug(before: &Life, after: &mut Life) {
    let (old, new) = (&before.content, &mut after.content);
    let is_short = crate::base::slug::is_short(&new.slug_url) && new.is_compacted == old.is_compacted;
    if is_short && new.slug_caption.is_none() && new.caption != old.caption {
        new.slug_caption = Some(old.caption.clone().unwrap_or_default());
    }
}

fn state_event(old: &Content, new: &Content) -> Option<Event> {
    let state = new.state;
    let is_told = state != old.state && state != ContentState::Processing;
    let has_failed = matches!(state, ContentState::Rejected | ContentState::Failed | ContentState::TakenDown);
    // A separate event lets owners tell a reversal from a first publication.
    let is_restored = old.is_removed() && new.is_approved();
    is_told.then(|| Event {
        kind: format!("content.{}", if is_restored { "restored" } else { state.as_str() }),
        data: EventData {
            scheduled_publish_at_unix: new
                .scheduled_publish_at_unix
                .filter(|_| state == ContentState::Scheduled)
                .map(|time| time.0),
            needs_release: (state == ContentState::Scheduled && new.needs_release != 0).then_some(true),
            published_at_unix: new.published_at_unix.filter(|_| state.is_public()).map(|time| time.0),
            quality: quality_of(new).filter(|_| state.is_public()),
            error_message_code: new.error_code.clone().filter(|_| has_failed),
            detail: new.error_detail.clone().filter(|_| has_failed),
            policy_code: new.policy_code.clone().filter(|_| has_failed),
            ..event_data(old, new)
        },
    })
}

/// Returns the data of every event about a content. The deletion event still has the client's own id.
fn event_data(old: &Content, new: &Content) -> EventData {
    EventData {
        content_id: Some(new.id),
        content_uuid: Some(new.uuid.to_string()),
        slug_url: Some(new.long_slug().into_string()),
        external_id: old.external_id.clone().filter(|_| new.external_id.is_none()).or_else(|| new.external_id.clone()),
        ..EventData::default()
    }
}

/// Returns the event about a video that can be watched in all its qualities from now on.
fn completed_event(before: &Life, after: &Life) -> Option<Event> {
    let (old, new) = (&before.content, &after.content);
    let has_completed = before.is_pending(JobWork::Completion) && !after.is_pending(JobWork::Completion);
    let is_told = has_completed && new.state.is_public() && quality_of(new) == Some(Quality::Full);
    is_told.then(|| Event {
        kind: "content.completed".to_owned(),
        data: EventData {
            quality: Some(Quality::Full),
            published_at_unix: new.published_at_unix.map(|time| time.0),
            ..event_data(old, new)
        },
    })
}

fn quality_of(content: &Content) -> Option<Quality> {
    read_media(content.media.as_deref()?).ok().map(|media| media.quality)
}

fn rejected_appeal_event(before: &Life, after: &Life, effects: &Effects) -> Option<Event> {
    let is_rejected = effects.appeal == Some(AppealEffect::Decided(AppealState::Rejected));
    is_rejected.then(|| Event {
        kind: "content.appeal_rejected".to_owned(),
        data: EventData {
            policy_code: after.content.policy_code.clone(),
            ..event_data(&before.content, &after.content)
        },
    })
}

/// Returns the event about waiting. A repeated check is reported only the first time.
fn waiting_event(before: &Life, after: &Life) -> Option<Event> {
    let (old, new) = (&before.content, &after.content);
    let waits_for = new.waits_for.filter(|_| new.waits_for != old.waits_for)?;
    let is_first = after.job(JobWork::Video).is_none_or(|job| job.check_waits == 1);
    (waits_for == WaitsFor::Person || is_first).then(|| Event {
        kind: "content.waiting".to_owned(),
        data: EventData { waits_for: Some(waits_for.as_str().to_owned()), ..event_data(old, new) },
    })
}

/// Returns the entries of the removal log, which contain none of the owner's texts.
fn removals(before: &Life, after: &Life) -> Vec<Removal> {
    let (old, new) = (&before.content, &after.content);
    let mut removals = Vec::new();
    let mut log = |kind, is_removed, data| {
        removals.push(Removal { kind, subject: new.uuid.to_string(), is_removed, data });
    };
    if new.state != old.state && new.is_removed() {
        log("content", true, removed_content(new, &before.facts.upload_uuid));
    }
    if old.is_removed() && new.is_approved() {
        log("content", false, json!({}));
    }
    // A postponed publication must not happen at its earlier time.
    let was_to_come = matches!(old.state, ContentState::Processing | ContentState::Scheduled);
    if was_to_come && new.scheduled_publish_at_unix != old.scheduled_publish_at_unix {
        let time = new.scheduled_publish_at_unix;
        log("schedule", time.is_some(), json!({ "publish_at_unix": time }));
    }
    // The owner changed or removed the caption.
    if old.caption.is_some() && new.caption != old.caption && new.state != ContentState::Deleted {
        log("caption", true, json!({}));
    }
    let presentation = new.presentation();
    if presentation != old.presentation() {
        log("presentation", presentation != Presentation::default(), json!(presentation));
    }
    removals.extend(removed_captions(before, after));
    removals
}

fn removed_content(content: &Content, upload_uuid: &UploadUuid) -> Value {
    let is_told = content.state != ContentState::Deleted;
    json!({
        "state": content.state,
        "upload_uuid": upload_uuid,
        "error_code": content.error_code.as_ref().filter(|_| is_told),
        "error_detail": content.error_detail.as_ref().filter(|_| is_told),
        "policy_code": content.policy_code.as_ref().filter(|_| is_told),
    })
}

/// Returns the entries about captions. Replaced captions are wanted again if the job of the change fails.
fn removed_captions(before: &Life, after: &Life) -> Vec<Removal> {
    let entry = |captions: &Captions, is_removed| Removal {
        kind: "captions",
        subject: captions.name.to_string(),
        is_removed,
        data: json!({}),
    };
    let changed = |old: &Captions| {
        let new = after.captions.iter().find(|new| new.name == old.name);
        match new {
            Some(new) => (new.is_wanted != old.is_wanted).then(|| entry(old, new.is_wanted == 0)),
            None => (old.is_wanted != 0 && !after.content.is_removed()).then(|| entry(old, true)),
        }
    };
    before.captions.iter().filter_map(changed).collect()
}

/// Whether viewers who could see the content see something else from now on.
fn is_shown_otherwise(old: &Content, new: &Content) -> bool {
    fn shown(content: &Content) -> impl PartialEq {
        (
            (content.state, content.slug_url.clone(), content.media_name.clone(), content.caption.clone()),
            (content.published_at_unix, content.media.clone(), content.media_generation),
            (content.thumbnail.generation, content.captions_generation, content.presentation()),
        )
    }
    old.state.is_public() && old.is_compacted == new.is_compacted && shown(old) != shown(new)
}

/// Whether a job of an approved content has ended. Its files, or those that it replaces, may not be needed.
fn has_ended_change(before: &Life, after: &Life) -> bool {
    [JobWork::Completion, JobWork::Thumbnail, JobWork::Captions]
        .into_iter()
        .any(|kind| before.is_pending(kind) && !after.is_pending(kind))
}

/// Returns the sent files that become garbage, and the sent files that are used from now on. A sent file is garbage
/// whenever no content wants it, so the sweep deletes unused files. An origin that still reads one works on an obsolete
/// job.
fn files(before: &Life, after: &Life) -> (Vec<UploadUuid>, Vec<UploadUuid>) {
    let (old, new) = (wanted_files(before), wanted_files(after));
    let garbage = old.iter().filter(|name| !new.contains(name)).cloned().collect();
    let used = new.into_iter().filter(|name| !old.contains(name)).collect();
    (garbage, used)
}

/// Returns the sent files that a content wants, without the first job's picture, which is the upload's.
fn wanted_files(life: &Life) -> Vec<UploadUuid> {
    let changes = life.jobs.iter().filter(|job| job.kind != JobWork::Video);
    let pictures = changes.filter_map(|job| job.input.picture.clone());
    pictures.chain(life.captions.iter().map(|captions| captions.name.clone())).collect()
}
