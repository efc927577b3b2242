//! `GET /media/…`: the files of contents, for players, browsers and whoever owns or moderates them.

use super::input::asker;
use crate::bindings::{App, MediaStore};
use crate::contents::addresses::MediaPath;
use crate::delivery::access::Asker;
use crate::delivery::file::{self, File};
use crate::delivery::headers;
use crate::delivery::range::Selected;
use crate::delivery::reply::{Conditions, Reply};
use crate::error::ApiError;
use axum::Extension;
use axum::body::Body;
use axum::http::header::{HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE};
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use contract::ErrorCode;

/// The video of a published content, or a part of it.
///
/// 404 `not_found`: one and the same answer for whatever is not published, never was, or has another name.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/media/{name}", tag = "site",
    params(
        ("name" = String, Path, description = "The `media_name` of the upload's answer."),
        ("Range" = Option<String>, Header, description = "One range of bytes. Of several, the whole is sent."),
    ),
    responses(
        (status = 200, description = "The whole MP4.", content_type = "video/mp4"),
        (status = 206, description = "The part that was asked for.", content_type = "video/mp4"),
        (status = 304, description = "The client has it already."),
        (status = 416, description = "The range begins behind the end."),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn get_video(
    Extension(app): Extension<App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, ApiError> {
    deliver(&app, &method, &uri, &headers).await
}

/// A picture or the preview of a published content. Its owner (API key or session) and a moderator (admin token) see
/// the pictures earlier.
///
/// 404 `not_found`, for whatever reason.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/media/{name}/{file}", tag = "site", security((), ("api_key" = []), ("session" = []), ("admin_token" = [])),
    params(
        ("name" = String, Path, description = "`media_name` without `.mp4`."),
        ("file" = String, Path, description = "`poster.jpg`, `thumbnail-320.jpg`, `storyboard.jpg`, `storyboard.vtt`, `preview.webp`, …"),
    ),
    responses(
        (status = 200, description = "The file.", content_type = "image/jpeg"),
        (status = 206, description = "The part that was asked for.", content_type = "image/jpeg"),
        (status = 304, description = "The client has it already."),
        (status = 416, description = "The range begins behind the end."),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn get_media_file(
    Extension(app): Extension<App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, ApiError> {
    deliver(&app, &method, &uri, &headers).await
}

/// A playlist or the segments of a published content's HLS.
///
/// 404 `not_found`, for whatever reason.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/media/{name}/hls/{file}", tag = "site",
    params(
        ("name" = String, Path, description = "`media_name` without `.mp4`."),
        ("file" = String, Path, description = "`master.m3u8`, or what it names."),
    ),
    responses(
        (status = 200, description = "The file.", content_type = "application/vnd.apple.mpegurl"),
        (status = 206, description = "The part that was asked for.", content_type = "video/mp4"),
        (status = 304, description = "The client has it already."),
        (status = 416, description = "The range begins behind the end."),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn get_hls_file(
    Extension(app): Extension<App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, ApiError> {
    deliver(&app, &method, &uri, &headers).await
}

/// What a browser asks before it lets a page of another site send a range. The same for every address: nothing is
/// looked up.
pub async fn allow_players() -> (StatusCode, HeaderMap) {
    (StatusCode::NO_CONTENT, headers::preflight())
}

async fn deliver(
    app: &App,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Response<Body>, ApiError> {
    let path = MediaPath::parse(uri.path()).ok_or_else(not_found)?;
    let found = file::find(&app.database()?, &path).await?;
    let content = found.ok_or_else(not_found)?;
    let asker = if content.depends_on_asker(path.file) {
        asker(app, headers).await?
    } else {
        Asker::Anybody
    };
    let file = content.file(path.file, asker).ok_or_else(not_found)?;
    send(&app.media(), &file, conditions(method, headers)).await
}

async fn send(
    store: &MediaStore,
    file: &File,
    conditions: Conditions<'_>,
) -> Result<Response<Body>, ApiError> {
    let key = file.object_key.as_str();
    let facts = if conditions.need_tag() {
        Some(store.facts(key).await?.ok_or_else(|| lost(file))?)
    } else {
        None
    };
    let tag = facts.as_ref().map(|facts| facts.tag.as_str());
    let selected = match conditions.reply(file.size_bytes, tag) {
        Reply::Unchanged => return Ok(file.head(None, tag).into_response()),
        Reply::Send(selected) => selected,
    };
    let part = match selected {
        Selected::Part { first, last } => Some((first, last)),
        Selected::Whole => None,
        Selected::Nothing => return Ok(file.head(Some(selected), tag).into_response()),
    };
    if conditions.is_head {
        return Ok(file.head(Some(selected), tag).into_response());
    }
    let (facts, stream) = store.read(key, part).await?.ok_or_else(|| lost(file))?;
    if facts.size_bytes != file.size_bytes {
        return Err(ApiError::internal(format!("{key} has another size")));
    }
    let mut response = file.head(Some(selected), Some(&facts.tag)).into_response();
    response.extensions_mut().insert(stream);
    Ok(response)
}

fn conditions<'a>(method: &Method, headers: &'a HeaderMap) -> Conditions<'a> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    Conditions {
        is_head: method == Method::HEAD,
        range: text(RANGE),
        if_range: text(IF_RANGE),
        if_none_match: text(IF_NONE_MATCH),
    }
}

fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound)
}

/// The database says that it is there.
fn lost(file: &File) -> ApiError {
    ApiError::internal(format!("{} is not in the store", file.object_key))
}
