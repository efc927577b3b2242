//! `…/developer/resumable_uploads`: resumable uploads, by the protocol tus 1.0.

use super::upload_video::ISOLATE;
use crate::base::ids::UploadUuid;
use crate::base::limits::PART_BYTES;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{Anyone, LocationHolder, PresentedKey, UnreadRequest};
use crate::http::form_headers::{idempotency_key, require_no_encoding};
use crate::http::linger::{UnreadBody, read_rest};
use crate::http::query::require_known;
use crate::http::test_videos::play_after_answer;
use crate::http::tus;
use crate::platform::error::PlatformError;
use crate::uploads::Permission;
use crate::uploads::commit::find_committed;
use crate::uploads::file::too_large;
use crate::uploads::names::{UploadNames, time_ordered_uuid};
use crate::uploads::resumable::{
    Announcement, Appended, Arrival, Created, Location, NewResumable, Outcome, Progress, abandon, append, create,
    settled,
};
use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::http::header::{ACCEPT, LOCATION};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use contract::api::{DirectUploadResult, ResumableState, ResumableUpload};
use contract::paths;
use futures_util::StreamExt;
use tracing::Span;

/// Creates a resumable upload (tus 1.0). The `Location` header of the response has its URL. Keep the URL secret: anyone
/// who knows it can send bytes without the API key. A request body of the type `application/offset+octet-stream` is the
/// beginning of the file.
///
/// An unfinished upload is deleted after a day. An upload that sends no data for two minutes releases its slot of the
/// daily limit, and takes another one when it continues.
///
/// In this order: 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 412 `tus_version_unsupported`,
/// 415 `content_encoding_unsupported`, 400 `request_malformed`, 413 `content_file_too_large`, 400
/// `upload_metadata_invalid`, 422 `field_unknown`, `upload_token_invalid`, 429 `content_upload_limit_failure`, 429
/// `too_many_uploads`, 409 `upload_in_progress`, 422 `upload_token_mismatch`, the code of a field whose value is
/// invalid, or `content_moderation_rejected` for the `sha256` of a file that a moderator removed.
///
/// With a body, also 404 `upload_not_found`, 409 `upload_offset_mismatch`, `upload_superseded`, 408 `upload_too_slow`,
/// 415 `content_file_invalid_format`, 422 `content_video_duration_invalid`, `upload_sha256_mismatch`, 503
/// `service_overloaded`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = paths::RESUMABLE_UPLOADS, tag = "uploads",
    params(
        ("Tus-Resumable" = String, Header, pattern = "^1\\.0\\.0$", description = "The tus protocol version: `1.0.0`."),
        ("Upload-Length" = u64, Header, minimum = 1, description = "The length of the file in bytes."),
        ("Upload-Metadata" = Option<String>, Header, nullable = false, description = "The fields of the upload, as \
            comma-separated pairs: a name, a space, and the value in base64. `sha256` is the hash of the file, which \
            is required with `upload_token`."),
        ("Idempotency-Key" = Option<String>, Header, nullable = false,
            pattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", description = "The same as the \
            field `upload_token`."),
    ),
    responses(
        (status = 201, description = "The upload was created.",
            headers(("Location"), ("Tus-Resumable"), ("Upload-Offset"), ("Upload-Length"), ("Upload-Expires"), ("Clipgate-Content-Uuid"))),
    )
))]
#[worker::send]
pub async fn create_resumable_upload(app: App, request: UnreadRequest<PresentedKey>) -> Response<Body> {
    let UnreadRequest { caller: key, uri, headers, body } = request;
    let most = app.settings().max_resumable_bytes;
    let announcement = match read_announcement(&app, &uri, &headers, most) {
        Ok(announcement) => announcement,
        Err(refusal) => return UnreadBody::attach(key.refuse(&app, refusal).await, body),
    };
    let location = Location::generate(&mut app.entropy());
    let begun = begin(&app, Permission::Key(key.hash().clone()), announcement, location.clone()).await;
    match key.note(&app, begun) {
        Ok(Created { progress, usage }) => {
            let mut more = HeaderMap::new();
            usage.add_headers(app.now(), &mut more);
            answer_created(app, progress, more, location, &headers, body).await
        }
        Err(refusal) => UnreadBody::attach(refusal, body),
    }
}

/// Reads the announcement of a file of at most this size.
pub(super) fn read_announcement(app: &App, uri: &Uri, headers: &HeaderMap, most: u64) -> Result<Announcement, Refusal> {
    require_known(app.unknown_fields(), uri, &[])?;
    tus::require_version(headers)?;
    require_no_encoding(headers)?;
    let length = tus::upload_length(headers)?;
    if length > most {
        return Err(too_large(most));
    }
    Announcement::read(length, tus::upload_metadata(headers)?, idempotency_key(headers)?, app.unknown_fields())
}

pub(super) async fn begin(
    app: &App,
    permission: Permission,
    announcement: Announcement,
    location: Location,
) -> Result<Created, Refusal> {
    let (entropy, now_ms) = (&mut app.entropy(), app.now_ms());
    let new = NewResumable {
        permission,
        names: UploadNames::generate(entropy, now_ms),
        tails_uuid: UploadUuid::new(time_ordered_uuid(entropy, now_ms).to_string()),
        location,
        announcement,
        max_open_uploads: app.settings().max_open_uploads,
        seconds_to_finish: app.settings().resumable_seconds,
        part_bytes: PART_BYTES as u64,
        trace: app.trace(),
        caller: app.known_caller().clone(),
    };
    Span::current().record("upload", new.names.upload_uuid.as_str());
    create(&app.platform()?, &new).await
}

/// Returns the response to a creation with these headers, after the bytes that came with it.
pub(super) async fn answer_created(
    app: App,
    mut progress: Progress,
    more: HeaderMap,
    location: Location,
    headers: &HeaderMap,
    body: BodyDataStream,
) -> Response<Body> {
    // Relative, so that it is right behind any proxy.
    let address = format!("{}/{}", paths::RESUMABLE_UPLOADS, location.reveal());
    if tus::has_bytes(headers) {
        match continue_at(app, location, 0, tus::content_length(headers), body).await {
            Ok(appended) => progress = appended.progress,
            Err(refused) => return refused,
        }
    }
    let mut headers = tus::progress(&progress);
    headers.extend(more);
    match HeaderValue::from_str(&address) {
        Ok(address) => headers.insert(LOCATION, address),
        Err(error) => return Refusal::internal(error).into_response(),
    };
    (StatusCode::CREATED, headers).into_response()
}

/// Returns the versions and extensions of the protocol that the service supports.
#[worker::send]
pub async fn describe_protocol(app: App, _: Anyone) -> Response<Body> {
    (StatusCode::NO_CONTENT, tus::capabilities(app.settings().max_resumable_bytes)).into_response()
}

/// Returns the progress of an upload. `HEAD` returns it in headers, and finishes an upload whose bytes are all stored.
/// If the video was rejected, `HEAD` returns the status of that error.
///
/// 404 `upload_not_found`, 403 `direct_upload_origin_forbidden`, 429 `rate_limited`, 400 `request_malformed`. Only
/// `HEAD`: 412 `tus_version_unsupported`, 409 `upload_in_progress`, 429 `content_upload_limit_failure`,
/// `too_many_uploads`, 403 `channel_suspended`, 408 `upload_too_slow`, 415 `content_file_invalid_format`, 422
/// `content_video_duration_invalid`, `content_thumbnail_time_invalid`, `content_category_invalid`,
/// `content_moderation_rejected`, `upload_sha256_mismatch`, `upload_token_mismatch`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::RESUMABLE_UPLOAD, tag = "uploads",
    params(("location" = String, Path, description = "The last segment of the URL in `Location`.")),
    responses(
        (status = 200, description = "The progress of the upload, and its outcome.", body = ResumableUpload,
            headers(("Tus-Resumable"), ("Upload-Offset"), ("Upload-Length"), ("Upload-Expires"), ("Clipgate-Content-Uuid"))),
    )
))]
#[worker::send]
pub async fn get_resumable_upload(app: App, request: UnreadRequest<LocationHolder>) -> Response<Body> {
    let LocationHolder { location, method } = request.caller;
    let answered = if method == Method::HEAD {
        head(app, location, &request.headers).await
    } else {
        describe(&app, &location).await
    };
    answered.unwrap_or_else(IntoResponse::into_response)
}

async fn describe(app: &App, location: &Location) -> Result<Response<Body>, Refusal> {
    let database = app.database()?;
    let progress = settled(&app.platform()?, location).await?;
    progress.note(app.known_caller());
    let (mut state, mut result, mut refusal) = (ResumableState::Receiving, None, None);
    match &progress.outcome {
        Outcome::Open => {}
        Outcome::Received => state = ResumableState::Received,
        Outcome::Accepted(_) if progress.is_direct => state = ResumableState::Accepted,
        Outcome::Accepted(_) => {
            state = ResumableState::Accepted;
            result = find_committed(&database, &progress.upload_uuid).await?.map(|finished| finished.result());
        }
        Outcome::Refused(stored) => {
            state = ResumableState::Refused;
            refusal = Some(stored.clone().into_refusal());
        }
    }
    let described = ResumableUpload {
        success: true,
        state,
        offset: progress.received,
        length: progress.length,
        expires_at_unix: progress.expires_at.0,
        result,
        error_message_code: refusal.as_ref().map(|refusal| refusal.code),
        detail: refusal.and_then(|refusal| refusal.detail),
    };
    Ok((tus::progress(&progress), Json(described)).into_response())
}

async fn head(app: App, location: Location, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
    tus::require_version(headers)?;
    let mut progress = settled(&app.platform()?, &location).await?;
    progress.note(app.known_caller());
    match progress.outcome.clone() {
        Outcome::Refused(refusal) => return Err(refusal.into_refusal()),
        Outcome::Received => {
            let body = Body::empty().into_data_stream();
            match continue_at(app, location, progress.length, Some(0), body).await {
                Ok(appended) => progress = appended.progress,
                Err(refused) => return Ok(refused),
            }
        }
        Outcome::Open | Outcome::Accepted(_) => {}
    }
    Ok((StatusCode::OK, tus::progress(&progress)).into_response())
}

/// Sends bytes of the file, starting at `Upload-Offset`. If the connection breaks, get the current offset with `HEAD`.
/// The request with the last byte creates the video: it returns 200 with the result if the client accepts JSON.
///
/// Before the body: 404 `upload_not_found`, 403 `direct_upload_origin_forbidden`, 429 `rate_limited`, 412
/// `tus_version_unsupported`, 400 `request_malformed`, 415 `content_encoding_unsupported`, 409
/// `upload_offset_mismatch`, `upload_in_progress`, 403 `channel_suspended`, 429 `content_upload_limit_failure`,
/// `too_many_uploads`, 503 `service_overloaded`.
///
/// While the body arrives: 409 `upload_superseded`, 408 `upload_too_slow`, 415 `content_file_invalid_format`, 422
/// `content_video_duration_invalid`.
///
/// After the last byte: 422 `content_thumbnail_time_invalid`, `content_category_invalid`,
/// `content_moderation_rejected`, `upload_sha256_mismatch`, `upload_token_mismatch`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    patch, path = paths::RESUMABLE_UPLOAD, tag = "uploads",
    params(
        ("location" = String, Path, description = "The last segment of the URL in `Location`."),
        ("Tus-Resumable" = String, Header, pattern = "^1\\.0\\.0$", description = "The tus protocol version: `1.0.0`."),
        ("Upload-Offset" = u64, Header, description = "The number of bytes that the service has stored. The body \
            continues the file at this offset."),
    ),
    request_body(content = contract::api::Bytes, content_type = "application/offset+octet-stream"),
    responses(
        (status = 200, description = "The video is accepted and processing.", body = contract::api::UploadResult,
            headers(("Tus-Resumable"), ("Upload-Offset"), ("Upload-Length"), ("Upload-Expires"), ("Clipgate-Content-Uuid"))),
        (status = 204, description = "The bytes are stored.",
            headers(("Tus-Resumable"), ("Upload-Offset"), ("Upload-Length"), ("Upload-Expires"), ("Clipgate-Content-Uuid"))),
    )
))]
#[worker::send]
pub async fn append_to_resumable_upload(app: App, request: UnreadRequest<LocationHolder>) -> Response<Body> {
    let UnreadRequest { caller: LocationHolder { location, .. }, headers, body, .. } = request;
    let offset = match read_offset(&headers) {
        Ok(offset) => offset,
        Err(refusal) => return UnreadBody::attach(refusal, body),
    };
    let answered = continue_at(app.clone(), location, offset, tus::content_length(&headers), body).await;
    match answered {
        Ok(appended) => answer_appended(&app, appended, &headers).await.unwrap_or_else(IntoResponse::into_response),
        Err(refused) => refused,
    }
}

fn read_offset(headers: &HeaderMap) -> Result<u64, Refusal> {
    tus::require_version(headers)?;
    tus::require_bytes(headers)?;
    require_no_encoding(headers)?;
    tus::upload_offset(headers)
}

async fn answer_appended(app: &App, appended: Appended, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
    let Appended { progress, accepted } = appended;
    let Outcome::Accepted(content_uuid) = progress.outcome.clone() else {
        return Ok((StatusCode::NO_CONTENT, tus::progress(&progress)).into_response());
    };
    if !accepts_json(headers) {
        return Ok((StatusCode::NO_CONTENT, tus::progress(&progress)).into_response());
    }
    if progress.is_direct {
        return Ok(
            (tus::progress(&progress), Json(DirectUploadResult::accepted(content_uuid.into_string()))).into_response()
        );
    }
    let result = match accepted {
        Some(accepted) => accepted.result,
        None => find_committed(&app.database()?, &progress.upload_uuid)
            .await?
            .map(|finished| finished.result())
            .ok_or_else(|| Refusal::internal("an accepted upload has no content"))?,
    };
    Ok((tus::progress(&progress), Json(result)).into_response())
}

/// Whether the client asks for JSON, and not for anything.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("application/json"))
}

/// Stores the bytes of a body, even if the client disconnects. Returns the response if they are refused.
async fn continue_at(
    app: App,
    location: Location,
    offset: u64,
    content_length: Option<u64>,
    body: BodyDataStream,
) -> Result<Appended, Response<Body>> {
    let arrival = Arrival {
        location,
        offset,
        content_length,
        max_open_uploads: app.settings().max_open_uploads,
        pace: app.settings().upload_pace,
        caller: app.known_caller().clone(),
    };
    UnreadBody::run_to_end(body, async move |body| store(&app, &arrival, body).await).await
}

async fn store(app: &App, arrival: &Arrival, body: &mut BodyDataStream) -> Result<Appended, Refusal> {
    let platform = app.platform()?;
    let bytes = body.by_ref().map(|chunk| chunk.map_err(|error| PlatformError::Failed(error.to_string())));
    let appended = append(&platform, &ISOLATE, arrival, bytes).await?;
    record_ids(&appended.progress);
    if let Some(accepted) = &appended.accepted {
        play_after_answer(app, &accepted.result);
    }
    if appended.is_replay() {
        read_rest(body).await;
    }
    Ok(appended)
}

fn record_ids(progress: &Progress) {
    Span::current().record("upload", progress.upload_uuid.as_str());
    if let Outcome::Accepted(uuid) = &progress.outcome {
        Span::current().record("content", uuid.as_str());
    }
}

/// Cancels an upload and deletes the stored bytes. The video of an accepted upload stays.
///
/// 404 `upload_not_found`, 403 `direct_upload_origin_forbidden`, 429 `rate_limited`, 412 `tus_version_unsupported`, 400
/// `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = paths::RESUMABLE_UPLOAD, tag = "uploads",
    params(
        ("location" = String, Path, description = "The last segment of the URL in `Location`."),
        ("Tus-Resumable" = String, Header, pattern = "^1\\.0\\.0$", description = "The tus protocol version: `1.0.0`."),
    ),
    responses((status = 204, description = "The upload was canceled.", headers(("Tus-Resumable"))))
))]
#[worker::send]
pub async fn end_resumable_upload(app: App, request: UnreadRequest<LocationHolder>) -> Result<Response<Body>, Refusal> {
    tus::require_version(&request.headers)?;
    abandon(&app.database()?, &request.caller.location).await?;
    Ok((StatusCode::NO_CONTENT, [(tus::TUS_RESUMABLE, tus::VERSION)]).into_response())
}
