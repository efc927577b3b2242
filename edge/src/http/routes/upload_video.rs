//! `POST …/developer/upload_video`.

use crate::base::limits::PART_SIZES;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{PresentedKey, UnreadRequest};
use crate::http::form_headers::{FormHeaders, idempotency_key};
use crate::http::linger::UnreadBody;
use crate::http::query::require_known;
use crate::http::test_videos::play_after_answer;
use crate::platform::error::PlatformError;
use crate::uploads::names::UploadNames;
use crate::uploads::{AcceptedUpload, Isolate, Permission, UploadRequest, admit, preview, receive};
use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, HeaderValue, Response, Uri};
use axum::response::IntoResponse;
use contract::api::UploadResult;
use futures_util::{StreamExt, stream};
use std::pin::pin;
use tracing::Span;

pub(super) static ISOLATE: Isolate = Isolate::new();

/// Uploads one video to the key's channel.
///
/// Before the body: 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 415
/// `content_encoding_unsupported`, 413 `content_file_too_large`, 422 `upload_token_invalid`, 503 `service_overloaded`,
/// 429 `content_upload_limit_failure`, 429 `too_many_uploads`.
///
/// While the body arrives: 400 `file_not_found`, 415 `content_file_invalid_format`, 409 `upload_in_progress`, 409
/// `upload_token_spent`, 408 `upload_too_slow`, and 422 `field_unknown`, `content_video_duration_invalid`,
/// `content_thumbnail_conflict`, `content_captions_language_invalid`, `content_captions_too_many`,
/// `upload_token_mismatch`, the code of a field whose value is invalid, or `content_moderation_rejected` for an exact
/// copy of a file that a moderator removed.
///
/// Until the end: 401 `api_key_invalid` if the key is deleted or rotated, and 403 `channel_suspended` if the channel is
/// suspended. A test upload can ask for an error, including 503 `service_unavailable`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::UPLOAD_VIDEO, tag = "uploads",
    params(
        ("Idempotency-Key" = Option<String>, Header, nullable = false,
            pattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", description = "The same as the \
            field `upload_token`, for clients that cannot send that field before the file."),
    ),
    request_body(content = contract::api::UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The video is accepted and processing.", body = UploadResult,
            headers(("Idempotency-Replayed"))),
    )
))]
#[worker::send]
pub async fn upload_video(app: App, request: UnreadRequest<PresentedKey>) -> Response<Body> {
    let UnreadRequest { caller: key, uri, headers, body } = request;
    let head = read_head(&app, &uri, &headers);
    let upload = async move |body: &mut BodyDataStream| {
        // Boxed, because the state of an upload is large.
        let accepted = Box::pin(accept(&app, &key, head, body)).await?;
        Ok(answer(&app, &accepted).into_response())
    };
    UnreadBody::run_to_end(body, upload).await.unwrap_or_else(|refused| refused)
}

/// The parts of an upload that are known before its body.
struct UploadHead {
    form: FormHeaders,
    token: Option<String>,
}

fn read_head(app: &App, uri: &Uri, headers: &HeaderMap) -> Result<UploadHead, Refusal> {
    require_known(app.unknown_fields(), uri, &[])?;
    let form = FormHeaders::of_upload(headers, app.settings().max_upload_bytes)?;
    Ok(UploadHead { form, token: idempotency_key(headers)? })
}

async fn accept(
    app: &App,
    key: &PresentedKey,
    head: Result<UploadHead, Refusal>,
    body: &mut BodyDataStream,
) -> Result<AcceptedUpload, Refusal> {
    let UploadHead { form: FormHeaders { boundary, content_length }, token } = match head {
        Ok(head) => head,
        Err(refusal) => return Err(key.refuse(app, refusal).await),
    };
    // A full isolate refuses the upload before writing anything.
    if !ISOLATE.has_memory(content_length, app.now()) {
        key.require_valid(app).await?;
        return Err(Refusal::overloaded());
    }
    let form = FormHeaders { boundary, content_length };
    let upload = upload_request(app, Permission::Key(key.hash().clone()), form, token)?;
    run(app, Some(key), &upload, body).await
}

/// Runs an upload. One function for both credentials keeps the Worker small.
pub(super) async fn run(
    app: &App,
    key: Option<&PresentedKey>,
    upload: &UploadRequest,
    body: &mut BodyDataStream,
) -> Result<AcceptedUpload, Refusal> {
    let platform = app.platform()?;
    let body = body.map(|chunk| chunk.map_err(|error| PlatformError::Failed(error.to_string())));
    let mut body = pin!(body.fuse());
    let chunks = preview(&platform, &ISOLATE, upload, body.as_mut()).await;
    let chunks = chunks.or_else(|refusal| noted(app, key, Err(refusal)))?;
    let admitted = noted(app, key, admit(&platform, &ISOLATE, upload).await)?;
    let body = stream::iter(chunks.into_iter().map(Ok)).chain(body);
    let accepted = noted(app, key, receive(&platform, upload, &admitted, body).await)?;
    Span::current().record("content", accepted.result.content_uuid.as_str());
    play_after_answer(app, &accepted.result);
    Ok(accepted)
}

fn noted<T>(app: &App, key: Option<&PresentedKey>, outcome: Result<T, Refusal>) -> Result<T, Refusal> {
    match key {
        Some(key) => key.note(app, outcome),
        None => outcome,
    }
}

/// Returns an upload with this form and, if the header has one, upload token.
pub(super) fn upload_request(
    app: &App,
    permission: Permission,
    form: FormHeaders,
    token: Option<String>,
) -> Result<UploadRequest, Refusal> {
    let settings = app.settings();
    let rules = permission.rules();
    let (owner_fields, max_file_bytes) = match rules {
        Some(rules) => (Some(Box::new(rules.owner_fields()?)), rules.largest(settings.max_upload_bytes)),
        None => (None, settings.max_upload_bytes),
    };
    let names = UploadNames::generate(&mut app.entropy(), app.now_ms());
    Span::current().record("upload", names.upload_uuid.as_str());
    Ok(UploadRequest {
        permission,
        owner_fields,
        names,
        boundary: form.boundary,
        content_length: form.content_length,
        max_file_bytes,
        max_open_uploads: settings.max_open_uploads,
        parts: PART_SIZES,
        pace: settings.upload_pace,
        token,
        unknown_fields: app.unknown_fields().clone(),
        caller: app.known_caller().clone(),
        trace: app.trace(),
    })
}

fn answer(app: &App, accepted: &AcceptedUpload) -> (HeaderMap, Json<UploadResult>) {
    let mut headers = HeaderMap::new();
    accepted.usage.add_headers(app.now(), &mut headers);
    if accepted.is_replay {
        headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    (headers, Json(accepted.result.clone()))
}
