//! `POST …/developer/update_thumbnail`: an owner sends a picture that becomes the thumbnail of an earlier video.

use super::small_form::{FormRequest, answer_form};
use super::update_content::answer_update;
use crate::base::limits::{LEASE_SECONDS, SENT_PICTURES_BYTES};
use crate::base::refusal::Refusal;
use crate::contents::owner_changes::OwnedContent;
use crate::http::App;
use crate::http::callers::{PresentedOwner, UnreadRequest};
use crate::platform::isolate::Quota;
use crate::uploads::picture::{change_thumbnail, receive_picture};
use crate::uploads::small_form::file_name;
use axum::body::Body;
use axum::http::Response;
use contract::api::UploadStatus;

static MEMORY: Quota = Quota::new(SENT_PICTURES_BYTES, LEASE_SECONDS);

/// Replaces a video's thumbnail with a picture of your own, and returns the video's status. Sending the same picture
/// again has no further effect. The old thumbnail stays until the new one is ready and has passed moderation: see
/// `thumbnail_change` in the status. A later change replaces a pending one. Counts as a use of the key.
///
/// Before the body: 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 415
/// `content_encoding_unsupported`.
///
/// While the body arrives and at its end: 401 `api_key_invalid` if the key was deleted or rotated in the meantime, 422
/// `field_unknown`, `content_thumbnail_invalid`, 408 `upload_too_slow`, 503 `service_overloaded`, 404
/// `content_not_found`, 409 `content_state_conflict` for a rejected, removed or deleted video, and 429
/// `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::UPDATE_THUMBNAIL, tag = "uploads",
    request_body(content = contract::api::UpdateThumbnailForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The video's status after the change.", body = UploadStatus,
            example = json!(UploadStatus::example_with_pending_thumbnail())),
    )
))]
#[worker::send]
pub async fn update_thumbnail(app: App, request: UnreadRequest<PresentedOwner>) -> Response<Body> {
    answer_form(app, request, update).await
}

async fn update(mut form: FormRequest<'_>) -> Result<UploadStatus, Refusal> {
    let (app, owner, channel_id) = (form.app, form.owner, form.channel_id);
    let request = form.small(&MEMORY)?;
    let platform = app.platform()?;
    let picture = receive_picture(&platform, &request, form.body()).await?;
    // The body may take minutes, and a key that is deleted by then must change nothing.
    owner.require_valid(app).await?;
    let name = file_name(&mut app.entropy(), app.now_ms());
    let outcome = change_thumbnail(&platform, channel_id, name, &picture).await?;
    answer_update(app, outcome, OwnedContent { channel_id, content_uuid: &picture.content_uuid }).await
}
