//! `GET /oembed`, by which another site requests the player of a page.

use super::page::public;
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use crate::http::App;
use crate::http::callers::Anyone;
use crate::http::query::read_query;
use crate::viewing::{headers, oembed, published_page};
use axum::Json;
use axum::body::Body;
use axum::http::{Response, Uri};
use axum::response::IntoResponse;
use contract::ErrorCode;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct OembedQuery {
    url: String,
    maxwidth: Option<u32>,
    maxheight: Option<u32>,
    format: Option<String>,
}

/// Returns the oEmbed 1.0 description of a published video's player. The pages of videos link to this endpoint.
///
/// 400 `request_malformed`, 501 `format_unsupported`, 404 `not_found` if there is nothing to show.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::OEMBED, tag = "site",
    params(
        ("url" = String, Query, format = "uri", description = "The URL of the page."),
        ("maxwidth" = Option<u32>, Query, nullable = false, description = "The maximum width of the player."),
        ("maxheight" = Option<u32>, Query, nullable = false, description = "The maximum height of the player."),
        ("format" = Option<String>, Query, nullable = false, description = "`json`."),
    ),
    responses((status = 200, description = "The player.", body = contract::api::Oembed))
))]
#[worker::send]
pub async fn get_oembed(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    // Consumers of oEmbed may send their own parameters, which its specification allows.
    let query: OembedQuery = read_query(&UnknownFields::ignoring(), &uri)?;
    if query.format.as_deref().is_some_and(|format| format != "json") {
        return Err(Refusal::new(ErrorCode::FormatUnsupported));
    }
    let not_found = || Refusal::new(ErrorCode::NotFound);
    let slug_url = oembed::slug_of(&query.url, app.site()).ok_or_else(not_found)?;
    let content = published_page::find(&app.database()?, slug_url).await?.ok_or_else(not_found)?;
    let video = content.published(app.site())?.ok_or_else(not_found)?;
    let mut response = Json(video.oembed(query.maxwidth, query.maxheight)).into_response();
    headers::add_open_to_all(response.headers_mut());
    response.extensions_mut().insert(public(&app, &content));
    Ok(response)
}
