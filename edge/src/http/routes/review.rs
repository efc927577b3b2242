//! Files for moderators at signed addresses, and the evidence of deleted videos.

use super::media::send;
use super::staff::before;
use crate::base::ids::ContentUuid;
use crate::base::paging::cut;
use crate::base::refusal::Refusal;
use crate::contents::cursor;
use crate::http::App;
use crate::http::callers::{Anyone, Look, Moderator};
use crate::http::query::read_query;
use crate::moderation::evidence::{self, Evidence};
use crate::moderation::review_address::{ReviewAddress, ReviewAddresses};
use crate::people::staff::desk_sessions;
use crate::viewing::reply::Conditions;
use crate::viewing::stored_file;
use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, Uri};
use contract::ErrorCode;
use contract::api::{EvidencePage, KeptEvidence};

/// Entries on a page.
const PAGE_LENGTH: u32 = 50;

/// Returns a file of a video, or a range of it, at a URL from the queue, a case or a search.
///
/// The URL is the credential, and expires after 15 minutes. A URL that was made for a moderator at the desk also
/// expires when they sign out. It works in every state of the video as long as the file is stored.
///
/// 404 `not_found`: the URL has expired, the service did not create it, or the file is no longer stored.
/// 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_FILE, tag = "moderation",
    params(
        ("content" = String, Query, description = "The UUID of the video."),
        ("file" = String, Query, description = "The name of the file, such as `video.mp4` or `poster.jpg`."),
        ("until" = u64, Query, maximum = 9_007_199_254_740_991_i64, description = "The Unix time at which the URL expires."),
        ("session" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
            description = "The desk session with which the URL expires."),
        ("signature" = String, Query, description = "Proves that the service created the URL."),
        ("Range" = Option<String>, Header, nullable = false,
            description = "A single byte range. A request for several ranges returns the whole file."),
    ),
    responses(
        (status = 200, description = "The whole file.", content((contract::api::Bytes = "video/mp4")), headers(("Accept-Ranges"), ("Content-Length"), ("ETag"))),
        (status = 206, description = "The requested range.", content((contract::api::Bytes = "video/mp4")), headers(("Accept-Ranges"), ("Content-Length"), ("Content-Range"), ("ETag"))),
        (status = 304, description = "Not modified: the client's copy of the file is current.", headers(("ETag"))),
        (status = 416, description = "The range starts after the end of the file.", headers(("Content-Range"))),
    )
))]
#[worker::send]
pub async fn get_review_file(app: App, _: Anyone, request: Request) -> Result<Response<Body>, Refusal> {
    let not_found = || Refusal::new(ErrorCode::NotFound);
    let address: ReviewAddress = read_query(app.unknown_fields(), request.uri())?;
    let file = address.valid_file(&app.settings().pepper, app.now()).ok_or_else(not_found)?;
    let database = app.database()?;
    if let Some(session) = address.session
        && !desk_sessions::is_live(&database, session, app.now()).await?
    {
        return Err(not_found());
    }
    let content = stored_file::find_by_uuid(&database, &ContentUuid::new(address.content)).await?;
    let file = content.and_then(|content| content.file_for_review(file)).ok_or_else(not_found)?;
    let conditions = Conditions::of(request.method(), request.headers());
    let mut response = send(&app.media(), &file, conditions).await?;
    response.extensions_mut().insert(file.shown(false));
    Ok(response)
}

/// Lists the evidence of videos that were removed or flagged before their owners deleted them, newest video first.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_EVIDENCE, tag = "moderation",
    params(("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page.")),
    responses(
        (status = 200, description = "A page of the evidence.", body = EvidencePage),
    )
))]
#[worker::send]
pub async fn list_evidence(app: App, moderator: Moderator<Look>, uri: Uri) -> Result<Json<EvidencePage>, Refusal> {
    let mut kept = evidence::list(&app.database()?, before(&app, &uri)?, PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut kept, PAGE_LENGTH, |last| cursor::after(last.content_id));
    let contents = kept.into_iter().map(|evidence| shown(evidence, moderator.review_addresses(&app))).collect();
    Ok(Json(EvidencePage { success: true, contents, next_cursor }))
}

fn shown(evidence: Evidence, review: ReviewAddresses<'_>) -> KeptEvidence {
    KeptEvidence {
        content_id: evidence.content_id,
        video_url: (evidence.has_video != 0).then(|| review.video_of(&evidence.uuid)),
        content_uuid: evidence.uuid.into_string(),
        channel_id: evidence.channel_id.0,
        state: evidence.state,
        caption: evidence.caption,
        summary: evidence.summary,
        deleted_at_unix: evidence.deleted_at_unix.0,
        kept_until_unix: evidence.kept_until_unix.0,
    }
}
