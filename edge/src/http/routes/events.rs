//! `GET …/developer/events`: the event log of a channel.

use crate::base::ids::ContentUuid;
use crate::base::paging::page_length;
use crate::base::refusal::Refusal;
use crate::contents::events::{EventsPart, OwnedEvents, events_page, list_events};
use crate::http::App;
use crate::http::callers::PresentedOwner;
use crate::http::query::read_query;
use axum::Json;
use axum::http::{HeaderMap, Uri};
use contract::api::Events;
use contract::limits::MAX_SAFE_INTEGER;
use contract::mistake::{invalid_number, invalid_uuid};
use serde::Deserialize;
use uuid::Uuid;

const DEFAULT_PAGE_LENGTH: u32 = 100;

/// Returns the events of the key's channel in order, starting after `after`. Events are kept for 30 days. To miss none,
/// read the log regularly with the `next_after` of the previous response. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::EVENTS, tag = "events",
    params(
        ("after" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
            description = "The `sequence` of the last event that you have read. The default is 0, which starts with the oldest event."),
        ("limit" = Option<u32>, Query, nullable = false, minimum = 1, maximum = 100, description = "Events per page. The default is 100."),
        ("content_uuid" = Option<String>, Query, nullable = false, format = "uuid", description = "Only events of this video."),
    ),
    responses((status = 200, description = "A page of the event log.", body = Events))
))]
#[worker::send]
pub async fn list_channel_events(
    app: App,
    owner: PresentedOwner,
    uri: Uri,
) -> Result<(HeaderMap, Json<Events>), Refusal> {
    let (part, length) = match page_request(&app, &uri) {
        Ok(request) => request,
        Err(malformed) => return Err(owner.refuse(&app, malformed).await),
    };
    let now = app.now();
    let found = list_events(&app.database()?, owner.owner(), &part, now).await?;
    let OwnedEvents { channel_use, events } = found.ok_or_else(|| owner.unknown())?;
    let mut headers = HeaderMap::new();
    owner.accept(&app, channel_use)?.usage.add_headers(now, &mut headers);
    Ok((headers, Json(events_page(events, part.after, length)?)))
}

/// Returns the requested part, with one event more than a page holds, and the length of a page.
fn page_request(app: &App, uri: &Uri) -> Result<(EventsPart, u32), Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        after: Option<String>,
        limit: Option<String>,
        content_uuid: Option<String>,
    }
    let Parameters { after, limit, content_uuid } = read_query(app.unknown_fields(), uri)?;
    let malformed = |field: &str, detail: String| Refusal::malformed(detail).with_field(field);
    let parse_after = |text: String| {
        let after = text.parse().ok().filter(|after| *after <= MAX_SAFE_INTEGER);
        after.ok_or_else(|| malformed("after", invalid_number("after", &text, Some((0, MAX_SAFE_INTEGER)))))
    };
    let after = after.map_or(Ok(0), parse_after)?;
    let length = page_length(limit.as_deref(), DEFAULT_PAGE_LENGTH)?;
    let parse = |text: String| {
        let uuid = Uuid::try_parse(&text).ok().map(|uuid| ContentUuid::new(uuid.to_string()));
        uuid.ok_or_else(|| malformed("content_uuid", invalid_uuid("content_uuid", &text)))
    };
    let content_uuid = content_uuid.map(parse).transpose()?;
    Ok((EventsPart { after, content_uuid, at_most: length + 1 }, length))
}
