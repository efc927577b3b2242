//! Searches contents for moderators, by the details in a viewer's report.

use crate::base::ids::{ChannelId, ContentUuid};
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

/// Finds videos, in any state, by the URL of a page or file, a slug, a media name, a channel or a UUID.
///
/// Send exactly one of these five parameters. The newest video comes first.
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
    cursor: Option<String>,
}

impl SearchParameters {
    fn sought(self) -> Result<SoughtContent, Refusal> {
        let Self { page, slug, media_name, content_uuid, channel, .. } = self;
        match (page, slug, media_name, content_uuid, channel) {
            (Some(page), None, None, None, None) => SoughtContent::at_address(&page).ok_or_else(|| {
                let detail = "`page` is not the address of a page, a player or a file of the site.";
                Refusal::malformed(detail).with_field("page")
            }),
            (None, Some(slug), None, None, None) => Ok(SoughtContent::Slug(slug)),
            (None, None, Some(name), None, None) => Ok(SoughtContent::MediaName(name)),
            (None, None, None, Some(uuid), None) => Ok(SoughtContent::Uuid(ContentUuid::new(uuid))),
            (None, None, None, None, Some(channel)) if channel > MAX_SAFE_INTEGER => {
                Err(Refusal::malformed("`channel` must be the id of a channel.").with_field("channel"))
            }
            (None, None, None, None, Some(channel)) => Ok(SoughtContent::Channel(ChannelId(channel))),
            _ => Err(Refusal::malformed(
                "Send exactly one of `page`, `slug`, `media_name`, `content_uuid` and `channel`.",
            )),
        }
    }
}
