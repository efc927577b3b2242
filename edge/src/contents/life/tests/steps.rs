//! The steps of a video's life: each actor and action, as the command that the rules get.

use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::Change;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::label::LabelState;
use crate::contents::life::life::{Facts, Life};
use crate::contents::life::rules::failure::{MAX_SILENCES, MAX_UNDECIDED_FAILURES};
use crate::contents::life::rules::owner::{CaptionsFile, Update, WantedCaptions};
use crate::contents::life::rules::sweep::Surroundings;
use crate::contents::life::works::{JudgedReport, Verdict, video::VideoVerdict};
use crate::contents::life::{Command, Content, Input, Thumbnail, decide};
use crate::jobs::tests::scene::job as job_id;
use crate::jobs::tests::{processed, with_subtitles};
use crate::moderation::decisions::{DecisionKind, DecisionRequest, LabelRequest};
use crate::people::auth::hash::sha256_hex;
use contract::api::Member;
use contract::job::{JobOutcome, JobWork, Quality};
use contract::moderation::Recommendation::{Pass, Reject, Review, Wait};
use contract::{ContentState, ErrorCode};

pub(super) const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
pub(super) const HOUR: u64 = 3_600;

/// A way to change a video: an actor and an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Claim,
    LastClaim,
    ReportPass,
    ReportFirst,
    ReportDoubtfulFirst,
    ReportRest,
    ReportReview,
    ReportWait,
    ReportReject,
    ReportInvalid,
    ReportFailure,
    ReportUndecided,
    ReportChangeRefused,
    Approve,
    RejectByModerator,
    TakeDown,
    Restore,
    Caption,
    Unlist,
    Label,
    ThumbnailTime,
    Captions,
    Schedule,
    RemoveTime,
    PublishNow,
    Release,
    Delete,
    TimePasses,
    Requeue,
    MakeThumbnailAgain,
    Erase,
}

pub(super) const STEPS: [Step; 31] = [
    Step::Claim,
    Step::LastClaim,
    Step::ReportPass,
    Step::ReportFirst,
    Step::ReportDoubtfulFirst,
    Step::ReportRest,
    Step::ReportReview,
    Step::ReportWait,
    Step::ReportReject,
    Step::ReportInvalid,
    Step::ReportFailure,
    Step::ReportUndecided,
    Step::ReportChangeRefused,
    Step::Approve,
    Step::RejectByModerator,
    Step::TakeDown,
    Step::Restore,
    Step::Caption,
    Step::Unlist,
    Step::Label,
    Step::ThumbnailTime,
    Step::Captions,
    Step::Schedule,
    Step::RemoveTime,
    Step::PublishNow,
    Step::Release,
    Step::Delete,
    Step::TimePasses,
    Step::Requeue,
    Step::MakeThumbnailAgain,
    Step::Erase,
];

impl Step {
    /// Returns the actor and the action for the diagram.
    pub(super) fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Claim | Self::LastClaim => ("origin", "claims the job"),
            Self::ReportPass => ("origin", "reports a video that passed"),
            Self::ReportFirst => ("origin", "reports the first quality of a video that passed"),
            Self::ReportDoubtfulFirst => ("origin", "reports the first quality of a doubtful video"),
            Self::ReportRest => ("origin", "reports the other qualities"),
            Self::ReportReview => ("origin", "reports a doubtful video"),
            Self::ReportWait => ("origin", "reports a check that was not possible"),
            Self::ReportReject => ("origin", "reports a forbidden video"),
            Self::ReportInvalid => ("origin", "reports a file that is no good video"),
            Self::ReportFailure => ("origin", "reports a failure that every attempt would have"),
            Self::ReportUndecided => ("origin", "reports a failure that may be a machine's"),
            Self::ReportChangeRefused => ("origin", "refuses a thumbnail or captions"),
            Self::Approve => ("moderator", "approves"),
            Self::RejectByModerator => ("moderator", "rejects"),
            Self::TakeDown => ("moderator", "takes down"),
            Self::Label => ("moderator", "sets a label"),
            Self::Unlist => ("owner", "makes it unlisted"),
            Self::Restore => ("moderator", "reverses a removal"),
            Self::Caption => ("owner", "changes texts"),
            Self::ThumbnailTime => ("owner", "asks for another thumbnail"),
            Self::Captions => ("owner", "sends captions"),
            Self::Schedule => ("owner", "sets a later time"),
            Self::RemoveTime => ("owner", "removes the time"),
            Self::PublishNow => ("owner", "publishes now"),
            Self::Release => ("owner", "releases"),
            Self::Delete => ("owner", "deletes"),
            Self::TimePasses => ("time", "passes"),
            Self::Requeue => ("operator", "asks for another try"),
            Self::MakeThumbnailAgain => ("operator", "has a lost thumbnail made again"),
            Self::Erase => ("operator", "erases the account"),
        }
    }

    /// Whether repeating it at the same time must change nothing.
    pub(super) fn is_idempotent(self) -> bool {
        !matches!(self, Self::Claim | Self::LastClaim | Self::TimePasses | Self::Requeue | Self::MakeThumbnailAgain)
    }

    /// Returns the change, or `None` if the step is not possible.
    pub(super) fn change(self, life: &Life, now: UnixSeconds) -> Option<Change> {
        match self {
            Self::Claim => claimed(life, now),
            Self::LastClaim => last_claimed(life, now),
            _ => self.command(life, now, |command| decide(life, command, now).ok()),
        }
    }

    /// Calls `act` with the command of the step. Returns `None` if the step has no command for this life.
    pub(super) fn command<T>(
        self,
        life: &Life,
        now: UnixSeconds,
        act: impl FnOnce(&Command<'_>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Claim | Self::LastClaim => None,
            Self::ReportPass => report(life, &processed(&[Pass]), act),
            Self::ReportFirst => report(life, &first(processed(&[Pass])), act),
            Self::ReportDoubtfulFirst => report(life, &first(processed(&[Review])), act),
            Self::ReportRest => report_rest(life, act),
            Self::ReportReview => report(life, &processed(&[Review]), act),
            Self::ReportWait => report(life, &processed(&[Wait]), act),
            Self::ReportReject => report(life, &processed(&[Reject]), act),
            Self::ReportInvalid => {
                let code = ErrorCode::ContentVideoDurationInvalid;
                report(life, &JobOutcome::Refused { code, detail: String::new() }, act)
            }
            Self::ReportFailure => report(life, &JobOutcome::Failed { detail: "no disk".to_owned() }, act),
            Self::ReportUndecided => report_undecided(life, act),
            Self::ReportChangeRefused => refuse_change(life, act),
            Self::Approve => moderate(life, DecisionKind::Approve, act),
            Self::RejectByModerator => moderate(life, DecisionKind::Reject, act),
            Self::TakeDown => moderate(life, DecisionKind::TakeDown, act),
            Self::Restore => moderate(life, DecisionKind::Restore, act),
            Self::Caption => {
                let columns = [("caption".to_owned(), "Other words".into())].into_iter().collect();
                act(&Command::Update(&Update { columns, has_known_category: true, ..Update::default() }))
            }
            Self::Unlist => {
                let columns = [("is_unlisted".to_owned(), 1.into())].into_iter().collect();
                act(&Command::Update(&Update { columns, has_known_category: true, ..Update::default() }))
            }
            Self::Label => {
                let content_uuid = &life.content.uuid;
                let is_sensitive = Some(true);
                let (reason, by) = ("blood", "Ada");
                act(&Command::Label(&LabelRequest { content_uuid, is_sensitive, is_ai_generated: None, reason, by }))
            }
            Self::ThumbnailTime => {
                let thumbnail = Some(Input { thumbnail_seconds: Some(2), ..Input::default() });
                act(&Command::Update(&Update { thumbnail, ..Update::default() }))
            }
            Self::Captions => {
                let file = CaptionsFile { name: UploadUuid::new("sent".to_owned()), sha256: "a".to_owned() };
                act(&Command::ChangeCaptions(WantedCaptions { language: "en", file: Some(&file) }))
            }
            Self::Schedule => {
                let schedule = Member::Value(NOW + 100 * HOUR);
                act(&Command::Update(&Update { schedule, ..Update::default() }))
            }
            Self::RemoveTime => act(&Command::Update(&Update { schedule: Member::Null, ..Update::default() })),
            Self::PublishNow => act(&Command::PublishNow),
            Self::Release => act(&Command::Release),
            Self::Delete => act(&Command::Delete { evidence_until: now }),
            Self::TimePasses => {
                let is_published = decide(life, &Command::PublishDue, now).ok()?.after != *life;
                let recover = Command::Recover(Surroundings { was_edge_there: true, ..Surroundings::default() });
                act(if is_published { &Command::PublishDue } else { &recover })
            }
            Self::Requeue => act(&Command::Requeue { by: "Ada" }),
            Self::MakeThumbnailAgain => act(&Command::MakeAgain(JobWork::Thumbnail)),
            Self::Erase => act(&Command::Erase),
        }
    }

    /// Returns the time at which the step happens. Only `TimePasses` lets time pass.
    pub(super) fn time(self, now: UnixSeconds) -> UnixSeconds {
        if self == Self::TimePasses { now + 200 * HOUR } else { now }
    }
}

/// A claim is a single statement about the row of a job; see `claim`.
fn claimed(life: &Life, now: UnixSeconds) -> Option<Change> {
    let mut change = Change::none(life);
    let job = change.after.jobs.iter_mut().find(|job| matches!(job.state, JobState::Held | JobState::Due))?;
    job.state = JobState::Claimed;
    job.attempt += 1;
    job.claimed_by = Some("a".to_owned());
    job.claim_ends_at_unix = Some(now + 60);
    job.due_at_unix = Some(now + 60);
    Some(change)
}

/// A claim after which another failure, of whatever kind, ends the job.
fn last_claimed(life: &Life, now: UnixSeconds) -> Option<Change> {
    let mut change = claimed(life, now)?;
    let job = change.after.jobs.iter_mut().find(|job| job.state == JobState::Claimed)?;
    (job.undecided_failures, job.silences) = (MAX_UNDECIDED_FAILURES - 1, MAX_SILENCES - 1);
    Some(change)
}

fn report_undecided<T>(life: &Life, act: impl FnOnce(&Command<'_>) -> Option<T>) -> Option<T> {
    let job = life.active_job()?;
    let (id, verdict) = (job_id("a", job.generation), Verdict::Undecided("no disk"));
    let fingerprint = sha256_hex(b"undecided");
    act(&Command::Report(&JudgedReport { id: &id, fingerprint: &fingerprint, verdict }))
}

fn report<T>(life: &Life, outcome: &JobOutcome, act: impl FnOnce(&Command<'_>) -> Option<T>) -> Option<T> {
    let job = life.active_job().filter(|job| job.kind == JobWork::Video)?;
    let verdict = Verdict::Video(VideoVerdict {
        outcome,
        more_findings: Vec::new(),
        blocklist_version: None,
        caught_by: Vec::new(),
    });
    let (id, fingerprint) = (job_id("a", job.generation), sha256_hex(format!("{outcome:?}").as_bytes()));
    act(&Command::Report(&JudgedReport { id: &id, fingerprint: &fingerprint, verdict }))
}

/// Returns the report of a job that left renditions to a completion job.
fn first(mut outcome: JobOutcome) -> JobOutcome {
    if let JobOutcome::Processed { media, .. } = &mut outcome {
        media.quality = Quality::First;
    }
    outcome
}

fn report_rest<T>(life: &Life, act: impl FnOnce(&Command<'_>) -> Option<T>) -> Option<T> {
    let job = life.active_job().filter(|job| job.kind == JobWork::Completion)?;
    let media = with_subtitles();
    let (id, verdict) = (job_id("a", job.generation), Verdict::Completion(Ok(&media)));
    act(&Command::Report(&JudgedReport { id: &id, fingerprint: &sha256_hex(b"rest"), verdict }))
}

fn refuse_change<T>(life: &Life, act: impl FnOnce(&Command<'_>) -> Option<T>) -> Option<T> {
    let job = life.active_job()?;
    let verdict = match job.kind {
        JobWork::Video => return None,
        JobWork::Completion => Verdict::Completion(Err("no such rendition")),
        JobWork::Thumbnail => Verdict::Thumbnail(Err(ErrorCode::ContentThumbnailInvalid)),
        JobWork::Captions => Verdict::Captions(Err(ErrorCode::ContentModerationRejected)),
    };
    let id = job_id("a", job.generation);
    act(&Command::Report(&JudgedReport { id: &id, fingerprint: "no", verdict }))
}

fn moderate<T>(life: &Life, kind: DecisionKind, act: impl FnOnce(&Command<'_>) -> Option<T>) -> Option<T> {
    let content_uuid = &life.content.uuid;
    act(&Command::Decide(&DecisionRequest { kind, content_uuid, reason: "r", by: "m", policy: None, kept_frames: &[] }))
}

/// Returns the life of a content that was just uploaded, and that its owner has to release.
pub(super) fn born_unreleased(schedule: Option<UnixSeconds>) -> Life {
    let mut life = born(schedule);
    life.content.needs_release = 1;
    life
}

/// Returns the life of a content that was just uploaded.
pub(super) fn born(schedule: Option<UnixSeconds>) -> Life {
    let mut job = Job::new(1, ChannelId(1), JobWork::Video, NOW);
    job.start(1, NOW, NOW);
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
            needs_release: 0,
            duration_ms: 5_000,
            file_sha256: "h".to_owned(),
            media: None,
            media_generation: None,
            thumbnail: Thumbnail::default(),
            captions_generation: None,
            is_unlisted: 0,
            is_sensitive: LabelState::Unset,
            is_ai_generated: LabelState::Unset,
            waits_for: None,
            waits_since_unix: None,
            error_code: None,
            error_detail: None,
            policy_code: None,
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
            flagged_at_unix: None,
            evidence: None,
            last_action: None,
            appeal: None,
            appeal_text: None,
            appealed_at_unix: None,
            may_be_appealed: 1,
            erased_at_unix: None,
            evidence_until_unix: None,
            content_changes: 0,
            daily_upload_limit: 1_000,
            latest_later_turn_unix: None,
            is_file_stored: 1,
        },
    }
}
