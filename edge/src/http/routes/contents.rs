//! The changes that an owner may make to a content: delete it, reschedule it and release it.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::compaction::expand;
use crate::contents::life::door::Changed;
use crate::contents::life::rules::schedule;
use crate::contents::owner_changes::{self, ChangeOutcome, OwnedContent};
use crate::contents::test_videos;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{ChannelOwner, OwnerResponse};
use crate::http::person_text::require_text;
use crate::jobs::send_or_leave;
use contract::ErrorCode;
use contract::api::{
    Appeal, AppealContent, AppealState, ContentAppealed, ContentChanged, DeleteContent, ReleaseContent,
    RescheduleContent,
};
use contract::limits::MAX_APPEAL_CHARACTERS;

type Answer = OwnerResponse<ContentChanged>;

/// Deletes a video of the key's channel, in any state. Once the call returns, the video is no longer served and cannot
/// be restored. Deleting it again succeeds. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DELETE_CONTENT, tag = "uploads",
    request_body = DeleteContent,
    responses(
        (status = 200, description = "The video was deleted.", body = ContentChanged,
            example = json!(ContentChanged {
                state: contract::ContentState::Deleted, scheduled_publish_at_unix: None, ..ContentChanged::example()
            })),
    )
))]
#[worker::send]
pub async fn delete_content(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<DeleteContent>, Refusal>,
) -> Answer {
    owner.respond(&app, delete(&app, owner.0.channel_id, request).await)
}

/// Changes the publication time of a video that is not public yet. Without a time, the video is published immediately,
/// or as soon as it is approved, even if it needed a release. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 422
/// `content_schedule_invalid`, 404 `content_not_found`, 409 `content_state_conflict`, 429
/// `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::RESCHEDULE_CONTENT, tag = "uploads",
    request_body = RescheduleContent,
    responses(
        (status = 200, description = "The video was rescheduled or published.", body = ContentChanged),
    )
))]
#[worker::send]
pub async fn reschedule_content(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<RescheduleContent>, Refusal>,
) -> Answer {
    owner.respond(&app, reschedule(&app, owner.0.channel_id, request).await)
}

/// Releases a video whose `needs_release` is true. The video is published immediately, or as soon as it is approved and
/// its publication time has come. Releasing it again succeeds. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::RELEASE_CONTENT, tag = "uploads",
    request_body = ReleaseContent,
    responses(
        (status = 200, description = "The video was released.", body = ContentChanged,
            example = json!(ContentChanged {
                state: contract::ContentState::Published,
                scheduled_publish_at_unix: None,
                published_at_unix: Some(contract::example::NOW + 20),
                ..ContentChanged::example()
            })),
    )
))]
#[worker::send]
pub async fn release_content(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<ReleaseContent>, Refusal>,
) -> Answer {
    owner.respond(&app, release(&app, owner.0.channel_id, request).await)
}

/// Appeals against the rejection or removal of a video.
///
/// A moderator reviews the decision: not the one who made it, if another moderator may decide. You can appeal each
/// decision of a moderator once, within 30 days: see `can_appeal_until_unix` in the status. Sending the same text again
/// succeeds. The status reports the outcome in `appeal`. Counts as a use of the key and against the daily limit of
/// changes.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited` or `daily_change_limit_reached`, 400
/// `request_malformed`, 404 `content_not_found`, 409 `appeal_not_possible`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::APPEAL_CONTENT, tag = "uploads",
    request_body = AppealContent,
    responses(
        (status = 200, description = "The appeal was submitted to the moderators.", body = ContentAppealed),
    )
))]
#[worker::send]
pub async fn appeal_content(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<AppealContent>, Refusal>,
) -> OwnerResponse<ContentAppealed> {
    owner.respond(&app, appeal(&app, owner.0.channel_id, request).await)
}

async fn appeal(
    app: &App,
    channel_id: ChannelId,
    request: Result<JsonBody<AppealContent>, Refusal>,
) -> Result<ContentAppealed, Refusal> {
    let JsonBody(request) = request?;
    require_text(&request.text, "text", MAX_APPEAL_CHARACTERS)?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    let content = OwnedContent { channel_id, content_uuid: &content_uuid };
    let now = app.now();
    expand(&app.database()?, &app.media(), &content_uuid, now).await?;
    let outcome = owner_changes::appeal(&app.database()?, content, request.text.trim(), now).await?;
    let changed = content_changed(app, outcome, content).await;
    // Only a test video conflicts with every appeal.
    let ContentChanged { content_uuid, .. } = changed.map_err(|refusal| match refusal.code {
        ErrorCode::ContentStateConflict => Refusal { code: ErrorCode::AppealNotPossible, ..refusal },
        _ => refusal,
    })?;
    let appeal = Appeal { state: AppealState::Pending, made_at_unix: now.0, decided_at_unix: None };
    Ok(ContentAppealed { success: true, content_uuid, appeal })
}

async fn delete(
    app: &App,
    channel_id: ChannelId,
    request: Result<JsonBody<DeleteContent>, Refusal>,
) -> Result<ContentChanged, Refusal> {
    let JsonBody(request) = request?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    let content = OwnedContent { channel_id, content_uuid: &content_uuid };
    let now = app.now();
    let evidence_until = now + app.settings().evidence_seconds;
    let mut outcome = owner_changes::delete(&app.recording_database()?, content, now, evidence_until).await?;
    if outcome == ChangeOutcome::UnknownContent {
        outcome = test_videos::owner::delete(&app.database()?, content).await?;
    }
    content_changed(app, outcome, content).await
}

async fn reschedule(
    app: &App,
    channel_id: ChannelId,
    request: Result<JsonBody<RescheduleContent>, Refusal>,
) -> Result<ContentChanged, Refusal> {
    let JsonBody(request) = request?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    let content = OwnedContent { channel_id, content_uuid: &content_uuid };
    let (database, now) = (app.database()?, app.now());
    let Changed { outcome, jobs } = match request.scheduled_publish_at_unix.map(UnixSeconds) {
        None => owner_changes::publish_now(&database, content, now).await?,
        Some(time) if schedule::is_allowed(time, now) => {
            owner_changes::reschedule(&database, content, time, now).await?
        }
        Some(time) => return Err(Refusal::wrong_schedule(time, now)),
    };
    send_or_leave(&app.platform()?, &jobs).await;
    content_changed(app, outcome, content).await
}

async fn release(
    app: &App,
    channel_id: ChannelId,
    request: Result<JsonBody<ReleaseContent>, Refusal>,
) -> Result<ContentChanged, Refusal> {
    let JsonBody(request) = request?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    let content = OwnedContent { channel_id, content_uuid: &content_uuid };
    let Changed { outcome, jobs } = owner_changes::release(&app.database()?, content, app.now()).await?;
    send_or_leave(&app.platform()?, &jobs).await;
    content_changed(app, outcome, content).await
}

async fn content_changed(
    app: &App,
    outcome: ChangeOutcome,
    content: OwnedContent<'_>,
) -> Result<ContentChanged, Refusal> {
    match outcome {
        ChangeOutcome::UnknownContent => Err(unknown_content(app, content).await?),
        ChangeOutcome::LimitReached => Err(Refusal::too_many_content_changes(app.now())),
        ChangeOutcome::AppealNotPossible => Err(Refusal::new(ErrorCode::AppealNotPossible)),
        ChangeOutcome::Conflict(state) => {
            Err(Refusal::new(ErrorCode::ContentStateConflict)
                .with_detail(format!("The video is `{}`.", state.as_str())))
        }
        ChangeOutcome::Done(status) => Ok(ContentChanged {
            success: true,
            content_uuid: content.content_uuid.to_string(),
            state: status.state,
            scheduled_publish_at_unix: status.scheduled_publish_at_unix.map(|time| time.0),
            published_at_unix: status.published_at_unix.map(|time| time.0),
        }),
    }
}

/// Returns the refusal of a change of a video that the channel does not have. It may be a test video.
pub(super) async fn unknown_content(app: &App, content: OwnedContent<'_>) -> Result<Refusal, Refusal> {
    let is_test = test_videos::owner::is_test_video(&app.database()?, content).await?;
    Ok(if is_test {
        let detail = "This is a test video. It can be deleted, but not changed.";
        Refusal::new(ErrorCode::ContentStateConflict).with_field("content_uuid").with_detail(detail)
    } else {
        Refusal::content_not_found(content.content_uuid)
    })
}
