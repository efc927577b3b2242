//! The owner's side of direct uploads: one-time tokens for users of an API client.

use crate::base::paging::{cut, page_length, start};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::PresentedOwner;
use crate::http::query::{read_query, require_known};
use crate::people::keys::key_store::ChannelUse;
use crate::people::owner::Owner;
use crate::uploads::direct::{self, DirectList, DirectToken};
use crate::uploads::names::time_ordered_uuid;
use axum::Json;
use axum::extract::Path;
use axum::http::{HeaderMap, Uri};
use contract::api::{
    CreateDirectUpload, DirectUpload, DirectUploadCreated, DirectUploadRevoked, DirectUploadState, DirectUploads,
};
use contract::mistake::invalid_word;
use contract::{ErrorCode, paths};
use serde::Deserialize;
use uuid::Uuid;

const DEFAULT_PAGE_LENGTH: u32 = 20;

type Answer<T> = Result<(HeaderMap, Json<T>), Refusal>;

/// Creates a one-time token with which a user of your app uploads one video to your channel, directly from the user's
/// device. The daily limit counts the upload when it begins, not the token. The token is valid until it is used,
/// expires or is revoked, or until the API key is deleted or rotated. A rejected upload does not use it up.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 422 `field_unknown`,
/// `direct_upload_invalid`, the code of a field whose value is invalid, 409 `direct_upload_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = paths::DIRECT_UPLOADS, tag = "direct_uploads",
    request_body = CreateDirectUpload,
    responses((status = 200, description = "The direct upload and, in this response only, its token.", body = DirectUploadCreated))
))]
#[worker::send]
pub async fn create_direct_upload(
    app: App,
    owner: PresentedOwner,
    request: Result<JsonBody<CreateDirectUpload>, Refusal>,
) -> Answer<DirectUploadCreated> {
    let channel_use = owner.record_use(&app).await?;
    let created = create(&app, (owner.owner(), channel_use), request).await;
    answer(&app, channel_use, created)
}

async fn create(
    app: &App,
    (owner, channel_use): (&Owner, ChannelUse),
    request: Result<JsonBody<CreateDirectUpload>, Refusal>,
) -> Result<DirectUploadCreated, Refusal> {
    let JsonBody(request) = request?;
    let (entropy, now_ms) = (&mut app.entropy(), app.now_ms());
    let (uuid, token) = (time_ordered_uuid(entropy, now_ms).to_string(), DirectToken::generate(entropy));
    let owner = (owner, channel_use.channel_id);
    let expires_at = direct::mint(&app.database()?, owner, (&uuid, &token), request, app.now()).await?;
    let host = app.settings().addresses.upload.trim_end_matches('/');
    Ok(DirectUploadCreated {
        success: true,
        direct_upload_id: uuid,
        token: token.reveal().to_owned(),
        upload_url: format!("{host}{}", paths::DIRECT_UPLOAD),
        tus_endpoint: format!("{host}{}", paths::RESUMABLE_DIRECT_UPLOAD),
        expires_at_unix: expires_at.0,
    })
}

/// Lists the direct uploads of the channel, newest first. A direct upload stays in the list for 7 days after it has
/// ended.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DIRECT_UPLOADS, tag = "direct_uploads",
    params(
        ("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page."),
        ("limit" = Option<u32>, Query, nullable = false, minimum = 1, maximum = 100,
            description = "Direct uploads per page. The default is 20."),
        ("state" = Option<DirectUploadState>, Query, nullable = false,
            description = "Only direct uploads in this state."),
    ),
    responses((status = 200, description = "A page of the list.", body = DirectUploads))
))]
#[worker::send]
pub async fn list_direct_uploads(app: App, owner: PresentedOwner, uri: Uri) -> Answer<DirectUploads> {
    let channel_use = owner.record_use(&app).await?;
    let listed = list(&app, channel_use, &uri).await;
    answer(&app, channel_use, listed)
}

#[derive(Deserialize)]
struct PageParameters {
    cursor: Option<String>,
    limit: Option<String>,
    state: Option<String>,
}

async fn list(app: &App, channel_use: ChannelUse, uri: &Uri) -> Result<DirectUploads, Refusal> {
    let PageParameters { cursor, limit, state } = read_query(app.unknown_fields(), uri)?;
    let length = page_length(limit.as_deref(), DEFAULT_PAGE_LENGTH)?;
    let after = start(cursor.as_deref(), parse_uuid)?;
    let state = state.map(|name| {
        let state = DirectUploadState::ALL.into_iter().find(|state| state.as_str() == name);
        state.ok_or_else(|| {
            let states = DirectUploadState::ALL.map(DirectUploadState::as_str);
            Refusal::malformed(invalid_word("state", &name, &states)).with_field("state")
        })
    });
    let part = DirectList { state: state.transpose()?, after, at_most: length + 1 };
    let mut direct_uploads = direct::list(&app.database()?, channel_use.channel_id, &part, app.now()).await?;
    let next_cursor = cut(&mut direct_uploads, length, |last| last.direct_upload_id.clone());
    Ok(DirectUploads { success: true, direct_uploads, next_cursor })
}

/// Returns one direct upload of the channel.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `direct_upload_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DIRECT_UPLOAD_BY_ID, tag = "direct_uploads",
    params(("direct_upload_id" = String, Path, format = "uuid", description = "The id of the direct upload.")),
    responses((status = 200, description = "The direct upload.", body = DirectUpload))
))]
#[worker::send]
pub async fn get_direct_upload(
    app: App,
    owner: PresentedOwner,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<DirectUpload> {
    let channel_use = owner.record_use(&app).await?;
    let found = read(&app, channel_use, &id, &uri).await;
    answer(&app, channel_use, found)
}

async fn read(app: &App, channel_use: ChannelUse, id: &str, uri: &Uri) -> Result<DirectUpload, Refusal> {
    require_known(app.unknown_fields(), uri, &[])?;
    let id = parse_uuid(id).ok_or_else(not_found)?;
    direct::read(&app.database()?, channel_use.channel_id, &id, app.now()).await?.ok_or_else(not_found)
}

/// Revokes a direct upload: its token stops working, and an upload in progress ends. A video that was uploaded with the
/// token stays. Repeating the request has no further effect.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `direct_upload_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = paths::DIRECT_UPLOAD_BY_ID, tag = "direct_uploads",
    params(("direct_upload_id" = String, Path, format = "uuid", description = "The id of the direct upload.")),
    responses((status = 200, description = "The direct upload is revoked or had already ended.",
        body = DirectUploadRevoked))
))]
#[worker::send]
pub async fn revoke_direct_upload(
    app: App,
    owner: PresentedOwner,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<DirectUploadRevoked> {
    let channel_use = owner.record_use(&app).await?;
    let revoked = revoke(&app, channel_use, &id, &uri).await;
    answer(&app, channel_use, revoked)
}

async fn revoke(app: &App, channel_use: ChannelUse, id: &str, uri: &Uri) -> Result<DirectUploadRevoked, Refusal> {
    require_known(app.unknown_fields(), uri, &[])?;
    let id = parse_uuid(id).ok_or_else(not_found)?;
    let state =
        direct::revoke(&app.database()?, channel_use.channel_id, &id, app.now()).await?.ok_or_else(not_found)?;
    Ok(DirectUploadRevoked { success: true, direct_upload_id: id, state })
}

/// Adds the state of the daily limit, which every answer to an API key has in its headers.
fn answer<T>(app: &App, channel_use: ChannelUse, outcome: Result<T, Refusal>) -> Answer<T> {
    let (usage, now) = (channel_use.usage, app.now());
    let body = outcome.map_err(|refusal| refusal.with_usage(usage, now))?;
    let mut headers = HeaderMap::new();
    usage.add_headers(now, &mut headers);
    Ok((headers, Json(body)))
}

fn parse_uuid(text: &str) -> Option<String> {
    let uuid = Uuid::try_parse(text).ok()?.to_string();
    (uuid == text).then_some(uuid)
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::DirectUploadNotFound)
}
