//! `GET …/developer/upload_status` and `GET …/developer/uploads`: how a channel's contents are doing.

use super::input::{asking_key, key_invalid, use_key};
use crate::bindings::App;
use crate::contents::status::{Found, find, list, page};
use crate::contents::{cursor, entity_tag};
use crate::error::ApiError;
use crate::hash::KeyedHash;
use crate::key_store::KeyUse;
use crate::paging::start;
use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use contract::ErrorCode;
use contract::api::{UploadStatus, Uploads};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use uuid::Uuid;

const PAGE_LENGTHS: RangeInclusive<u32> = 1..=100;
const DEFAULT_PAGE_LENGTH: u32 = 20;

/// How one content of the key's channel is doing. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`, 400 `request_malformed`, 404 `content_not_found`: also for the content of another channel.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/api/php/developer/upload_status", tag = "uploads", security(("api_key" = [])),
    params(("content_uuid" = String, Query, description = "As the upload answered it.")),
    responses(
        (status = 200, description = "Where it stands.", body = UploadStatus, headers(
            ("ETag", description = "Send it back as `If-None-Match`: 304 while nothing changed."),
        )),
        (status = 304, description = "Nothing changed since the answer with that tag."),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn get_upload_status(
    Extension(app): Extension<App>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, ApiError> {
    let key = asking_key(&app, &headers).await?;
    let content_uuid = match content_uuid(&uri) {
        Ok(content_uuid) => content_uuid,
        Err(error) => return Err(refused_to_key(&app, &key, error).await?),
    };
    let now_unix = app.now_unix();
    let found = find(&app.database()?, &key, &content_uuid, now_unix).await?;
    let Found { key_use, contents } = found.ok_or_else(key_invalid)?;
    let content = contents.into_iter().next().ok_or_else(|| {
        ApiError::new(ErrorCode::ContentNotFound)
            .with_usage(key_use.usage, now_unix)
            .with_field("content_uuid")
    })?;
    let mut status = UploadStatus {
        success: true,
        content: content.status(app.site(), now_unix)?,
    };
    let advice = status.content.check_after_seconds.take();
    let tag = entity_tag::tag(&status)?;
    status.content.check_after_seconds = advice;
    Ok(conditional(&app, &headers, key_use, &tag, Json(status)))
}

/// The channel's contents, the newest first, without those that were deleted. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/api/php/developer/uploads", tag = "uploads", security(("api_key" = [])),
    params(
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before."),
        ("limit" = Option<u32>, Query, description = "1 to 100 a page; 20 when it is not sent."),
    ),
    responses(
        (status = 200, description = "A page of the list.", body = Uploads, headers(
            ("ETag", description = "Send it back as `If-None-Match`: 304 while nothing changed."),
        )),
        (status = 304, description = "Nothing changed since the answer with that tag."),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn list_uploads(
    Extension(app): Extension<App>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, ApiError> {
    let key = asking_key(&app, &headers).await?;
    let wanted = match wanted_page(&uri) {
        Ok(wanted) => wanted,
        Err(error) => return Err(refused_to_key(&app, &key, error).await?),
    };
    let now_unix = app.now_unix();
    // One more than the page tells whether another follows.
    let at_most = wanted.length + 1;
    let found = list(&app.database()?, &key, wanted.before, at_most, now_unix).await?;
    let Found { key_use, contents } = found.ok_or_else(key_invalid)?;
    let uploads = page(contents, wanted.length, app.site(), now_unix)?;
    let tag = entity_tag::tag(&without_advice(uploads.clone()))?;
    Ok(conditional(&app, &headers, key_use, &tag, Json(uploads)))
}

fn without_advice(mut uploads: Uploads) -> Uploads {
    for upload in &mut uploads.uploads {
        upload.check_after_seconds = None;
    }
    uploads
}

fn content_uuid(uri: &Uri) -> Result<String, ApiError> {
    #[derive(Deserialize)]
    struct Wanted {
        content_uuid: Option<String>,
    }
    let refused = || {
        ApiError::malformed("`content_uuid` must be the UUID that the upload answered.")
            .with_field("content_uuid")
    };
    let Query(wanted) = Query::<Wanted>::try_from_uri(uri).map_err(|_| refused())?;
    let text = wanted.content_uuid.unwrap_or_default();
    let uuid = Uuid::try_parse(&text).map_err(|_| refused())?.to_string();
    uuid.eq_ignore_ascii_case(&text)
        .then_some(uuid)
        .ok_or_else(refused)
}

struct WantedPage {
    before: Option<u64>,
    length: u32,
}

fn wanted_page(uri: &Uri) -> Result<WantedPage, ApiError> {
    #[derive(Deserialize)]
    struct Wanted {
        cursor: Option<String>,
        limit: Option<String>,
    }
    let Query(wanted) = Query::<Wanted>::try_from_uri(uri)
        .map_err(|_| ApiError::malformed("A parameter stands there twice."))?;
    let length = wanted.limit.map_or(Some(DEFAULT_PAGE_LENGTH), |limit| {
        limit
            .parse()
            .ok()
            .filter(|limit| PAGE_LENGTHS.contains(limit))
    });
    let refused = || ApiError::malformed("`limit` must be from 1 to 100.").with_field("limit");
    Ok(WantedPage {
        before: start(wanted.cursor.as_deref(), cursor::parse)?,
        length: length.ok_or_else(refused)?,
    })
}

/// A refusal that only a living key learns of; its use is counted.
async fn refused_to_key(app: &App, key: &KeyedHash, error: ApiError) -> Result<ApiError, ApiError> {
    let usage = use_key(app, key).await?.usage;
    Ok(error.with_usage(usage, app.now_unix()))
}

/// The body, or 304 for a client that has it already.
fn conditional<T: Serialize>(
    app: &App,
    asked: &HeaderMap,
    key_use: KeyUse,
    tag: &str,
    body: Json<T>,
) -> Response<Body> {
    let mut known = asked
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|header| header.to_str().ok());
    let mut response = if known.any(|header| entity_tag::matches(header, tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        body.into_response()
    };
    let headers = response.headers_mut();
    key_use.usage.add_headers(app.now_unix(), headers);
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    // Its owner's program may keep it, and asks each time whether it is still so.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}
