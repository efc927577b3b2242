//! `POST …/developer/update_captions` and `POST …/developer/delete_captions`: an owner's captions for an earlier
//! video.

use super::small_form::{FormRequest, answer_form};
use super::update_content::answer_update;
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::limits::{LEASE_SECONDS, SENT_CAPTIONS_BYTES};
use crate::base::refusal::Refusal;
use crate::contents::owner_changes::OwnedContent;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{ChannelOwner, OwnerResponse, PresentedOwner, UnreadRequest};
use crate::platform::isolate::Quota;
use crate::uploads::captions::{receive_captions, remove_captions, send_captions};
use crate::uploads::small_form::file_name;
use axum::body::Body;
use axum::http::Response;
use contract::api::{DeleteCaptions, UploadStatus};

static MEMORY: Quota = Quota::new(SENT_CAPTIONS_BYTES, LEASE_SECONDS);

/// Adds captions to a video, or replaces its captions in the same language, and returns the video's status. The
/// captions also replace the uploaded file's subtitles in that language. Sending the same file again has no further
/// effect. Viewers see the old captions until the new ones have passed moderation: see `captions_change` in the status.
/// If a change fails, all changes that viewers do not see yet are discarded. Counts as a use of the key.
///
/// Before the body: 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 415
/// `content_encoding_unsupported`.
///
/// While the body arrives and at its end: 401 `api_key_invalid` if the key was deleted or rotated in the meantime, 422
/// `field_unknown`, `content_captions_language_invalid`, `content_captions_invalid`, 408 `upload_too_slow`, 503
/// `service_overloaded`, 404 `content_not_found`, 409 `content_state_conflict` for a rejected, removed or deleted
/// video, 422 `content_captions_too_many` for a ninth language, and 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::UPDATE_CAPTIONS, tag = "uploads",
    request_body(content = contract::api::UpdateCaptionsForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The video's status after the change.", body = UploadStatus,
            example = json!(UploadStatus::example_with_pending_captions())),
    )
))]
#[worker::send]
pub async fn update_captions(app: App, request: UnreadRequest<PresentedOwner>) -> Response<Body> {
    answer_form(app, request, update).await
}

async fn update(mut form: FormRequest<'_>) -> Result<UploadStatus, Refusal> {
    let (app, owner, channel_id) = (form.app, form.owner, form.channel_id);
    let request = form.small(&MEMORY)?;
    let platform = app.platform()?;
    let captions = receive_captions(&platform, &request, form.body()).await?;
    // The body may take minutes, and a key that is deleted by then must change nothing.
    owner.require_valid(app).await?;
    let name = file_name(&mut app.entropy(), app.now_ms());
    let outcome = send_captions(&platform, channel_id, name, &captions).await?;
    answer_update(app, outcome, OwnedContent { channel_id, content_uuid: &captions.content_uuid }).await
}

/// Deletes your captions in one language from a video, and returns the video's status. The uploaded file's subtitles in
/// that language are shown again. If there are no captions in that language, nothing changes. Viewers see the old
/// captions until the change is complete: see `captions_change` in the status. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 422
/// `content_captions_language_invalid`, 404 `content_not_found`, 409 `content_state_conflict`, 429
/// `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DELETE_CAPTIONS, tag = "uploads",
    request_body = DeleteCaptions,
    responses(
        (status = 200, description = "The video's status after the change.", body = UploadStatus,
            example = json!(UploadStatus::example_with_pending_captions())),
    )
))]
#[worker::send]
pub async fn delete_captions(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<DeleteCaptions>, Refusal>,
) -> OwnerResponse<UploadStatus> {
    owner.respond(&app, remove(&app, owner.0.channel_id, request).await)
}

async fn remove(
    app: &App,
    channel_id: ChannelId,
    request: Result<JsonBody<DeleteCaptions>, Refusal>,
) -> Result<UploadStatus, Refusal> {
    let JsonBody(DeleteCaptions { content_uuid, language }) = request?;
    let platform = app.platform()?;
    let content_uuid = ContentUuid::new(content_uuid);
    let outcome = remove_captions(&platform, channel_id, &content_uuid, &language).await?;
    answer_update(app, outcome, OwnedContent { channel_id, content_uuid: &content_uuid }).await
}
