//! Searches contents for moderators, by the details in a viewer's report.

use super::blocklist::validate_hash;
use crate::base::ids::{ChannelId, ContentUuid, is_sha256};
use crate::base::paging::{cut, start};
use crate::base::refusal::Refusal;
use crate::contents::cursor;
use crate::http::App;
use crate::http::callers::{Look, Moderator};
use crate::http::query::read_query;
use crate::moderation::content_search::{SoughtContent, find};
use axum::Json;
use axum::http::Uri;
use contract::api::FoundContents;
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// The number of entries on a page.
const PAGE_LENGTH: u32 = 50;

/// Finds videos, in any state, by the URL of a page or file, a slug, a media name, a channel, a UUID, the SHA-256 of
/// the uploaded file, or the blocked hash that caught them.
///
/// Send exactly one of these seven parameters. The newest video comes first. A removed video is found by `sha256`
/// while its file is blocked; any other, until `COMPACT_DAYS` after it finished.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_CONTENTS, tag = "moderation",
    params(
        ("page" = Option<String>, Query, nullable = false, description = "The URL of a page, a player or a file."),
        ("slug" = Option<String>, Query, nullable = false, description = "The `slug_url` of a video."),
        ("media_name" = Option<String>, Query, nullable = false, description = "The `media_name` of a video."),
        ("content_uuid" = Option<String>, Query, nullable = false, description = "The UUID of a video."),
        ("channel" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
            description = "List the videos of this channel."),
        ("sha256" = Option<String>, Query, nullable = false, pattern = "^[0-9a-f]{64}$",
            description = "The SHA-256 of an uploaded file."),
        ("blocked_hash" = Option<String>, Query, nullable = false, pattern = "^[0-9a-f]{64}$",
            description = "List the videos that were rejected, sent to a person or flagged because of this hash."),
        ("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page."),
    ),
    responses(
        (status = 200, description = "A page of the search results.", body = FoundContents),
    )
))]
#[worker::send]
pub async fn find_contents(app: App, moderator: Moderator<Look>, uri: Uri) -> Result<Json<FoundContents>, Refusal> {
    let parameters: SearchParameters = read_query(app.unknown_fields(), &uri)?;
    let before = start(parameters.cursor.as_deref(), cursor::parse)?;
    let sought = parameters.sought()?;
    let mut contents =
        find(&app.database()?, &sought, before, PAGE_LENGTH + 1, moderator.review_addresses(&app)).await?;
    let next_cursor = cut(&mut contents, PAGE_LENGTH, |last| cursor::after(last.content_id));
    Ok(Json(FoundContents { success: true, contents, next_cursor }))
}

#[derive(Deserialize)]
struct SearchParameters {
    page: Option<String>,
    slug: Option<String>,
    media_name: Option<String>,
    content_uuid: Option<String>,
    channel: Option<u64>,
    sha256: Option<String>,
    blocked_hash: Option<String>,
    cursor: Option<String>,
}

impl SearchParameters {
    fn sought(self) -> Result<SoughtContent, Refusal> {
        let Self { page, slug, media_name, content_uuid, channel, sha256, blocked_hash, .. } = self;
        let mut sought = [
            page.map(|page| {
                let detail = "`page` is not the address of a page, a player or a file of the site.";
                SoughtContent::at_address(&page).ok_or_else(|| Refusal::malformed(detail).with_field("page"))
            }),
            slug.map(|slug| Ok(SoughtContent::Slug(slug))),
            media_name.map(|name| Ok(SoughtContent::MediaName(name))),
            content_uuid.map(|uuid| Ok(SoughtContent::Uuid(ContentUuid::new(uuid)))),
            channel.map(|channel| {
                let detail = "`channel` must be the id of a channel.";
                let is_id = channel <= MAX_SAFE_INTEGER;
                is_id
                    .then_some(SoughtContent::Channel(ChannelId(channel)))
                    .ok_or_else(|| Refusal::malformed(detail).with_field("channel"))
            }),
            sha256.map(|sha256| require_sha256(&sha256).map(|()| SoughtContent::File(sha256))),
            blocked_hash.map(|hash| validate_hash(&hash, "blocked_hash").map(|()| SoughtContent::BlockedHash(hash))),
        ]
        .into_iter()
        .flatten();
        match (sought.next(), sought.next()) {
            (Some(sought), None) => sought,
            _ => Err(Refusal::malformed(
                "Send exactly one of `page`, `slug`, `media_name`, `content_uuid`, `channel`, `sha256` and \
                 `blocked_hash`.",
            )),
        }
    }
}

fn require_sha256(text: &str) -> Result<(), Refusal> {
    let detail = "`sha256` must be 64 lower-case hexadecimal digits.";
    is_sha256(text).then_some(()).ok_or_else(|| Refusal::malformed(detail).with_field("sha256"))
}
