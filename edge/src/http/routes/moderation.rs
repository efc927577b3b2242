//! The routes of moderators: the queue and their decisions.

use super::appeals::require_may_decide;
use super::cases::require_no_other_claim;
use crate::base::ids::ContentUuid;
use crate::base::paging::{cut, start};
use crate::base::refusal::Refusal;
use crate::contents::compaction::expand;
use crate::contents::cursor;
use crate::contents::life::door::Changed;
use crate::contents::status::moderator_labels;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Decide, Look, Moderator};
use crate::http::person_text::require_text;
use crate::http::query::read_query;
use crate::jobs::send_or_leave;
use crate::moderation::decisions::{self, BrokenPolicy, DecisionKind, DecisionOutcome, DecisionRequest, LabelRequest};
use crate::moderation::kept_frames::read_kept_frames;
use crate::moderation::queue::{self, QueueAddresses, QueuePosition};
use crate::moderation::statistics::{self, Month};
use crate::moderation::{history, policies};
use axum::Json;
use axum::http::Uri;
use contract::api::{
    ContentLabeled, ContentModerated, Decisions, LabelContent, ModerateContent, ModerationQueue, ModerationStatistics,
    Policy, WaitsFor,
};
use contract::{ContentState, ErrorCode};
use serde::Deserialize;

/// Entries on a page.
const PAGE_LENGTH: u32 = 50;
pub(super) const MAX_REASON_CHARACTERS: usize = 500;

/// Lists the videos that wait for a check or a person, longest-waiting first, with their findings.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_QUEUE, tag = "moderation",
    params(
        ("waits_for" = Option<WaitsFor>, Query, nullable = false, description = "List only videos that wait for this."),
        ("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page."),
    ),
    responses(
        (status = 200, description = "A page of the queue.", body = ModerationQueue),
    )
))]
#[worker::send]
pub async fn list_queue(app: App, moderator: Moderator<Look>, uri: Uri) -> Result<Json<ModerationQueue>, Refusal> {
    let ListParameters { waits_for, cursor, .. } = read_query(app.unknown_fields(), &uri)?;
    let after = start(cursor.as_deref(), QueuePosition::parse)?.unwrap_or_default();
    let addresses = QueueAddresses { site: app.site(), review: moderator.review_addresses(&app) };
    let database = app.database()?;
    let mut contents = queue::list(&database, waits_for, after, PAGE_LENGTH + 1, addresses, app.now()).await?;
    let next_cursor = cut(&mut contents, PAGE_LENGTH, |last| QueuePosition::of(last).cursor());
    Ok(Json(ModerationQueue { success: true, contents, next_cursor }))
}

/// Approves a waiting video. It is published immediately, or at its scheduled time.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict` or `content_claimed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_APPROVE, tag = "moderation",
    request_body = ModerateContent,
    responses(
        (status = 200, description = "The new state of the video.", body = ContentModerated),
    )
))]
#[worker::send]
pub async fn approve_content(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateContent>,
) -> Result<Json<ContentModerated>, Refusal> {
    decide(&app, &moderator.name, request, DecisionKind::Approve).await
}

/// Rejects a waiting video, and blocks its frames and its file. A flagged video that its owner has deleted can be
/// rejected too: it stays `deleted`.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict` or `content_claimed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_REJECT, tag = "moderation",
    request_body = ModerateContent,
    responses(
        (status = 200, description = "The new state of the video.", body = ContentModerated,
            example = json!(ContentModerated { state: ContentState::Rejected, ..ContentModerated::example() })),
    )
))]
#[worker::send]
pub async fn reject_content(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateContent>,
) -> Result<Json<ContentModerated>, Refusal> {
    decide(&app, &moderator.name, request, DecisionKind::Reject).await
}

/// Takes down a published or scheduled video, and blocks its frames and its file. Once the call returns, the video is
/// no longer served. A flagged video that its owner has deleted can be taken down too: it stays `deleted`.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict` or `content_claimed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_TAKE_DOWN, tag = "moderation",
    request_body = ModerateContent,
    responses(
        (status = 200, description = "The new state of the video.", body = ContentModerated,
            example = json!(ContentModerated { state: ContentState::TakenDown, ..ContentModerated::example() })),
    )
))]
#[worker::send]
pub async fn take_down_content(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateContent>,
) -> Result<Json<ContentModerated>, Refusal> {
    decide(&app, &moderator.name, request, DecisionKind::TakeDown).await
}

/// Reverses a moderator's rejection or removal of a video within 44 days, and unblocks the frames and the file.
///
/// The video is published immediately, or at its scheduled time. If its owner has appealed the decision, the appeal is
/// granted; the moderator who made the decision cannot do that as long as another moderator can.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict`, `content_claimed` or `appeal_needs_another`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_RESTORE, tag = "moderation",
    request_body = ModerateContent,
    responses(
        (status = 200, description = "The new state of the video.", body = ContentModerated),
    )
))]
#[worker::send]
pub async fn restore_content(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateContent>,
) -> Result<Json<ContentModerated>, Refusal> {
    decide(&app, &moderator.name, request, DecisionKind::Restore).await
}

/// Rejects an owner's appeal: the video stays rejected or removed.
///
/// The moderator who made the decision cannot decide on the appeal as long as another moderator can.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict`, `content_claimed` or `appeal_needs_another`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_REJECT_APPEAL, tag = "moderation",
    request_body = ModerateContent,
    responses(
        (status = 200, description = "The state of the video, which has not changed.", body = ContentModerated,
            example = json!(ContentModerated { state: ContentState::TakenDown, ..ContentModerated::example() })),
    )
))]
#[worker::send]
pub async fn reject_appeal(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateContent>,
) -> Result<Json<ContentModerated>, Refusal> {
    decide(&app, &moderator.name, request, DecisionKind::RejectAppeal).await
}

/// Sets or removes labels of a video, in any state except `deleted`. Viewers see the change within a minute. The owner
/// cannot remove a label that a moderator set.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict` or `content_claimed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_LABEL, tag = "moderation",
    request_body = LabelContent,
    responses(
        (status = 200, description = "The labels of the video.", body = ContentLabeled),
    )
))]
#[worker::send]
pub async fn label_content(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<LabelContent>,
) -> Result<Json<ContentLabeled>, Refusal> {
    require_text(&request.reason, "reason", MAX_REASON_CHARACTERS)?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    require_no_other_claim(&app, &content_uuid, &moderator.name).await?;
    let label = LabelRequest {
        content_uuid: &content_uuid,
        is_sensitive: request.is_sensitive,
        is_ai_generated: request.is_ai_generated,
        reason: &request.reason,
        by: &moderator.name,
    };
    let labels = match decisions::label(&app.recording_database()?, &label, app.now()).await? {
        Some(Ok(labels)) => labels,
        Some(Err(state)) => return Err(not_in_this_state(state)),
        None => return Err(Refusal::new(ErrorCode::ContentNotFound)),
    };
    Ok(Json(ContentLabeled {
        success: true,
        content_uuid: content_uuid.into_string(),
        is_sensitive: labels.is_sensitive.is_set(),
        is_ai_generated: labels.is_ai_generated.is_set(),
        moderator_labels: moderator_labels(labels.is_sensitive, labels.is_ai_generated),
    }))
}

/// Lists decisions with their authors and reasons, newest first.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_DECISIONS, tag = "moderation",
    params(
        ("content_uuid" = Option<String>, Query, nullable = false, description = "List only decisions about this video."),
        ("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page."),
    ),
    responses(
        (status = 200, description = "A page of decisions.", body = Decisions),
    )
))]
#[worker::send]
pub async fn list_decisions(app: App, _: Moderator<Look>, uri: Uri) -> Result<Json<Decisions>, Refusal> {
    let ListParameters { content_uuid, cursor, .. } = read_query(app.unknown_fields(), &uri)?;
    let before = start(cursor.as_deref(), cursor::parse)?;
    let content = content_uuid.map(ContentUuid::new);
    let mut recorded = history::list(&app.database()?, content.as_ref(), before, PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut recorded, PAGE_LENGTH, |last| cursor::after(last.id));
    let decisions = recorded.into_iter().map(|recorded| recorded.decision).collect();
    Ok(Json(Decisions { success: true, decisions, next_cursor }))
}

/// Returns the decisions of a month by action and policy, with the median time to a decision, and the numbers of
/// automatic rejections and appeals. Uploads that are rejected because their file is blocked are not counted.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_STATISTICS, tag = "moderation",
    params(
        ("month" = Option<String>, Query, nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$",
            description = "The month in UTC, such as `2026-11`. Defaults to the current month."),
    ),
    responses(
        (status = 200, description = "The statistics of the month.", body = ModerationStatistics),
    )
))]
#[worker::send]
pub async fn get_statistics(app: App, _: Moderator<Look>, uri: Uri) -> Result<Json<ModerationStatistics>, Refusal> {
    let StatisticsParameters { month } = read_query(app.unknown_fields(), &uri)?;
    let wrong = || Refusal::malformed("Send `month` as a year and a month, such as `2026-11`.").with_field("month");
    let month = month.map(|text| Month::parse(&text).ok_or_else(wrong)).transpose()?;
    Ok(Json(statistics::of_month(&app.database()?, month.as_ref(), app.now()).await?))
}

pub(super) async fn decide(
    app: &App,
    by: &str,
    request: ModerateContent,
    kind: DecisionKind,
) -> Result<Json<ContentModerated>, Refusal> {
    require_text(&request.reason, "reason", MAX_REASON_CHARACTERS)?;
    let policy = policy_for(app, kind, request.policy_code.as_deref()).await?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    require_may_decide(app, kind, &content_uuid, by).await?;
    let judgement = Judgement { reason: &request.reason, by, policy: policy.as_ref() };
    let state = match decide_about(app, kind, &content_uuid, judgement).await? {
        DecisionOutcome::Done(state) => state,
        DecisionOutcome::UnknownContent => return Err(Refusal::new(ErrorCode::ContentNotFound)),
        DecisionOutcome::Conflict(state) => return Err(not_in_this_state(state)),
    };
    let content = content_uuid.as_str();
    tracing::info!(content, ?kind, state = state.as_str(), "a moderator decided");
    Ok(Json(ContentModerated { success: true, state, content_uuid: content_uuid.into_string() }))
}

fn not_in_this_state(state: ContentState) -> Refusal {
    let detail = format!("The content is `{}`, so this decision does not apply.", state.as_str());
    Refusal::new(ErrorCode::ContentStateConflict).with_detail(detail)
}

/// The reason of a decision, its author, and the rule that it names.
#[derive(Clone, Copy)]
pub(super) struct Judgement<'a> {
    pub reason: &'a str,
    pub by: &'a str,
    pub policy: Option<&'a Policy>,
}

/// Returns the rule that a rejection or a removal names. Other decisions cannot name one.
pub(super) async fn policy_for(app: &App, kind: DecisionKind, code: Option<&str>) -> Result<Option<Policy>, Refusal> {
    match kind {
        DecisionKind::Approve | DecisionKind::Restore | DecisionKind::RejectAppeal => {
            refuse_policy(code).map(|()| None)
        }
        DecisionKind::Reject | DecisionKind::TakeDown => {
            let policy = policies::find(&app.database()?, code).await?;
            let unknown = || Refusal::malformed("The service has no policy with this code.").with_field("policy_code");
            policy.map(Some).ok_or_else(unknown)
        }
    }
}

pub(super) fn refuse_policy(code: Option<&str>) -> Result<(), Refusal> {
    let detail = "Only a rejection and a removal name a policy.";
    code.map_or(Ok(()), |_| Err(Refusal::malformed(detail).with_field("policy_code")))
}

pub(super) async fn decide_about(
    app: &App,
    kind: DecisionKind,
    content_uuid: &ContentUuid,
    judgement: Judgement<'_>,
) -> Result<DecisionOutcome, Refusal> {
    let database = app.recording_database()?;
    expand(&app.database()?, &app.media(), content_uuid, app.now()).await?;
    let kept_frames = match kind {
        DecisionKind::Reject | DecisionKind::TakeDown => {
            read_kept_frames(&database, &app.media(), content_uuid).await?
        }
        DecisionKind::Approve | DecisionKind::Restore | DecisionKind::RejectAppeal => Vec::new(),
    };
    let Judgement { reason, by, policy } = judgement;
    let policy = policy.map(|policy| BrokenPolicy { code: &policy.policy_code, text: &policy.text });
    let decision = DecisionRequest { kind, content_uuid, reason, by, policy, kept_frames: &kept_frames };
    let Changed { outcome, jobs } = decisions::decide(&database, &decision, app.now()).await?;
    send_or_leave(&app.platform()?, &jobs).await;
    Ok(outcome)
}

#[derive(Deserialize)]
struct StatisticsParameters {
    month: Option<String>,
}

/// The query parameters of all lists. Each list reads some of them.
#[derive(Deserialize)]
struct ListParameters {
    waits_for: Option<WaitsFor>,
    content_uuid: Option<String>,
    cursor: Option<String>,
}
