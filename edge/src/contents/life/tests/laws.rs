//! The laws that every change of a video obeys.

use super::steps::Step;
use crate::contents::life::change::{Change, Effects};
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::contents::life::packed_media::read_media;
use contract::job::{JobWork, Quality};
use contract::{ContentState, TRANSITIONS};

/// Fails if a law does not hold after a step.
pub(super) fn check_laws(before: &Life, step: Step, change: &Change) {
    let (old, new, jobs) = (&before.content, &change.after.content, &change.after.jobs);
    let case = || format!("{step:?}: {before:#?} -> {:#?}", change.after);
    let to = new.state;
    if old.state != to {
        let is_known = TRANSITIONS.iter().any(|(from, _, into)| (*from, *into) == (old.state, to));
        assert!(is_known, "{:?} -> {to:?} is no transition: {}", old.state, case());
    }
    let active: Vec<JobWork> = jobs.iter().filter(|job| job.is_active()).map(|job| job.kind).collect();
    let may_be_active = match to {
        ContentState::Processing if new.waits_for.is_none() => [JobWork::Video].as_slice(),
        ContentState::Scheduled | ContentState::Published => {
            &[JobWork::Completion, JobWork::Thumbnail, JobWork::Captions]
        }
        _ => &[],
    };
    assert!(active.len() <= 1 && active.iter().all(|kind| may_be_active.contains(kind)), "{active:?}: {}", case());
    let is_worked_on = to == ContentState::Processing && new.waits_for.is_none();
    let pauses = jobs
        .iter()
        .any(|job| job.kind == JobWork::Video && job.state == JobState::Waiting && job.due_at_unix.is_some());
    let has_job = active == [JobWork::Video] || (is_worked_on && pauses);
    assert_eq!(is_worked_on, has_job, "a video without a job, or the reverse: {}", case());
    assert!(new.generation >= old.generation, "the generation decreased: {}", case());
    if matches!(to, ContentState::Scheduled | ContentState::Published) {
        assert!(new.media.is_some() && new.error_code.is_none(), "{}", case());
        assert_eq!(to.is_public(), new.published_at_unix.is_some() && to == ContentState::Published, "{}", case());
        let is_later = new.needs_release != 0 || new.scheduled_publish_at_unix.is_some();
        assert!(to.is_public() || is_later, "it would never be published: {}", case());
        let waits = |job: &Job| job.state == JobState::Waiting && job.due_at_unix.is_none();
        let is_waiting = jobs.iter().any(|job| job.kind != JobWork::Video && waits(job));
        assert!(!is_waiting || active.len() == 1, "a change waits for nothing: {}", case());
    }
    assert!(!to.is_public() || new.needs_release == 0, "public before its owner released it: {}", case());
    let may_release = matches!(step, Step::Release | Step::PublishNow);
    let is_as_before = new.needs_release == old.needs_release;
    assert!(is_as_before || (may_release && new.needs_release == 0), "released or held: {}", case());
    if to == ContentState::Deleted {
        let words = [&new.caption, &new.ai_summary_of_content, &new.external_id, &new.metadata, &new.slug_caption];
        assert!(words.iter().all(|word| word.is_none()) && new.slug_url == "aB3dE5gH7j", "{}", case());
        assert!(jobs.iter().all(|job| !job.is_pending()), "{}", case());
    }
    if quality(&change.after) == Some(Quality::First) && to != ContentState::Deleted {
        let is_open = |job: &Job| job.kind == JobWork::Completion && job.state != JobState::Done;
        assert!(jobs.iter().any(is_open), "renditions that nobody makes: {}", case());
    }
    if new.is_removed() {
        assert!(jobs.iter().all(|job| job.state != JobState::Dead), "{}", case());
    }
    check_effects(before, &change.after, &change.effects, &case);
}

fn check_effects(before: &Life, after: &Life, effects: &Effects, case: &dyn Fn() -> String) {
    let (from, to) = (before.content.state, after.content.state);
    let has_moved = from != to;
    let told = effects.event.as_ref().map(|event| event.kind.clone());
    if has_moved && to != ContentState::Processing {
        let is_restored = before.content.is_removed() && after.content.is_approved();
        let expected = if is_restored { "restored" } else { to.as_str() };
        assert_eq!(told, Some(format!("content.{expected}")), "{}", case());
    } else {
        let is_completed = quality(before) == Some(Quality::First) && quality(after) == Some(Quality::Full);
        let expected = if is_completed && to.is_public() { "content.completed" } else { "content.waiting" };
        assert!(told.is_none_or(|kind| kind == expected), "{}", case());
    }
    let removed = effects.removals.iter().any(|removal| removal.kind == "content" && removal.is_removed);
    assert_eq!(removed, has_moved && after.content.is_removed(), "the removal log: {}", case());
    assert_eq!(effects.is_purged, from.is_public() && differs_for_viewers(before, after), "the cache: {}", case());
    assert!(!has_moved || effects.needs_cleanup, "{}", case());
    assert_eq!(effects.forgets_words, has_moved && to == ContentState::Deleted, "{}", case());
    let has_left = before.content.is_waiting() && !after.content.is_waiting();
    assert_eq!(effects.forgets_frames, has_left, "{}", case());
}

fn quality(life: &Life) -> Option<Quality> {
    read_media(life.content.media.as_deref()?).ok().map(|media| media.quality)
}

fn differs_for_viewers(before: &Life, after: &Life) -> bool {
    let shown = |life: &Life| {
        let content = &life.content;
        let words = (content.state, content.caption.clone(), content.presentation());
        (words, content.media.clone(), content.thumbnail.generation)
    };
    shown(before) != shown(after)
}
