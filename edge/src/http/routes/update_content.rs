//! `POST …/developer/update_content`: an owner changes a video's texts, category, schedule, thumbnail and client data.

use super::contents::unknown_content;
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::OwnedContent;
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::{self, ContentChanges};
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{ChannelOwner, OwnerResponse};
use crate::jobs::send_or_leave;
use contract::api::{UpdateContent, UploadStatus};
use contract::{ErrorCode, Label};

/// Changes the given fields of a video, and returns the video's status. If one change is not possible, none is made.
/// Repeating the request has no further effect. The URL of the video's page stays the same. For a rejected or removed
/// video, only `external_id` and `metadata` can be changed. The old thumbnail stays until the new one is ready and has
/// passed moderation: see `thumbnail_change` in the status. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 422 with the code of a
/// field whose value is invalid, 404 `content_not_found`, 409 `content_state_conflict`, `content_label_locked`, 429
/// `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::UPDATE_CONTENT, tag = "uploads",
    request_body(content = UpdateContent, example = json!({
        "content_uuid": contract::example::CONTENT_UUID,
        "caption": "My first video #fun",
        "metadata": { "campaign": "spring" },
    })),
    responses(
        (status = 200, description = "The video's status after the change.", body = UploadStatus),
    )
))]
#[worker::send]
pub async fn update_content(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<UpdateContent>, Refusal>,
) -> OwnerResponse<UploadStatus> {
    owner.respond(&app, update(&app, owner.0.channel_id, request).await)
}

async fn update(
    app: &App,
    channel_id: ChannelId,
    request: Result<JsonBody<UpdateContent>, Refusal>,
) -> Result<UploadStatus, Refusal> {
    let JsonBody(request) = request?;
    let content_uuid = ContentUuid::new(request.content_uuid.clone());
    let removed_label = only_removed_label(&request);
    let sent = (request.super_category_id.value().copied(), request.scheduled_publish_at_unix.value().copied());
    let changes = ContentChanges::new(request)?;
    let content = OwnedContent { channel_id, content_uuid: &content_uuid };
    let outcome = updates::update(&app.database()?, content, &changes, app.now()).await?;
    let answer = answer_update(app, outcome, content).await;
    answer.map_err(|refusal| match (refusal.code, sent) {
        (ErrorCode::ContentCategoryInvalid, (Some(id), _)) => Refusal::unknown_category(id),
        (ErrorCode::ContentLabelLocked, _) => match removed_label {
            Some(label) => refusal.with_field(label.as_str()),
            None => refusal,
        },
        (ErrorCode::ContentScheduleInvalid, (_, Some(time))) => Refusal::wrong_schedule(UnixSeconds(time), app.now()),
        _ => refusal,
    })
}

/// Returns the label that the request removes, unless it removes several or none.
fn only_removed_label(request: &UpdateContent) -> Option<Label> {
    let labels = [(Label::Sensitive, &request.is_sensitive), (Label::AiGenerated, &request.is_ai_generated)];
    let mut removed = labels.into_iter().filter(|(_, member)| member.is_sent() && member.value() != Some(&true));
    removed.next().filter(|_| removed.next().is_none()).map(|(label, _)| label)
}

/// Sends the jobs of an update, and returns the content's status.
pub(super) async fn answer_update(
    app: &App,
    outcome: UpdateOutcome,
    content: OwnedContent<'_>,
) -> Result<UploadStatus, Refusal> {
    match outcome {
        UpdateOutcome::Done { content, jobs } => {
            send_or_leave(&app.platform()?, &jobs).await;
            let content = content.status(app.site(), app.now());
            Ok(UploadStatus { success: true, content })
        }
        UpdateOutcome::Refused { code: ErrorCode::DailyChangeLimitReached, .. } => {
            Err(Refusal::too_many_content_changes(app.now()))
        }
        UpdateOutcome::Refused { code, state } => {
            let detail = match code {
                ErrorCode::ContentStateConflict => format!("The video is `{}`.", state.as_str()),
                code => code.text().to_owned(),
            };
            Err(Refusal::new(code).with_detail(detail))
        }
        UpdateOutcome::UnknownContent => Err(unknown_content(app, content).await?),
    }
}
