//! `POST …/developer/update_thumbnail`: an owner sends a picture that becomes the thumbnail of an earlier video.

use super::update_content::answer_update;
use crate::http::App;
use crate::http::callers::{KeyHolder, PresentedKey, UnreadRequest};
use crate::http::form_headers::FormHeaders;
use crate::http::linger::UnreadBody;
use crate::ids::ChannelId;
use crate::intake::picture::{change_thumbnail, receive_picture};
use crate::intake::small_form::{SmallFormRequest, file_name};
use crate::isolate::Quota;
use crate::limits::{LEASE_SECONDS, SENT_PICTURES_BYTES};
use crate::ports::error::PlatformError;
use crate::refusal::Refusal;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::{HeaderMap, Response};
use axum::response::IntoResponse;
use contract::ErrorCode;
use contract::api::UploadStatus;
use futures_util::StreamExt;
use futures_util::stream::LocalBoxStream;

static MEMORY: Quota = Quota::new(SENT_PICTURES_BYTES, LEASE_SECONDS);

/// Changes the thumbnail of a video to a picture of your own, and returns the video's status. Sending the same picture
/// again has no further effect. The old thumbnail stays until the new one is made and has passed moderation: see
/// `thumbnail_change` in the status. A later change replaces one that is not made yet. Counts as a use of the key.
///
/// Before the body: 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 415
/// `content_encoding_unsupported`.
///
/// While the body arrives and at its end: 401 `api_key_invalid`, if the key is deleted or rotated meanwhile, 422
/// `content_thumbnail_invalid`, 408 `upload_too_slow`, 503 `service_overloaded`, 404 `content_not_found` and, for a
/// rejected, removed or deleted video, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::UPDATE_THUMBNAIL, tag = "uploads",
    request_body(content = contract::api::UpdateThumbnailForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The state of the video after the change.", body = UploadStatus),
    )
))]
#[worker::send]
pub async fn update_thumbnail(app: App, request: UnreadRequest<PresentedKey>) -> Response<Body> {
    let UnreadRequest { caller: key, headers, mut body } = request;
    let owner = match key.record_use(&app).await {
        Ok(key_use) => KeyHolder(key_use),
        Err(refusal) => return UnreadBody::attach(refusal, body),
    };
    match update(&app, &key, owner.0.channel_id, (&headers, &mut body)).await {
        Ok(status) => owner.answer(&app, status).into_response(),
        Err(refusal) if refusal.code == ErrorCode::ApiKeyInvalid => UnreadBody::attach(refusal, body),
        Err(refusal) => UnreadBody::attach(refusal.with_usage(owner.0.usage, app.now()), body),
    }
}

async fn update(
    app: &App,
    key: &PresentedKey,
    channel_id: ChannelId,
    (headers, body): (&HeaderMap, &mut BodyDataStream),
) -> Result<UploadStatus, Refusal> {
    let FormHeaders { boundary, content_length } = FormHeaders::read(headers)?;
    let request = SmallFormRequest { boundary, content_length, pace: app.upload_pace(), memory: &MEMORY };
    let platform = app.platform()?;
    let picture = receive_picture(&platform, &request, small_body(body)).await?;
    // The body may take minutes, and a deleted key changes nothing.
    key.require_valid(app).await?;
    let name = file_name(&mut app.entropy(), app.now_ms());
    let outcome = change_thumbnail(&platform, channel_id, name, &picture).await?;
    answer_update(app, outcome).await
}

/// Returns the body of a small form. All forms have one type of body, so that the Worker has its reader once.
pub(super) fn small_body(body: &mut BodyDataStream) -> LocalBoxStream<'_, Result<Bytes, PlatformError>> {
    body.map(|chunk| chunk.map_err(|error| PlatformError(error.to_string()))).boxed_local()
}
