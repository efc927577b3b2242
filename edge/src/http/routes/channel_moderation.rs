//! Moderators' actions on a whole channel.

use super::moderation::{Judgement, MAX_REASON_CHARACTERS, decide_about, policy_for};
use crate::base::ids::ChannelId;
use crate::base::paging;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Decide, Moderator};
use crate::http::person_text::require_text;
use crate::moderation::decisions::{DecisionKind, DecisionOutcome};
use crate::moderation::suspensions::{ChannelChange, lift_suspension, list_approved, suspend};
use axum::Json;
use contract::ErrorCode;
use contract::api::{ChannelModerated, ChannelTakenDown, ModerateChannel, TakeDownChannel};
use contract::limits::MAX_SAFE_INTEGER;

/// The contents that one request takes down: each costs two queries and an object.
const PAGE_LENGTH: u32 = 20;

/// Suspends a channel: its key and its uploads are rejected, and its published videos are hidden.
///
/// Nothing is deleted. Suspending a suspended channel succeeds.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `channel_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_SUSPEND, tag = "moderation",
    request_body = ModerateChannel,
    responses(
        (status = 200, description = "The channel is suspended.", body = ChannelModerated),
    )
))]
#[worker::send]
pub async fn suspend_channel(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateChannel>,
) -> Result<Json<ChannelModerated>, Refusal> {
    let change = validate(&request, &moderator.name)?;
    require_found(suspend(&app.recording_database()?, change, app.now()).await?)?;
    Ok(answer(&request, true))
}

/// Lifts the suspension of a channel: its key works and its videos are visible again.
///
/// Lifting a suspension that does not exist succeeds.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `channel_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_LIFT_SUSPENSION, tag = "moderation",
    request_body = ModerateChannel,
    responses(
        (status = 200, description = "The channel is not suspended.", body = ChannelModerated,
            example = json!(ChannelModerated { is_suspended: false, ..ChannelModerated::example() })),
    )
))]
#[worker::send]
pub async fn lift_channel_suspension(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateChannel>,
) -> Result<Json<ChannelModerated>, Refusal> {
    let change = validate(&request, &moderator.name)?;
    require_found(lift_suspension(&app.recording_database()?, change).await?)?;
    Ok(answer(&request, false))
}

/// Takes down up to 20 published and scheduled videos of a channel, each with its own decision.
///
/// Suspend the channel first, so that it cannot publish new videos. Repeat the request until `has_more` is false.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_TAKE_DOWN_CHANNEL, tag = "moderation",
    request_body = TakeDownChannel,
    responses(
        (status = 200, description = "The number of videos that were taken down.", body = ChannelTakenDown),
    )
))]
#[worker::send]
pub async fn take_down_channel(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<TakeDownChannel>,
) -> Result<Json<ChannelTakenDown>, Refusal> {
    let TakeDownChannel { channel_id, reason, policy_code } = request;
    let policy = policy_for(&app, DecisionKind::TakeDown, policy_code.as_deref()).await?;
    let request = ModerateChannel { channel_id, reason };
    let ChannelChange { channel_id, reason, by } = validate(&request, &moderator.name)?;
    let judgement = Judgement { reason, by, policy: policy.as_ref() };
    let mut contents = list_approved(&app.database()?, channel_id, PAGE_LENGTH + 1).await?;
    let has_more = paging::truncate(&mut contents, PAGE_LENGTH);
    let mut taken_down = 0;
    for content_uuid in &contents {
        let outcome = decide_about(&app, DecisionKind::TakeDown, content_uuid, judgement).await?;
        taken_down += u64::from(matches!(outcome, DecisionOutcome::Done(_)));
    }
    tracing::info!(channel = channel_id.0, taken_down, "contents of a channel were taken down");
    Ok(Json(ChannelTakenDown { success: true, channel_id: channel_id.0, taken_down, has_more }))
}

fn validate<'a>(request: &'a ModerateChannel, by: &'a str) -> Result<ChannelChange<'a>, Refusal> {
    require_text(&request.reason, "reason", MAX_REASON_CHARACTERS)?;
    if request.channel_id > MAX_SAFE_INTEGER {
        return Err(Refusal::malformed("`channel_id` must be the id of a channel.").with_field("channel_id"));
    }
    Ok(ChannelChange { channel_id: ChannelId(request.channel_id), reason: &request.reason, by })
}

fn require_found(is_found: bool) -> Result<(), Refusal> {
    is_found.then_some(()).ok_or_else(|| Refusal::new(ErrorCode::ChannelNotFound))
}

fn answer(request: &ModerateChannel, is_suspended: bool) -> Json<ChannelModerated> {
    tracing::info!(channel = request.channel_id, is_suspended, "a moderator decided about a channel");
    Json(ChannelModerated { success: true, channel_id: request.channel_id, is_suspended })
}
