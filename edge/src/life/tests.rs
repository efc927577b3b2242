//! Every state that the rules can lead a video to: each command is tried on each, and some laws hold after all of them.
//! The diagram in `docs/life-of-a-video.md` is drawn from what was found.

use super::change::{Change, Effects};
use super::job::{Job, JobState};
use super::life::{Facts, Life};
use super::rules::owner::{CaptionsFile, Update, WantedCaptions};
use super::works::{JudgedReport, Verdict, video::VideoVerdict};
use super::{Command, Content, Input, Thumbnail, decide};
use crate::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::job as job_id;
use crate::moderation::decisions::{DecisionKind, DecisionRequest};
use crate::testing::document::check_document;
use crate::unix_seconds::UnixSeconds;
use contract::api::Member;
use contract::job::{JobOutcome, JobWork, MAX_DELIVERY_ATTEMPTS};
use contract::moderation::Recommendation::{Pass, Reject, Review, Wait};
use contract::{ContentState, ErrorCode, TRANSITIONS};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
const HOUR: u64 = 3_600;

/// A way to change a video: who does it, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Claim,
    LastClaim,
    ReportPass,
    ReportReview,
    ReportWait,
    ReportReject,
    ReportInvalid,
    ReportFailure,
    ReportChangeRefused,
    Approve,
    RejectByModerator,
    TakeDown,
    Restore,
    Caption,
    ThumbnailTime,
    Captions,
    Schedule,
    PublishNow,
    Delete,
    TimePasses,
    Requeue,
    MakeThumbnailAgain,
    Erase,
}

const STEPS: [Step; 23] = [
    Step::Claim,
    Step::LastClaim,
    Step::ReportPass,
    Step::ReportReview,
    Step::ReportWait,
    Step::ReportReject,
    Step::ReportInvalid,
    Step::ReportFailure,
    Step::ReportChangeRefused,
    Step::Approve,
    Step::RejectByModerator,
    Step::TakeDown,
    Step::Restore,
    Step::Caption,
    Step::ThumbnailTime,
    Step::Captions,
    Step::Schedule,
    Step::PublishNow,
    Step::Delete,
    Step::TimePasses,
    Step::Requeue,
    Step::MakeThumbnailAgain,
    Step::Erase,
];

impl Step {
    /// Returns who does it, and what, for the diagram.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Claim | Self::LastClaim => ("origin", "claims the job"),
            Self::ReportPass => ("origin", "reports a video that passed"),
            Self::ReportReview => ("origin", "reports a doubtful video"),
            Self::ReportWait => ("origin", "reports a check that was not possible"),
            Self::ReportReject => ("origin", "reports a forbidden video"),
            Self::ReportInvalid => ("origin", "reports a file that is no good video"),
            Self::ReportFailure => ("origin", "gives up"),
            Self::ReportChangeRefused => ("origin", "refuses a thumbnail or captions"),
            Self::Approve => ("moderator", "approves"),
            Self::RejectByModerator => ("moderator", "rejects"),
            Self::TakeDown => ("moderator", "takes down"),
            Self::Restore => ("moderator", "reverses a removal"),
            Self::Caption => ("owner", "changes texts"),
            Self::ThumbnailTime => ("owner", "asks for another thumbnail"),
            Self::Captions => ("owner", "sends captions"),
            Self::Schedule => ("owner", "sets a later time"),
            Self::PublishNow => ("owner", "publishes now"),
            Self::Delete => ("owner", "deletes"),
            Self::TimePasses => ("time", "passes"),
            Self::Requeue => ("operator", "asks for another try"),
            Self::MakeThumbnailAgain => ("operator", "has a lost thumbnail made again"),
            Self::Erase => ("operator", "erases the account"),
        }
    }

    /// Whether doing it once more, at the same time, must change nothing.
    fn is_idempotent(self) -> bool {
        !matches!(self, Self::Claim | Self::LastClaim | Self::TimePasses | Self::Requeue | Self::MakeThumbnailAgain)
    }

    /// Returns the change, or `None` if the step is not possible.
    fn change(self, life: &Life, now: UnixSeconds) -> Option<Change> {
        match self {
            Self::Claim => claimed(life, 1, now),
            Self::LastClaim => claimed(life, MAX_DELIVERY_ATTEMPTS, now),
            Self::ReportPass => report(life, &processed(&[Pass]), now),
            Self::ReportReview => report(life, &processed(&[Review]), now),
            Self::ReportWait => report(life, &processed(&[Wait]), now),
            Self::ReportReject => report(life, &processed(&[Reject]), now),
            Self::ReportInvalid => {
                let code = ErrorCode::ContentVideoDurationInvalid;
                report(life, &JobOutcome::Refused { code, detail: String::new() }, now)
            }
            Self::ReportFailure => report(life, &JobOutcome::Failed { detail: "no disk".to_owned() }, now),
            Self::ReportChangeRefused => refuse_change(life, now),
            Self::Approve => moderate(life, DecisionKind::Approve, now),
            Self::RejectByModerator => moderate(life, DecisionKind::Reject, now),
            Self::TakeDown => moderate(life, DecisionKind::TakeDown, now),
            Self::Restore => moderate(life, DecisionKind::Restore, now),
            Self::Caption => {
                let columns = [("caption".to_owned(), "Other words".into())].into_iter().collect();
                by_owner(life, &Update { columns, has_known_category: true, ..Update::default() }, now)
            }
            Self::ThumbnailTime => {
                let thumbnail = Some(Input { thumbnail_seconds: Some(2), ..Input::default() });
                by_owner(life, &Update { thumbnail, ..Update::default() }, now)
            }
            Self::Captions => {
                let file = CaptionsFile { name: UploadUuid::new("sent".to_owned()), sha256: "a".to_owned() };
                let wanted = WantedCaptions { language: "en", file: Some(&file) };
                decide(life, &Command::ChangeCaptions(wanted), now).ok()
            }
            Self::Schedule => {
                let schedule = Member::Value(NOW + 100 * HOUR);
                by_owner(life, &Update { schedule, ..Update::default() }, now)
            }
            Self::PublishNow => decide(life, &Command::PublishNow, now).ok(),
            Self::Delete => decide(life, &Command::Delete { evidence_until: now }, now).ok(),
            Self::TimePasses => {
                let published = decide(life, &Command::PublishDue, now).ok()?;
                let looks = published.after == *life;
                if looks { decide(life, &Command::Recover { was_edge_there: true }, now).ok() } else { Some(published) }
            }
            Self::Requeue => decide(life, &Command::Requeue { by: "Ada" }, now).ok(),
            Self::MakeThumbnailAgain => decide(life, &Command::MakeAgain(JobWork::Thumbnail), now).ok(),
            Self::Erase => decide(life, &Command::Erase, now).ok(),
        }
    }

    /// Returns the time at which the step happens. Only `TimePasses` lets time pass.
    fn time(self, now: UnixSeconds) -> UnixSeconds {
        if self == Self::TimePasses { now + 200 * HOUR } else { now }
    }
}

/// A claim is a single statement about the row of a job; see `claim`.
fn claimed(life: &Life, attempt: u32, now: UnixSeconds) -> Option<Change> {
    let mut change = Change::none(life);
    let job = change.after.jobs.iter_mut().find(|job| matches!(job.state, JobState::Held | JobState::Due))?;
    job.state = JobState::Claimed;
    job.attempt = attempt;
    job.claimed_by = Some("a".to_owned());
    job.claim_ends_at_unix = Some(now + 60);
    job.due_at_unix = Some(now + 60);
    Some(change)
}

fn report(life: &Life, outcome: &JobOutcome, now: UnixSeconds) -> Option<Change> {
    let job = life.active_job().filter(|job| job.kind == JobWork::Video)?;
    let verdict = Verdict::Video(VideoVerdict { outcome, more_findings: Vec::new(), blocklist_version: None });
    let (id, fingerprint) = (job_id("a", job.generation), format!("{outcome:?}"));
    decide(life, &Command::Report(&JudgedReport { id: &id, fingerprint: &fingerprint, verdict }), now).ok()
}

fn refuse_change(life: &Life, now: UnixSeconds) -> Option<Change> {
    let job = life.active_job()?;
    let verdict = match job.kind {
        JobWork::Video => return None,
        JobWork::Thumbnail => Verdict::Thumbnail(Err(ErrorCode::ContentThumbnailInvalid)),
        JobWork::Captions => Verdict::Captions(Err(ErrorCode::ContentModerationRejected)),
    };
    let id = job_id("a", job.generation);
    decide(life, &Command::Report(&JudgedReport { id: &id, fingerprint: "no", verdict }), now).ok()
}

fn moderate(life: &Life, kind: DecisionKind, now: UnixSeconds) -> Option<Change> {
    let content_uuid = life.content.uuid.clone();
    let request = DecisionRequest { kind, content_uuid: &content_uuid, reason: "r", by: "m", kept_frames: &[] };
    let mut life = life.clone();
    life.facts.last_action = None;
    decide(&life, &Command::Decide(&request), now).ok()
}

fn by_owner(life: &Life, update: &Update, now: UnixSeconds) -> Option<Change> {
    decide(life, &Command::Update(update), now).ok()
}

/// Returns the life of a content that was just uploaded.
fn born(schedule: Option<UnixSeconds>) -> Life {
    let mut job = Job::new(1, ChannelId(1), JobWork::Video, NOW);
    job.start(1, NOW);
    Life {
        content: Content {
            id: 1,
            uuid: ContentUuid::new("c".to_owned()),
            channel_id: ChannelId(1),
            revision: 1,
            state: ContentState::Processing,
            generation: 1,
            slug_url: "a-clip-aB3dE5gH7j".to_owned(),
            slug_caption: None,
            media_name: "m.mp4".to_owned(),
            caption: Some("A Clip".to_owned()),
            super_category_id: None,
            ai_summary_of_content: Some("A summary".to_owned()),
            external_id: Some("mine".to_owned()),
            metadata: Some("{}".to_owned()),
            scheduled_publish_at_unix: schedule,
            duration_ms: 5_000,
            file_sha256: "h".to_owned(),
            media: None,
            media_generation: None,
            thumbnail: Thumbnail::default(),
            captions_generation: None,
            waits_for: None,
            waits_since_unix: None,
            error_code: None,
            error_detail: None,
            finished_at_unix: None,
            published_at_unix: None,
            events_count: 0,
            is_compacted: 0,
            expanded_at_unix: None,
        },
        jobs: vec![job],
        captions: Vec::new(),
        facts: Facts {
            upload_uuid: UploadUuid::new("u".to_owned()),
            size_bytes: 7,
            account_id: 1,
            epoch: 0,
            is_flagged: 0,
            evidence: None,
            last_action: None,
            erased_at_unix: None,
            evidence_until_unix: None,
            content_changes: 0,
            daily_upload_limit: 1_000,
            is_file_stored: 1,
        },
    }
}

/// Fails if a law does not hold after a step.
fn check_laws(before: &Life, step: Step, change: &Change) {
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
        ContentState::Scheduled | ContentState::Published => &[JobWork::Thumbnail, JobWork::Captions],
        _ => &[],
    };
    assert!(active.len() <= 1 && active.iter().all(|kind| may_be_active.contains(kind)), "{active:?}: {}", case());
    let is_worked_on = to == ContentState::Processing && new.waits_for.is_none();
    assert_eq!(is_worked_on, active == [JobWork::Video], "a video without a job, or the reverse: {}", case());
    assert!(new.generation >= old.generation, "the generation decreased: {}", case());
    if matches!(to, ContentState::Scheduled | ContentState::Published) {
        assert!(new.media.is_some() && new.error_code.is_none(), "{}", case());
        assert_eq!(to.is_public(), new.published_at_unix.is_some() && to == ContentState::Published, "{}", case());
        let is_waiting = jobs.iter().any(|job| job.kind != JobWork::Video && job.state == JobState::Waiting);
        assert!(!is_waiting || active.len() == 1, "a change waits for nothing: {}", case());
    }
    if to == ContentState::Deleted {
        let words = [&new.caption, &new.ai_summary_of_content, &new.external_id, &new.metadata, &new.slug_caption];
        assert!(words.iter().all(|word| word.is_none()) && new.slug_url == "aB3dE5gH7j", "{}", case());
        assert!(jobs.iter().all(|job| !job.is_pending()), "{}", case());
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
        assert_eq!(told, Some(format!("content.{}", to.as_str())), "{}", case());
    } else {
        assert!(told.is_none_or(|kind| kind == "content.waiting"), "{}", case());
    }
    let removed = effects.removals.iter().any(|removal| removal.kind == "content" && removal.is_removed);
    assert_eq!(removed, has_moved && after.content.is_removed(), "the removal log: {}", case());
    assert_eq!(effects.is_purged, from.is_public() && differs_for_viewers(before, after), "the cache: {}", case());
    assert!(!has_moved || effects.needs_cleanup, "{}", case());
    assert_eq!(effects.forgets_words, has_moved && to == ContentState::Deleted, "{}", case());
    let has_left = before.content.is_waiting() && !after.content.is_waiting();
    assert_eq!(effects.forgets_frames, has_left, "{}", case());
}

fn differs_for_viewers(before: &Life, after: &Life) -> bool {
    let shown = |life: &Life| {
        let content = &life.content;
        (content.state, content.caption.clone(), content.media.clone(), content.thumbnail.generation)
    };
    shown(before) != shown(after)
}

/// The part of a life on which its future depends, without times and numbers of attempts.
fn kind_of(life: &Life) -> String {
    let content = &life.content;
    let job = |job: &Job| {
        let has_media = job.attempt >= MAX_DELIVERY_ATTEMPTS;
        format!("{:?} {:?} {has_media} {} {:?}", job.kind, job.state, job.error_code.is_some(), job.input)
    };
    let jobs: BTreeSet<String> = life.jobs.iter().map(job).collect();
    let schedule = content.scheduled_publish_at_unix.map(|time| time > NOW);
    let captions: Vec<_> = life.captions.iter().map(|captions| (captions.is_wanted, captions.is_shown)).collect();
    let requeues = life.job(JobWork::Video).map(|job| job.requeues);
    format!(
        "{:?} {:?} {schedule:?} {:?} {} {} {jobs:?} {captions:?} {requeues:?}",
        content.state,
        content.waits_for,
        content.caption,
        content.media.is_some(),
        content.published_at_unix.is_some(),
    )
}

/// The moves between states, each with everything that makes it.
type Moves = BTreeMap<(&'static str, &'static str), BTreeSet<(&'static str, &'static str)>>;

/// Tries every step on every life that steps lead to. Returns the moves, and how many lives there are.
fn explore() -> (Moves, usize) {
    let mut moves = Moves::new();
    let mut seen = BTreeSet::new();
    let mut next: VecDeque<(Life, UnixSeconds)> = [(born(None), NOW), (born(Some(NOW + 50 * HOUR)), NOW)].into();
    while let Some((life, now)) = next.pop_front() {
        if !seen.insert(kind_of(&life)) {
            continue;
        }
        for step in STEPS {
            let time = step.time(now);
            let Some(change) = step.change(&life, time) else { continue };
            check_laws(&life, step, &change);
            if step.is_idempotent() {
                check_repeated(step, &change, time);
            }
            let (from, to) = (life.content.state, change.after.content.state);
            if from != to {
                moves.entry((from.as_str(), to.as_str())).or_default().insert(step.text());
            }
            next.push_back((change.after, time));
        }
    }
    (moves, seen.len())
}

fn check_repeated(step: Step, change: &Change, now: UnixSeconds) {
    let Some(again) = step.change(&change.after, now) else { return };
    assert_eq!(again.after.content, change.after.content, "{step:?} twice");
    assert_eq!((again.effects.event, again.effects.removals), (None, Vec::new()), "{step:?} twice");
}

#[test]
fn every_reachable_life_obeys_the_laws_and_the_diagram_is_current() {
    let (moves, lives) = explore();
    println!("{lives} lives");
    let possible: BTreeSet<_> = TRANSITIONS
        .iter()
        .filter(|(from, _, to)| from != to)
        .map(|(from, _, to)| (from.as_str(), to.as_str()))
        .collect();
    assert_eq!(moves.keys().copied().collect::<BTreeSet<_>>(), possible);
    check_document("docs/life-of-a-video.md", &document(&moves));
}

fn document(moves: &Moves) -> String {
    let mut text = "# The life of a video\n\n\
        Generated by `make docs` from `edge/src/life`: a test tries every command on every state that commands lead to.\n\n\
        ```mermaid\nstateDiagram-v2\n    [*] --> processing: an upload is complete\n"
        .to_owned();
    for ((from, to), causes) in moves {
        let actors: BTreeSet<&str> = causes.iter().map(|(who, _)| *who).collect();
        let actors: Vec<&str> = actors.into_iter().collect();
        writeln!(text, "    {from} --> {to}: {}", actors.join(", ")).unwrap();
    }
    text += "```\n\n| From | To | Who | Does what |\n|---|---|---|---|\n";
    for ((from, to), causes) in moves {
        for (who, what) in causes {
            writeln!(text, "| `{from}` | `{to}` | {who} | {what} |").unwrap();
        }
    }
    text
}

proptest! {
    #[test]
    fn any_order_of_steps_at_any_times_obeys_the_laws(
        steps in prop::collection::vec((prop::sample::select(STEPS.to_vec()), 0_u64..100_000), 1..30),
        is_scheduled: bool,
    ) {
        let (mut life, mut now) = (born(is_scheduled.then_some(NOW + HOUR)), NOW);
        for (step, seconds) in steps {
            now = now + seconds;
            if let Some(change) = step.change(&life, now) {
                check_laws(&life, step, &change);
                life = change.after;
            }
        }
    }
}
