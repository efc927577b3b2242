//! `POST …/developer/upload_video`.

use super::input::{asking_key, require_alive, use_key};
use crate::bindings::App;
use crate::bindings::linger::Unread;
use crate::error::ApiError;
use crate::intake::file_sink::too_large;
use crate::intake::names::Names;
use crate::intake::{Accepted, UploadRequest, receive};
use crate::memory_budget::{MemoryBudget, Permit};
use crate::platform::PlatformError;
use axum::body::{Body, BodyDataStream};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Request, Response};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use contract::ErrorCode;
use contract::api::UploadResult;
use contract::limits::{MAX_THUMBNAIL_BYTES, PART_BYTES, UPLOADS_MEMORY_BYTES, upload_memory};
use futures_util::StreamExt;
use multipart::{Boundary, BoundaryError};

/// What a form may hold beside its file and its picture: 30 other parts of 64 KiB, and their headers.
const MAX_OTHER_BYTES: u64 = 30 * (64 + 5) * 1024;
const OVERLOADED_RETRY_SECONDS: u64 = 5;

static MEMORY: MemoryBudget = MemoryBudget::new(UPLOADS_MEMORY_BYTES);

/// Takes one video for the key's channel.
///
/// Before the body: 401 `api_key_invalid`, 429 `rate_limited`, 400 `request_malformed`, 413 `content_file_too_large`,
/// 503 `service_overloaded`, 429 `content_upload_limit_failure`. While it streams: 400 `file_not_found`,
/// 415 `content_file_invalid_format`, 422 for a duration, category, caption, summary, thumbnail, schedule or token
/// that does not fit, 409 `upload_in_progress`, 408 `upload_too_slow`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/api/php/developer/upload_video", tag = "uploads", security(("api_key" = [])),
    request_body(content = contract::api::UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The content exists and is processing.", body = UploadResult, headers(
            ("Idempotency-Replayed", description = "`true` when an earlier upload with the same token is told again."),
            ("RateLimit", description = "What is left of the day."),
        )),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn upload_video(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut body = body.into_data_stream();
    match take(&app, &parts.headers, &mut body).await {
        Ok(accepted) => answer(&app, &accepted).into_response(),
        Err(error) => {
            let mut refusal = error.into_response();
            refusal.extensions_mut().insert(Unread::new(body));
            refusal
        }
    }
}

async fn take(
    app: &App,
    headers: &HeaderMap,
    body: &mut BodyDataStream,
) -> Result<Accepted, ApiError> {
    let key = asking_key(app, headers).await?;
    let (boundary, content_length) = match readable_form(app, headers) {
        Ok(form) => form,
        // Who has no living key learns nothing else.
        Err(error) => {
            let usage = use_key(app, &key).await?.usage;
            return Err(error.with_usage(usage, app.now_unix()));
        }
    };
    let permit = match memory_for(content_length, app.now_unix()) {
        Ok(permit) => permit,
        Err(overloaded) => {
            require_alive(app, &key).await?;
            return Err(overloaded);
        }
    };
    let names = Names::generate(&mut app.entropy(), app.now_ms());
    let (max_file_bytes, part_bytes) = (app.max_upload_bytes(), PART_BYTES);
    let upload = UploadRequest {
        names,
        boundary,
        content_length,
        max_file_bytes,
        part_bytes,
    };
    let body = body.map(|chunk| {
        permit.keep_alive(app.now_unix());
        chunk.map_err(|error| PlatformError(error.to_string()))
    });
    receive(&app.platform()?, &key, &upload, body).await
}

fn answer(app: &App, accepted: &Accepted) -> (HeaderMap, Json<UploadResult>) {
    let mut headers = HeaderMap::new();
    accepted.usage.add_headers(app.now_unix(), &mut headers);
    if accepted.is_replay {
        headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    (headers, Json(accepted.result.clone()))
}

/// The boundary and the length of a request that can be a form, judged by its headers alone.
fn readable_form(app: &App, headers: &HeaderMap) -> Result<(Boundary, Option<u64>), ApiError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let boundary =
        Boundary::from_content_type(text(CONTENT_TYPE).unwrap_or_default()).map_err(|error| {
            match error {
                BoundaryError::NotFormData => {
                    ApiError::malformed("Send the upload as `multipart/form-data`.")
                }
                error => ApiError::malformed(format!("The Content-Type cannot be read: {error}")),
            }
        })?;
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let most = app.max_upload_bytes() + MAX_THUMBNAIL_BYTES as u64 + MAX_OTHER_BYTES;
    match length {
        Some(length) if length > most => Err(too_large(app.max_upload_bytes())),
        length => Ok((boundary, length)),
    }
}

fn memory_for(content_length: Option<u64>, now_unix: u64) -> Result<Permit<'static>, ApiError> {
    let length = content_length.and_then(|length| usize::try_from(length).ok());
    let permit = MEMORY.take(upload_memory(length), now_unix);
    permit.ok_or_else(|| {
        ApiError::new(ErrorCode::ServiceOverloaded).with_retry_after(OVERLOADED_RETRY_SECONDS)
    })
}
