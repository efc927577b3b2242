//! The user's side of a direct upload: one video, with a one-time token, from an app or a page.

use super::resumable_uploads::{answer_created, begin, read_announcement};
use super::upload_video::{ISOLATE, run, upload_request};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{Anyone, DirectUploader, PostedForm, UnreadRequest, direct_upload_token_invalid};
use crate::http::cross_origin;
use crate::http::first_field::first_field;
use crate::http::form_headers::FormHeaders;
use crate::http::linger::UnreadBody;
use crate::http::query::require_known;
use crate::http::tus;
use crate::people::auth::header::bearer_token;
use crate::uploads::direct::{self, DirectToken, Grant};
use crate::uploads::form::{DIRECT_UPLOAD_TOKEN, MAX_TOKEN_BYTES};
use crate::uploads::resumable::Location;
use crate::uploads::{AcceptedUpload, Permission};
use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse;
use contract::ContentState;
use contract::api::{DirectUploadResult, DirectUploadStatus};

const PROCESSING_SECONDS: u64 = 3;
const SCHEDULED_SECONDS: u64 = 60;

/// Uploads one video with a one-time token. The form is the same as for `upload_video`, limited to the fields that the
/// owner lets the user set. Send the token in the header `Authorization: Bearer`. A page without JavaScript can send it
/// as the first field of its form, `direct_upload_token`.
///
/// Before the body: 401 `direct_upload_token_invalid`, 403 `direct_upload_origin_forbidden`, 429 `rate_limited`, 409
/// `direct_upload_used`, 403 `channel_suspended`, 400 `request_malformed`, 415 `content_encoding_unsupported`, 413
/// `content_file_too_large`, 503 `service_overloaded`, 429 `content_upload_limit_failure`, `too_many_uploads`.
///
/// While the body arrives: 422 `direct_upload_field_forbidden`, and the errors of `upload_video`: 400 `file_not_found`,
/// 415 `content_file_invalid_format`, 408 `upload_too_slow`, 422 `field_unknown`, `content_video_duration_invalid`, the
/// code of a field whose value is invalid, or `content_moderation_rejected`.
///
/// Until the end: 409 `upload_superseded` if another upload with the token has begun.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DIRECT_UPLOAD, tag = "direct_uploads",
    request_body(content = contract::api::UploadForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The video is accepted and processing.", body = DirectUploadResult))
))]
#[worker::send]
pub async fn upload_directly(app: App, request: UnreadRequest<PostedForm>) -> Response<Body> {
    let UnreadRequest { uri, headers, body, .. } = request;
    let form = require_known(app.unknown_fields(), &uri, &[]).and_then(|()| FormHeaders::read(&headers));
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return UnreadBody::attach_for_unknown_caller(refusal, body),
    };
    let (token, body) = match bearer_token(&headers) {
        Some(token) => (Some(token.to_owned()), body),
        None => first_field(&form.boundary, DIRECT_UPLOAD_TOKEN, MAX_TOKEN_BYTES, body).await,
    };
    let token = token.as_deref().map(str::trim).and_then(DirectToken::parse);
    let grant = match identify(&app, token, &headers).await {
        Ok(grant) => grant,
        Err(refusal) => return UnreadBody::attach_for_unknown_caller(refusal, body),
    };
    let upload = async move |body: &mut BodyDataStream| {
        // Boxed, because the state of an upload is large.
        let accepted = Box::pin(accept(&app, grant, &headers, body)).await.map_err(Refusal::without_usage)?;
        Ok(Json(DirectUploadResult::accepted(accepted.result.content_uuid)).into_response())
    };
    UnreadBody::run_to_end(body, upload).await.unwrap_or_else(|refused| refused)
}

async fn identify(app: &App, token: Option<DirectToken>, headers: &HeaderMap) -> Result<Grant, Refusal> {
    let token = token.ok_or_else(direct_upload_token_invalid)?;
    DirectUploader::identify(app, &token, headers).await?.unused()
}

async fn accept(
    app: &App,
    grant: Grant,
    headers: &HeaderMap,
    body: &mut BodyDataStream,
) -> Result<AcceptedUpload, Refusal> {
    let max_file_bytes = grant.rules.largest(app.settings().max_upload_bytes);
    let form = FormHeaders::of_upload(headers, max_file_bytes)?;
    if !ISOLATE.has_memory(form.content_length, app.now()) {
        return Err(Refusal::overloaded());
    }
    let upload = upload_request(app, Permission::DirectUpload(Box::new(grant)), form, None)?;
    run(app, None, &upload, body).await
}

/// Returns the state of a direct upload and, for an hour after the upload, of its video.
///
/// 401 `direct_upload_token_invalid`, 403 `direct_upload_origin_forbidden`, 429 `rate_limited`, 400
/// `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::DIRECT_UPLOAD, tag = "direct_uploads",
    responses((status = 200, description = "The state of the direct upload and its video.", body = DirectUploadStatus))
))]
#[worker::send]
pub async fn get_direct_upload_status(
    app: App,
    DirectUploader(grant): DirectUploader,
) -> Result<Json<DirectUploadStatus>, Refusal> {
    let video = direct::status(&app.database()?, &grant.token).await?;
    Ok(Json(DirectUploadStatus {
        success: true,
        state: grant.state,
        check_after_seconds: check_after_seconds(video.as_ref().map(|video| video.state)),
        content_state: video.as_ref().map(|video| video.state),
        error_message_code: video.as_ref().and_then(|video| video.error_code.clone()),
        content_uuid: video.map(|video| video.content_uuid),
    }))
}

/// Returns when to ask again. Without a video, another request may be uploading one.
fn check_after_seconds(state: Option<ContentState>) -> Option<u64> {
    match state {
        None | Some(ContentState::Processing) => Some(PROCESSING_SECONDS),
        Some(ContentState::Scheduled) => Some(SCHEDULED_SECONDS),
        Some(_) => None,
    }
}

/// Creates a resumable upload (tus 1.0) with a one-time token. The upload continues at the URL in `Location`, like any
/// resumable upload, and no longer needs the token.
///
/// In this order: 401 `direct_upload_token_invalid`, 403 `direct_upload_origin_forbidden`, 429 `rate_limited`, 409
/// `direct_upload_used`, 412 `tus_version_unsupported`, 415 `content_encoding_unsupported`, 400 `request_malformed`,
/// 413 `content_file_too_large`, 400 `upload_metadata_invalid`, 422 `field_unknown`, `direct_upload_field_forbidden`,
/// 403 `channel_suspended`, 429 `content_upload_limit_failure`, `too_many_uploads`, 422 the code of a field whose value
/// is invalid, or `content_moderation_rejected` for the `sha256` of a file that a moderator removed.
///
/// With a body, also 404 `upload_not_found`, 409 `upload_offset_mismatch`, `upload_superseded`, 408 `upload_too_slow`,
/// 415 `content_file_invalid_format`, 422 `content_video_duration_invalid`, `upload_sha256_mismatch`, 503
/// `service_overloaded`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::RESUMABLE_DIRECT_UPLOAD, tag = "direct_uploads",
    params(
        ("Tus-Resumable" = String, Header, pattern = "^1\\.0\\.0$", description = "The tus protocol version: `1.0.0`."),
        ("Upload-Length" = u64, Header, minimum = 1, description = "The length of the file in bytes."),
        ("Upload-Metadata" = Option<String>, Header, nullable = false, description = "The fields that the user may \
            set, as comma-separated pairs: a name, a space, and the value in base64."),
    ),
    responses(
        (status = 201, description = "The upload was created.",
            headers(("Location"), ("Tus-Resumable"), ("Upload-Offset"), ("Upload-Length"), ("Upload-Expires"), ("Clipgate-Content-Uuid"))),
    )
))]
#[worker::send]
pub async fn create_resumable_direct_upload(app: App, request: UnreadRequest<DirectUploader>) -> Response<Body> {
    let UnreadRequest { caller, uri, headers, body } = request;
    let location = Location::generate(&mut app.entropy());
    let begun = async {
        let grant = caller.unused()?;
        let largest = grant.rules.largest(app.settings().max_resumable_bytes);
        let announcement = read_announcement(&app, &uri, &headers, largest)?.restricted_by(&grant.rules)?;
        begin(&app, Permission::DirectUpload(Box::new(grant)), announcement, location.clone()).await
    };
    match begun.await {
        Ok(created) => answer_created(app, created.progress, HeaderMap::new(), location, &headers, body).await,
        Err(refusal) => UnreadBody::attach(refusal.without_usage(), body),
    }
}

/// Answers the preflight of a browser: the token decides later whether the page may send the request. Also returns the
/// versions and extensions of tus that the service supports.
#[worker::send]
pub async fn allow_pages(app: App, _: Anyone, headers: HeaderMap) -> Response<Body> {
    let mut answered = cross_origin::preflight(&headers);
    answered.extend(tus::capabilities(app.settings().max_resumable_bytes));
    (StatusCode::NO_CONTENT, answered).into_response()
}
