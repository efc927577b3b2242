//! `GET …/developer/upload_status` and `GET …/developer/uploads`: the state of a channel's videos.

use crate::base::ids::ContentUuid;
use crate::base::paging::{page_length, start};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::estimate::estimate;
use crate::contents::field_rules::is_valid_text;
use crate::contents::list::{ListFilter, ListPart, list_contents};
use crate::contents::owner_changes::OwnedContent;
use crate::contents::status::{OwnedContents, find_content, uploads_page};
use crate::contents::{cursor, entity_tag, test_videos};
use crate::http::App;
use crate::http::callers::PresentedOwner;
use crate::http::query::read_query;
use crate::people::keys::key_store::ChannelUse;
use axum::Json;
use axum::body::Body;
use axum::http::header::{ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use contract::api::{UploadStatus, Uploads};
use contract::limits::MAX_SAFE_INTEGER;
use contract::mistake::{invalid_unix_time, invalid_uuid, invalid_word, missing_uuid};
use contract::{ContentState, ErrorCode, FormField};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

const CONTENT_UUID: &str = "content_uuid";
const DEFAULT_PAGE_LENGTH: u32 = 20;

/// Returns the status of one video of the key's channel. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, including for a video of another channel.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::UPLOAD_STATUS, tag = "uploads",
    params(
        ("content_uuid" = String, Query, format = "uuid", description = "The `content_uuid` that the upload returned."),
        ("If-None-Match" = Option<String>, Header, nullable = false,
            description = "The `ETag` of an earlier response."),
    ),
    responses(
        (status = 200, description = "The status of the video.", body = UploadStatus, headers(("ETag"))),
        (status = 304, description = "Nothing has changed since the response with that `ETag`.", headers(("ETag"))),
    )
))]
#[worker::send]
pub async fn get_upload_status(
    app: App,
    owner: PresentedOwner,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, Refusal> {
    let content_uuid = match content_uuid(&app, &uri) {
        Ok(content_uuid) => content_uuid,
        Err(malformed) => return Err(owner.refuse(&app, malformed).await),
    };
    let now = app.now();
    let content_uuid = ContentUuid::new(content_uuid);
    let found = find_content(&app.database()?, owner.owner(), &content_uuid, now).await?;
    let OwnedContents { channel_use, contents } = found.ok_or_else(|| owner.unknown())?;
    let channel_use = owner.accept(&app, channel_use)?;
    let mut content = contents.into_iter().next();
    if content.is_none() {
        let test = OwnedContent { channel_id: channel_use.channel_id, content_uuid: &content_uuid };
        content = test_videos::owner::find(&app.database()?, test, now).await?;
    }
    let content = content.ok_or_else(|| {
        Refusal::new(ErrorCode::ContentNotFound).with_usage(channel_use.usage, now).with_field(CONTENT_UUID)
    })?;
    let eta_seconds = match content.awaited() {
        Some(video) => estimate(&app.database()?, video, now).await,
        None => None,
    };
    let mut status = UploadStatus { success: true, content: content.status(app.site(), now) };
    // Neither is part of the tag: they change by themselves.
    let advice = status.content.check_after_seconds.take();
    let tag = entity_tag::weak(&status)?;
    status.content.check_after_seconds = advice;
    status.content.eta_seconds = eta_seconds;
    Ok(conditional(&app, &headers, channel_use, &tag, Json(status)))
}

/// Lists the channel's videos, newest first. Deleted videos are omitted unless `state` is `deleted`. Filters can be
/// combined. Repeat the same filters with every `cursor`. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::UPLOADS, tag = "uploads",
    params(
        ("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page."),
        ("limit" = Option<u32>, Query, nullable = false, minimum = 1, maximum = 100, description = "Videos per page. The default is 20."),
        ("state" = Option<ContentState>, Query, nullable = false,
            description = "Only videos in this state. Deleted videos are listed only with `deleted`."),
        ("created_from_unix" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
            description = "Only videos uploaded at this time or later."),
        ("created_until_unix" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
            description = "Only videos uploaded before this time."),
        ("external_id" = Option<String>, Query, nullable = false, max_length = 128,
            description = "Only videos with this `external_id`."),
        ("If-None-Match" = Option<String>, Header, nullable = false,
            description = "The `ETag` of an earlier response."),
    ),
    responses(
        (status = 200, description = "A page of the list.", body = Uploads, headers(("ETag"))),
        (status = 304, description = "Nothing has changed since the response with that `ETag`.", headers(("ETag"))),
    )
))]
#[worker::send]
pub async fn list_uploads(
    app: App,
    owner: PresentedOwner,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, Refusal> {
    let request = match page_request(&app, &uri) {
        Ok(request) => request,
        Err(malformed) => return Err(owner.refuse(&app, malformed).await),
    };
    let now = app.now();
    let found = list_contents(&app.database()?, owner.owner(), &request.part, now).await?;
    let OwnedContents { channel_use, contents } = found.ok_or_else(|| owner.unknown())?;
    let channel_use = owner.accept(&app, channel_use)?;
    let uploads = uploads_page(contents, request.length, app.site(), now);
    let tag = entity_tag::weak(&without_advice(uploads.clone()))?;
    Ok(conditional(&app, &headers, channel_use, &tag, Json(uploads)))
}

fn without_advice(mut uploads: Uploads) -> Uploads {
    for upload in &mut uploads.uploads {
        upload.check_after_seconds = None;
    }
    uploads
}

fn content_uuid(app: &App, uri: &Uri) -> Result<String, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        content_uuid: Option<String>,
    }
    let malformed = |detail| Refusal::malformed(detail).with_field(CONTENT_UUID);
    let parameters: Parameters = read_query(app.unknown_fields(), uri)?;
    let text = parameters.content_uuid.unwrap_or_default();
    if text.is_empty() {
        return Err(malformed(missing_uuid(CONTENT_UUID)));
    }
    let uuid = Uuid::try_parse(&text).ok().map(|uuid| uuid.to_string()).filter(|uuid| uuid.eq_ignore_ascii_case(&text));
    uuid.ok_or_else(|| malformed(invalid_uuid(CONTENT_UUID, &text)))
}

/// The requested page of the list.
struct PageRequest {
    part: ListPart,
    length: u32,
}

#[derive(Deserialize)]
struct PageParameters {
    cursor: Option<String>,
    limit: Option<String>,
    state: Option<String>,
    created_from_unix: Option<String>,
    created_until_unix: Option<String>,
    external_id: Option<String>,
}

fn page_request(app: &App, uri: &Uri) -> Result<PageRequest, Refusal> {
    let parameters: PageParameters = read_query(app.unknown_fields(), uri)?;
    let length = page_length(parameters.limit.as_deref(), DEFAULT_PAGE_LENGTH)?;
    let after = start(parameters.cursor.as_deref(), cursor::parse)?;
    let filter = list_filter(parameters)?;
    // One entry more than a page contains shows whether another page follows.
    Ok(PageRequest { part: ListPart { filter, after, at_most: length + 1 }, length })
}

fn list_filter(parameters: PageParameters) -> Result<ListFilter, Refusal> {
    let state = parameters.state.map(|name| {
        let state = ContentState::ALL.iter().copied().find(|state| state.as_str() == name);
        state.ok_or_else(|| malformed("state", unknown_state(&name)))
    });
    let external_id = parameters.external_id.map(|id| {
        let detail = |id: &str| Refusal::of_value(FormField::ExternalId, id).detail.unwrap_or_default();
        if is_valid_text(FormField::ExternalId, &id) { Ok(id) } else { Err(malformed("external_id", detail(&id))) }
    });
    Ok(ListFilter {
        state: state.transpose()?,
        created_from: moment("created_from_unix", parameters.created_from_unix)?,
        created_until: moment("created_until_unix", parameters.created_until_unix)?,
        external_id: external_id.transpose()?,
    })
}

fn unknown_state(name: &str) -> String {
    let states: Vec<_> = ContentState::ALL.iter().map(|state| state.as_str()).collect();
    invalid_word("state", name, &states)
}

fn moment(name: &'static str, text: Option<String>) -> Result<Option<UnixSeconds>, Refusal> {
    let parse = |text: String| {
        let seconds = text.parse().ok().filter(|seconds| *seconds <= MAX_SAFE_INTEGER);
        seconds.map(UnixSeconds).ok_or_else(|| malformed(name, invalid_unix_time(name, &text, 0)))
    };
    text.map(parse).transpose()
}

fn malformed(field: &'static str, detail: impl Into<String>) -> Refusal {
    Refusal::malformed(detail).with_field(field)
}

/// Returns the body, or 304 if the client already has it.
fn conditional<T: Serialize>(
    app: &App,
    request_headers: &HeaderMap,
    channel_use: ChannelUse,
    tag: &str,
    body: Json<T>,
) -> Response<Body> {
    let mut known_tags = request_headers.get_all(IF_NONE_MATCH).iter().filter_map(|header| header.to_str().ok());
    let mut response = if known_tags.any(|header| entity_tag::matches(header, tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        body.into_response()
    };
    let headers = response.headers_mut();
    channel_use.usage.add_headers(app.now(), headers);
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    response
}
