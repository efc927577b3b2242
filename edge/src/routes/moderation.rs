//! What moderators call, with the admin token: the queue, their decisions, and the blocklist.

use super::input::{read_json, require_admin_token};
use crate::bindings::App;
use crate::contents::cursor;
use crate::error::ApiError;
use crate::moderation::decide::{Ruled, Ruling, Verdict, decide};
use crate::moderation::queue::{self, Place};
use crate::moderation::{blocklist, history};
use crate::paging::{cut, start};
use axum::body::Body;
use axum::extract::Query;
use axum::http::{HeaderMap, Request, Uri};
use axum::{Extension, Json};
use contract::api::{
    Blocklist, ChangeHash, ContentModerated, Decisions, HashChanged, ModerateContent,
    ModerationQueue, WaitsFor,
};
use contract::{ErrorCode, PictureHash};
use serde::Deserialize;

/// Entries of a page.
const PAGE: u32 = 50;
const MAX_REASON_CHARACTERS: usize = 500;
const MAX_NAME_CHARACTERS: usize = 100;

/// The contents that wait, the longest waiting first, with what the checks found.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/internal/moderation/queue", tag = "moderation", security(("admin_token" = [])),
    params(
        ("waits_for" = Option<WaitsFor>, Query, description = "Only those that wait for that."),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of the queue.", body = ModerationQueue),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn list_queue(
    Extension(app): Extension<App>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Json<ModerationQueue>, ApiError> {
    require_admin_token(&app, &headers)?;
    let wanted = query(&uri)?;
    let behind = start(wanted.cursor.as_deref(), Place::parse)?.unwrap_or_default();
    let (database, site) = (app.database()?, app.site());
    let mut contents = queue::list(&database, wanted.waits_for, behind, PAGE + 1, site).await?;
    let next_cursor = cut(&mut contents, PAGE, |last| Place::of(last).cursor());
    Ok(Json(ModerationQueue {
        success: true,
        contents,
        next_cursor,
    }))
}

/// Lets a content that waits be shown: at once, or at its time.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`, 404 `content_not_found`, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/moderation/approve", tag = "moderation", security(("admin_token" = [])),
    request_body = ModerateContent,
    responses(
        (status = 200, description = "Where it stands now.", body = ContentModerated),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn approve_content(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ContentModerated>, ApiError> {
    rule(&app, request, Verdict::Approve).await
}

/// Refuses a content that waits, and puts the hashes of its frames onto the blocklist.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`, 404 `content_not_found`, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/moderation/reject", tag = "moderation", security(("admin_token" = [])),
    request_body = ModerateContent,
    responses(
        (status = 200, description = "Where it stands now.", body = ContentModerated),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn reject_content(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ContentModerated>, ApiError> {
    rule(&app, request, Verdict::Reject).await
}

/// Ends the showing of a content that is published or scheduled. Nothing of it is served from the answer on.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`, 404 `content_not_found`, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/moderation/take_down", tag = "moderation", security(("admin_token" = [])),
    request_body = ModerateContent,
    responses(
        (status = 200, description = "Where it stands now.", body = ContentModerated),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn take_down_content(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ContentModerated>, ApiError> {
    rule(&app, request, Verdict::TakeDown).await
}

/// Who decided what, and why, the newest first.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/internal/moderation/decisions", tag = "moderation", security(("admin_token" = [])),
    params(
        ("content_uuid" = Option<String>, Query, description = "Only those about that content."),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of the record.", body = Decisions),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn list_decisions(
    Extension(app): Extension<App>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Json<Decisions>, ApiError> {
    require_admin_token(&app, &headers)?;
    let wanted = query(&uri)?;
    let before = start(wanted.cursor.as_deref(), cursor::parse)?;
    let content = wanted.content_uuid.as_deref();
    let mut recorded = history::list(&app.database()?, content, before, PAGE + 1).await?;
    let next_cursor = cut(&mut recorded, PAGE, |last| cursor::after(last.id));
    Ok(Json(Decisions {
        success: true,
        decisions: recorded.into_iter().map(|one| one.decision).collect(),
        next_cursor,
    }))
}

/// The blocklist, in the order of the hashes.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/internal/moderation/hashes", tag = "moderation", security(("admin_token" = [])),
    params(("cursor" = Option<String>, Query, description = "`next_cursor` of the page before.")),
    responses(
        (status = 200, description = "A page of the list.", body = Blocklist),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn list_hashes(
    Extension(app): Extension<App>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Json<Blocklist>, ApiError> {
    require_admin_token(&app, &headers)?;
    let wanted = query(&uri)?;
    let after = start(wanted.cursor.as_deref(), |hash| {
        is_hash(hash).then(|| hash.to_owned())
    })?;
    let mut hashes = blocklist::list(&app.database()?, after.as_deref(), PAGE + 1).await?;
    let next_cursor = cut(&mut hashes, PAGE, |last| last.hash.clone());
    Ok(Json(Blocklist {
        success: true,
        hashes,
        next_cursor,
    }))
}

/// Puts a hash onto the blocklist. One that is there stays as it is.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/moderation/hashes", tag = "moderation", security(("admin_token" = [])),
    request_body = ChangeHash,
    responses(
        (status = 200, description = "It is blocked.", body = HashChanged),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn block_hash(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<HashChanged>, ApiError> {
    let change = hash_change(&app, request).await?;
    blocklist::block(&app.database()?, &change, app.now_unix()).await?;
    Ok(Json(HashChanged {
        success: true,
        hash: change.hash,
        is_blocked: true,
    }))
}

/// Takes a hash off the blocklist. One that is not there is no failure.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = "/internal/moderation/hashes", tag = "moderation", security(("admin_token" = [])),
    request_body = ChangeHash,
    responses(
        (status = 200, description = "It is not blocked.", body = HashChanged),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn unblock_hash(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<HashChanged>, ApiError> {
    let change = hash_change(&app, request).await?;
    blocklist::unblock(&app.database()?, &change, app.now_unix()).await?;
    Ok(Json(HashChanged {
        success: true,
        hash: change.hash,
        is_blocked: false,
    }))
}

async fn rule(
    app: &App,
    request: Request<Body>,
    verdict: Verdict,
) -> Result<Json<ContentModerated>, ApiError> {
    require_admin_token(app, request.headers())?;
    let wanted: ModerateContent = read_json(request).await?;
    require_text(&wanted.reason, "reason", MAX_REASON_CHARACTERS)?;
    require_text(&wanted.by, "by", MAX_NAME_CHARACTERS)?;
    let ruling = Ruling {
        verdict,
        content_uuid: &wanted.content_uuid,
        reason: &wanted.reason,
        by: &wanted.by,
    };
    let state = match decide(&app.database()?, &ruling, app.now_unix()).await? {
        Ruled::Done(state) => state,
        Ruled::Unknown => return Err(ApiError::new(ErrorCode::ContentNotFound)),
        Ruled::Conflict(state) => {
            let detail = format!("The content is `{}`, and not waiting.", state.as_str());
            return Err(ApiError::new(ErrorCode::ContentStateConflict).with_detail(detail));
        }
    };
    let content = wanted.content_uuid.as_str();
    tracing::info!(
        content,
        ?verdict,
        state = state.as_str(),
        "a moderator decided"
    );
    Ok(Json(ContentModerated {
        success: true,
        state,
        content_uuid: wanted.content_uuid,
    }))
}

async fn hash_change(app: &App, request: Request<Body>) -> Result<ChangeHash, ApiError> {
    require_admin_token(app, request.headers())?;
    let change: ChangeHash = read_json(request).await?;
    if !is_hash(&change.hash) {
        let detail = "`hash` is not the hash of a frame, in lower-case hexadecimal.";
        return Err(ApiError::malformed(detail).with_field("hash"));
    }
    require_text(&change.reason, "reason", MAX_REASON_CHARACTERS)?;
    require_text(&change.by, "by", MAX_NAME_CHARACTERS)?;
    Ok(change)
}

fn is_hash(text: &str) -> bool {
    text.parse::<PictureHash>().is_ok()
}

fn require_text(text: &str, field: &'static str, most: usize) -> Result<(), ApiError> {
    let is_text = !text.trim().is_empty() && text.chars().count() <= most;
    let detail = format!("`{field}` must be text of at most {most} characters.");
    is_text
        .then_some(())
        .ok_or_else(|| ApiError::malformed(detail).with_field(field))
}

/// What of a list is wanted. Not every list looks at all of it.
#[derive(Deserialize)]
struct Wanted {
    waits_for: Option<WaitsFor>,
    content_uuid: Option<String>,
    cursor: Option<String>,
}

fn query(uri: &Uri) -> Result<Wanted, ApiError> {
    let read = Query::<Wanted>::try_from_uri(uri);
    let read = read.map_err(|_| ApiError::malformed("A parameter is not one, or there twice."))?;
    Ok(read.0)
}
