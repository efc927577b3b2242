//! The examples of the internal document.

use super::public::categories;
use super::{CONTENT_UUID, Example, NOW};
use crate::http::host_role::DOCUMENTED;
use contract::api::{
    AbuseReport, AccountErasure, BlockedHash, Blocklist, ChangeHash, ChannelModerated, ChannelTakenDown,
    ContentModerated, CreateOriginKey, CreateToken, DeadLetter, DeadLetterDropped, DeadLetters, Decision,
    DecisionAction, Decisions, Difference, DropDeadLetter, EndOriginKey, EndSession, EndToken, EraseAccount,
    EvidencePage, FlagDismissed, FlaggedContent, FlaggedContents, FoundContent, FoundContents, FsckPage, HashChanged,
    HashesImported, ImportHashes, JobRequeued, KeptEvidence, MintSession, ModerateChannel, ModerateContent,
    ModerationQueue, NamedToken, NamedTokens, OriginKeyCreated, OriginKeyEnded, OriginKeyEntry, OriginKeys,
    QueuedContent, ReportReason, RequeueJob, RunFsck, ServiceHealth, SessionEnded, SessionMinted, SetCategories,
    SweepReport, TokenCreated, TokenEnded, TokenRole, Trail, TrailEntry, WaitsFor,
};
use contract::job::{
    ClaimAnswer, JobClaim, JobDetails, JobId, JobOutcome, JobProgress, JobReport, JobWork, ProgressAnswer,
    ReleaseAnswer, ReportAnswer,
};
use contract::moderation::{Check, Finding, Recommendation};
use contract::{ContentState, ErrorCode, ObjectKey, Stage, paths};

const REASON: &str = "Two people agreed.";
const MODERATOR: &str = "moderator-7";
const ORIGIN: &str = "origin-1";

pub(super) fn of(operation_id: &str) -> Option<Example> {
    service(operation_id)
        .or_else(|| origin(operation_id))
        .or_else(|| moderation(operation_id))
        .or_else(|| staff(operation_id))
}

fn service(operation_id: &str) -> Option<Example> {
    let session_cookie = format!("__Host-session={}", "0".repeat(43));
    let example = match operation_id {
        "mint_session" => {
            let minted = SessionMinted { success: true, session_cookie, channel_id: 12, expires_at_unix: NOW + 86_400 };
            let request = MintSession {
                account_id: 4711,
                daily_upload_limit: Some(50),
                channel_name: Some("Surfing dogs".to_owned()),
                ttl_seconds: Some(86_400),
            };
            Example::answer(minted).request(request)
        }
        "end_session" => Example::answer(SessionEnded { success: true }).request(EndSession { session_cookie }),
        "set_categories" => {
            Example::answer(categories()).request(SetCategories { categories: categories().categories })
        }
        "get_service_health" => {
            let parts = ["d1", "r2", "kv", "queue"].map(str::to_owned).into();
            Example::answer(ServiceHealth { success: true, parts })
        }
        "run_fsck" => {
            let found = Difference {
                kind: "content".to_owned(),
                subject: CONTENT_UUID.to_owned(),
                detail: "deleted, but the database says published".to_owned(),
                is_mended: true,
            };
            let page = FsckPage { success: true, differences: vec![found], next_cursor: Some("segments:".to_owned()) };
            Example::answer(page).request(RunFsck { mend: true, ..RunFsck::default() })
        }
        "erase_account" => {
            let progress = AccountErasure {
                success: true,
                account_id: 4711,
                channel_id: 12,
                contents_left: 0,
                contents_waiting: 3,
                contents_kept: 1,
                is_finished: false,
            };
            Example::answer(progress).request(EraseAccount { account_id: 4711, reason: "Ticket 815".to_owned() })
        }
        "run_sweep" => Example::answer(SweepReport { success: true, published_contents: 1, ..SweepReport::default() }),
        _ => return None,
    };
    Some(example)
}

fn origin(operation_id: &str) -> Option<Example> {
    let content_uuid = CONTENT_UUID.to_owned();
    let example =
        match operation_id {
            "claim_job" => Example::answer(ClaimAnswer::Granted(job_details()))
                .request(JobClaim { id: job_id(), delivery_attempt: 1 }),
            "note_progress" => Example::answer(ProgressAnswer { is_current: true }).request(JobProgress {
                id: job_id(),
                stage: Stage::Transcode,
                percent: 40,
            }),
            "release_job" => Example::answer(ReleaseAnswer { released: true }).request(job_id()),
            "report_job" => Example::answer(ReportAnswer { accepted: true, state: Some(ContentState::Failed) })
                .request(JobReport {
                    id: job_id(),
                    outcome: JobOutcome::Failed { detail: "ffmpeg was killed.".to_owned() },
                }),
            "requeue_job" => {
                let answer = JobRequeued { success: true, content_uuid: content_uuid.clone(), generation: 2 };
                Example::answer(answer).request(RequeueJob { content_uuid })
            }
            "list_dead_letters" => {
                Example::answer(DeadLetters { success: true, dead_letters: vec![dead_letter()], next_cursor: None })
            }
            "drop_dead_letter" => {
                let answer = DeadLetterDropped { success: true, content_uuid: content_uuid.clone() };
                Example::answer(answer).request(DropDeadLetter { content_uuid })
            }
            _ => return None,
        };
    Some(example)
}

fn moderation(operation_id: &str) -> Option<Example> {
    let example = match operation_id {
        "list_queue" => Example::answer(ModerationQueue { success: true, contents: vec![queued()], next_cursor: None }),
        "approve_content" | "restore_content" => moderated(ContentState::Published),
        "reject_content" => moderated(ContentState::Rejected),
        "take_down_content" => moderated(ContentState::TakenDown),
        "find_contents" => {
            Example::answer(FoundContents { success: true, contents: vec![found_content()], next_cursor: None })
        }
        "list_decisions" => {
            Example::answer(Decisions { success: true, decisions: vec![decision()], next_cursor: None })
        }
        "list_hashes" => Example::answer(Blocklist { success: true, hashes: vec![blocked()], next_cursor: None }),
        "block_hash" => changed_hash(true),
        "unblock_hash" => changed_hash(false),
        "import_hashes" => Example::answer(HashesImported { success: true, added: 1 })
            .request(ImportHashes { hashes: vec![hash()], reason: REASON.to_owned() }),
        _ => return None,
    };
    Some(example)
}

fn dead_letter() -> DeadLetter {
    DeadLetter {
        number: 3,
        content_uuid: CONTENT_UUID.to_owned(),
        generation: 1,
        work: JobWork::Video,
        error_message_code: Some(ErrorCode::ContentProcessingFailed),
        detail: Some("ffmpeg was killed.".to_owned()),
        origin: Some(ORIGIN.to_owned()),
        delivery_attempts: 6,
        died_at_unix: NOW,
    }
}

fn job_id() -> JobId {
    JobId { content_uuid: CONTENT_UUID.to_owned(), generation: 1, origin: ORIGIN.to_owned() }
}

fn job_details() -> JobDetails {
    JobDetails {
        source_key: ObjectKey::SourceVideo { upload_uuid: CONTENT_UUID }.path(),
        thumbnail_key: None,
        captions: None,
        work: JobWork::Video,
        thumbnail_time_seconds: Some(2),
        duration_ms: 5_000,
        size_bytes: 146_515,
        file_sha256: "ab".repeat(32),
        caption: Some("My first video #fun".to_owned()),
        summary: None,
        is_last_attempt: false,
    }
}

fn queued() -> QueuedContent {
    QueuedContent {
        content_id: 7,
        content_uuid: CONTENT_UUID.to_owned(),
        channel_id: 12,
        waits_for: WaitsFor::Person,
        waits_since_unix: NOW + 20,
        caption: None,
        summary: Some("A dog surfs.".to_owned()),
        video_url: Some(video_url()),
        created_at_unix: NOW,
        scheduled_publish_at_unix: None,
        duration_ms: 5_000,
        findings: vec![finding()],
        thumbnails: vec![],
        storyboard_url: None,
    }
}

fn found_content() -> FoundContent {
    FoundContent {
        content_id: 7,
        content_uuid: CONTENT_UUID.to_owned(),
        channel_id: 1,
        state: ContentState::Published,
        waits_for: None,
        caption: None,
        summary: None,
        video_url: Some(video_url()),
        slug_url: "a-clip-x1".to_owned(),
        media_name: "aB3.mp4".to_owned(),
        created_at_unix: NOW,
        published_at_unix: Some(NOW),
    }
}

fn staff(operation_id: &str) -> Option<Example> {
    let example = match operation_id {
        "suspend_channel" => moderated_channel(true),
        "lift_channel_suspension" => moderated_channel(false),
        "take_down_channel" => {
            let answer = ChannelTakenDown { success: true, channel_id: 12, taken_down: 20, has_more: true };
            Example::answer(answer).request(channel())
        }
        "list_flagged" => {
            Example::answer(FlaggedContents { success: true, contents: vec![flagged()], has_more: false })
        }
        "dismiss_flag" => {
            let content_uuid = CONTENT_UUID.to_owned();
            let request = ModerateContent { content_uuid: content_uuid.clone(), reason: REASON.to_owned() };
            Example::answer(FlagDismissed { success: true, content_uuid }).request(request)
        }
        "create_token" => {
            let token = format!("cgt_{}", "0".repeat(43));
            let roles = vec![TokenRole::Look, TokenRole::Decide];
            let answer = TokenCreated { success: true, token_id: 3, token, ends_at_unix: NOW + 7_776_000 };
            Example::answer(answer).request(CreateToken { name: MODERATOR.to_owned(), roles, ttl_seconds: 7_776_000 })
        }
        "list_tokens" => Example::answer(NamedTokens { success: true, tokens: vec![token()], next_cursor: None }),
        "end_token" => Example::answer(TokenEnded { success: true, token_id: 3 }).request(EndToken { token_id: 3 }),
        "create_origin_key" => {
            let origin_key = format!("cgo_7_{}", "0".repeat(64));
            let name = ORIGIN.to_owned();
            let answer = OriginKeyCreated { success: true, key_id: 7, name: name.clone(), origin_key };
            Example::answer(answer).request(CreateOriginKey { name })
        }
        "list_origin_keys" => {
            Example::answer(OriginKeys { success: true, keys: vec![origin_key()], next_cursor: None })
        }
        "end_origin_key" => {
            Example::answer(OriginKeyEnded { success: true, key_id: 7 }).request(EndOriginKey { key_id: 7 })
        }
        "list_evidence" => {
            Example::answer(EvidencePage { success: true, contents: vec![evidence()], next_cursor: None })
        }
        "list_trail" => Example::answer(Trail { success: true, entries: vec![trail_entry()], next_cursor: None }),
        _ => return None,
    };
    Some(example)
}

fn channel() -> ModerateChannel {
    ModerateChannel { channel_id: 12, reason: REASON.to_owned() }
}

fn moderated_channel(is_suspended: bool) -> Example {
    Example::answer(ChannelModerated { success: true, channel_id: 12, is_suspended }).request(channel())
}

fn flagged() -> FlaggedContent {
    let text = "They fight for real.".to_owned();
    FlaggedContent {
        content_uuid: CONTENT_UUID.to_owned(),
        channel_id: 12,
        state: ContentState::Published,
        caption: Some("A dog that surfs".to_owned()),
        slug_url: "a-dog-that-surfs-x1y2z3".to_owned(),
        flagged_at_unix: NOW,
        hash: None,
        reports: 2,
        latest_reports: vec![AbuseReport { reason: ReportReason::Violence, text, reported_at_unix: NOW }],
        video_url: Some(video_url()),
    }
}

fn token() -> NamedToken {
    NamedToken {
        token_id: 3,
        name: MODERATOR.to_owned(),
        roles: vec![TokenRole::Look, TokenRole::Decide],
        created_at_unix: NOW,
        created_by: "operator".to_owned(),
        ends_at_unix: NOW + 7_776_000,
    }
}

fn origin_key() -> OriginKeyEntry {
    OriginKeyEntry {
        key_id: 7,
        name: ORIGIN.to_owned(),
        created_at_unix: NOW,
        created_by: "operator".to_owned(),
        ended_at_unix: None,
    }
}

fn video_url() -> String {
    let (path, signature) = (paths::MODERATION_VIDEO, "0".repeat(64));
    format!("{}{path}?content={CONTENT_UUID}&until={NOW}&signature={signature}", DOCUMENTED.base)
}

fn evidence() -> KeptEvidence {
    KeptEvidence {
        content_id: 99,
        content_uuid: CONTENT_UUID.to_owned(),
        channel_id: 12,
        state: ContentState::TakenDown,
        caption: Some("A staged fall".to_owned()),
        summary: None,
        deleted_at_unix: NOW,
        kept_until_unix: NOW + 90 * 86_400,
        video_url: Some(video_url()),
    }
}

fn trail_entry() -> TrailEntry {
    TrailEntry {
        number: 81,
        happened_at_unix: NOW,
        actor: MODERATOR.to_owned(),
        action: "take_down".to_owned(),
        subject: format!("content:{CONTENT_UUID}"),
        detail: Some(REASON.to_owned()),
        network: Some("203.0.113.0/24".to_owned()),
        route: Some(format!("POST {}", paths::MODERATION_TAKE_DOWN)),
    }
}

fn finding() -> Finding {
    Finding {
        check: Check::Black,
        recommendation: Recommendation::Review,
        from_ms: Some(0),
        until_ms: Some(5_000),
        score: None,
        note: None,
    }
}

fn moderated(state: ContentState) -> Example {
    let content_uuid = CONTENT_UUID.to_owned();
    let request = ModerateContent { content_uuid: content_uuid.clone(), reason: REASON.to_owned() };
    Example::answer(ContentModerated { success: true, content_uuid, state }).request(request)
}

fn decision() -> Decision {
    Decision {
        action: DecisionAction::Approve,
        content_uuid: Some(CONTENT_UUID.to_owned()),
        hash: None,
        by: MODERATOR.to_owned(),
        reason: REASON.to_owned(),
        decided_at_unix: NOW,
    }
}

fn hash() -> String {
    "0f".repeat(32)
}

fn blocked() -> BlockedHash {
    BlockedHash {
        hash: hash(),
        reason: REASON.to_owned(),
        by: MODERATOR.to_owned(),
        added_at_unix: NOW,
        content_uuid: None,
        at_ms: None,
    }
}

fn changed_hash(is_blocked: bool) -> Example {
    let request = ChangeHash { hash: hash(), reason: REASON.to_owned() };
    Example::answer(HashChanged { success: true, hash: hash(), is_blocked }).request(request)
}
